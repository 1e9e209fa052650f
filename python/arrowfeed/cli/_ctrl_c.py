"""Ctrl-C that Python or a library would lose."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import NoReturn

_SOON = 0.01
"""Seconds until a dropped interrupt is raised again, when its finalizer has ended."""


class CtrlC:
    """A context in which Ctrl-C ends the command, whatever code it interrupts.

    Python drops exceptions in finalizers, about one in 150 interrupts during imports. They are raised again.
    numpy replaces about one in 50 interrupts during its import with an `ImportError` or a `TypeError`. `came`
    tells whether an error may be such a replacement.

    Handlers of the program are not replaced: only `signal.default_int_handler` is.
    """

    def __init__(self) -> None:
        self.came = False
        self._entered = False
        self._again: threading.Timer | None = None

    def __enter__(self) -> None:
        if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            return
        if threading.current_thread() is not threading.main_thread():
            # Only the main thread may set handlers.
            return
        self._entered = True
        self._hook, sys.unraisablehook = sys.unraisablehook, self._dropped
        signal.signal(signal.SIGINT, self._raise)

    def __exit__(self, *_: object) -> None:
        if self._entered:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            sys.unraisablehook = self._hook
        if self._again is not None:
            self._again.cancel()

    def _raise(self, *_: object) -> NoReturn:
        self.came = True
        raise KeyboardInterrupt

    def _dropped(self, unraisable: sys.UnraisableHookArgs) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            self._again = threading.Timer(_SOON, _thread.interrupt_main)
            self._again.start()
        else:
            self._hook(unraisable)
