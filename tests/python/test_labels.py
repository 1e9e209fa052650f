"""`Dataset.tensors(label=..., weight=...)`, and the division of tensors that all frameworks share."""

import pickle
import re

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed._frameworks.labels import Labels

TABLE = pa.table({"x": list(range(10)), "y": [n % 2 for n in range(10)], "w": [n / 2 for n in range(10)]})


@pytest.fixture
def dataset(tmp_path):
    af.write_avro(TABLE, tmp_path / "rows.avro")
    return af.AvroDataset(tmp_path / "rows.avro")


def values(tensors):
    return {name: tensor.values.tolist() for name, tensor in tensors.items()}


def test_features_labels_and_weights_are_apart(dataset):
    plain = list(dataset.tensors(batch_size=4))
    for label, names in (("y", None), (["y"], ["y"]), (("y", "x"), ["y", "x"])):
        with dataset.tensors(batch_size=4, label=label) as batches:
            for (features, found), whole in zip(batches, plain, strict=True):
                apart = names or ["y"]
                assert list(features) == [name for name in whole if name not in apart]
                assert values(features) == values({name: whole[name] for name in features})
                assert values(found if names else {"y": found}) == values(
                    {name: whole[name] for name in apart}
                )
    for (features, label, weight), whole in zip(
        dataset.tensors(batch_size=4, label="y", weight="w"), plain, strict=True
    ):
        assert values({**features, "y": label, "w": weight}) == values(whole)
        assert list(features) == ["x"]


def test_states_of_iterations_with_and_without_labels_are_equal(dataset):
    options = {"batch_size": 3, "shuffle_buffer_size": 10, "seed": 7}
    labelled = dataset.tensors(**options, label="y")
    next(labelled)
    plain = dataset.tensors(**options)
    plain.load_state_dict(labelled.state_dict())
    features, label = next(labelled)
    whole = next(plain)
    assert values({**features, "y": label}) == values(whole)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"label": "z"}, "label: expected one of the tensors x, y, w, found 'z'"),
        ({"label": []}, "label: expected a name, found none"),
        ({"label": "y", "weight": "z"}, "weight: expected one of the tensors x, y, w, found 'z'"),
        ({"label": "y", "weight": "y"}, "weight: expected a tensor other than the label, found 'y'"),
        ({"weight": "w"}, "weight: expected a label too, found only the weight 'w'"),
    ],
)
def test_wrong_labels_are_errors(dataset, options, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        dataset.tensors(batch_size=4, **options)


def test_the_division_can_be_pickled():
    labels = pickle.loads(pickle.dumps(Labels(["x", "y", "w"], ["y"], "w")))
    assert labels({"x": 1, "y": 2, "w": 3}) == ({"x": 1}, {"y": 2}, 3)
