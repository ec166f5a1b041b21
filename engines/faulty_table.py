"""The planted faults as data: what each does, where it shows, and which check must catch it.

Imported whenever engines are listed, so it loads no library.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gradcheck.finding import Signature
from gradcheck.taxonomy import ContactTreatment, Referent

GC101, GC201, GC202, GC203, GC204 = "GC101", "GC201", "GC202", "GC203", "GC204"
GC205, GC206, GC207, GC208, GC209 = "GC205", "GC206", "GC207", "GC208", "GC209"
GC301, GC403 = "GC301", "GC403"


class Mechanism(StrEnum):
    """Where the fault is planted, which decides the engines it can be planted on."""

    GRADIENT = "the gradient that an engine returns: any engine"
    PROGRAM = "the program before it is differentiated: engines written in JAX"
    SCENE = "the testbed's scene: engines written in JAX"
    ENGINE = "another engine under a false card"


@dataclass(frozen=True)
class Fault:
    """One planted fault.

    `codes` of the checks that must catch it: the first is the right one, the others see it too.
    `testbeds` where it shows, each with the right engine under it. `signature` that the finding
    of the first code must name. `card` holds claims that differ from the right engine's.
    """

    name: str
    summary: str
    mechanism: Mechanism
    codes: tuple[str, ...]
    testbeds: Mapping[str, str]
    signature: Signature | None = None
    card: Mapping[str, object] = field(default_factory=dict)


EQUATIONS, TOI, PENALTY, IDEAL = (
    "equations",
    "particles:toi",
    "particles:penalty",
    "particles:ideal",
)
UNROLLED, MUJOCO, MJX = "fixed_point:unrolled", "mujoco", "mjx"
ANY = {"pendulum": EQUATIONS, "bounce": TOI, "soft_wall": PENALTY, "drop": MUJOCO}
ROLLOUT = {"pendulum": EQUATIONS, "bounce": TOI, "soft_wall": PENALTY}
EXACT_ZERO = Signature.LOST_DEPENDENCY

_ALL = (
    Fault(
        "sign_flip",
        "The largest entry of the gradient has the wrong sign, as by a wrong term in an adjoint.",
        Mechanism.GRADIENT,
        (GC201,),
        ANY,
        Signature.SIGN_FLIP,
    ),
    Fault(
        "negated",
        "The whole gradient has the wrong sign: ascent where descent is meant.",
        Mechanism.GRADIENT,
        (GC201,),
        ANY,
        Signature.SIGN_FLIP,
    ),
    Fault(
        "factor_2",
        "The whole gradient is twice the right one, as by a cotangent added twice.",
        Mechanism.GRADIENT,
        (GC201,),
        ANY,
        Signature.POWER_OF_TWO,
    ),
    Fault(
        "power_growth",
        "Every step doubles its cotangent, so the gradient is 2^k times too large after k steps.",
        Mechanism.PROGRAM,
        (GC207, GC201, GC301),
        ROLLOUT,
        Signature.POWER_OF_TWO,
    ),
    Fault(
        "decayed_adjoint",
        "Every step passes on 90 % of its cotangent: a discount left in from training.",
        Mechanism.PROGRAM,
        (GC207, GC201),
        ROLLOUT,
        Signature.PLATEAU,
    ),
    Fault(
        "transposed_jacobian",
        "The adjoint of a step multiplies by the Jacobian where it should by its transpose.",
        Mechanism.PROGRAM,
        (GC201,),
        ROLLOUT,
    ),
    Fault(
        "dropped_term",
        "The derivative of the force by the velocity is left out of the adjoint.",
        Mechanism.SCENE,
        (GC201,),
        {"pendulum": EQUATIONS, "damped_chain": EQUATIONS},
    ),
    Fault(
        "dropped_input",
        "The input that matters most gets a gradient of zeros.",
        Mechanism.GRADIENT,
        (GC203, GC201),
        ANY,
        EXACT_ZERO,
    ),
    Fault(
        "detached_parameter",
        "A physical parameter is read as a plain number, outside differentiation.",
        Mechanism.PROGRAM,
        (GC203, GC201),
        {"pendulum": EQUATIONS, "thruster": EQUATIONS},
        EXACT_ZERO,
    ),
    Fault(
        "detached_state",
        "The state is cut off from its past at step 3, as by a stray call of detach.",
        Mechanism.PROGRAM,
        (GC207, GC203, GC201),
        ROLLOUT,
        Signature.STALE_STATE,
    ),
    Fault(
        "stale_buffer",
        "From step 2 on the backward pass uses the saved state of step 1.",
        Mechanism.PROGRAM,
        (GC207, GC201),
        ROLLOUT,
        Signature.STALE_STATE,
    ),
    Fault(
        "last_iteration_only",
        "Of an iterative solve only the last iteration is differentiated.",
        Mechanism.ENGINE,
        (GC201,),
        {"pendulum": UNROLLED},
    ),
    Fault(
        "unconverged_implicit",
        "The implicit function theorem is applied to a solver that was stopped before convergence.",
        Mechanism.ENGINE,
        (GC101, GC201),
        {"pendulum": UNROLLED},
    ),
    Fault(
        "frozen_normal",
        "The backward pass holds contact normals constant, and the card does not say so.",
        Mechanism.ENGINE,
        (GC403, GC201),
        {"oblique_impact": TOI},
        Signature.FROZEN_NORMAL,
        {"frozen": ()},
    ),
    Fault(
        "frozen_time",
        "The backward pass holds the time of impact constant, and the card does not say so.",
        Mechanism.ENGINE,
        (GC201,),
        {"bounce": TOI, "oblique_impact": TOI},
        None,
        {"frozen": ()},
    ),
    Fault(
        "missing_toi",
        "Contact is resolved at the end of a step while the card claims a time of impact.",
        Mechanism.ENGINE,
        (GC202, GC101),
        {"bounce": IDEAL, "wall": IDEAL},
        Signature.TIME_DISCRETISATION,
        {"referent": Referent.CONTINUOUS, "contact": ContactTreatment.TIME_OF_IMPACT},
    ),
    Fault(
        "wrong_frame",
        "A torque in the world's frame is returned as the body's.",
        Mechanism.GRADIENT,
        (GC201,),
        {"drop": MUJOCO, "tossed_cube": MUJOCO},
    ),
    Fault(
        "quaternion_component",
        "The gradient has a part along the quaternion, a change that no rotation can make.",
        Mechanism.GRADIENT,
        (GC209,),
        {"drop": MUJOCO, "tossed_cube": MUJOCO},
        Signature.QUATERNION,
    ),
    Fault(
        "nan_masked_branch",
        "The branch that is not taken divides zero by zero, and the backward pass keeps the NaN.",
        Mechanism.PROGRAM,
        (GC204, GC201),
        ROLLOUT,
    ),
    Fault(
        "nan_rare",
        "In 1 of 500 states the gradient is NaN, elsewhere it is right.",
        Mechanism.GRADIENT,
        (GC204,),
        ROLLOUT,
    ),
    Fault(
        "float32_inside",
        "Steps are computed in single precision inside a double-precision interface.",
        Mechanism.PROGRAM,
        (GC208,),
        ROLLOUT,
        Signature.PRECISION,
    ),
    Fault(
        "forward_changed",
        "The loss is another one when gradients are asked for: its inputs are jittered.",
        Mechanism.GRADIENT,
        (GC205,),
        ANY,
        Signature.FORWARD_CHANGED,
    ),
    Fault(
        "nondeterministic_backward",
        "The gradient differs in the seventh digit from call to call, as by atomic additions.",
        Mechanism.GRADIENT,
        (GC206,),
        ANY,
    ),
    Fault(
        "accumulated",
        "The buffers of the gradient are never cleared: each call adds to the one before.",
        Mechanism.GRADIENT,
        (GC206, GC201),
        ANY,
    ),
    Fault(
        "cross_talk",
        "The rows of a batch share one buffer, so each gets the mean gradient of all.",
        Mechanism.GRADIENT,
        (GC206,),
        # Not on `bounce` or `soft_wall`: gradients of neighbouring states are the same there
        {"pendulum": EQUATIONS, "oblique_impact": TOI, "drop": MUJOCO},
    ),
    Fault(
        "off_by_one_horizon",
        "The gradient is that of one step fewer than the loss has.",
        Mechanism.GRADIENT,
        (GC201,),
        {"pendulum": EQUATIONS, "bounce": TOI, "thruster": EQUATIONS},
    ),
    Fault(
        "wrong_dt",
        "The backward pass has a time step of its own, 10 % longer.",
        Mechanism.GRADIENT,
        (GC201,),
        {"pendulum": EQUATIONS, "bounce": TOI, "soft_wall": PENALTY},
    ),
    Fault(
        "clipped_undeclared",
        "Entries of the gradient are clipped without a word.",
        Mechanism.GRADIENT,
        (GC201,),
        ANY,
    ),
    Fault(
        "ctrl_scaled_by_dt",
        "The gradient by a control is multiplied by the time step once too often.",
        Mechanism.GRADIENT,
        (GC201,),
        {"thruster": EQUATIONS, "bounce": TOI, "cartpole": MUJOCO, "slide": EQUATIONS},
        Signature.TIME_STEP_FACTOR,
    ),
    Fault(
        "friction_zero",
        "The gradient by the friction coefficient is always zero.",
        Mechanism.GRADIENT,
        (GC203, GC201),
        {"slide": EQUATIONS, "drop": MJX},
        EXACT_ZERO,
    ),
    Fault(
        "mean_instead_of_sum",
        "What the steps contribute to a parameter is averaged instead of added up.",
        Mechanism.GRADIENT,
        (GC201,),
        {"pendulum": EQUATIONS, "thruster": EQUATIONS},
    ),
    Fault(
        "reversed_order",
        "The entries of each input come in the order of another convention.",
        Mechanism.GRADIENT,
        (GC201,),
        {"drop": MUJOCO, "oblique_impact": TOI},
    ),
)

FAULTS: dict[str, Fault] = {fault.name: fault for fault in _ALL}
