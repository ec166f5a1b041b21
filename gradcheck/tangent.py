"""All inputs of a testbed as one vector of tangent coordinates, in the order of its inputs."""

from collections.abc import Iterable

import numpy as np

from gradcheck.engine import Array, Gradient, Inputs
from gradcheck.quaternion import tangent_basis
from gradcheck.testbed import Input


class Tangent:
    """Moves along, and gradients by, the tangent coordinates [size] of several inputs."""

    def __init__(self, inputs: Iterable[Input]) -> None:
        self.inputs = tuple(inputs)
        self.parts: dict[str, slice] = {}
        self.size = 0
        for one in self.inputs:
            self.parts[one.name] = slice(self.size, self.size + one.tangent_size)
            self.size += one.tangent_size
        sizes = [one.tangent_size for one in self.inputs]
        self.scales: Array = np.repeat([float(one.scale) for one in self.inputs], sizes)

    def retract(self, inputs: Inputs, deltas: Array) -> dict[str, Array]:
        """`inputs` moved by `deltas` [..., size]: arrays with the same leading axes."""
        return {
            one.name: one.retract(np.asarray(inputs[one.name]), deltas[..., self.parts[one.name]])
            for one in self.inputs
        }

    def pull(self, inputs: Inputs, gradient: Gradient) -> Array:
        """A gradient at `inputs`, or a batch of both, as tangent coordinates [..., size].

        Inputs that the gradient leaves out get zeros.
        """
        lead: tuple[int, ...] = ()
        found = {}
        for one in self.inputs:
            if one.name in gradient:
                grad = np.asarray(gradient[one.name], np.float64)
                lead = grad.shape[: grad.ndim - one.default.ndim]
                found[one.name] = one.pull(np.asarray(inputs[one.name]), grad)
        out = np.zeros((*lead, self.size))
        for name, part in found.items():
            out[..., self.parts[name]] = part
        return out

    def push(self, inputs: Inputs, delta: Array) -> dict[str, Array]:
        """The velocity of the raw entries, by name, when `inputs` move along `delta` [size]."""
        out = {}
        for one in self.inputs:
            value = np.ravel(inputs[one.name])
            part = delta[self.parts[one.name]]
            raw = np.zeros(value.size)
            here = there = 0
            while here < value.size:
                if here in one.quaternions:
                    basis = tangent_basis(value[here : here + 4])
                    raw[here : here + 4] = basis @ part[there : there + 3]
                    here, there = here + 4, there + 3
                else:
                    raw[here] = part[there]
                    here, there = here + 1, there + 1
            out[one.name] = raw.reshape(np.shape(inputs[one.name]))
        return out

    def split(self, vector: Array, names: Iterable[str]) -> dict[str, list[float]]:
        """The parts of `vector` [size] that belong to `names`."""
        return {name: vector[self.parts[name]].tolist() for name in names}

    def vector(self, parts: dict[str, Array]) -> Array:
        """One vector [size] of tangent vectors by name; zero for names left out."""
        out = np.zeros(self.size)
        for name, part in parts.items():
            out[self.parts[name]] = np.ravel(part)
        return out
