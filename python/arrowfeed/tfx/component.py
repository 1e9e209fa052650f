"""`ExampleGen`, the component of TFX that reads files of any format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from arrowfeed._arrowfeed import Predicate
from arrowfeed.tfx._imported import example_gen_pb2, of_tfx
from arrowfeed.tfx._options import packed, payload_format
from arrowfeed.tfx.executor import Executor

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

_Base: Any = of_tfx("components.example_gen.component").FileBasedExampleGen
_spec: Any = of_tfx("dsl.components.base.executor_spec")


class ExampleGen(_Base):
    """The component that reads files of any format of `open_dataset` into a pipeline of TFX.

    Its output is the artifact `examples`, as of `FileBasedExampleGen`. `Executor` describes its content.

    Args:
        input_base: The folder or URL of the files, in a filesystem of TFX, which lists them.
        input_config: A `tfx.v1.proto.Input`: the input splits, with patterns relative to `input_base`, which
            may contain `{SPAN}` and `{VERSION}`. None: all files are one split.
        output_config: A `tfx.v1.proto.Output`: the output splits. None: `train` and `eval` with 2 and 1 hash
            buckets if there is one input split, otherwise the input splits.
        range_config: A `tfx.v1.proto.RangeConfig`: the range of spans. None: the latest span.
        output_data_format: `FORMAT_TF_EXAMPLE`, `FORMAT_TF_SEQUENCE_EXAMPLE` or `FORMAT_PARQUET` of
            `tfx.v1.proto.PayloadFormat`.
        columns: Columns or field paths to read. None: all columns.
        where: The predicate of the rows, such as `"age >= 18"` or `arrowfeed.col("age") >= 18`. None: all
            rows.
        feature_lists: With `FORMAT_TF_SEQUENCE_EXAMPLE`, names of lists that become feature lists, in
            addition to lists of lists and lists of records. None: no other lists.
        **options: Options of `arrowfeed.beam.ReadFromDataset` that can be stored as JSON, such as
            `reader_schema`, `on_error` and `delimiter`. The metadata of the pipeline contains them, so they
            must not contain secrets.

    Raises:
        TypeError: `columns` or `feature_lists` is not a list of names, or an option cannot be stored as JSON.
        ValueError: `output_data_format` is not supported, or has no feature lists for `feature_lists`.

    Example:
        >>> example_gen = ExampleGen("data", columns=["id", "user.age"], where="id > 0")
        >>> statistics_gen = StatisticsGen(examples=example_gen.outputs["examples"])
    """

    EXECUTOR_SPEC = _spec.BeamExecutorSpec(Executor)

    def __init__(
        self,
        input_base: str | os.PathLike[str],
        input_config: Any = None,
        output_config: Any = None,
        range_config: Any = None,
        output_data_format: int = example_gen_pb2.FORMAT_TF_EXAMPLE,
        *,
        columns: Iterable[str] | None = None,
        where: Predicate | str | None = None,
        feature_lists: Iterable[str] | None = None,
        **options: Any,
    ) -> None:
        payload = payload_format(output_data_format)
        if feature_lists is not None and payload != example_gen_pb2.FORMAT_TF_SEQUENCE_EXAMPLE:
            found = example_gen_pb2.PayloadFormat.Name(payload)
            raise ValueError(
                f"feature_lists: expected the output_data_format FORMAT_TF_SEQUENCE_EXAMPLE, found {found}"
            )
        named = {
            "columns": _names("columns", columns),
            "where": str(where) if isinstance(where, Predicate) else where,
            "feature_lists": _names("feature_lists", feature_lists),
        }
        options.update({name: value for name, value in named.items() if value is not None})
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - TFX has no types
            input_base=str(input_base),
            input_config=input_config,
            output_config=output_config,
            custom_config=packed(options) if options else None,
            range_config=range_config,
            output_data_format=output_data_format,
        )


def _names(option: str, given: Iterable[str] | None) -> list[str] | None:
    if given is None:
        return None
    if isinstance(given, str):
        raise TypeError(f"{option}: expected a list of names (str), found str {given!r}")
    return list(given)
