"""Derivatives of a chain's force, written by hand: what its hand-written adjoints are made of.

With d the vector between neighbours, l its length, u = d / l, L the rest length, k the stiffness:
a spring pulls with k (l - L) u; its derivative along b is k ((1 - L/l) b + (L/l) (u.b) u), and the
derivative by d of a . that is k L/l² ((a.b) u + (u.b) a + (u.a) b - 3 (u.a) (u.b) u).
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from gradcheck.scene import Chain


class Law(NamedTuple):
    """The parameters, each of shape [1]: N/m, N s/m, N/m. Also what is said of each of them."""

    stiffness: jax.Array
    damping: jax.Array
    contact: jax.Array


class Spring(NamedTuple):
    """Each spring: unit vector [s, 2], L/l [s, 1], stretch l - L [s, 1], and l [s, 1]."""

    unit: jax.Array
    ratio: jax.Array
    stretch: jax.Array
    length: jax.Array


def force(chain: Chain, q: jax.Array, v: jax.Array, law: Law) -> jax.Array:
    """[n, 2], N."""
    return jnp.asarray(chain.force(q, v, law._asdict(), jnp))


def pulled(
    chain: Chain, q: jax.Array, v: jax.Array, law: Law, w: jax.Array
) -> tuple[jax.Array, jax.Array, Law]:
    """w . dF by (q, v, law): the transposed product, w [n, 2]."""
    a = w[:-1] - w[1:]
    rates = v[1:] - v[:-1]
    spring = _springs(chain, q)
    by_contact = jnp.sum(chain.width * jnp.log1p(jnp.exp(-q[:, 1] / chain.width)) * w[:, 1])
    return (
        along(chain, q, law, w),
        _apart(law.damping * a),
        Law(
            jnp.sum(spring.stretch * spring.unit * a)[None],
            jnp.sum(rates * a)[None],
            by_contact[None],
        ),
    )


def along(chain: Chain, q: jax.Array, law: Law, x: jax.Array) -> jax.Array:
    """The change [n, 2] of the force along a change x [n, 2] of q; symmetric, so that it is the
    transposed product as well."""
    spring = _springs(chain, q)
    b = x[1:] - x[:-1]
    change = (1 - spring.ratio) * b + spring.ratio * _dot(spring.unit, b) * spring.unit
    up = -law.contact * _slope(chain, q) * x[:, 1]
    return -_apart(law.stiffness * change) + _upward(up)


def slowed(law: Law, x: jax.Array) -> jax.Array:
    """The change [n, 2] of the force along a change x [n, 2] of v."""
    return -_apart(law.damping * (x[1:] - x[:-1]))


def curved(
    chain: Chain, q: jax.Array, law: Law, w: jax.Array, x: jax.Array
) -> tuple[jax.Array, Law]:
    """The derivative of w . `along`(x) by q and the law."""
    spring, slope = _springs(chain, q), _slope(chain, q)
    unit, ratio = spring.unit, spring.ratio
    a, b = w[:-1] - w[1:], x[1:] - x[:-1]
    ua, ub, ab = _dot(unit, a), _dot(unit, b), _dot(a, b)
    by_d = law.stiffness * ratio / spring.length
    by_d = by_d * (ab * unit + ub * a + ua * b - 3 * ua * ub * unit)
    both = w[:, 1] * x[:, 1]
    up = law.contact * both * slope * (1 - slope) / chain.width
    return _apart(by_d) + _upward(up), Law(
        jnp.sum((1 - ratio) * ab + ratio * ua * ub)[None],
        jnp.zeros(1, q.dtype),
        -jnp.sum(slope * both)[None],
    )


def matrix(chain: Chain, q: jax.Array, law: Law) -> tuple[jax.Array, jax.Array]:
    """dF/dq and dF/dv, both [2 n, 2 n], column by column of the products above."""
    basis = jnp.eye(q.size, dtype=q.dtype).reshape(q.size, *q.shape)
    by_q = jax.vmap(lambda x: along(chain, q, law, x).reshape(-1))(basis)
    by_v = jax.vmap(lambda x: slowed(law, x).reshape(-1))(basis)
    return by_q.T, by_v.T


def _springs(chain: Chain, q: jax.Array) -> Spring:
    d = q[1:] - q[:-1]
    length = jnp.sqrt(jnp.sum(d**2, -1, keepdims=True))
    rest = jnp.asarray(chain.lengths, q.dtype)[:, None]
    return Spring(d / length, rest / length, length - rest, length)


def _slope(chain: Chain, q: jax.Array) -> jax.Array:
    """-d/dz of width log(1 + exp(-z / width)) [n]."""
    return jax.nn.sigmoid(-q[:, 1] / chain.width)


def _dot(a: jax.Array, b: jax.Array) -> jax.Array:
    return jnp.sum(a * b, -1, keepdims=True)


def _apart(x: jax.Array) -> jax.Array:
    """A row a spring [s, 2] to a row a mass [n, 2]: minus on the first, plus on the second."""
    none = jnp.zeros_like(x[:1])
    return jnp.concatenate([none, x]) - jnp.concatenate([x, none])


def _upward(x: jax.Array) -> jax.Array:
    return jnp.stack([jnp.zeros_like(x), x], -1)
