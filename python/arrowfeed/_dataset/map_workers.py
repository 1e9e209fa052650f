"""Calls of a function of `Dataset.map` on worker processes."""

from __future__ import annotations

import multiprocessing
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import read_arrow_ipc
from arrowfeed._libraries import needed

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from arrowfeed._arrowfeed import RecordBatch

NEEDED_FOR = "for the workers of a map"


class WorkerCalls:
    """Calls of a function on processes, whose results come in the order of the calls.

    A process that may not have children, such as a worker of a `DataLoader`, calls the function itself.

    Args:
        function: The function of a batch. It is pickled.
        workers: Number of processes, at least 1.
    """

    def __init__(self, function: Callable[[RecordBatch], Any], workers: int) -> None:
        self._function = function
        self._calls = deque[Any]()
        self._executor: ProcessPoolExecutor | None = None
        if not multiprocessing.current_process().daemon:
            needed("pyarrow", NEEDED_FOR)
            # A forked process would have copies of locks that other threads hold.
            context = multiprocessing.get_context("spawn")
            self._executor = ProcessPoolExecutor(workers, mp_context=context)

    def begin(self, batch: RecordBatch) -> None:
        """Begins the call for a batch."""
        if self._executor is None:
            self._calls.append(batch)
        else:
            self._calls.append(self._executor.submit(_call, self._function, _encoded(batch)))

    def is_ready(self) -> bool:
        """Whether the oldest call has its result."""
        if self._executor is None:
            return True
        oldest: Future[Any] = self._calls[0]
        return oldest.done()

    def finish(self) -> Any:
        """Waits for the result of the oldest call."""
        oldest = self._calls.popleft()
        return self._function(oldest) if self._executor is None else oldest.result()

    def close(self) -> None:
        """Drops the calls, and ends the processes."""
        self._calls.clear()
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)


def _encoded(batch: RecordBatch) -> Any:
    """A batch as a stream of Arrow IPC."""
    pa = needed("pyarrow", NEEDED_FOR)
    batch_of_pyarrow = pa.record_batch(batch)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch_of_pyarrow.schema) as writer:
        writer.write_batch(batch_of_pyarrow)
    return sink.getvalue().to_pybytes()


def _call(function: Callable[[RecordBatch], Any], encoded: bytes) -> Any:
    """Calls a function in a worker."""
    [batch] = read_arrow_ipc(encoded)
    # A table of pyarrow can be pickled, whatever the library of the result.
    return needed("pyarrow", NEEDED_FOR).table(function(batch))
