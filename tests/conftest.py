"""Environment of the tests, set before anything imports JAX."""

import os

# On two cores JAX's thread pool can deadlock; it is sized from this variable.
os.environ.setdefault("NPROC", "8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
