"""Options of ExampleGen: formats of the output, and options that an executor gets in `custom_config`."""

from __future__ import annotations

import importlib
import json
from typing import Any

from arrowfeed.tfx._imported import example_gen_pb2, keys, of_tfx

_proto_utils: Any = of_tfx("utils.proto_utils")

_TEXT = "arrowfeed"
"""Key of the options in the `google.protobuf.Struct`."""


_FORMATS = ("FORMAT_TF_EXAMPLE", "FORMAT_TF_SEQUENCE_EXAMPLE", "FORMAT_PARQUET")
"""The names of the supported formats of the output."""


def payload_format(given: int) -> int:
    """Returns a `PayloadFormat` that is supported.

    Raises:
        ValueError: The format is not supported.
    """
    formats = example_gen_pb2.PayloadFormat
    if given not in map(formats.Value, _FORMATS):
        found = formats.Name(given) if given in formats.values() else given
        raise ValueError(f"output_data_format: expected one of {', '.join(_FORMATS)}, found {found}")
    return given


def packed(options: dict[str, Any]) -> Any:
    """Returns options as a `CustomConfig`. They are stored as JSON text, because a `Struct` has no integers.

    Raises:
        TypeError: An option cannot be stored as JSON.
    """
    struct = importlib.import_module("google.protobuf.struct_pb2").Struct()
    for name, value in options.items():
        _check_json(name, value)
    struct[_TEXT] = json.dumps(options)
    config = example_gen_pb2.CustomConfig()
    config.custom_config.Pack(struct)
    return config


def unpacked(properties: dict[str, Any]) -> dict[str, Any]:
    """Returns the options in the execution properties of an executor. Empty if there are none.

    Raises:
        ValueError: The `custom_config` is that of another component.
    """
    text = properties.get(keys.CUSTOM_CONFIG_KEY)
    if not text:
        return {}
    struct = importlib.import_module("google.protobuf.struct_pb2").Struct()
    config = example_gen_pb2.CustomConfig()
    _proto_utils.json_to_proto(text, config)
    if not config.HasField("custom_config"):
        return {}
    if not config.custom_config.Unpack(struct) or list(struct) != [_TEXT]:
        raise ValueError(f"custom_config: expected the options of arrowfeed.tfx.ExampleGen, found {text}")
    return json.loads(struct[_TEXT])


def _check_json(name: str, value: Any) -> None:
    try:
        json.dumps(value)
    except TypeError as error:
        found = type(value).__name__
        raise TypeError(f"{name}: expected a value that can be stored as JSON, found {found}") from error
