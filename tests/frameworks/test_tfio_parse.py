"""`arrowfeed.tfio.parse_avro` reads what tensorflow-io reads wrongly or crashes on."""

import json

import pytest
import tensorflow as tf
import tfio_rows
from tfio_rows import DEEP, INT, LIST, VARLEN, encoded, fixed, in_graph, parse, parts, refused, schema

from arrowfeed import tfio


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


def test_an_absent_map_key_is_missing():
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


@pytest.mark.parametrize("call", [parse, in_graph], ids=["eager", "graph"])
def test_records_that_are_cut_or_too_long_are_named(call, monkeypatch):
    form = schema(x="string", y=INT)
    whole = encoded(form, [{"x": "abc", "y": n} for n in range(3)])
    for changed, text in (
        (whole[1][:-1], "serialized[1]: y: expected an int, 0 bytes left"),
        (
            whole[1] + b"\0",
            "serialized[1]: expected the end of the record, found 1 more byte",
        ),
    ):
        monkeypatch.setattr(tfio_rows, "encoded", lambda *_, it=changed: [whole[0], it, whole[2]])
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
