"""A worker process of `Dataset.map`."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import threading
import traceback
from typing import TYPE_CHECKING, Any, NamedTuple

from arrowfeed._arrowfeed import one_batch
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "arrowfeed-map-worker"
"""Name of the process, also while it imports the main program."""

NEEDED_FOR = "for the workers of a map"

READY = 0
"""Number of the message of a worker that has imported the main program. Calls have higher numbers."""

FORGET = 0
"""Number of the message that makes a worker forget the calls that it has not begun."""

_PARENT_CHECK_SECONDS = 1.0

_has_begun = threading.Event()


class Failure(NamedTuple):
    """An exception of the function."""

    error: bytes
    """The exception, pickled."""
    trace: str
    """The text of its traceback."""


def imports_main_program() -> bool:
    """Whether this process is a worker that still imports the main program."""
    return multiprocessing.current_process().name == NAME and not _has_begun.is_set()


def work(connection: Any, pickled: bytes) -> None:
    """Calls a function for batches, until the parent closes the connection or ends.

    Args:
        connection: The connection to the parent. A message is a number, followed by bytes: the batch as a
            stream of Arrow IPC, or the pickled result, which is a table or a `Failure`.
        pickled: The function.
    """
    _has_begun.set()
    # A Ctrl-C in a terminal reaches all processes. The parent decides what follows from it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    calls = queue.SimpleQueue[Any]()
    threading.Thread(target=_end_with_parent, daemon=True).start()
    threading.Thread(target=_receive, args=(connection, calls), daemon=True).start()
    function: Callable[[Any], Any] | None = None
    with contextlib.suppress(OSError):
        _send(connection, READY, b"")
        while (call := calls.get()) is not None:
            number, encoded = call
            try:
                function = function or _loaded(pickled)
                result = pickle.dumps(_called(function, encoded), protocol=pickle.HIGHEST_PROTOCOL)
            except BaseException as error:  # noqa: BLE001 - the parent raises it
                trace = "".join(traceback.format_exception(error))
                result = pickle.dumps(Failure(_pickled(error), trace))
            _send(connection, number, result)


def _end_with_parent() -> None:
    """Ends this process when the parent has ended."""
    parent = multiprocessing.parent_process()
    # A process that the parent has forked keeps the pipes open, but not the number of the parent.
    while parent is not None and parent.is_alive() and os.getppid() == parent.pid:
        parent.join(_PARENT_CHECK_SECONDS)
    os._exit(1)


def _receive(connection: Any, calls: queue.SimpleQueue[Any]) -> None:
    """Receives calls while the function runs, so that the parent never waits to send one."""
    is_open = True
    while is_open:
        try:
            number = connection.recv()
            encoded = connection.recv_bytes()
        except (EOFError, OSError):
            number, encoded, is_open = FORGET, b"", False
        if number == FORGET:
            with contextlib.suppress(queue.Empty):
                while True:
                    calls.get_nowait()
        else:
            calls.put((number, encoded))
    calls.put(None)


def _send(connection: Any, number: int, result: bytes) -> None:
    connection.send(number)
    connection.send_bytes(result)


def _loaded(pickled: bytes) -> Callable[[Any], Any]:
    try:
        return pickle.loads(pickled)  # noqa: S301 - the parent has pickled it
    except Exception as error:
        raise TypeError(
            "function: expected a function that workers can import, found one that they cannot "
            f"({type(error).__name__}: {error}): define it at the top level of a module"
        ) from error


def _called(function: Callable[[Any], Any], encoded: bytes) -> Any:
    pa = needed("pyarrow", NEEDED_FOR)
    batch = one_batch(pa.ipc.open_stream(encoded).read_all())
    # A table of pyarrow can be pickled, whatever the library of the result.
    return pa.table(one_batch(function(batch)))


def _pickled(error: BaseException) -> bytes:
    """Pickles an exception so that its copy has the same class and text.

    The pickle of an exception whose class has other arguments than the exception cannot be loaded, or has
    another text.
    """
    error_class = type(error)
    for pickled in (error, _Parts(error)):
        with contextlib.suppress(Exception):
            data = pickle.dumps(pickled)
            copy = pickle.loads(data)  # noqa: S301 - pickled above
            if type(copy) is error_class and str(copy) == str(error):
                return data
    name = f"{error_class.__module__}.{error_class.__qualname__}"
    return pickle.dumps(RuntimeError(f"map: the function raised {name}: {error}"))


class _Parts:
    """An exception that is pickled without a call of its class."""

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self._error), self._error.args, vars(self._error))


def _restored(
    error_class: type[BaseException], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> BaseException:
    error = error_class.__new__(error_class, *arguments)
    error.args = arguments
    vars(error).update(attributes)
    return error
