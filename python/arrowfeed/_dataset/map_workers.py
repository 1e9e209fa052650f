"""Calls of a function of `Dataset.map` on worker processes.

The processes belong to the dataset, because each one imports the main program before its first call. An
iteration takes them from the pool of the dataset, and gives them back when it ends. This process needs no
threads and no locks for them, so a fork is safe at any time.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
from collections import deque
from multiprocessing.connection import wait
from multiprocessing.util import Finalize
from typing import TYPE_CHECKING, Any

from arrowfeed._dataset.map_process import (
    FORGET,
    NAME,
    NEEDED_FOR,
    READY,
    Failure,
    imports_main_program,
    work,
)
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable

    from arrowfeed._arrowfeed import RecordBatch

_GUARD = 'put the code that starts the program below `if __name__ == "__main__":`'


class WorkerPool:
    """The worker processes of a mapped dataset. They end with the pool, or when this process ends.

    Args:
        function: The function of a batch.
        workers: Number of processes, at least 1.

    Raises:
        TypeError: The function cannot be pickled.
        RuntimeError: This process is a worker that imports the main program.
    """

    def __init__(self, function: Callable[[RecordBatch], Any], workers: int) -> None:
        if imports_main_program():
            raise RuntimeError(
                "map: expected a main program that can be imported, found one that starts workers "
                f"while a worker imports it: {_GUARD}"
            )
        self.function, self.workers = function, workers
        self._pickled = b"" if _may_have_no_children() else _pickled(function, workers)
        self._begin_in_this_process()

    def _begin_in_this_process(self) -> None:
        self._process = os.getpid()
        self._started = set[_Worker]()
        self._idle = deque[_Worker]()
        # `atexit` does not run in a process of multiprocessing, which waits for its own processes.
        Finalize(self, _end_all, (self._started,), exitpriority=10)

    def calls(self) -> WorkerCalls | OwnCalls:
        """Returns the calls of an iteration."""
        return OwnCalls(self.function) if _may_have_no_children() else WorkerCalls(self)

    def take(self) -> _Worker:
        """Returns a worker that no other iteration uses."""
        if self._process != os.getpid():
            # The workers belong to the process that was forked.
            self._begin_in_this_process()
        while self._idle:
            worker = self._idle.popleft()
            if worker.is_usable():
                return worker
            self._drop(worker)
        worker = _Worker(self._pickled or _pickled(self.function, self.workers))
        self._started.add(worker)
        return worker

    def give_back(self, worker: _Worker) -> None:
        """Keeps a worker for the next iteration, if there is room for it."""
        if worker.is_broken or len(self._idle) >= self.workers:
            self._drop(worker)
        else:
            self._idle.append(worker)

    def _drop(self, worker: _Worker) -> None:
        self._started.discard(worker)
        worker.end()


class WorkerCalls:
    """Calls of a function on the workers of a pool, whose results come in the order of the calls."""

    def __init__(self, pool: WorkerPool) -> None:
        self._pool = pool
        self._workers: list[_Worker] = []
        # The worker of each call.
        self._calls = deque[_Worker]()

    def begin(self, batch: RecordBatch) -> None:
        """Begins the call for a batch."""
        # All start at once, because each takes seconds.
        while len(self._workers) < self._pool.workers:
            self._workers.append(self._pool.take())
        worker = min(self._workers, key=_Worker.load)
        worker.begin(_encoded(batch))
        self._calls.append(worker)

    def is_ready(self) -> bool:
        """Whether the oldest call has its result."""
        return self._calls[0].is_ready()

    def finish(self) -> Any:
        """Waits for the result of the oldest call."""
        return self._calls.popleft().finish()

    def close(self) -> None:
        """Drops the calls, and gives the workers back."""
        self._calls.clear()
        while self._workers:
            self._pool.give_back(self._workers.pop())


class OwnCalls:
    """Calls in a process that may not have children, such as a worker of a `DataLoader`."""

    def __init__(self, function: Callable[[RecordBatch], Any]) -> None:
        self._function = function
        self._batches = deque[Any]()

    def begin(self, batch: RecordBatch) -> None:
        """Keeps the batch of a call."""
        self._batches.append(batch)

    def is_ready(self) -> bool:
        """Whether no other process is awaited."""
        return True

    def finish(self) -> Any:
        """Calls the function for the oldest batch."""
        return self._function(self._batches.popleft())

    def close(self) -> None:
        """Drops the batches."""
        self._batches.clear()


class WorkerTraceback(Exception):  # noqa: N818 - no error, but a part of one
    """The traceback of an exception in a worker, as its cause."""


class _Worker:
    """A process, its connection, and the calls that it has not answered. One iteration at a time uses it."""

    def __init__(self, pickled: bytes) -> None:
        # A forked process would have copies of locks that other threads hold.
        context = multiprocessing.get_context("spawn")
        self._connection, other = context.Pipe()
        # Not a daemon: the function may use processes.
        self._process = context.Process(target=work, args=(other, pickled), name=NAME, daemon=False)
        self._process.start()
        other.close()
        self._number = 0
        self._awaited = deque[int]()
        self._results: dict[int, bytes] = {}
        self._has_started = False
        self.is_broken = False

    def load(self) -> int:
        """Number of calls without a result."""
        return len(self._awaited) - len(self._results)

    def is_usable(self) -> bool:
        """Makes the worker forget the calls of an iteration that has ended. False: it has ended itself."""
        if self._process.is_alive() and self._awaited:
            with contextlib.suppress(RuntimeError):
                self._send(FORGET, b"")
            self._awaited.clear()
            self._results.clear()
        return self._process.is_alive() and not self.is_broken

    def begin(self, encoded: Any) -> None:
        """Sends a batch."""
        self._number += 1
        self._send(self._number, encoded)
        self._awaited.append(self._number)

    def is_ready(self) -> bool:
        """Whether the oldest call has its result, or will never have one."""
        while self._awaited[0] not in self._results and not self.is_broken and self._connection.poll():
            self._receive()
        return self.is_broken or self._awaited[0] in self._results

    def finish(self) -> Any:
        """Waits for the result of the oldest call."""
        while self._awaited[0] not in self._results:
            self._receive()
        result: Any = pickle.loads(self._results.pop(self._awaited.popleft()))  # noqa: S301 - of a worker
        if isinstance(result, Failure):
            error: BaseException = pickle.loads(result.error)  # noqa: S301 - of a worker
            raise error from WorkerTraceback(f'\n"""\n{result.trace}"""')
        return result

    def _send(self, number: int, data: Any) -> None:
        self._exchange(lambda: (self._connection.send(number), self._connection.send_bytes(data)))

    def _receive(self) -> None:
        # A process that the function has forked may keep the connection of the worker open.
        if self._connection not in wait([self._connection, self._process.sentinel]):
            self.is_broken = True
            raise self._ended()
        number, data = self._exchange(lambda: (self._connection.recv(), self._connection.recv_bytes()))
        self._has_started = True
        if number != READY and number in self._awaited:
            self._results[number] = data

    def _exchange(self, messages: Callable[[], Any]) -> Any:
        """Sends or receives messages. Broken: a part of a message may be left."""
        whole = False
        try:
            done = messages()
            whole = True
        except (EOFError, OSError) as error:
            raise self._ended() from error
        finally:
            self.is_broken |= not whole
        return done

    def _ended(self) -> RuntimeError:
        self._process.join(1)
        code = self._process.exitcode
        if self._has_started:
            text = f"map: expected a worker that calls the function, found it ended with exit code {code}"
            return RuntimeError(text)
        text = f"map: expected a worker that imports the main program, found it ended with exit code {code}"
        return RuntimeError(f"{text}, after the message above: {_GUARD}")

    def end(self) -> None:
        """Ends the process without waiting for it."""
        self._connection.close()
        if self._awaited or self.is_broken or not self._has_started:
            self._process.terminate()


def _end_all(workers: set[_Worker]) -> None:
    while workers:
        workers.pop().end()


def _may_have_no_children() -> bool:
    return multiprocessing.current_process().daemon


def _pickled(function: Callable[[RecordBatch], Any], workers: int) -> bytes:
    """Pickles a function.

    Raises:
        TypeError: The function cannot be pickled.
    """
    try:
        return pickle.dumps(function)
    except Exception as error:
        raise TypeError(
            f"function: expected a function that can be pickled, because workers={workers} calls it in other "
            f"processes, found {function!r} ({error}): define it at the top level of a module, and pass "
            "values with functools.partial"
        ) from error


def _encoded(batch: RecordBatch) -> Any:
    """A batch as a stream of Arrow IPC."""
    pa = needed("pyarrow", NEEDED_FOR)
    batch_of_pyarrow = pa.record_batch(batch)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch_of_pyarrow.schema) as writer:
        writer.write_batch(batch_of_pyarrow)
    return sink.getvalue()
