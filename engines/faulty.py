"""Engines with a planted fault, on top of right engines: what the audit must be able to see."""

import functools
from collections.abc import Callable, Mapping

from gradcheck.engine import AbstractEngine, AbstractSimulation, Settings, Unsupported
from gradcheck.engines import faulty_gradient, faulty_program, faulty_scene
from gradcheck.engines.faulty_table import FAULTS, Mechanism
from gradcheck.engines.fixed_point import FixedPointEngine
from gradcheck.engines.jax_program import JaxEngine
from gradcheck.engines.particles import ParticlesEngine
from gradcheck.testbed import Testbed

# Faults that are engines of their own
OTHER_ENGINES: Mapping[str, Callable[[], AbstractEngine]] = {
    "missing_toi": lambda: ParticlesEngine("ideal"),
    "frozen_normal": lambda: ParticlesEngine("toi", frozen_normal=True),
    "frozen_time": lambda: ParticlesEngine("toi", frozen_time=True),
    "last_iteration_only": lambda: FixedPointEngine("last"),
    "unconverged_implicit": lambda: FixedPointEngine("implicit"),
}


class FaultyEngine(AbstractEngine):
    """A right engine with the fault of that name planted in it.

    `base` is the right engine or its name; None takes the one that the table names for each
    testbed (and on other testbeds the first of the table). Raises `ValueError` for an unknown
    fault and `Unsupported` where it cannot be planted on that base.
    """

    def __init__(self, fault: str, base: str | AbstractEngine | None = None) -> None:
        if fault not in FAULTS:
            raise ValueError(f"no fault is called {fault!r}: choose one of {', '.join(FAULTS)}")
        self.fault = FAULTS[fault]
        self._base = right_engine(base) if isinstance(base, str) else base
        self._planted: dict[int, AbstractEngine] = {}
        engine = self.planted(next(iter(self.fault.testbeds)))
        self.probe_limit = engine.probe_limit
        self.slow_build = engine.slow_build
        self.card = engine.card.model_copy(
            update={"name": f"faulty:{fault}", "summary": self.fault.summary, **self.fault.card}
        )

    def base(self, testbed: str) -> AbstractEngine:
        """The right engine under the fault on that testbed."""
        if self._base is not None:
            return self._base
        names = self.fault.testbeds
        return right_engine(names.get(testbed, next(iter(names.values()))))

    def planted(self, testbed: str) -> AbstractEngine:
        """The engine that answers on that testbed."""
        base = self.base(testbed)
        if id(base) not in self._planted:
            self._planted[id(base)] = _plant(self.fault.name, self.fault.mechanism, base)
        return self._planted[id(base)]

    def simulate(self, testbed: Testbed, settings: Settings) -> AbstractSimulation:
        return self.planted(testbed.name).simulate(testbed, settings)


@functools.cache
def right_engine(name: str) -> AbstractEngine:
    """The engine of that name; one for all faults, so that its programs are compiled once."""
    from gradcheck import registry

    return registry.engine(name)


def _plant(fault: str, mechanism: Mechanism, base: AbstractEngine) -> AbstractEngine:
    if mechanism is Mechanism.ENGINE:
        return OTHER_ENGINES[fault]()
    if mechanism is Mechanism.GRADIENT:
        return faulty_gradient.SpoiltEngine(base, faulty_gradient.FAULTS[fault])
    if not isinstance(base, JaxEngine):
        raise Unsupported(
            f"the fault {fault} is planted in {mechanism}; {base.card.name} is none of them"
        )
    if mechanism is Mechanism.PROGRAM:
        return faulty_program.AlteredEngine(base, faulty_program.FAULTS[fault])
    return faulty_scene.AlteredScene(base, faulty_scene.FAULTS[fault])
