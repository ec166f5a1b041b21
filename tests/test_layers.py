"""Who may import whom. Read from the source, so that no import has to run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("engines", "testbeds", "reports")

RECORDS = {
    "record",
    "artifact",
    "curve",
    "distances",
    "evidence",
    "finding",
    "plateau",
    "structure",
    "taxonomy",
    "engine",
}
FILES = {"whole_file"}
# What an experiment found, judged and as text: data that reports may draw. Measuring it is not.
FOUND = {f"experiments.cells_{part}" for part in ("record", "answer", "text")}
FOUND |= {
    f"experiments.target_{part}" for part in ("record", "answer", "advantage", "interval", "table")
}
JUDGING = {"limit", "match", "minimal", "rung"}
KEPT = {"report", "policy", "move", "entry", "origin", "baseline"}
GATE = {
    "gate",
    "gate_finding",
    "gate_line",
    "gate_pairing",
    "gate_presence",
    "gate_report",
    "annotation",
}
SUBJECT = {"subject", "budget", "direction", "tangent"}
# Folder or module -> the modules of gradcheck (first part of the name) that it may import.
ALLOWED = {
    "checks": RECORDS | JUDGING | {"checks"},
    **dict.fromkeys(sorted(JUDGING), RECORDS | JUDGING),
    "ranking": RECORDS,
    "report": RECORDS | FILES | {"report"},
    **dict.fromkeys(["checklist", "stated"], RECORDS | {"report", "checklist", "stated"}),
    "methods": {"record", "taxonomy"},
    "reports": RECORDS | FILES | FOUND | {"methods", "ranking", "report", "checklist", "reports"},
    **dict.fromkeys(sorted(FOUND), RECORDS | FILES | FOUND),
    # guard, registry, engines, scene: it makes its own engines, and takes those of users.
    "experiments": RECORDS
    | SUBJECT
    | FILES
    | {"estimators", "experiments", "measure", "reason", "remedies", "testbed", "registry"}
    | {"guard", "engines", "scene"},
    "merged": RECORDS | {"report"},
    "policy": {"record"},
    "move": {"record"},
    **dict.fromkeys(["entry", "origin", "baseline"], RECORDS | FILES | KEPT),
    **dict.fromkeys(sorted(GATE), RECORDS | KEPT | GATE | {"ranking", "reports"}),
    "changes": RECORDS | {"report", "merged", "reports"},
    **dict.fromkeys(sorted(SUBJECT), RECORDS | SUBJECT | {"testbed", "quaternion"}),
    # Applied by engines and measurements alike; free of both.
    "remedies": {"record", "engine", "remedies"},
    # Of losses, whoever evaluates them.
    "estimators": {"engine", "estimators"},
    "measure": RECORDS | SUBJECT | {"estimators", "measure", "testbed", "quaternion", "remedies"},
    "jobs": RECORDS
    | {"jobs", "reason", "registry", "subject", "measure", "guard", "provenance", "description"},
    "folder": RECORDS | FILES | {"jobs", "measure", "report", "reports"},
    "request": {"config"},
    # registry: a planted fault names the right engine that it is planted on.
    "engines": {
        "engine",
        "engines",
        "finding",
        "quaternion",
        "reason",
        "registry",
        "remedies",
        "scene",
        "structure",
        "taxonomy",
        "testbed",
    },
    "testbeds": {"engine", "testbeds", "scene", "testbed", "finding", "quaternion"},
}
# Libraries that only engines may load.
ENGINE_LIBRARIES = {"jax", "mujoco", "torch", "warp", "newton", "brax"}


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of the package by its name."""
    for folder in (ROOT / "gradcheck", *(ROOT / name for name in FOLDERS)):
        for file in sorted(folder.rglob("*.py")):
            if folder.name == "gradcheck" and file.relative_to(folder).parts[0] in FOLDERS:
                continue
            base = ROOT if folder.name == "gradcheck" else ROOT.joinpath("gradcheck").parent
            parts = list(file.relative_to(base).with_suffix("").parts)
            if folder.name != "gradcheck":
                parts.insert(0, "gradcheck")
            if parts[-1] == "__init__":
                parts.pop()
            yield ".".join(parts), file


MODULES = dict(modules())


def imports(file: Path, anywhere: bool) -> Iterator[str]:
    """Names of imported modules: all of them, or those that run when the file is imported."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree) if anywhere else _at_import(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else str(node.module)


def _at_import(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            continue
        yield child
        yield from _at_import(child)


@pytest.mark.parametrize("layer", ALLOWED)
def test_a_layer_imports_only_what_lies_below(layer: str) -> None:
    members = [name for name in MODULES if f"{name}.".startswith(f"gradcheck.{layer}.")]
    assert members, f"no module in layer {layer}"
    for name in members:
        for found in imports(MODULES[name], anywhere=True):
            if found.split(".")[0] == "gradcheck":
                parts = found.split(".")
                whole = {".".join(parts[1:end]) for end in (2, 3)}
                assert found == "gradcheck" or whole & ALLOWED[layer], f"{name} imports {found}"
                assert found != "gradcheck", f"{name} imports the package from within"


def test_only_engines_import_engine_libraries() -> None:
    free = ("gradcheck.engines", "gradcheck.registry", "gradcheck.skeletons")
    for name, file in MODULES.items():
        if not name.startswith(free):
            strangers = {found.split(".")[0] for found in imports(file, anywhere=True)}
            assert not strangers & ENGINE_LIBRARIES, name


def test_no_module_imports_the_linked_folders_by_their_short_names() -> None:
    for name, file in MODULES.items():
        tops = {found.split(".")[0] for found in imports(file, anywhere=True)}
        assert not tops & {*FOLDERS, "tests"}, name


def test_no_import_cycles() -> None:
    edges = {
        name: {found for found in imports(file, anywhere=False) if found in MODULES} - {name}
        for name, file in MODULES.items()
    }
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for other in edges[name]:
                visit(other, (*path, name))
            done.add(name)

    for name in edges:
        visit(name, ())


def test_no_module_is_called_utils() -> None:
    assert not [name for name in MODULES if name.rpartition(".")[2] in ("utils", "util", "helpers")]
