"""Ragged tensors are padded like plain lists, as features, as representations and by a method."""

import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import VarLenRagged
from session_seed import chance

TYPES = ("int8", "int64", "uint16", "float32", "float64", "bool", "string", "binary")
ZEROS = {"bool": False, "string": b"", "binary": b""}


def value(random, kind):
    """A value, and the value that tensors have for it."""
    if kind in ("string", "binary"):
        text = random.choice(["", "a", "bcd"])
        return (text if kind == "string" else text.encode()), text.encode()
    if kind == "bool":
        return (random.random() < 0.5,) * 2
    return (random.randrange(100),) * 2


def expected(rows, pad_to, pad_value, *, truncate):
    """The padded rows and the mask, from the definition."""
    longest = max(map(len, rows), default=0)
    if isinstance(pad_to, int):
        length = pad_to
    elif pad_to == "longest":
        length = longest
    else:
        multiple = int(pad_to.removeprefix("multiple of "))
        length = -(-longest // multiple) * multiple
    assert truncate or longest <= length
    kept = [row[:length] for row in rows]
    values = [row + [pad_value] * (length - len(row)) for row in kept]
    return values, [[place < len(row) for place in range(length)] for row in kept]


def test_random_rows_are_padded_by_features_and_representations():
    random = chance("padding")
    for _ in range(300):
        kind = random.choice(TYPES)
        rows = [
            [value(random, kind) for _ in range(random.choice([0, 1, 2, 7]))]
            for _ in range(random.choice([0, 1, 5]))
        ]
        given = [None if not row and random.random() < 0.5 else [item for item, _ in row] for row in rows]
        rows = [[tensor for _, tensor in row] for row in rows]
        start = random.randint(0, len(rows))
        make = random.choice([pa.list_, pa.large_list])
        batch = pa.record_batch({"x": pa.array(given, make(pa.type_for_alias(kind)))}).slice(start)
        rows = rows[start:]
        pad_to = random.choice(["longest", "multiple of 3", "multiple of 8", 4, 7])
        truncate = isinstance(pad_to, int) and (
            random.random() < 0.5 or max(map(len, rows), default=0) > pad_to
        )
        pad_value, shown = random.choice([(None, ZEROS.get(kind, 0)), value(random, kind)])
        values, mask = expected(rows, pad_to, shown, truncate=truncate)
        options = {"pad_to": pad_to, "truncate": truncate}
        by_feature = {
            "values": features.Ragged(key="x[*]", pad_value=pad_value, **options),
            "mask": features.Ragged(key="x[*]", mask=True, **options),
        }
        by_representation = {
            "values": VarLenRagged("x", pad_value=pad_value, **options),
            "mask": VarLenRagged("x", mask=True, **options),
        }
        for adapter in (
            af.TensorAdapter.from_features(batch.schema, by_feature),
            af.TensorAdapter(batch.schema, by_representation),
        ):
            found = pickle.loads(pickle.dumps(adapter)).convert(batch)
            assert found["values"].values.tolist() == values
            assert found["mask"].values.tolist() == mask
            assert found["values"].shape == found["mask"].shape == np.shape(mask) or not rows
            for name in found:
                spec = adapter.specs[name]
                assert (spec.kind, spec.dtype) == ("dense", found[name].dtype)
                assert list(spec.shape) == [None, pad_to if isinstance(pad_to, int) else None]
        ragged = af.TensorAdapter(batch.schema, {"x": VarLenRagged("x")}).convert(batch)["x"]
        found = ragged.padded(pad_value=pad_value, **options)
        assert [tensor.values.tolist() for tensor in found] == [values, mask]
        lengths, owners = ragged.lengths().values.tolist(), ragged.segment_ids().values.tolist()
        assert lengths == [len(row) for row in rows]
        assert owners == [number for number, row in enumerate(rows) for _ in row]


def test_inner_dimensions_stay():
    batch = pa.record_batch({"x": pa.array([[1, 2, 3, 4], [5, 6]], pa.list_(pa.int64()))})
    feature = features.Ragged(key="x[*]", inner_shape=[2], pad_to=3, pad_value=-1)
    adapter = af.TensorAdapter.from_features(batch.schema, {"x": feature})
    assert list(adapter.specs["x"].shape) == [None, 3, 2]
    assert adapter.convert(batch)["x"].values.tolist() == [
        [[1, 2], [3, 4], [-1, -1]],
        [[5, 6], [-1, -1], [-1, -1]],
    ]
    fixed = pa.record_batch({"x": pa.array([[[1, 2]], []], pa.list_(pa.list_(pa.int64(), 2)))})
    adapter = af.TensorAdapter(fixed.schema, {"x": VarLenRagged("x", pad_to="longest")})
    assert adapter.convert(fixed)["x"].values.tolist() == [[[1, 2]], [[0, 0]]]


def test_the_row_that_is_too_long_is_named():
    batch = pa.record_batch({"x": pa.array([[1], [1, 2, 3], [1, 2]], pa.list_(pa.int64()))})
    for adapter, where in (
        (
            af.TensorAdapter.from_features(batch.schema, {"t": features.Ragged(key="x[*]", pad_to=1)}),
            'key "x[*]"',
        ),
        (af.TensorAdapter(batch.schema, {"t": VarLenRagged("x", pad_to=1)}), 'column "x"'),
    ):
        with pytest.raises(af.ConversionError) as caught:
            adapter.convert(batch)
        assert str(caught.value) == (
            f'tensor "t", {where}, row 1: expected at most 1 value, found 3 (`truncate` cuts longer rows)'
        )


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"pad_to": 0}, ValueError, "^pad_to: expected "),
        ({"pad_to": "multiple of 0"}, ValueError, '^pad_to: expected "longest", a length '),
        ({"pad_to": 1.5}, TypeError, '^pad_to: expected "longest", a length '),
        ({"truncate": True}, ValueError, "^pad_to: expected a length to pad to, with pad_value=, "),
        ({"mask": True}, ValueError, "^pad_to: expected a length to pad to, with pad_value=, "),
        ({"pad_to": "longest", "truncate": True}, ValueError, "expected a length to pad to, to truncate "),
        ({"pad_to": 3, "mask": True, "pad_value": 1}, ValueError, "expected a mask without a pad value"),
        ({"pad_to": 3, "pad_value": "a"}, ValueError, "expected an integer of type int64 as default value"),
    ],
)
def test_arguments_of_padding_that_contradict_each_other_are_errors(options, error, message):
    schema = pa.schema({"x": pa.list_(pa.int64())})
    with pytest.raises(error, match=message):
        af.TensorAdapter(schema, {"x": VarLenRagged("x", **options)})
    with pytest.raises(error, match=message):
        af.TensorAdapter.from_features(schema, {"x": features.Ragged(key="x[*]", **options)})


def test_lists_of_lists_are_not_padded():
    schema = pa.schema({"x": pa.list_(pa.list_(pa.int64()))})
    with pytest.raises(af.RepresentationError, match="expected one ragged dimension to pad, found 2"):
        af.TensorAdapter(schema, {"x": VarLenRagged("x", pad_to=3)})
    with pytest.raises(af.RepresentationError, match="expected one ragged dimension to pad, found 2"):
        af.TensorAdapter.from_features(schema, {"x": features.Ragged(key="x[*][*]", pad_to=3)})


def test_representations_and_features_are_shown_compared_and_serialized():
    representation = VarLenRagged("x", pad_to="multiple of 8", pad_value=-1, truncate=False)
    assert repr(representation) == "VarLenRagged('x', pad_to='multiple of 8', pad_value=-1)"
    again = pickle.loads(pickle.dumps(representation))
    assert again == representation != VarLenRagged("x", pad_to="multiple of 8")
    assert (again.pad_to, again.pad_value, again.truncate, again.mask) == ("multiple of 8", -1, False, False)
    mask = af.Representation.from_proto(VarLenRagged("x", pad_to=5, truncate=True, mask=True).to_proto())
    assert (mask.pad_to, mask.pad_value, mask.truncate, mask.mask) == (5, None, True, True)
    feature = features.Ragged("float32", pad_to=5, pad_value=1)
    assert repr(feature) == "Ragged(dtype='float32', pad_to=5, pad_value=1.0)"
    assert pickle.loads(pickle.dumps(feature)) == feature != features.Ragged("float32", pad_to=5)


def test_explain_states_the_copy():
    schema = pa.schema({"x": pa.list_(pa.int64())})
    representations = {
        "x": VarLenRagged("x", pad_to=3),
        "mask": VarLenRagged("x", pad_to=3, mask=True),
    }
    assert str(af.TensorAdapter(schema, representations).explain()) == (
        "x: dense int64 [?, 3]\n  values: copied, rows are padded\n"
        "mask: dense bool [?, 3]\n  values: computed, they mask the padding"
    )


def test_a_dataset_pads_on_its_threads(tmp_path):
    rows = [{"x": list(range(number % 5))} for number in range(100)]
    af.write_avro(pa.Table.from_pylist(rows), tmp_path / "x.avro", block_bytes=100)
    kinds = {
        "x": features.Ragged(key="x[*]", pad_to=4),
        "mask": features.Ragged(key="x[*]", pad_to=4, mask=True),
    }
    for threads in (1, 2):
        dataset = af.AvroDataset(tmp_path / "x.avro", features=kinds)
        batches = list(dataset.tensors(batch_size=7, threads=threads))
        found = np.concatenate([batch["x"].values for batch in batches]).tolist()
        assert found == [row["x"] + [0] * (4 - len(row["x"])) for row in rows]
        assert sum(batch["mask"].values.sum() for batch in batches) == sum(len(row["x"]) for row in rows)
