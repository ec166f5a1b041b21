"""Per-sample clipping: what it bounds, and all that it must leave alone."""

import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from gradcheck.engine import Array, BadInput
from gradcheck.remedies import MedianClip, clip, clip_together

jax.config.update("jax_enable_x64", True)
FACTORS = st.floats(1, 100)
EPS = float(np.finfo(np.float64).eps)
# The whole range of float64, zero and what is almost zero among it.
WIDE = st.one_of(st.floats(-1e300, 1e300), st.floats(-2, 2), st.just(0.0))

# XLA flushes to zero what is below the normal numbers.
MODERATE = st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100)


def batches(entries: st.SearchStrategy[float] = WIDE, smallest: int = 1) -> Any:
    shapes = hnp.array_shapes(min_dims=2, max_dims=2, min_side=smallest, max_side=9)
    return shapes.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=entries))


def norm(row: Array) -> float:
    """The Euclidean norm, in extended precision."""
    wide = row.astype(np.longdouble)
    return float(np.sqrt(np.sum(wide * wide)))


def lower_median(norms: list[float]) -> float:
    live = sorted(one for one in norms if one > 0)
    return live[(len(live) - 1) // 2]


@given(batches(), FACTORS)
def test_no_sample_exceeds_the_bound(batch: Array, factor: float) -> None:
    norms = [norm(row) for row in batch]
    assume(any(norms))
    limit = factor * lower_median(norms)
    found = clip(batch, factor)
    assert float(found.bound) == pytest.approx(limit, rel=8 * EPS, abs=1e-320)
    for row in found.parts[0]:
        assert norm(row) <= limit * (1 + 16 * EPS) + 1e-320


def test_a_sample_without_bound_is_bounded() -> None:
    batch = np.array([[3.0, 4.0], [6.0, 8.0], [6e200, -8e200], [0.3, 0.4], [1e308, 1e308]])
    (after,) = clip(batch, 2.0).parts
    assert after[2] == pytest.approx([12.0, -16.0])
    assert after[4] == pytest.approx([200**0.5, 200**0.5])
    assert np.array_equal(after[[0, 1, 3]], batch[[0, 1, 3]])


def test_the_bound_follows_the_factor() -> None:
    batch = np.array([[1.0], [2.0], [100.0]])
    assert clip(batch, 1.0).parts[0][:, 0].tolist() == [1.0, 2.0, 2.0]
    assert clip(batch, 10.0).parts[0][:, 0].tolist() == [1.0, 2.0, 20.0]
    assert clip(batch, 50.0).parts[0][:, 0].tolist() == [1.0, 2.0, 100.0]


@given(batches(), FACTORS)
def test_what_lies_within_the_bound_is_untouched_the_median_first(
    batch: Array, factor: float
) -> None:
    found = clip(batch, factor)
    kept = ~found.bounded
    assert np.array_equal(found.parts[0][kept], batch[kept])
    live = np.flatnonzero(found.norms > 0)
    if len(live):
        middle = live[np.argsort(found.norms[live], kind="stable")[(len(live) - 1) // 2]]
        assert not found.bounded[middle]


@given(batches(st.floats(-1e150, 1e150)), FACTORS)
def test_direction_is_kept(batch: Array, factor: float) -> None:
    found = clip(batch, factor)
    for before, after in zip(batch[found.bounded], found.parts[0][found.bounded], strict=True):
        assume(norm(after) > 1e-290)
        unit = before / norm(before)
        assert after / norm(after) == pytest.approx(unit, abs=16 * EPS)


@given(batches(smallest=2), FACTORS, st.data())
def test_samples_meet_in_the_median_only(batch: Array, factor: float, data: Any) -> None:
    """However large one above the median is, and NaN in place of one that was not finite, leave
    the others as they are, bit for bit."""
    before = clip(batch, factor)
    above = np.flatnonzero((before.norms * factor > before.bound) & (before.norms > 0))
    assume(len(above) and np.isfinite(before.norms).all())
    one = data.draw(st.sampled_from(above.tolist()))
    moved = batch.copy()
    moved[one] *= data.draw(st.floats(1, 1e8))
    assume(np.isfinite(moved).all())
    after = clip(moved, factor)
    others = np.arange(len(batch)) != one
    assert before.bound == after.bound
    assert np.array_equal(before.parts[0][others], after.parts[0][others])


@given(batches(), FACTORS, st.randoms(use_true_random=False))
def test_order_of_samples_is_irrelevant(batch: Array, factor: float, random: Any) -> None:
    order = list(range(len(batch)))
    random.shuffle(order)
    assert np.array_equal(clip(batch[order], factor).parts[0], clip(batch, factor).parts[0][order])


@given(batches(smallest=2), FACTORS, st.sampled_from([np.nan, np.inf, -np.inf]), st.data())
def test_a_sample_that_is_not_finite_is_zeroed_and_told(
    batch: Array, factor: float, bad: float, data: Any
) -> None:
    one = data.draw(st.integers(0, len(batch) - 1))
    broken = batch.copy()
    broken[one, data.draw(st.integers(0, batch.shape[1] - 1))] = bad
    others = np.arange(len(batch)) != one
    found, without = clip(broken, factor), clip(batch[others], factor)
    assert np.flatnonzero(found.non_finite).tolist() == [one]
    assert not found.parts[0][one].any()
    assert not found.bounded[one]
    assert np.array_equal(found.parts[0][others], without.parts[0])


def test_a_batch_of_which_none_is_finite_becomes_zero() -> None:
    found = clip(np.full((3, 2), np.nan), 2.0)
    assert found.non_finite.all()
    assert not found.parts[0].any()


def test_even_batches_have_a_sample_for_their_median() -> None:
    """The lower one of the middle two: of two samples the larger is bounded."""
    assert clip(np.array([[1.0], [50.0]]), 10.0).parts[0][:, 0].tolist() == [1.0, 10.0]
    assert clip(np.array([[1.0], [2.0], [3.0], [90.0]]), 10.0).bound == 20.0
    assert clip(np.array([[1.0], [2.0], [90.0]]), 10.0).bound == 20.0


def test_a_batch_of_one_is_its_own_median() -> None:
    batch = np.array([[1e200, -3.0]])
    assert np.array_equal(clip(batch, 1.0).parts[0], batch)


def test_samples_of_no_gradient_do_not_make_the_bound_zero() -> None:
    batch = np.array([[0.0], [0.0], [0.0], [1.0], [2.0], [900.0]])
    found = clip(batch, 10.0)
    assert found.bound == 20.0
    assert found.parts[0][:, 0].tolist() == [0.0, 0.0, 0.0, 1.0, 2.0, 20.0]
    nothing = clip(np.zeros((4, 2)), 10.0)
    assert not nothing.parts[0].any()
    assert not (nothing.bounded | nothing.non_finite).any()


def test_the_norm_is_that_of_all_parts() -> None:
    q, v = np.array([[3.0], [30.0], [3.0]]), np.array([[[4.0]], [[40.0]], [[4.0]]])
    found = clip_together((q, v, np.zeros((3, 0))), 2.0)
    assert found.norms.tolist() == [5.0, 50.0, 5.0]
    assert found.parts[0][:, 0] == pytest.approx([3.0, 6.0, 3.0])
    assert found.parts[1][:, 0, 0] == pytest.approx([4.0, 8.0, 4.0])
    assert [part.shape for part in found.parts] == [(3, 1), (3, 1, 1), (3, 0)]


@pytest.mark.parametrize(("dtype", "large"), [(np.float32, 1e25), (np.float64, 1e200)])
def test_squares_of_large_entries_do_not_overflow(dtype: Any, large: float) -> None:
    """The square is infinite: the sample would be lost, or its direction."""
    batch = np.array([[1.0, 1.0], [2.0, 0.0], [large, -large]], dtype)
    for given_ in (batch, jnp.asarray(batch)):
        found = clip(given_, 10.0)
        assert found.parts[0].dtype == dtype
        assert not found.non_finite.any()
        assert np.asarray(found.parts[0])[2] == pytest.approx([200**0.5, -(200**0.5)], rel=1e-6)


# One shape, and room for its first compilation.
@settings(deadline=None, max_examples=50)
@given(hnp.arrays(np.float64, (6, 3), elements=MODERATE), FACTORS)
def test_numpy_and_jax_agree(batch: Array, factor: float) -> None:
    with_jax = clip(jnp.asarray(batch), factor)
    with_numpy = clip(batch, factor)
    assume(not np.any(np.isclose(with_numpy.norms, with_numpy.bound, rtol=1e-12, atol=0)))
    assert np.array_equal(with_jax.bounded, with_numpy.bounded)
    assert np.asarray(with_jax.parts[0]) == pytest.approx(with_numpy.parts[0], rel=1e-13)


@pytest.mark.parametrize("factor", [0.5, -1.0, 0.0, np.nan, np.inf])
def test_a_factor_that_would_clip_the_median_is_refused(factor: float) -> None:
    with pytest.raises(BadInput, match=r"factor is .*: give a finite number of at least 1"):
        MedianClip(factor=factor)


@pytest.mark.parametrize("shapes", [[(0, 2)], [(3, 2), (2, 2)], [()]])
def test_batches_that_do_not_fit_are_refused(shapes: list[tuple[int, ...]]) -> None:
    with pytest.raises(BadInput, match="cotangents have shapes"):
        clip_together([np.ones(shape) for shape in shapes], 2.0)


def test_the_record_says_what_it_does_and_survives_json() -> None:
    remedy = MedianClip(factor=10)
    assert remedy.describe() == (
        "per-sample clipping at 10 x the median norm of the batch, every backward step"
    )
    assert json.loads(remedy.model_dump_json()) == {"kind": "median clip", "factor": 10.0}
