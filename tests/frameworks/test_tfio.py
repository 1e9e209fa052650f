"""`arrowfeed.tfio`: what tensorflow-io loses, reads wrongly or dies of, and what is refused."""

import io
import json
import re
from pathlib import Path

import fastavro
import numpy as np
import pytest
import tensorflow as tf

from arrowfeed import tfio

INT, FLOAT, LIST, DEEP = "int", "float", {"type": "array", "items": "int"}, {"type": "array"}
DEEP = {"type": "array", "items": LIST}
VARLEN = tfio.VarLenFeatureWithRank


def schema(**fields):
    named = [{"name": name, "type": kind} for name, kind in fields.items()]
    return {"type": "record", "name": "row", "fields": named}


def write(path, form, rows, **options):
    with path.open("wb") as file:
        fastavro.writer(file, fastavro.parse_schema(form), rows, **options)
    return str(path)


def encoded(form, rows):
    """Records without a file."""
    parsed, found = fastavro.parse_schema(form), []
    for row in rows:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, row)
        found.append(out.getvalue())
    return found


def parse(form, rows, features):
    return tfio.parse_avro(encoded(form, rows), json.dumps(form), features)


def fixed(shape, dtype=tf.int32, default=None):
    return tf.io.FixedLenFeature(shape, dtype, default)


def parts(sparse):
    return [part.numpy().tolist() for part in (sparse.indices, sparse.values, sparse.dense_shape)]


def refused(call, kind=tf.errors.InvalidArgumentError):
    with pytest.raises(kind) as caught:
        call()
    return caught.value.message if isinstance(caught.value, tf.errors.OpError) else str(caught.value)


# ---- data that tensorflow-io reads wrongly


def test_the_rank_is_the_keys_where_the_first_list_is_empty():
    found = parse(schema(x=DEEP), [{"x": []}, {"x": [[], [7]]}], {"x[*][*]": VARLEN(tf.int32, 2)})
    assert parts(found["x[*][*]"]) == [[[1, 1, 0]], [7], [2, 2, 1]]
    found = parse(schema(x=DEEP), [{"x": []}, {"x": [[7]]}], {"x[*][*]": fixed([None, None], default=0)})
    assert found["x[*][*]"].numpy().tolist() == [[[0]], [[7]]]


def test_the_element_after_the_last_is_missing():
    rows, key = [{"x": [1, 2]}], "x[2]"
    assert parse(schema(x=LIST), rows, {key: fixed([], default=-1)})[key].numpy().tolist() == [-1]
    message = refused(lambda: parse(schema(x=LIST), rows, {key: fixed([])}))
    assert message == 'key "x[2]", row 0: expected a value, as there is no default, found a null'


def test_a_map_key_that_is_not_there_is_missing():
    form = schema(m={"type": "map", "values": "int"})
    found = parse(form, [{"m": {"a": 1}}, {"m": {}}], {"m['a']": fixed([], default=-1)})
    assert found["m['a']"].numpy().tolist() == [1, -1]


def test_rows_of_other_lengths_without_a_default_are_an_error():
    message = refused(lambda: parse(schema(x=LIST), [{"x": [1, 2]}, {"x": [1]}], {"x[*]": fixed([None])}))
    assert message == 'key "x[*]", row 1: expected 2 values, found 1'


def test_outer_lists_that_are_too_long_are_an_error():
    default = [[0, 0], [0, 0]]
    rows = [{"x": [[1], [2], [3]]}]
    message = refused(lambda: parse(schema(x=DEEP), rows, {"x[*][*]": fixed([None, 2], default=default)}))
    assert message == 'key "x[*][*]", row 0: expected 2 values, found 3'


FRIENDS = schema(
    name="string",
    friends={"type": "array", "items": schema(name="string", kind="string", age="int") | {"name": "friend"}},
)
PEOPLE = [
    {"name": "a", "friends": [{"name": n, "kind": k, "age": i} for i, (n, k) in enumerate(pairs)]}
    for pairs in (["bx", "ax", "ay"], ["ay"], [])
]


def test_filters_that_look_at_the_record():
    found = parse(FRIENDS, PEOPLE, {"friends[name=@name].age": VARLEN(tf.int32)})
    assert parts(found["friends[name=@name].age"]) == [[[0, 0], [0, 1], [1, 0]], [1, 2, 0], [3, 2]]


def test_several_filters_and_filters_on_numbers():
    wanted = {
        "friends[kind!='y'].age": VARLEN(tf.int32),
        "friends[age=1].name": VARLEN(tf.string),
    }
    found = parse(FRIENDS, PEOPLE, wanted)
    assert parts(found["friends[kind!='y'].age"])[1] == [0, 1]
    assert parts(found["friends[age=1].name"]) == [[[0, 0]], [b"a"], [3, 1]]
    form = schema(
        g={
            "type": "array",
            "items": schema(
                k="string", h={"type": "array", "items": schema(k="string", v="int") | {"name": "h"}}
            )
            | {"name": "g"},
        }
    )
    rows = [{"g": [{"k": "a", "h": [{"k": "b", "v": 1}, {"k": "c", "v": 2}]}, {"k": "z", "h": []}]}]
    key = "g[k='a'].h[k='c'].v"
    assert parts(parse(form, rows, {key: VARLEN(tf.int32, 2)})[key]) == [[[0, 0, 0]], [2], [1, 1, 1]]


def test_a_batch_without_rows_has_tensors_without_rows():
    wanted = {"x[*]": VARLEN(tf.int32), "y": fixed([]), "z": fixed([2], tf.string)}
    form = schema(x=LIST, y=INT, z={"type": "array", "items": "string"})
    del wanted["z"]
    for found in (parse(form, [], wanted), in_graph(form, [], wanted)):
        assert parts(found["x[*]"]) == [[], [], [0, 0]]
        assert found["y"].shape == (0,)


def in_graph(form, rows, features):
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def graph(records):
        return tfio.parse_avro(records, json.dumps(form), features)

    return graph(tf.constant(encoded(form, rows), tf.string, [len(rows)]))


def test_index_and_value_lists_are_compared_row_by_row():
    form = schema(i={"type": "array", "items": "long"}, v={"type": "array", "items": "float"})
    rows = [{"i": [0, 1], "v": [0.5]}, {"i": [2], "v": [1.5, 2.5]}]
    feature = tf.io.SparseFeature("@i[*]", "@v[*]", tf.float32, 5)
    message = refused(lambda: parse(form, rows, {"t": feature}))
    assert message == ('tensor "t", key "@i[*]", row 0: expected 1 entry as in "@v[*]", found 2')


def test_indices_are_inside_of_the_size():
    form = schema(i={"type": "array", "items": "long"}, v={"type": "array", "items": "float"})
    feature = tf.io.SparseFeature("@i[*]", "@v[*]", tf.float32, 5)
    message = refused(lambda: parse(form, [{"i": [5], "v": [1]}], {"t": feature}))
    assert message == 'tensor "t", key "@i[*]", row 0: expected an index of 0 or more, below 5, found 5'


def test_entries_at_the_same_place_stay():
    form = schema(i={"type": "array", "items": "long"}, v={"type": "array", "items": "float"})
    feature = tf.io.SparseFeature("@i[*]", "@v[*]", tf.float32, 5)
    found = parse(form, [{"i": [3, 1, 3], "v": [1, 2, 3]}], {"t": feature})
    assert parts(found["t"]) == [[[0, 1], [0, 3], [0, 3]], [2, 1, 3], [1, 5]]


# ---- records that are no records


@pytest.mark.parametrize("call", [parse, in_graph], ids=["eager", "graph"])
def test_records_that_are_cut_or_too_long_are_named(call, monkeypatch):
    form = schema(x="string", y=INT)
    whole = encoded(form, [{"x": "abc", "y": n} for n in range(3)])
    for changed, text in (
        (whole[1][:-1], "serialized[1]: y: expected an int, 0 bytes left"),
        (
            whole[1] + b"\0",
            "serialized[1]: expected the end of the block after its 1 record, found 1 more byte",
        ),
    ):
        monkeypatch.setitem(globals(), "encoded", lambda *_, it=changed: [whole[0], it, whole[2]])
        message = refused(lambda: call(form, [0, 0, 0], {"y": fixed([])}))
        assert text in message


def test_schemas_and_keys_are_checked_before_any_data():
    records = encoded(schema(x=INT), [{"x": 1}])

    def call(text, features):
        return refused(lambda: tfio.parse_avro(records, text, features))

    one = json.dumps(schema(x=INT))
    assert call("", {"x": fixed([])}) == "reader_schema: expected the JSON of an Avro schema, found str ''"
    assert call("{", {"x": fixed([])}) == (
        "expected a schema in JSON, found: EOF while parsing an object at line 1 column 1"
    )
    assert call(one, {"y": fixed([])}) == (
        'key "y", character 1: expected a column of this name, one of ["x"], found "y"'
    )
    assert call(one, {"x[": fixed([])}) == (
        'key "x[", character 3: expected "*", an index, a key in quotes or a filter, found the end'
    )
    assert call(one, {"x": fixed([], tf.int64)}) == (
        'key "x": expected values of int64, found Int32, which is int32'
    )


def test_records_are_a_vector():
    assert refused(lambda: tfio.parse_avro("a", "{}", {"x": fixed([])})) == (
        "serialized: expected a tensor of rank 1, found rank 0"
    )


# ---- arguments


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: VARLEN(tf.int32, 0), "rank: expected an integer of 1 or more, found int 0"),
        (lambda: VARLEN(tf.int32, None), "rank: expected an integer of 1 or more, found None"),
        (
            lambda: tfio.parse_avro([], "{}", {}),
            "features: expected a dict of at least one feature, found dict {}",
        ),
        (
            lambda: parse(schema(x=INT), [], {"x": tf.io.SparseFeature(["a", "b"], "v", tf.int32, 3)}),
            'features["x"]: size: expected one for each of the 2 index keys, found 1',
        ),
        (
            lambda: parse(schema(x=LIST), [], {"x[*]": fixed([3], default=[1, 2])}),
            'features["x[*]"]: default_value: expected one value, or as many as the shape [3] has, found 2',
        ),
        (
            lambda: tfio.DenseFeature([-1], tf.int32),
            "shape: expected a list of sizes of 1 or more, found list [-1]",
        ),
        (
            lambda: tfio.VarlenFeature(None, tf.int32),
            "shape: expected a list of sizes of 1 or more, or -1 where open, found None",
        ),
        (lambda: tfio.SparseFeature([], tf.int32), "shape: expected at least one size, found []"),
        (
            lambda: tfio.DenseFeature([], tf.uint8),
            "dtype: expected one of int32, int64, float32, float64, string, bool, found DType tf.uint8",
        ),
        (
            lambda: tfio.ATDSDataset("a", 1, {}),
            "features: expected a dict of at least one feature, found dict {}",
        ),
        (
            lambda: tfio.ATDSDataset("a", 1, {"x": 3}),
            'features["x"]: expected a DenseFeature, SparseFeature or VarlenFeature, found int 3',
        ),
        (
            lambda: tfio.AvroRecordDataset("a", num_parallel_reads=2, num_parallel_calls=3),
            "num_parallel_calls: expected no more than num_parallel_reads, which is 2, found 3",
        ),
        (
            lambda: tfio.AvroRecordDataset("a", num_parallel_reads=2, num_parallel_calls=0),
            "num_parallel_calls: expected 1 or more, or tf.data.AUTOTUNE, found 0",
        ),
    ],
)
def test_wrong_arguments_are_value_errors(call, message):
    assert refused(call, ValueError) == message


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"batch_size": 0}, "batch_size: expected an integer of 1 or more, found 0"),
        ({"shuffle_buffer_size": -1}, "shuffle_buffer_size: expected an integer of 0 or more, found -1"),
        ({"reader_buffer_size": 0}, "reader_buffer_size: expected an integer of 1 or more, found 0"),
        (
            {"num_parallel_calls": 0},
            "num_parallel_calls: expected an integer of 1 or more or tf.data.AUTOTUNE, found 0",
        ),
    ],
)
def test_what_the_operation_refused_is_both_errors(arguments, message):
    one = {"x": tfio.DenseFeature([], tf.int32)}
    for kind in (ValueError, tf.errors.InvalidArgumentError):
        assert (
            refused(
                lambda: tfio.ATDSDataset(**{"filenames": "a", "batch_size": 1, "features": one, **arguments}),
                kind,
            )
            == message
        )


def test_names_are_names():
    one = {"x": tfio.DenseFeature([], tf.int32)}
    expected = "filenames: expected names of files (str, or a tensor of tf.string), found a tensor of int32"
    assert refused(lambda: tfio.ATDSDataset([1], 1, one), TypeError) == expected
    assert refused(lambda: tfio.AvroRecordDataset([1]), TypeError) == expected


# ---- files


ATDS = schema(x=INT, v=LIST)
DENSE = {"x": tfio.DenseFeature([], tf.int32)}


@pytest.mark.parametrize(
    "make",
    [
        lambda path: tfio.ATDSDataset(path, 2, DENSE),
        tfio.AvroRecordDataset,
        lambda path: tfio.make_avro_record_dataset(path, {"x": fixed([])}, 2, None, num_epochs=1),
    ],
    ids=["atds", "records", "make"],
)
def test_files_that_are_not_there_or_damaged_are_errors(tmp_path, make):
    missing = str(tmp_path / "missing.avro")
    assert f"{missing}; No such file or directory" in refused(
        lambda: list(make(missing)), tf.errors.NotFoundError
    )
    rows = [{"x": n, "v": []} for n in range(1000)]
    path = tmp_path / "whole.avro"
    content = Path(write(path, ATDS, rows, sync_interval=100)).read_bytes()
    cases = {"cut": content[:-20], "no file": b"junk" * 10, "marker": content[:-16] + bytes(16)}
    for name, damaged in cases.items():
        other = tmp_path / f"{name}.avro"
        other.write_bytes(damaged)
        assert f"{other}: " in refused(lambda other=other: list(make(str(other))))


def test_schemas_of_files_are_checked(tmp_path):
    path = write(tmp_path / "a.avro", ATDS, [{"x": 1, "v": [1, 2]}])
    other = write(tmp_path / "b.avro", schema(x="long", v=LIST), [{"x": 1, "v": []}])

    def text(features, files=path):
        found = tfio.ATDSDataset(files, 2, features)
        message = refused(lambda: list(found))
        in_pipeline = refused(lambda: list(found.map(lambda batch: batch)))
        assert re.search("ValueError: (.*)", in_pipeline)[1] == message
        return message

    assert text({"y": tfio.DenseFeature([], tf.int32)}) == (
        'key "y", character 1: expected a column of this name, one of ["x", "v"], found "y"'
    )
    assert text({"x": tfio.DenseFeature([], tf.int64)}) == (
        'key "x": expected values of int64, found Int32, which is int32'
    )
    assert text({"v": tfio.DenseFeature([3], tf.int32)}) == (
        'tensor "v", key "v[*]", row 0: expected 3 values, found 2'
    )
    assert text({"v": tfio.VarlenFeature([-1, -1], tf.int32)}) == (
        'tensor "v", key "v[*][*]", character 5: expected an array or a map for "[*]", found Int32'
    )
    assert text(DENSE, [path, other]) == (
        f'{other}: expected the columns of {path}: column "x" to be Int32, found "x" as Int64; '
        "give a reader schema to read both"
    )


def test_records_of_no_bytes_are_records(tmp_path):
    path = write(tmp_path / "a.avro", schema(x="null"), [{"x": None}] * 5)
    assert [item.numpy() for item in tfio.AvroRecordDataset(path)] == [b""] * 5


def test_a_reader_schema_that_is_none_is_refused(tmp_path):
    path = write(tmp_path / "a.avro", ATDS, [{"x": 1, "v": []}])
    assert refused(lambda: tfio.AvroRecordDataset(path, reader_schema="{")).startswith("expected ")
    other = json.dumps(schema(y=INT))
    assert "y" in refused(lambda: list(tfio.AvroRecordDataset(path, reader_schema=other)))


def test_no_files_are_no_batches():
    assert list(tfio.ATDSDataset(tf.constant([], tf.string), 2, DENSE)) == []
    assert list(tfio.AvroRecordDataset(tf.constant([], tf.string))) == []


def test_shuffled_rows_come_once_in_another_order(tmp_path):
    rows = [{"x": n, "v": []} for n in range(500)]
    path = write(tmp_path / "a.avro", ATDS, rows, sync_interval=100)

    def order(made):
        return np.concatenate([batch["x"].numpy() for batch in made]).tolist()

    one = {"x": fixed([])}
    atds = order(tfio.ATDSDataset(path, 64, DENSE, shuffle_buffer_size=200))
    seeded = [
        order(tfio.make_avro_record_dataset(path, one, 64, None, num_epochs=1, shuffle_seed=3)) for _ in "ab"
    ]
    assert seeded[0] == seeded[1]
    for found in (atds, seeded[0]):
        assert sorted(found) == [*range(500)]
        assert found != sorted(found)


def test_a_model_trains_on_it(tmp_path):
    rows = [{"x": n % 10, "v": []} for n in range(500)]
    path = write(tmp_path / "a.avro", ATDS, rows)
    batches = tfio.make_avro_record_dataset(path, {"x": fixed([])}, 50, None)

    def labelled(row):
        x = tf.cast(row["x"], tf.float32)[:, None] / 10
        return x, 2 * x

    model = tf.keras.Sequential([tf.keras.Input([1]), tf.keras.layers.Dense(1)])
    model.compile(tf.keras.optimizers.Adam(0.1), "mse")
    losses = model.fit(batches.map(labelled), epochs=5, steps_per_epoch=10, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 5
