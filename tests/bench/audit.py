"""Seconds of the default audit, from an empty compilation cache and again from a full one.

    python -m tests.bench.audit

Exit 1 where it takes longer than 90 s cold or 45 s warm.
"""

import os
import subprocess
import sys
import tempfile
import time

LIMITS = {"cold": 90.0, "warm": 45.0}


def main() -> int:
    """Run the default audit twice with a cache folder of its own."""
    late = False
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": f"{folder}/cache"}
        environment.pop("JAX_COMPILATION_CACHE_DIR", None)
        for name, limit in LIMITS.items():
            command = [sys.executable, "-m", "gradcheck", "audit", "--out", f"{folder}/{name}"]
            begin = time.perf_counter()
            result = subprocess.run(command, env=environment, check=False, capture_output=True)
            took = time.perf_counter() - begin
            if result.returncode not in (0, 1):
                print(result.stderr.decode(), file=sys.stderr)
                return result.returncode
            late |= took > limit
            print(f"{name}: {took:.1f} s (limit {limit:.0f} s), exit {result.returncode}")
    return int(late)


if __name__ == "__main__":
    raise SystemExit(main())
