"""Your simulator as gradcheck sees it. It runs as it is; put your own step in the place of ours.

gradcheck audit        (what is audited is written in gradcheck.toml)
"""

from typing import Any

import jax.numpy as jnp

from gradcheck import (
    Ability,
    ContactTreatment,
    EngineCard,
    Equations,
    JaxEngine,
    Knob,
    Program,
    Realization,
    Referent,
    Retention,
    Settings,
    Testbed,
)


class MySimulator(JaxEngine):
    """Ordinary differential equations by semi-implicit Euler.

    JaxEngine turns one step into rollouts, batches, gradients, horizons and Jacobians.
    """

    # What you state about your gradient. The audit measures it and says where it differs; leave
    # out what you do not want to state (the report then says: not stated).
    card = EngineCard(
        name="my_simulator",
        version="0.1",
        referent=Referent.EXECUTED,  # or CONVERGED, CONTINUOUS: whose derivative is it?
        realization=Realization.GENERATED,  # or EQUATION_ADJOINT, CUSTOM_ADJOINT: how is it made?
        retention=Retention.STORE_ALL,  # or CHECKPOINT, RECOMPUTE, …: how are states kept?
        contact=ContactTreatment.NONE,  # how is contact made differentiable?
        frozen=(),  # what the backward pass holds constant: "contact normal", "friction", …
        abilities=(Ability.BATCH, Ability.FORWARD_MODE, Ability.STEPS),
        knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION),
        sources={"referent": "my_simulator.py"},  # where each claim is written
    )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """The testbed in this simulator: where it starts, one step, and what is measured.

        A testbed comes in one or more forms; `testbed.scene` gives the one asked for, or tells the
        audit that this engine cannot do it. Others than Equations: Balls, Mjcf, Formula.
        """
        scene = testbed.scene(Equations)

        def start(inputs: Any, dt: Any) -> Any:
            return scene.start(inputs, jnp)

        def step(state: Any, inputs: Any, index: Any, dt: Any) -> Any:
            # YOUR STEP HERE: any pytree of arrays may be the state.
            q, v = state
            v = v + dt * scene.acceleration(q, v, inputs, index * dt, jnp)
            return q + dt * v, v

        def outputs(state: Any, inputs: Any) -> Any:
            q, v = state
            return scene.outputs(q, v, inputs, jnp)

        return Program(start, step, outputs)
