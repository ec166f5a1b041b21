"""springball's physics."""

import jax.numpy as jnp
from springball import Ground, make_step


def test_a_ball_in_the_air_falls() -> None:
    step = make_step((Ground((0.0, 1.0), (0.1,), 50.0, 1.0),))
    x, v = step(
        jnp.array([[0.0, 1.0]]), jnp.array([[1.0, 0.0]]), jnp.array([[0.0, -10.0]]), jnp.array(0.1)
    )
    assert jnp.allclose(v, jnp.array([[1.0, -1.0]]))
    assert jnp.allclose(x, jnp.array([[0.1, 0.9]]))


def test_the_ground_pushes_back_only_where_it_is_touched() -> None:
    step = make_step((Ground((0.0, 1.0), (0.1, 0.1), 50.0, 0.0),))
    still = jnp.zeros((2, 2))
    _, v = step(jnp.array([[0.0, 0.05], [0.0, 0.2]]), still, still, jnp.array(0.01))
    assert jnp.allclose(v, jnp.array([[0.0, 50.0 * 0.05 * 0.01], [0.0, 0.0]]), atol=1e-6)
