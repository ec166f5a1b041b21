"""A child process that measures: `python -m gradcheck.jobs.worker`, driven by gradcheck.jobs.child.

Orders come as JSON lines on standard input, answers go as JSON lines to the standard output that
the process was born with. Both are taken away from the engines first: what an engine's library
prints ends in the log on standard error, and one that reads gets the end of the file.

An engine may run in an environment of its own, so what is imported here is little: numpy, pydantic
and, for the probes, scipy. JAX and MuJoCo are loaded by the engines that need them.
"""

import argparse
import contextlib
import faulthandler
import inspect
import os
import platform
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import IO

from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.description import testbed_record
from gradcheck.engine import BadInput, Settings, Unsupported
from gradcheck.guard import GuardedEngine
from gradcheck.jobs import software
from gradcheck.jobs.order import Answer, Done, Finished, Order, Ready, Refusal, Refused, Started
from gradcheck.provenance import device
from gradcheck.reason import place, reason

Send = Callable[[Answer], None]


def main() -> None:
    """Serve orders until standard input ends; with --probe only tell the software."""
    parser = argparse.ArgumentParser(prog="gradcheck.jobs.worker", description=__doc__)
    parser.add_argument("--memory-limit", type=int, help="bytes of data this process may hold")
    parser.add_argument("--probe", action="store_true", help="tell the software, and leave")
    arguments = parser.parse_args()
    if arguments.probe:
        import scipy  # noqa: F401  (the probes need it)

        print(software.here().model_dump_json())
        return
    die_with_parent()
    orders = os.fdopen(os.dup(0), "r", encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    faulthandler.enable(sys.stderr)
    if arguments.memory_limit:
        limit_memory(arguments.memory_limit)

    def send(answer: Answer) -> None:
        answers.write(answer.model_dump_json() + "\n")
        answers.flush()

    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=listen, args=(orders, lines), daemon=True).start()
    while True:
        follow(Order.model_validate_json(lines.get()), send)


def listen(orders: IO[str], lines: "queue.Queue[str]") -> None:
    """Pass orders on. At their end, whatever is being measured, nobody is there to be told."""
    for line in orders:
        lines.put(line)
    if os.name == "posix" and os.getpgrp() == os.getpid():  # with all that the engine started
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def die_with_parent() -> None:
    """Ask Linux to end this process with the one that made it, also where an engine that hangs
    holds Python's lock and nothing can listen."""
    if sys.platform == "linux":
        import ctypes

        set_death_signal = 1
        with contextlib.suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).prctl(set_death_signal, signal.SIGKILL)


def limit_memory(size: int) -> None:
    """Let allocations beyond `size` bytes fail, where the system can do that.

    Data, not address space, is limited: graphics drivers and thread arenas reserve many gigabytes
    of addresses that they never use.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def follow(order: Order, send: Send) -> None:
    """Make the engine and its simulation, then measure one thing after the other."""
    from gradcheck import registry
    from gradcheck.measure import MEASUREMENTS
    from gradcheck.subject import Profile, Subject

    file = ""
    try:
        engine = GuardedEngine(registry.engine(order.target))
        file = inspect.getfile(type(engine.engine))
        testbed = registry.testbed(order.scene)
        engine.simulate(testbed, Settings())
        record = testbed_record(testbed).model_copy(update={"name": order.testbed})
    except BaseException as error:  # an engine may even call sys.exit(): that is its fault to tell
        send(_refused(error, file))
        return
    send(
        Ready(
            card=engine.card,
            testbed=record,
            versions=software.installed(),
            device=device(),
            python=platform.python_version(),
        )
    )
    subject = Subject(order.engine, engine, testbed, order.seed, Profile(order.profile))
    for kind in order.measurements:
        send(Started(measurement=kind))
        begin = time.perf_counter()
        engine.non_finite = ""
        artifact: AnyArtifact
        try:
            artifact = MEASUREMENTS[kind](subject)
        except BaseException as error:
            artifact = _missing(order, kind, error, engine.non_finite, file)
        seconds = time.perf_counter() - begin
        told = {"testbed": order.testbed, "seconds": seconds}
        send(Done(measurement=kind, artifact=artifact.model_copy(update=told)))
    send(Finished())


def _refused(error: BaseException, file: str) -> Refused:
    if isinstance(error, Unsupported):
        return Refused(refusal=Refusal.UNSUPPORTED, reason=str(error))
    if isinstance(error, BadInput):
        return Refused(refusal=Refusal.BAD_INPUT, reason=str(error))
    traceback.print_exception(error)
    return Refused(refusal=Refusal.FAULT, reason=reason(error) + place(error, file))


def _missing(order: Order, kind: str, error: BaseException, non_finite: str, file: str) -> Missing:
    unsupported = isinstance(error, Unsupported)
    if unsupported:
        text = str(error)
    else:
        traceback.print_exception(error)
        text = ("out of memory: " if isinstance(error, MemoryError) else "") + reason(error)
        text += place(error, file)
        text += f"; before, {non_finite}" if non_finite else ""
    return Missing(
        engine=order.engine,
        testbed=order.testbed,
        seed=order.seed,
        measurement=kind,
        reason=text,
        error=not unsupported,
    )


if __name__ == "__main__":
    main()
