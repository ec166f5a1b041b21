"""springball as gradcheck sees it."""

from typing import Any

import jax.numpy as jnp
from springball.step import Ground, make_step

from gradcheck import (
    Ability,
    Balls,
    ContactTreatment,
    EngineCard,
    JaxEngine,
    Knob,
    Program,
    Realization,
    Referent,
    Retention,
    Settings,
    Testbed,
    Unsupported,
)


class Springball(JaxEngine):
    """Frictionless balls above planes."""

    card = EngineCard(
        name="springball",
        version="1.0",
        referent=Referent.EXECUTED,
        realization=Realization.CUSTOM_ADJOINT,
        retention=Retention.STORE_ALL,
        contact=ContactTreatment.PENALTY,
        frozen=(),
        abilities=(Ability.BATCH, Ability.STEPS),
        knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION),
        sources={"realization": "springball/step.py: make_step, backward"},
    )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """Raises `Unsupported` for balls that meet one another."""
        scene = testbed.scene(Balls)
        if scene.pairs:
            raise Unsupported("springball has no contact between balls")
        grounds = tuple(
            Ground(
                plane.normal,
                tuple(plane.offset + radius for radius in scene.radii),
                scene.stiffness,
                scene.damping,
            )
            for plane in scene.planes
        )
        advance = make_step(grounds)

        def start(inputs: Any, dt: Any) -> Any:
            x, v = scene.start(inputs, jnp)
            return jnp.asarray(x, settings.precision), jnp.asarray(v, settings.precision)

        def step(state: Any, inputs: Any, index: Any, dt: Any) -> Any:
            x, v = state
            a = jnp.zeros_like(x)
            if scene.gravity:
                a += jnp.asarray(scene.gravity, x.dtype)
            if scene.force is not None:
                # The force is held over the testbed's own steps, whatever step is taken here.
                held = jnp.floor((index + 0.5) * dt / testbed.dt).astype(int)
                masses = jnp.asarray(scene.masses, x.dtype)[:, None]
                a += jnp.asarray(scene.force(inputs, held, jnp), x.dtype) / masses
            return advance(x, v, a, dt)

        def outputs(state: Any, inputs: Any) -> Any:
            x, v = state
            return jnp.asarray(scene.outputs(x, v, inputs, jnp))

        return Program(start, step, outputs)
