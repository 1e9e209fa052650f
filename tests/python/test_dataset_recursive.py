"""Datasets of recursive records read the non-recursive columns, and name the others."""

import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense, Ragged
from conftest import write

TREE = {
    "type": "record",
    "name": "Tree",
    "fields": [
        {"name": "label", "type": "string"},
        {"name": "children", "type": {"type": "array", "items": "Tree"}},
        {"name": "parent", "type": ["null", "Tree"]},
    ],
}
SCHEMA = {
    "type": "record",
    "name": "Row",
    "fields": [{"name": "id", "type": "long"}, {"name": "tree", "type": TREE}],
}
RECURSIVE = (
    'record "Tree" is recursive and cannot become an Arrow column; leave it out with `exclude` or `columns`'
)


def tree(number, depth):
    children = [tree(10 * number + i, depth - 1) for i in range(depth)]
    return {"label": f"tree {number}", "children": children, "parent": None}


@pytest.fixture
def path(tmp_path):
    rows = [{"id": n, "tree": tree(n, n % 4)} for n in range(30)]
    return write(tmp_path / "trees.avro", rows, SCHEMA, sync_interval=100)


def column(dataset, name):
    return [value for batch in dataset.tensors(batch_size=7) for value in batch[name].values.tolist()]


def test_features_of_non_recursive_columns_are_read(path):
    wanted = {"id": features.Dense([]), "tree.label": features.Dense([])}
    dataset = af.AvroDataset(path, features=wanted)
    assert column(dataset, "id") == list(range(30))
    assert column(dataset, "tree.label") == [f"tree {n}".encode() for n in range(30)]
    assert dataset.num_rows == 30
    assert dataset.explain().splitlines()[0] == "1 file, columns: id, tree"
    assert column(dataset.project(["tree.label"]), "tree.label")[7] == b"tree 7"


@pytest.mark.parametrize("encoding", ["native", "feature", "tfx"])
def test_representations_of_non_recursive_columns_are_read(path, encoding):
    dataset = af.AvroDataset(path, representations={"id": Dense("id")}, encoding=encoding)
    assert column(dataset, "id") == list(range(30))


def test_columns_select_the_depth_of_a_record(path):
    wanted = {"tree.children[*].label": features.Ragged()}
    dataset = af.AvroDataset(path, features=wanted, columns=["tree.children.label"])
    [batch] = dataset.tensors(batch_size=30)
    labels = batch["tree.children[*].label"].to_list()
    assert labels[7] == [b"tree 70", b"tree 71", b"tree 72"]
    assert [len(row) for row in labels] == [n % 4 for n in range(30)]


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"representations": {}},
        {"features": {"tree.children[*].label": features.Ragged()}},
        {"representations": {"x": Ragged("tree.children.label")}},
    ],
)
def test_a_recursive_column_is_an_error_if_it_is_read(path, options):
    with pytest.raises(af.SchemaError) as caught:
        af.AvroDataset(path, **options)
    assert str(caught.value) == f"{path}: tree.children[]: {RECURSIVE}"
    assert caught.value.field == "tree.children[]"


def test_an_option_that_is_wrong_for_another_reason_keeps_its_error(path):
    with pytest.raises(af.SchemaError) as caught:
        af.AvroDataset(path, features={"id": features.Dense([])}, columns=["nothing"])
    assert str(caught.value) == f'{path}: expected a field of record "Row" ("id", "tree"), found "nothing"'


def test_files_of_two_schemas_are_read_as_one(path, tmp_path):
    fields = [SCHEMA["fields"][1], {"name": "id", "type": "int"}]
    write(tmp_path / "u.avro", [{"id": 30, "tree": tree(30, 1)}], {**SCHEMA, "fields": fields})
    wanted = {"id": features.Dense([]), "tree.label": features.Dense([])}
    dataset = af.AvroDataset([path, tmp_path / "u.avro"], features=wanted, reader_schema=SCHEMA)
    assert column(dataset, "id") == list(range(31))


def test_a_filter_on_a_recursive_column_beside_others_names_it(path):
    with pytest.raises(af.SchemaError) as caught:
        af.read_avro(path, columns=["id"], where="tree is null")
    assert RECURSIVE in str(caught.value)
