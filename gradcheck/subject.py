"""What is measured: one engine on one testbed, with a seed and a budget."""

from enum import StrEnum
from functools import cached_property

import numpy as np

from gradcheck import direction
from gradcheck.budget import FULL, QUICK, QUICK_SLOW, Budget
from gradcheck.direction import Direction
from gradcheck.engine import (
    Ability,
    AbstractEngine,
    AbstractSimulation,
    Array,
    Knob,
    Settings,
    Unsupported,
)
from gradcheck.tangent import Tangent
from gradcheck.testbed import Testbed

DEFAULT = Settings()

LARGEST_STATE = 256
"""Entries of a state up to which its Jacobians [steps, n, n] are asked for."""


class Profile(StrEnum):
    """How thorough an audit is."""

    QUICK = "quick"
    FULL = "full"


class Subject:
    """One engine on one testbed. Simulations and what every measurement needs are kept."""

    def __init__(
        self,
        engine_name: str,
        engine: AbstractEngine,
        testbed: Testbed,
        seed: int = 0,
        profile: Profile = Profile.QUICK,
    ) -> None:
        self.engine_name = engine_name
        self.engine = engine
        self.testbed = testbed
        self.seed = seed
        self.profile = profile
        self.tangent = Tangent(testbed.inputs)
        self._simulations: dict[Settings, AbstractSimulation] = {}

    @property
    def budget(self) -> Budget:
        """How much each measurement may do."""
        if self.profile is Profile.FULL:
            return FULL
        return QUICK_SLOW if self.engine.slow_build else QUICK

    def simulation(self, settings: Settings = DEFAULT) -> AbstractSimulation:
        """The simulation under these settings, made once. Raises `Unsupported`."""
        # The testbed's own values are no change, and so ask for no knob.
        own = {
            name: None
            for name in ("steps", "dt")
            if getattr(settings, name) == getattr(self.testbed, name)
        }
        settings = settings.model_copy(update=own)
        if settings not in self._simulations:
            self._simulations[settings] = self.engine.simulate(self.testbed, settings)
        return self._simulations[settings]

    @cached_property
    def nominal(self) -> dict[str, Array]:
        """The default inputs."""
        return self.testbed.nominal()

    @cached_property
    def names(self) -> list[str]:
        """The inputs that carry a gradient, in the testbed's order."""
        held = self.simulation().undifferentiated
        return [one.name for one in self.testbed.inputs if one.name not in held]

    @cached_property
    def gradient(self) -> Array:
        """The engine's gradient at the nominal inputs, in tangent coordinates [size]."""
        return self.gradient_of(self.simulation())

    @cached_property
    def trajectory(self) -> Array:
        """The states [steps + 1, n] of the nominal rollout. Raises `Unsupported`."""
        return self.simulation().trajectory(self.nominal)

    @cached_property
    def step_jacobians(self) -> Array:
        """The engine's Jacobians [steps, n, n] of the nominal rollout. Raises `Unsupported`."""
        size = self.trajectory.shape[1]
        if size > LARGEST_STATE:
            raise Unsupported(
                f"the state has {size} entries, and Jacobians of more than {LARGEST_STATE} by "
                f"{LARGEST_STATE} take too much memory"
            )
        return self.simulation().step_jacobians(self.nominal)

    def gradient_of(self, simulation: AbstractSimulation) -> Array:
        """The gradient of `simulation` at the nominal inputs, in tangent coordinates [size]."""
        return self.tangent.pull(self.nominal, simulation.value_and_grad(self.nominal)[1])

    def batch(self, deltas: Array) -> dict[str, Array]:
        """The nominal inputs moved by tangent `deltas` [n, size], as a batch."""
        return self.tangent.retract(self.nominal, deltas)

    def split(self, vector: Array) -> dict[str, list[float]]:
        """A tangent vector [size] by differentiated input."""
        return self.tangent.split(vector, self.names)

    def rng(self, purpose: str) -> np.random.Generator:
        """Random numbers for one purpose, the same whatever else is measured."""
        return np.random.default_rng([self.seed, *purpose.encode()])

    def coordinates(self, cap: int) -> list[Direction]:
        """At most `cap` coordinate directions of each differentiated input."""
        return direction.coordinates(self.tangent, self.names, cap)

    def joint(self) -> Direction:
        """One fixed random direction through all differentiated inputs."""
        return direction.joint(self.tangent, self.names, self.rng("joint direction"))

    def boundary(self, along: Direction, dt: float | None = None) -> float | None:
        """The step along a direction that moves the state as far as one time step does.

        speed * dt over how far the state moves at contact per unit step; None without contact.
        """
        testbed = self.testbed
        moved = sum(
            one.reach * float(np.linalg.norm(along.vector[self.tangent.parts[one.name]]))
            for one in testbed.inputs
        )
        distance = testbed.speed * (testbed.dt if dt is None else dt)
        return distance / moved if distance > 0 and moved > 0 else None

    def knows(self, knob: Knob) -> bool:
        """Can this engine turn that knob?"""
        return knob in self.engine.card.knobs

    def require_builds(self) -> None:
        """Raise `Unsupported` where the budget has no time to build a further program."""
        if not self.budget.builds:
            raise Unsupported(
                f"left out of the quick profile, because {self.engine_name} takes many seconds "
                "to build each further program: run with --profile full"
            )

    def require_steps(self) -> None:
        """Raise `Unsupported` where single steps are not shown, or dear to show."""
        if Ability.STEPS not in self.engine.card.abilities:
            raise Unsupported(f"{self.engine_name} does not show its single steps")
        self.require_builds()

    def require_time_steps(self) -> None:
        """Raise `Unsupported` where there is no horizon to vary."""
        if self.testbed.dt <= 0 or self.testbed.steps < 2:
            raise Unsupported(f"testbed {self.testbed.name} is one evaluation without time steps")
        if not self.knows(Knob.STEPS):
            raise Unsupported(f"{self.engine_name} has no knob 'steps'")
