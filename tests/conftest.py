"""Environment of the tests, set before anything imports JAX."""

import os
from pathlib import Path

# On two cores JAX's thread pool can deadlock; it is sized from this variable.
os.environ.setdefault("NPROC", "8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
# Test processes share what they compile.
CACHE = Path(__file__).parents[1] / ".pytest_cache" / "jax"
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CACHE))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")
