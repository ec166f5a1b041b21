"""A page of the public Python names: their source without bodies and private members."""

import ast
import importlib
import inspect
import itertools
from collections.abc import Iterator
from typing import Any

import gradcheck
from tests.docs.markdown import escaped

HEAD = """# Python interface

The public names, with their text in the code, each imported from `gradcheck` where no other module
is named. Arrays are float64 NumPy arrays; units are SI.

"""
ENTRY = """### {}

<!-- skip: source without bodies -->
```python
{}
```

"""
# Public names that are imported from modules of their own.
BESIDE = {
    "gradcheck.remedies": (
        "MedianClip",
        "Truncation",
        "StiffnessSchedule",
        "backward",
        "Backward",
        "Effect",
        "clip",
        "clip_together",
        "Clipped",
        "described",
    ),
    "gradcheck.engines.jax_remedies": ("remedied", "new_tally", "tallied"),
}
# A member that is no part of the interface, though its name says nothing of it.
LEFT_OUT = "model_config"


def pages() -> dict[str, str]:
    """The page by its path in docs/."""
    names = [name for name in gradcheck.__all__ if name in gradcheck._MODULES]
    parts = [HEAD]
    for module, members in itertools.groupby(names, key=gradcheck._MODULES.__getitem__):
        parts.append(heading(module))
        parts += [entry(name, getattr(gradcheck, name)) for name in members]
    parts.append(heading("gradcheck.testing"))
    parts.append(entry("testing.check_engine", gradcheck.testing.check_engine))
    for module, listed in BESIDE.items():
        parts.append(heading(module))
        found = importlib.import_module(module)
        parts += [entry(f"{module}.{name}", getattr(found, name)) for name in listed]
    return {"python.md": "".join(parts).rstrip("\n") + "\n"}


def heading(module: str) -> str:
    """A module, and what it says that it is."""
    said = (inspect.getdoc(importlib.import_module(module)) or "").partition("\n\n")[0]
    return f"## {module}\n\n{escaped(' '.join(said.split()))}\n\n"


def entry(name: str, found: Any) -> str:
    """One name."""
    if not (inspect.isclass(found) or inspect.isfunction(found)):
        return f"### {name}\n\n`{found}`\n\n"
    source = inspect.getsource(found)
    (node,) = ast.parse(source).body
    lines = source.splitlines()
    shown = "\n".join(lines[number - 1] if number else "" for number in kept(node))
    return ENTRY.format(name, shown.strip("\n"))


def kept(node: ast.AST) -> Iterator[int]:
    """The numbers of the lines to show; 0 is an empty one."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
        yield from range(first, max(node.lineno, node.body[0].lineno - 1) + 1)
        inner: list[ast.stmt] = node.body
        if isinstance(node, ast.FunctionDef):
            inner = node.body[:1] if ast.get_docstring(node) else []
        for member in filter(public, inner):
            if isinstance(member, ast.ClassDef | ast.FunctionDef):
                yield 0
            yield from kept(member)
            if isinstance(member, ast.Expr) and isinstance(node, ast.ClassDef):
                yield 0  # below the docstring
    elif isinstance(node, ast.stmt):
        yield from range(node.lineno, (node.end_lineno or node.lineno) + 1)


def public(node: ast.stmt) -> bool:
    """Is it part of the interface?"""
    names: list[str] = []
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        names = [node.name]
    elif isinstance(node, ast.AnnAssign):
        names = [ast.unparse(node.target)]
    elif isinstance(node, ast.Assign):
        names = [ast.unparse(target) for target in node.targets]
    return not any(name.startswith("_") or name == LEFT_OUT for name in names)
