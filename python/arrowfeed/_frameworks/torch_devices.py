"""Copies of PyTorch tensors to page-locked memory and to devices."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, cast

from arrowfeed._frameworks import framework

if TYPE_CHECKING:
    from collections.abc import Callable


def mapped(value: Any, one: Callable[[Any], Any]) -> Any:
    """Applies a function to each tensor of a batch, and to each object that has the methods of a tensor.

    Such objects are nested and sparse tensors, and the `KeyedJaggedTensor` of TorchRec. Byte strings stay as
    they are.
    """
    if isinstance(value, dict):
        return {name: mapped(part, one) for name, part in cast("dict[str, Any]", value).items()}
    if isinstance(value, tuple):
        known = cast("tuple[Any, ...]", value)
        parts = [mapped(part, one) for part in known]
        make: Callable[[list[Any]], Any] = getattr(known, "_make", tuple)
        return make(parts)
    return one(value) if hasattr(value, "pin_memory") and hasattr(value, "to") else value


class Pinned:
    """Copies batches to page-locked memory.

    The memory comes from the caching allocator of PyTorch, which keeps a pool of blocks. It reuses a block
    when no copy to a device reads it any more.
    """

    def __init__(self) -> None:
        self._can = bool(framework("torch").cuda.is_available())
        if not self._can:
            message = "pin_memory: expected a device of CUDA, found none: batches stay in pageable memory"
            warnings.warn(message, RuntimeWarning, stacklevel=4)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        return mapped(batch, lambda tensor: tensor.pin_memory()) if self._can else batch


class Device:
    """Copies batches to a device, on CUDA in a stream of their own.

    Sparse tensors are copied in the stream of the caller, because PyTorch cannot record in which streams
    their memory is used.
    """

    def __init__(self, device: Any) -> None:
        self._torch = framework("torch")
        self._device = device
        self._is_cuda = device.type == "cuda"
        self._stream: Any = self._torch.cuda.Stream(device) if self._is_cuda else None
        self._pinned = Pinned() if self._is_cuda else None

    def begin(self, batch: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Begins to copy a batch. Returns the copy, and an event that happens when it is complete."""
        if self._pinned is None:
            return mapped(batch, self._to_device), None
        # Only copies from page-locked memory do not block the thread.
        pinned = self._pinned(batch)
        with self._torch.cuda.stream(self._stream):
            copy = mapped(pinned, lambda tensor: tensor if _is_sparse(tensor) else self._to_device(tensor))
            return copy, self._stream.record_event()

    def _to_device(self, tensor: Any) -> Any:
        return tensor.to(self._device, non_blocking=self._is_cuda)

    def finish(self, begun: tuple[dict[str, Any], Any]) -> dict[str, Any]:
        """Lets the current stream wait for the copy, and keeps its memory until that stream has read it."""
        copy, event = begun
        if event is None:
            return copy
        current = self._torch.cuda.current_stream(self._device)
        current.wait_event(event)

        def finished(tensor: Any) -> Any:
            if _is_sparse(tensor):
                return self._to_device(tensor)
            parts = (tensor.values(), tensor.offsets()) if getattr(tensor, "is_nested", False) else (tensor,)
            for part in parts:
                part.record_stream(current)
            return tensor

        return mapped(copy, finished)


def _is_sparse(tensor: Any) -> bool:
    return bool(getattr(tensor, "is_sparse", False))
