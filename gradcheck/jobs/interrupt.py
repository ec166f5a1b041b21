"""Ctrl-C and the like, while jobs are performed."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible(stop: Callable[[], None], signals: Sequence[int]) -> Iterator[None]:
    """While inside, the first of these signals calls `stop` in place of raising, so that nothing
    is torn midway; from then on they do what they did before.

    Signals reach the main thread only: in another one this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        restore()
        stop()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    before = {number: signal.getsignal(number) for number in signals}
    for number in signals:
        signal.signal(number, handle)
    try:
        yield
    finally:
        restore()
