"""`arrowfeed splits` and `arrowfeed explain` print these outputs."""

import json

import pytest

import arrowfeed as af
from avro_splits import plan_splits
from command_line import process
from conftest import users, write

INFERRED = """\
1 file, columns: id, name, scores, home
id: dense int64 [?]
  values: shared
name: dense bytes [?]
  values: shared, as an Arrow array, converted to objects when they are read
scores: sparse float32 [?, ?]
  values: shared; copied where a null list has stored values
  indices: computed, from the lengths of the lists
home.city: dense bytes [?]
  values: shared, as an Arrow array, converted to objects when they are read
home.zip: dense int32 [?]
  values: shared
"""


def test_splits_as_a_table(arrowfeed, users_file, tmp_path):
    assert arrowfeed("splits", "users.avro") == (
        0,
        "path        start    end  bytes\nusers.avro    395  2,894  2,499\n",
        "",
    )


def test_splits_as_json_are_those_of_the_library(arrowfeed, tmp_path):
    write(tmp_path / "a.avro", users(300), sync_interval=500)
    write(tmp_path / "b.avro", users(300), sync_interval=500)
    ran = arrowfeed("splits", "--json", "--target-bytes", 1000, "*.avro")
    found = [af.Split(**json.loads(line)) for line in ran.out.splitlines()]
    planned = plan_splits("*.avro", target_bytes=1000)
    assert found == planned
    assert [split.file_id for split in found] == [split.file_id for split in planned]
    assert len(found) > 5


def test_splitting_an_unsplittable_source_is_a_wrong_call(arrowfeed):
    message = "expected paths or URLs, which can be split, found - for standard input"
    assert arrowfeed("splits", "-") == (2, "", f"arrowfeed: {message}\n")


def test_inferred_representations(arrowfeed, users_file):
    assert arrowfeed("explain", "users.avro") == (0, INFERRED, "")
    done = process("explain", "-", input=users_file.read_bytes())
    assert (done.returncode, done.stdout.decode()) == (0, INFERRED)


def test_explain_prints_features(arrowfeed, users_file, tmp_path):
    spec = {
        "id": {"dense": [], "dtype": "int64"},
        "first": {"dense": [], "key": "scores[0]", "default": 0.5},
        "padded": {"sequence": [], "key": "scores[*]", "default": 0.0},
        "scores[*]": {"varlen": "float32"},
        "r": {"ragged": None, "key": "scores[*]", "row_splits_dtype": "int32"},
        "s": {"sparse": "zip", "value_key": "@id", "size": 1000, "key": "home"},
    }
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    ran = arrowfeed("explain", "--features", "spec.json", "users.avro")
    assert (ran.code, ran.err) == (0, "")
    lines = [line for line in ran.out.splitlines() if not line.startswith("  ")]
    assert lines == [
        "1 file, columns: id, scores, home",
        "id: dense int64 [?]",
        "first: dense float32 [?]",
        "padded: dense float32 [?, ?]",
        "scores[*]: sparse float32 [?, ?]",
        "r: ragged float32 [?, ?] (row splits int32)",
        "s: sparse int64 [?, 1000]",
    ]


def test_representations(arrowfeed, users_file, tmp_path):
    spec = {
        "x": {"dense": "scores", "shape": [3], "default": 0.0, "pad": True},
        "v": {"varlen_sparse": "scores"},
        "r": {"varlen_ragged": "scores"},
        "p": {"ragged": "scores"},
        "t": {"structured": ["home"]},
    }
    (tmp_path / "spec.json").write_text(json.dumps(spec))
    ran = arrowfeed("explain", "--representations", "spec.json", "users.avro")
    assert (ran.code, ran.err) == (0, "")
    lines = [line for line in ran.out.splitlines() if not line.startswith("  ")]
    assert lines[:4] == [
        "1 file, columns: scores, home",
        "x: dense float32 [?, 3]",
        "v: sparse float32 [?, ?]",
        "r: ragged float32 [?, ?] (row splits int64)",
    ]
    assert len(lines) == 6


KINDS = "dense, sequence, varlen, ragged, sparse"
WRONG = {
    "{": None,
    "[]": "spec.json: expected an object of tensors by name, found []",
    '{"a": []}': f'spec.json: "a": expected an object with one of {KINDS}, found []',
    '{"a": {"dense": [], "varlen": null}}': (
        f'spec.json: "a": expected an object with one of {KINDS}, found {{"dense": [], "varlen": null}}'
    ),
    '{"a": {"dense": [-1]}}': 'spec.json: "a": shape: expected an integer of 0 or more, found int -1',
    '{"a": {"varlen": null, "size": 3}}': (
        "spec.json: \"a\": VarLen.__init__() got an unexpected keyword argument 'size'"
    ),
    '{"nope": {"dense": []}}': None,
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_specifications_are_reported_with_their_location(arrowfeed, users_file, tmp_path, text):
    (tmp_path / "spec.json").write_text(text)
    ran = arrowfeed("explain", "users.avro", "--features", "spec.json")
    assert (ran.code, ran.out) == (1, "")
    if WRONG[text] is not None:
        assert ran.err == f"arrowfeed: {WRONG[text]}\n"
    assert ran.err.startswith("arrowfeed: ")
    assert ran.err.count("\n") == 1
