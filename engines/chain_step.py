"""One implicit step of a chain, its equation solved by a fixed number of iterations.

The unknown is the velocity V after the step. With theta = 1 (implicit Euler) forces are those at
the end of the step, with theta = 1/2 (implicit midpoint, reversible) those in its middle:
r(V) = m (V - v) - dt F(q + theta dt v', v') = 0, v' = (1 - theta) v + theta V; then q += dt v'.
Hairer, Lubich, Wanner, Geometric Numerical Integration, section II.1.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

import jax
import jax.numpy as jnp
import numpy as np

from gradcheck.engines.chain_force import Law, force
from gradcheck.scene import Chain

State = tuple[jax.Array, jax.Array]
"""q and v, both [n, 2]."""
Linear = Callable[[jax.Array, jax.Array], jax.Array]
"""(matrix [m, m], right side [m]) -> solution [m]."""


class Solver(StrEnum):
    """How the step's equation is solved.

    An iteration of `NEWTON` solves the whole linearised equation; one of `GAUSS_SEIDEL` does so a
    mass at a time, the others held where they last were (as in vertex block descent).
    """

    NEWTON = "newton"
    GAUSS_SEIDEL = "gauss_seidel"


@dataclass(frozen=True)
class Implicit:
    """The step of a chain by one solver with one budget."""

    chain: Chain
    solver: Solver = Solver.NEWTON
    iterations: int = 8
    theta: float = 1.0

    @property
    def updates(self) -> jax.Array:
        """Which m entries of V [2 n] each update moves, of all iterations one after another."""
        entries = np.arange(2 * len(self.chain.masses))
        blocks = entries.reshape(-1, entries.size if self.solver is Solver.NEWTON else 2)
        return jnp.asarray(np.tile(blocks, (self.iterations, 1)))

    def between(self, state: State, new: jax.Array, dt: jax.Array) -> State:
        """Where and how fast the chain is when its forces are taken."""
        q, v = state
        middle = (1 - self.theta) * v + self.theta * new
        return q + self.theta * dt * middle, middle

    def residual(self, new: jax.Array, state: State, law: Law, dt: jax.Array) -> jax.Array:
        """r(V) [n, 2], N s."""
        masses = jnp.asarray(self.chain.masses, new.dtype)[:, None]
        at = self.between(state, new, dt)
        found: jax.Array = masses * (new - state[1]) - dt * force(self.chain, *at, law)
        return found

    def jacobian(
        self, new: jax.Array, rows: jax.Array, state: State, law: Law, dt: jax.Array
    ) -> jax.Array:
        """dr/dV [m, m] of the m entries `rows` by themselves, by generated differentiation."""
        moves = jnp.eye(new.size, dtype=new.dtype)[rows].reshape(-1, *new.shape)

        def along(move: jax.Array) -> jax.Array:
            change: jax.Array = jax.jvp(
                lambda x: self.residual(x, state, law, dt), (new,), (move,)
            )[1]
            return change.reshape(-1)[rows]

        columns: jax.Array = jax.vmap(along)(moves)
        return columns.T

    def update(
        self,
        new: jax.Array,
        rows: jax.Array,
        state: State,
        law: Law,
        dt: jax.Array,
        linear: Linear,
    ) -> jax.Array:
        """V after one update: its entries `rows` moved to where their linearised equations hold."""
        residual = self.residual(new, state, law, dt).reshape(-1)
        move = linear(self.jacobian(new, rows, state, law, dt), residual[rows])
        return new.reshape(-1).at[rows].add(-move).reshape(new.shape)

    def iterate(self, state: State, law: Law, dt: jax.Array, linear: Linear) -> jax.Array:
        """V after all iterations, from the velocity before the step."""

        def one(new: jax.Array, rows: jax.Array) -> tuple[jax.Array, None]:
            return self.update(new, rows, state, law, dt, linear), None

        found: jax.Array = jax.lax.scan(one, state[1], self.updates)[0]
        return found

    def after(self, state: State, new: jax.Array, dt: jax.Array) -> State:
        """The state after the step, given V."""
        return state[0] + dt * self.between(state, new, dt)[1], new

    def step(self, state: State, law: Law, dt: jax.Array, linear: Linear) -> State:
        """The state after the step."""
        return self.after(state, self.iterate(state, law, dt, linear), dt)

    def inverse(self) -> "Implicit":
        """The step that leads back when taken with -dt, where both solves converge."""
        return replace(self, theta=1 - self.theta)


def solved(matrix: jax.Array, right: jax.Array) -> jax.Array:
    """By LAPACK's factors; JAX differentiates it by its equation."""
    found: jax.Array = jnp.linalg.solve(matrix, right)
    return found


def eliminated(matrix: jax.Array, right: jax.Array) -> jax.Array:
    """By Gaussian elimination without pivots, written out, so that what is differentiated are its
    operations. The matrix is close to symmetric and positive definite."""
    rows = jnp.concatenate([matrix, right[:, None]], 1)
    size = right.size
    for pivot in range(size):
        own = rows[pivot] / rows[pivot, pivot]
        others = rows - rows[:, pivot : pivot + 1] * own
        rows = others.at[pivot].set(own)
    return rows[:, -1]


@jax.custom_vjp
def by_equation(matrix: jax.Array, right: jax.Array) -> jax.Array:
    """By lineax; its derivative that of the linear equation, by the adjoint system."""
    return by_lineax(matrix, right)


def by_lineax(matrix: jax.Array, right: jax.Array) -> jax.Array:
    """Factors by lineax. What is not finite gives what is not finite, and no error."""
    import lineax

    operator = lineax.MatrixLinearOperator(matrix)
    found: jax.Array = lineax.linear_solve(operator, right, lineax.LU(), throw=False).value
    return found


def _forward(matrix: jax.Array, right: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:
    found = by_lineax(matrix, right)
    return found, (matrix, found)


def _backward(
    kept: tuple[jax.Array, jax.Array], cotangent: jax.Array
) -> tuple[jax.Array, jax.Array]:
    matrix, found = kept
    weight = by_lineax(matrix.T, cotangent)
    return -jnp.outer(weight, found), weight


by_equation.defvjp(_forward, _backward)
