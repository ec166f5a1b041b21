"""Float64 in these tests, compiled as quickly as XLA can; the process is left as it was."""

from collections.abc import Iterator

import jax
import pytest

from gradcheck.engines import g1

# Half the time of compiling, for programs that run once or twice. The commands in tests/bench
# compile as users do.
QUICK: dict[str, bool | int | str] = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}


@pytest.fixture(autouse=True, scope="package")
def quick_double() -> Iterator[None]:
    before = jax.config.jax_enable_x64  # type: ignore[attr-defined]
    options = dict(g1.COMPILER_OPTIONS)
    jax.config.update("jax_enable_x64", True)
    g1.COMPILER_OPTIONS.update(QUICK)
    yield
    jax.config.update("jax_enable_x64", before)
    g1.COMPILER_OPTIONS.clear()
    g1.COMPILER_OPTIONS.update(options)
