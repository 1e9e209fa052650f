"""Conversion of features to JSON for graphs, and back in another process."""

from __future__ import annotations

import base64
import dataclasses
import json
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from arrowfeed import features as kinds
from arrowfeed._features.arguments import type_name

if TYPE_CHECKING:
    from arrowfeed.features import Feature

_KINDS: dict[str, type[Feature]] = {
    kind.__name__: kind
    for kind in (kinds.Dense, kinds.FixedLenSequence, kinds.Ragged, kinds.Sparse, kinds.VarLen)
}


def to_json(features: dict[str, Feature]) -> str:
    """Serializes features by name. `of_json` restores equal features in the same order."""
    return json.dumps({name: _written(feature) for name, feature in features.items()})


def of_json(text: str) -> dict[str, Feature]:
    """Restores the features from such a text.

    Raises:
        ValueError: The text is invalid, or a feature has an invalid argument.
    """
    return {name: _read(dict(value)) for name, value in json.loads(text).items()}


def _written(feature: Feature) -> dict[str, Any]:
    fields = {field.name: _plain(getattr(feature, field.name)) for field in dataclasses.fields(feature)}
    return {"kind": type(feature).__name__, **fields}


def _plain(value: Any) -> Any:
    if isinstance(value, np.dtype):
        return type_name(value)
    if isinstance(value, bytes):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, kinds.Transform):
        return {"transform": base64.b64encode(value.to_proto()).decode()}
    if isinstance(value, tuple):
        return [_plain(item) for item in cast("tuple[Any, ...]", value)]
    return value


def _read(value: dict[str, Any]) -> Feature:
    name = value.pop("kind", "")
    kind = _KINDS.get(name)
    if kind is None:
        raise ValueError(f"kind: expected one of {sorted(_KINDS)}, found {name!r}")
    return kind(**{name: _restored(item) for name, item in value.items()})


def _restored(value: Any) -> Any:
    if isinstance(value, dict):
        [(kind, text)] = cast("dict[str, str]", value).items()
        content = base64.b64decode(text)
        return kinds.Transform.from_proto(content) if kind == "transform" else content
    if isinstance(value, list):
        return [_restored(item) for item in cast("list[Any]", value)]
    return value
