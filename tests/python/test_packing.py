"""Short rows are packed into sequences, as plain Python packs them, in batches of whole sequences."""

import itertools
import json
import pickle

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import VarLenRagged
from law_sources import SOURCES
from session_seed import chance

PARTS = ("values", "segment_ids", "positions")


def packed(rows, length, pad_value):
    """The tensors of packed rows, from the definition."""
    sequences = []
    for row in (row[:length] for row in rows):
        if not row:
            continue
        place = next((s for s in sequences if len(s) + len(row) <= length), None)
        if place is None:
            place = []
            sequences.append(place)
        segment = 1 + max((number for _, number, _ in place), default=0)
        place += [(value, segment, position) for position, value in enumerate(row)]
    filled = [s + [(pad_value, 0, 0)] * (length - len(s)) for s in sequences]
    return {part: [[one[n] for one in s] for s in filled] for n, part in enumerate(PARTS)}


def kinds(length, **options):
    return {part: features.Ragged(key="x[*]", pad_to=length, pack=part, **options) for part in PARTS}


def test_random_rows_are_packed_by_features_and_representations():
    random = chance("packing")
    for _ in range(200):
        kind = random.choice(["int8", "int64", "float32", "string"])
        longest = random.choice([0, 1, 4, 9])
        rows = [
            [random.randrange(100) for _ in range(random.randint(0, longest))]
            for _ in range(random.choice([0, 1, 30]))
        ]
        if kind == "string":
            rows = [[str(value) for value in row] for row in rows]
        batch = pa.record_batch({"x": pa.array(rows, pa.list_(pa.type_for_alias(kind)))})
        length, truncate = random.choice([9, 12]), False
        if random.random() < 0.3:
            length, truncate = random.choice([1, 3]), True
        shown = [[value.encode() if kind == "string" else value for value in row] for row in rows]
        expected = packed(shown, length, b"" if kind == "string" else 0)
        options = {"truncate": truncate}
        representations = {part: VarLenRagged("x", pad_to=length, pack=part, **options) for part in PARTS}
        for adapter in (
            af.TensorAdapter.from_features(batch.schema, kinds(length, **options)),
            af.TensorAdapter(batch.schema, representations),
        ):
            found = pickle.loads(pickle.dumps(adapter)).convert(batch)
            assert {part: tensor.values.tolist() for part, tensor in found.items()} == expected
            for part, tensor in found.items():
                assert list(adapter.specs[part].shape) == [None, length]
                assert adapter.specs[part].dtype == tensor.dtype
                assert part == "values" or tensor.dtype == "int32"


def test_columns_of_equal_lengths_have_the_same_sequences():
    rows = [[1, 2, 3], [4], [5, 6], [7, 8, 9]]
    batch = pa.record_batch({"x": rows, "y": [[[value, -value] for value in row] for row in rows]})
    kind = {"x": features.Ragged(key="x[*]", pad_to=4, pack="values", pad_value=-1)}
    kind["y"] = features.Ragged(key="flat[*]", inner_shape=[2], pad_to=4, pack="values")
    flat = [[number for value in row for number in (value, -value)] for row in rows]
    batch = pa.record_batch({"x": rows, "flat": flat})
    found = af.TensorAdapter.from_features(batch.schema, kind).convert(batch)
    assert found["x"].values.tolist() == [[1, 2, 3, 4], [5, 6, -1, -1], [7, 8, 9, -1]]
    assert found["y"].values[..., 0].tolist() == [[1, 2, 3, 4], [5, 6, 0, 0], [7, 8, 9, 0]]
    assert (found["y"].values[..., 0] == -found["y"].values[..., 1]).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pack": "values"}, "^pad_to: expected a length to pad to, with pad_value=, "),
        ({"pad_to": 3, "pack": "ids"}, '^pack: expected "values", "segment_ids" or "positions", found str '),
        ({"pad_to": "longest", "pack": "values"}, "expected a length to pad to, to pack rows into sequences"),
        ({"pad_to": 3, "pack": "values", "mask": True}, "expected a mask of padded rows, or packed rows"),
    ],
)
def test_arguments_of_packing_that_contradict_each_other_are_errors(options, message):
    schema = pa.schema({"x": pa.list_(pa.int64())})
    with pytest.raises(ValueError, match=message):
        af.TensorAdapter(schema, {"x": VarLenRagged("x", **options)})
    with pytest.raises(ValueError, match=message):
        af.TensorAdapter.from_features(schema, {"x": features.Ragged(key="x[*]", **options)})


def test_rows_that_are_too_long_are_errors():
    batch = pa.record_batch({"x": [[1], [1, 2, 3]]})
    adapter = af.TensorAdapter(batch.schema, {"x": VarLenRagged("x", pad_to=2, pack="positions")})
    with pytest.raises(af.ConversionError, match="row 1: expected at most 2 values, found 3"):
        adapter.convert(batch)


def test_representations_are_shown_and_serialized():
    representation = VarLenRagged("x", pad_to=4, pack="segment_ids")
    assert repr(representation) == "VarLenRagged('x', pad_to=4, pack='segment_ids')"
    again = pickle.loads(pickle.dumps(representation))
    assert again == representation
    assert again.pack == "segment_ids"
    feature = features.Ragged(pad_to=4, pack="positions")
    assert repr(feature) == "Ragged(pad_to=4, pack='positions')"
    assert str(af.TensorAdapter(pa.schema({"x": pa.list_(pa.int64())}), {"x": representation}).explain()) == (
        "x: dense int32 [?, 4]\n  values: computed, they number the values of packed rows"
    )


def batches_of(rows, length, most):
    """The rows of each batch of a window, from the definition."""
    batches, batch = [], []
    for row in rows:
        if len(packed([*batch, row], length, 0)["values"]) > most:
            batches.append(batch)
            batch = []
        batch.append(row)
    return [*batches, batch]


@pytest.mark.parametrize("order", [{"epochs": 2}, {"shuffle_buffer_size": 60, "seed": 5}, {"shard": (1, 2)}])
@pytest.mark.parametrize(("length", "most"), [(4, 3), (7, 1), (12, 8)])
def test_batches_have_at_most_the_number_of_sequences(tmp_path, order, length, most):
    dataset = SOURCES["avro"](tmp_path, [100, 0, 90, 50])
    options = {"batches": af.ByLength("list", pack_to=length, window=70), **order}
    windows = [
        pa.record_batch(b).column("list").to_pylist() for b in dataset.record_batches(batch_size=70, **order)
    ]
    expected = [batch for window in windows for batch in batches_of(window, length, most)]
    found = [
        pa.record_batch(b).column("list").to_pylist()
        for b in dataset.record_batches(batch_size=most, **options)
    ]
    assert sorted(found) == sorted(expected)
    assert (found == expected) == ("seed" not in order)
    again = [
        pa.record_batch(b).column("list").to_pylist()
        for b in dataset.record_batches(batch_size=most, threads=2, **options)
    ]
    assert again == found
    batches = dataset.record_batches(batch_size=most, **options)
    for given in range(0, len(found), 5):
        resumed = dataset.record_batches(batch_size=most, **options)
        resumed.load_state_dict(json.loads(json.dumps(batches.state_dict())))
        assert [pa.record_batch(b).column("list").to_pylist() for b in resumed] == found[given:]
        for _ in range(5):
            next(batches, None)


def test_the_tensors_of_a_dataset_are_whole_batches_of_sequences(tmp_path):
    rows = [{"x": [n] * (n % 6)} for n in range(500)]
    af.write_avro(pa.Table.from_pylist(rows), tmp_path / "x.avro", block_bytes=500)
    dataset = af.AvroDataset(tmp_path / "x.avro", features=kinds(8))
    seen = []
    batches = list(dataset.tensors(batches=af.ByLength("x", pack_to=8, window=500), batch_size=10, threads=2))
    for batch in batches:
        values, ids, positions = (batch[part].values for part in PARTS)
        seen += values[ids > 0].tolist()
        assert (positions[ids == 0] == 0).all()
    assert [batch["values"].shape for batch in batches[:-1]] == [(10, 8)] * (len(batches) - 1)
    assert sorted(seen) == sorted(itertools.chain.from_iterable(row["x"] for row in rows))
    share = np.mean([np.count_nonzero(batch["segment_ids"].values) / 80 for batch in batches[:-1]])
    assert share > 0.9


def test_other_limits_are_refused(tmp_path):
    dataset = SOURCES["avro"](tmp_path, [10])
    for more in ({"max_tokens": 8}, {"boundaries": [3]}):
        with pytest.raises(ValueError, match="pack_to: expected `batch_size` sequences, found "):
            dataset.record_batches(batches=af.ByLength("list", pack_to=4, **more), batch_size=2)
    batches = dataset.record_batches(batches=af.ByLength("list", pack_to=4), batch_size=2)
    with pytest.raises(ValueError, match="expected pack_to 5, as requested, found pack_to 4"):
        dataset.record_batches(batches=af.ByLength("list", pack_to=5), batch_size=2).load_state_dict(
            batches.state_dict()
        )
