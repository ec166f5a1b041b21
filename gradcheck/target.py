"""Objects that a user names as `path/to/file.py:Name`."""

import ast
import hashlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType

from gradcheck.engine import BadInput
from gradcheck.reason import reason

FORM = "path/to/file.py:Name"


def is_target(name: str) -> bool:
    """Does this name a place in a file rather than something registered?"""
    return name.endswith(".py") or ".py:" in name


def split(target: str) -> tuple[Path, str]:
    """The file and the name in it, both present. Raises `BadInput`."""
    path, _, name = target.rpartition(":")
    if target.endswith(".py") or not path or not name:
        raise BadInput(f"'{target}' does not say which object to take: write {FORM}")
    if not target.isprintable():
        # Also bytes of a file name that are not UTF-8: reports are, and could not tell its name.
        raise BadInput(f"the name {target!r:.200} holds what cannot be written: rename the file")
    file = Path(path)
    try:
        found = file.is_file()
    except OSError:  # such as a name that is too long for the file system
        found = False
    if not found:
        raise BadInput(f"there is no file {path:.200}: write {FORM}, relative to this folder")
    return file, name


def inspect(target: str) -> None:
    """Find out without running the file that it is there, parses and mentions the name."""
    file, name = split(target)
    try:
        tree = ast.parse(file.read_bytes(), filename=str(file))
    except (SyntaxError, ValueError) as error:
        raise BadInput(f"{file} does not parse: {reason(error)}") from None
    except OSError as error:
        raise BadInput(f"{file} cannot be read: {error.strerror}") from None
    stars = any(
        isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in ast.walk(tree)
    )
    names = {text for node in ast.walk(tree) for text in _bound(node)}
    if not stars and "__getattr__" not in names and name not in names:
        raise BadInput(f"{file} has no name '{name}' (it defines: {_listed(names)})")


def files(target: str) -> list[str]:
    """The file, and every file beside it that it imports, directly or through others."""
    first, _, _ = target.rpartition(":")
    root = Path(first).parent
    found: dict[str, None] = {}
    waiting = [Path(first)]
    while waiting:
        file = waiting.pop()
        if str(file) in found or not file.is_file():
            continue
        found[str(file)] = None
        try:
            tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError, OSError):
            continue
        for name in _imported(tree, file.parent, root):
            waiting += [name.parent / f"{name.name}.py", name / "__init__.py"]
    return list(found)


def _imported(tree: ast.AST, here: Path, root: Path) -> list[Path]:
    """Where imported modules would lie, without their suffix: below `root`, or relative to
    `here`. Of `from a import b`, also b, which may be a module."""
    wanted: list[tuple[Path, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            wanted += [(root, one.name) for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here.joinpath(*[".."] * (node.level - 1)) if node.level else root
            wanted += [(base, f"{node.module or ''}.{one.name}") for one in node.names]
    places = []
    for base, name in wanted:
        place = base
        places.append(place)  # `from . import a` runs this package
        for part in filter(None, name.split(".")):
            place = place / part
            places.append(place)  # as `import a.b` runs a, and then b
    return places


def load(target: str) -> object:
    """The object. Raises `BadInput` with the cause for a file that does not import."""
    inspect(target)
    file, name = split(target)
    module = _module(file)
    try:
        found: object = getattr(module, name)
    except AttributeError:
        raise BadInput(f"{file} has no name '{name}' once imported") from None
    return found


def _module(file: Path) -> ModuleType:
    """The imported file; its folder is on the path, as when Python runs a script."""
    file = file.resolve()
    digest = hashlib.sha256(str(file).encode()).hexdigest()[:8]
    key = f"gradcheck_user_{file.stem}_{digest}"
    if key in sys.modules:
        return sys.modules[key]
    spec = importlib.util.spec_from_file_location(key, file)
    if spec is None or spec.loader is None:
        raise BadInput(f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[key] = module
    if str(file.parent) not in sys.path:
        sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a file that calls sys.exit() is no reason to exit
        del sys.modules[key]
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(file)]
        where = f", line {lines[-1]}" if lines else ""
        raise BadInput(f"{file.name} does not import{where}: {reason(error)}") from None
    return module


def _bound(node: ast.AST) -> list[str]:
    """Names that a node binds."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return [node.id]
    if isinstance(node, ast.alias):
        return [(node.asname or node.name).split(".")[0]]
    return []


def _listed(names: set[str]) -> str:
    public = sorted(name for name in names if not name.startswith("_"))
    return ", ".join(public[:8]) + (", …" if len(public) > 8 else "") or "nothing"
