"""A child process that measures: `python -m gradcheck.jobs.worker`, driven by gradcheck.jobs.child.

Orders come as JSON lines on standard input, answers go as JSON lines to the standard output that
the process was born with. Both are taken away from the engines first: what an engine's library
prints ends in the log on standard error, and one that reads gets the end of the file.
"""

import argparse
import faulthandler
import inspect
import os
import platform
import queue
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import IO

from gradcheck.artifact import AnyArtifact, Missing
from gradcheck.engine import BadInput, Settings, Unsupported
from gradcheck.guard import GuardedEngine
from gradcheck.jobs.order import Answer, Done, Finished, Order, Ready, Refusal, Refused, Started
from gradcheck.provenance import device, loaded_versions
from gradcheck.reason import place, reason

Send = Callable[[Answer], None]


def main() -> None:
    """Serve orders until standard input ends."""
    parser = argparse.ArgumentParser(prog="gradcheck.jobs.worker", description=__doc__)
    parser.add_argument("--memory-limit", type=int, help="bytes of data this process may hold")
    arguments = parser.parse_args()
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
    os._exit(0)


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
        engine = GuardedEngine(registry.engine(order.engine))
        file = inspect.getfile(type(engine.engine))
        testbed = registry.testbed(order.testbed)
        engine.simulate(testbed, Settings())
    except BaseException as error:  # an engine may even call sys.exit(): that is its fault to tell
        send(_refused(error, file))
        return
    send(
        Ready(
            card=engine.card,
            versions=loaded_versions(),
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
