"""The argument of a user's function: any pytree, seen as named float64 arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from gradcheck.engine import Array, BadInput

Leaf = Any


@dataclass(frozen=True)
class Argument:
    """`names` are those of the real leaves, in order; other leaves (whole numbers, None, text) are
    constants. A lone array is named `x`, an entry of a dictionary by its key, deeper ones `a.b`.
    """

    leaves: tuple[Leaf, ...]
    tree: Any
    names: tuple[str | None, ...]

    @classmethod
    def of(cls, x: Any) -> "Argument":
        """Look at an argument. Raises `BadInput` where nothing in it can be differentiated."""
        paths, tree = jax.tree_util.tree_flatten_with_path(x)
        leaves = tuple(leaf for _, leaf in paths)
        labels = [_label(path) for path, _ in paths]
        names = tuple(
            label if _is_real(leaf, label) else None
            for label, leaf in zip(labels, leaves, strict=True)
        )
        given = [name for name in names if name is not None]
        if not given:
            raise BadInput(
                "x holds no real numbers to differentiate by: give floats or arrays of them"
            )
        if len(set(given)) < len(given):
            raise BadInput("two entries of x have the same name: rename a key that contains '.'")
        made = cls(leaves, tree, names)
        for name, array in made.arrays().items():
            if not array.size:
                raise BadInput(f"{name} is empty: give at least one number")
            if not np.all(np.isfinite(array)):
                raise BadInput(f"{name} holds NaN or infinity: give finite numbers")
        return made

    def arrays(self, tree: Any = None) -> dict[str, Array]:
        """The real leaves by name in float64, of the argument itself or of one built like it."""
        leaves = self.leaves if tree is None else self.tree.flatten_up_to(tree)
        return {
            name: to_numpy(leaf)
            for name, leaf in zip(self.names, leaves, strict=True)
            if name is not None
        }

    def build(self, inputs: Mapping[str, Any]) -> Any:
        """The argument with its real leaves replaced, as they are."""
        leaves = [
            leaf if name is None else inputs[name]
            for name, leaf in zip(self.names, self.leaves, strict=True)
        ]
        return self.tree.unflatten(leaves)

    def rebuild(self, inputs: Mapping[str, Array]) -> Any:
        """The argument at other numbers, each leaf of the kind that the user gave."""
        like = {
            name: _like(leaf, inputs[name])
            for name, leaf in zip(self.names, self.leaves, strict=True)
            if name is not None
        }
        return self.build(like)


def is_tensor(leaf: Leaf) -> bool:
    """Is this a PyTorch tensor? Does not import PyTorch."""
    return type(leaf).__module__.split(".")[0] == "torch"


def to_numpy(leaf: Leaf) -> Array:
    """A leaf as a float64 array. Raises `BadInput` for what is no array of real numbers."""
    array = np.asarray(leaf.detach().cpu() if is_tensor(leaf) else leaf)
    if array.dtype.kind == "c":
        raise BadInput("an answer is complex: return real numbers")
    if array.dtype.kind in "OUS":
        raise BadInput(f"an answer is a {type(leaf).__name__}: return real numbers")
    return array.astype(np.float64)


def _is_real(leaf: Leaf, label: str) -> bool:
    if is_tensor(leaf):
        return bool(leaf.dtype.is_floating_point)
    kind = np.asarray(leaf).dtype
    if kind.kind == "c":
        raise BadInput(f"{label} is complex: split it into its real and imaginary parts")
    # bfloat16 and its like are of kind V, and say float in their names
    return kind.kind == "f" or "float" in kind.name


def _like(leaf: Leaf, array: Array) -> Any:
    if is_tensor(leaf):
        import torch

        return torch.as_tensor(array, dtype=torch.float64, device=leaf.device)
    if isinstance(leaf, jax.Array):
        return jax.numpy.asarray(array)
    return float(array) if isinstance(leaf, float) else array


def _label(path: tuple[Any, ...]) -> str:
    parts = []
    for key in path:
        part = getattr(key, "key", getattr(key, "idx", getattr(key, "name", None)))
        parts.append(str(part))
    return ".".join(parts) or "x"
