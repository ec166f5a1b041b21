"""Our own planar particle simulator in JAX: frictionless balls, three treatments of contact.

All variants are semi-implicit Euler: velocities first, then positions with the new velocities.
An external force is held over the testbed's own time steps, whatever step the engine takes.
"""

import functools
from dataclasses import dataclass
from enum import StrEnum

import jax
import jax.numpy as jnp

from gradcheck.engine import Ability, EngineCard, Knob, Settings
from gradcheck.engines.jax_program import JaxEngine, JaxInputs, Program
from gradcheck.engines.particle_contact import Contact, contacts, dot
from gradcheck.scene import Balls
from gradcheck.taxonomy import ContactTreatment, Realization, Referent, Retention
from gradcheck.testbed import Testbed

State = tuple[jax.Array, jax.Array]


class Variant(StrEnum):
    """How contact is treated."""

    IDEAL = "ideal"
    TOI = "toi"
    PENALTY = "penalty"


_TREATMENT = {
    Variant.IDEAL: ContactTreatment.EXACT_BRANCH,
    Variant.TOI: ContactTreatment.TIME_OF_IMPACT,
    Variant.PENALTY: ContactTreatment.PENALTY,
}
_SUMMARY = {
    Variant.IDEAL: "impulse on the velocity in the step that would overlap, no time of impact",
    Variant.TOI: "advance to the impact, impulse, advance the rest of the step",
    Variant.PENALTY: "spring and damper while surfaces overlap",
}


class ParticlesEngine(JaxEngine):
    """Balls of a `Balls` scene by one of the variants.

    `frozen_normal` and `frozen_time` hold the contact normal or the time of impact constant in
    the derivative: known defects of released simulators, off unless asked for. The forward pass
    does not change. Raises ValueError for an unknown variant.
    """

    def __init__(
        self, variant: str = "toi", *, frozen_normal: bool = False, frozen_time: bool = False
    ) -> None:
        self.variant = Variant(variant)
        self.frozen_normal = frozen_normal
        self.frozen_time = frozen_time
        held = {"contact normal": frozen_normal, "time of impact": frozen_time}
        self.card = EngineCard(
            name=f"particles:{self.variant}",
            version="1",
            summary=f"planar balls, semi-implicit Euler; {_SUMMARY[self.variant]}",
            referent=Referent.EXECUTED,
            realization=Realization.GENERATED,
            retention=Retention.STORE_ALL,
            contact=_TREATMENT[self.variant],
            frozen=tuple(name for name, is_held in held.items() if is_held),
            abilities=(
                Ability.BATCH,
                Ability.FORWARD_MODE,
                Ability.STEPS,
                Ability.MEMORY,
                Ability.STRUCTURE,
            ),
            knobs=(Knob.STEPS, Knob.DT, Knob.PRECISION),
            sources={
                "referent": "engines/particles.py: reverse mode through the steps as they ran",
                "realization": "engines/jax_program.py: jax.value_and_grad",
                "retention": "engines/jax_program.py: lax.scan without rematerialisation",
                "contact": f"engines/particles.py: Motion.{self.variant}",
                "frozen": "engines/particles.py: Motion.frozen_normal and Motion.frozen_time",
            },
        )

    def program(self, testbed: Testbed, settings: Settings) -> Program:
        """Raises `Unsupported` for a testbed that is not stated as `Balls`."""
        scene = testbed.scene(Balls)
        dtype = jnp.dtype(settings.precision)
        motion = Motion(scene, contacts(scene), self.frozen_normal, self.frozen_time)
        advance = getattr(motion, self.variant)

        def start(inputs: JaxInputs, dt: jax.Array) -> State:
            position, velocity = scene.start(inputs, jnp)
            return jnp.asarray(position, dtype), jnp.asarray(velocity, dtype)

        def step(state: State, inputs: JaxInputs, index: jax.Array, dt: jax.Array) -> State:
            # The middle of the step tells which of the testbed's steps it lies in.
            control = jnp.floor((index + 0.5) * dt / testbed.dt).astype(int)
            after: State = advance(*state, motion.free(inputs, control, state[0]), dt)
            return after

        def outputs(state: State, inputs: JaxInputs) -> jax.Array:
            return jnp.asarray(scene.outputs(*state, inputs, jnp))

        return Program(start, step, outputs)


@dataclass(frozen=True)
class Motion:
    """One time step of a scene, by variant: (position, velocity, acceleration, dt) -> state.

    Positions, velocities and contact-free accelerations are [n, d].
    """

    scene: Balls
    contacts: tuple[Contact, ...]
    frozen_normal: bool = False
    frozen_time: bool = False

    def free(self, inputs: JaxInputs, index: jax.Array, like: jax.Array) -> jax.Array:
        """Acceleration [n, d] by gravity and the external force of step `index`."""
        acceleration = jnp.zeros_like(like)
        if self.scene.gravity:
            acceleration += jnp.asarray(self.scene.gravity, like.dtype)
        if self.scene.force is not None:
            force = jnp.asarray(self.scene.force(inputs, index, jnp), like.dtype)
            acceleration += force / jnp.asarray(self.scene.masses, like.dtype)[:, None]
        return acceleration

    def ideal(self, x: jax.Array, v: jax.Array, a: jax.Array, dt: jax.Array) -> State:
        """v += dt a; impulse on every contact that x + dt v would overlap; x += dt v.

        The normal is that of the positions before the step.
        """
        v = v + dt * a
        for contact in self.contacts:
            normal = self._normal(contact, x)
            closing = dot(normal, contact.between(v))
            hit = (contact.gap(x + dt * v) < 0) & (closing < 0)
            amount = -(1 + self.scene.elasticity) * closing * contact.reduced_mass
            v = contact.push(v, normal, jnp.where(hit, amount, 0.0))
        return x + dt * v, v

    def toi(self, x: jax.Array, v: jax.Array, a: jax.Array, dt: jax.Array) -> State:
        """v += dt a; to the earliest impact at that velocity, impulse, on; at most as many
        impacts (or groups of simultaneous ones) in a step as the scene has contacts.

        The impulse acts on the velocity at the time of impact, without the part of dt a that
        belongs to the time after it; else a bounce under gravity has an error of order dt whose
        derivative does not shrink with dt.
        """
        v = v + dt * a
        rest = dt
        for _ in self.contacts:
            found = [contact.impact(x, v, rest) for contact in self.contacts]
            time = functools.reduce(jnp.minimum, [one for _, one in found])
            first = [meets & (one <= time) for meets, one in found]
            if self.frozen_time:
                time = jax.lax.stop_gradient(time)
            x = x + time * v
            rest = rest - time
            for contact, hit in zip(self.contacts, first, strict=True):
                v = self._bounce(contact, hit, x, v, rest * a)
        return x + rest * v, v

    def _bounce(
        self, contact: Contact, hit: jax.Array, x: jax.Array, v: jax.Array, later: jax.Array
    ) -> jax.Array:
        """Velocities after the contact's impulse where `hit`; `later` [n, d] is the change of
        velocity still to come in this step, already part of v."""
        normal = self._normal(contact, x)
        before = dot(normal, contact.between(v - later))
        to_come = dot(normal, contact.between(later))
        after = jnp.where(before < 0, -self.scene.elasticity * before, before)
        # What is to come must not press the surfaces together again within this step.
        after = jnp.maximum(after, -to_come)
        amount = (after - before) * contact.reduced_mass
        return contact.push(v, normal, jnp.where(hit, amount, 0.0))

    def penalty(self, x: jax.Array, v: jax.Array, a: jax.Array, dt: jax.Array) -> State:
        """The gap of overlapping surfaces accelerates by -damping gap' - stiffness gap, evaluated
        before the step; v += dt a; x += dt v."""
        total = a
        for contact in self.contacts:
            normal = self._normal(contact, x)
            gap, rate = contact.gap(x), dot(normal, contact.between(v))
            pull = -self.scene.damping * rate - self.scene.stiffness * gap
            amount = jnp.where(gap < 0, pull * contact.reduced_mass, 0.0)
            total = contact.push(total, normal, amount)
        v = v + dt * total
        return x + dt * v, v

    def _normal(self, contact: Contact, x: jax.Array) -> jax.Array:
        normal = contact.normal(x)
        return jax.lax.stop_gradient(normal) if self.frozen_normal else normal
