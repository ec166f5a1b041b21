"""Seconds until `import gradcheck` and `gradcheck --help` are done, as whole processes.

    python -m tests.bench.startup [--runs 15]

The interpreter's own start is timed beside them. Exit 1 where a median is above 0.3 s.
"""

import argparse
import statistics
import subprocess
import sys
import time

LIMIT = 0.3
COMMANDS = {
    "python -c pass": ["-c", "pass"],
    "import gradcheck": ["-c", "import gradcheck"],
    "gradcheck --help": ["-m", "gradcheck", "--help"],
}


def seconds(arguments: list[str]) -> float:
    """Wall time of one process."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    return time.perf_counter() - begin


def main() -> int:
    """Print minimum, median and maximum of each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    late = False
    for name, arguments in COMMANDS.items():
        seconds(arguments)  # fills the byte-code cache
        times = [seconds(arguments) for _ in range(runs)]
        median = statistics.median(times)
        late |= median > LIMIT
        print(f"{name:18} min {min(times):.3f}  median {median:.3f}  max {max(times):.3f} s")
    return int(late)


if __name__ == "__main__":
    raise SystemExit(main())
