"""Which derivative rules a PyTorch computation brings, read from autograd's graph."""

from collections import Counter
from typing import Any

import torch

from gradcheck.structure import Structure

SOLVES = ("LinalgSolveExBackward0", "LinalgLstsqBackward0", "LinalgSolveTriangularBackward0")
LEAF = "torch::autograd::AccumulateGrad"
CHECKPOINT = "CheckpointFunctionBackward"


def structure(end: Any) -> Structure:
    """Of the graph that leads to a result; empty where that depends on nothing."""
    rules: Counter[str] = Counter()
    solves: Counter[str] = Counter()
    operations = recomputed = 0
    seen, left = set(), [end]
    while left:
        node = left.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        left.extend(before for before, _ in node.next_functions)
        name = node.name()
        if name == LEAF:
            continue
        operations += 1
        if name in SOLVES:
            solves[name] += 1
        if name == CHECKPOINT:
            recomputed += 1
        elif isinstance(node, torch.autograd.function.BackwardCFunction):
            rules[name.removesuffix("Backward")] = 0
    return Structure(
        source="PyTorch graph of the function",
        operations=operations,
        rules=dict(rules),
        solves=dict(solves),
        recomputed=recomputed,
    )
