"""A source that implements `Tfxio` gets tensors, batches and projections, whatever its format."""

import importlib.util
from pathlib import Path
from types import MappingProxyType

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed.representations import Dense, VarLenRagged
from conftest import run_script

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "python" / "json_lines.py"


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("json_lines", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Numbers(af.Tfxio):
    """A source of consecutive numbers."""

    def __init__(self, made_of):
        self.made_of, self.asked = made_of, []

    @property
    def arrow_schema(self):
        return pa.schema({"n": pa.int64(), "l": pa.list_(pa.int64())})

    @property
    def tensor_representations(self):
        return self.made_of

    def record_batches(self, **options):
        self.asked.append(options)
        rows = [{"n": n, "l": list(range(n % 3))} for n in range(10)]
        size = options["batch_size"]
        return (
            pa.RecordBatch.from_pylist(rows[at : at + size], self.arrow_schema) for at in range(0, 10, size)
        )

    def project(self, names):
        return Numbers({name: self.made_of[name] for name in names})


def test_datasets_are_sources(people):
    assert issubclass(af.AvroDataset, af.Tfxio)
    assert isinstance(af.AvroDataset(people), af.Tfxio)
    assert not isinstance(af.read_avro(people), af.Tfxio)
    parts = {name for name in vars(af.Tfxio) if not name.startswith("_")}
    assert parts == {
        "arrow_schema",
        "project",
        "record_batches",
        "specs",
        "tensor_adapter",
        "tensor_representations",
        "tensors",
    }
    assert parts <= set(dir(af.AvroDataset))


def test_a_source_without_its_parts_cannot_be_made():
    class Empty(af.Tfxio):
        pass

    with pytest.raises(TypeError, match="abstract") as caught:
        Empty()
    for name in ("record_batches", "project"):
        assert name in str(caught.value)
    for name in ("arrow_schema", "tensor_representations", "specs"):
        assert name not in str(caught.value)


def rows(source, **options):
    return Numbers.record_batches(source, **options)


class InInit(af.Tfxio):
    """Sets its attributes in the constructor."""

    record_batches, project = rows, Numbers.project

    def __init__(self):
        self.asked = []
        self.arrow_schema = Numbers({}).arrow_schema
        self.tensor_representations = {"n": Dense("n")}


class OfClass(af.Tfxio):
    """Has attributes of the class."""

    record_batches, project = rows, Numbers.project
    arrow_schema = pa.schema({"n": pa.int64(), "l": pa.list_(pa.int64())})
    tensor_representations = MappingProxyType({"n": Dense("n")})

    def __init__(self):
        self.asked = []


@pytest.mark.parametrize("kind", [InInit, OfClass])
def test_attributes_are_set_in_init_or_in_the_class(kind):
    first = next(kind().tensors(batch_size=4))
    assert first["n"].values.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("name", ["arrow_schema", "tensor_representations"])
def test_a_missing_attribute_of_a_tfxio_is_named(name):
    class Part(af.Tfxio):
        record_batches, project = rows, Numbers.project

        def __init__(self):
            for other in {"arrow_schema", "tensor_representations"} - {name}:
                setattr(self, other, getattr(OfClass, other))

    with pytest.raises(TypeError) as caught:
        Part().tensor_adapter()
    assert str(caught.value) == (
        f"expected Part to have the attribute {name}: set it in the class or in __init__"
    )


@pytest.mark.parametrize(
    "made_of",
    [
        {"n": Dense("n"), "l": VarLenRagged("l")},
        {"n": features.Dense([]), "l": features.Ragged(key="l[*]")},
        {"n": Dense("n").to_proto(), "l": VarLenRagged("l").to_proto()},
    ],
    ids=["representations", "features", "messages"],
)
def test_tensors_follow_from_the_parts(made_of):
    source = Numbers(made_of)
    assert list(source.specs) == ["n", "l"]
    assert source.specs == source.tensor_adapter().specs
    batches = list(source.tensors(batch_size=4, seed=3))
    assert source.asked == [{"batch_size": 4, "seed": 3}]
    assert [batch["n"].values.tolist() for batch in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert batches[2]["l"].to_list() == [[0, 1], []]
    assert list(source.project(["l"]).specs) == ["l"]


def test_tensors_that_cannot_be_are_an_error_before_any_batch():
    source = Numbers({"n": Dense("n", [2])})
    with pytest.raises(af.RepresentationError):
        source.tensors(batch_size=4)
    assert source.asked == []


def test_a_batch_that_does_not_fit_is_an_error_in_its_turn():
    batches = Numbers({"l": Dense("l", [0])}).tensors(batch_size=1)
    assert next(batches)["l"].shape == (1, 0)
    with pytest.raises(af.ConversionError):
        next(batches)


def test_the_example_prints_its_tensors():
    done = run_script("import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')", EXAMPLE)
    assert done.stdout.splitlines() == [
        "[0 1 2] [[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]] [[], [b'odd'], []]",
        "[3 4] [[1.5, 1.0], [2.0, 1.0]] [[b'odd'], []]",
        "[0 1]",
        "[2 3]",
        "[0 1]",
        "[2 3]",
    ], done.stderr


def test_the_example_is_a_source(example, tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1, "x": [1, 2]}\n{"id": 2, "x": [3, 4], "more": 0}\n')
    source = example.JsonLines(path, example.SCHEMA, example.REPRESENTATIONS)
    assert isinstance(source, af.Tfxio)
    assert list(source.specs) == ["id", "x", "tags"]
    [batch] = source.tensors(batch_size=10)
    assert batch["x"].values.tolist() == [[1, 2], [3, 4]]
    assert batch["tags"].to_list() == [[], []]
    assert source.project(["x", "id"]).arrow_schema.names == ["id", "x"]
    with pytest.raises(TypeError, match="unexpected keyword argument 'shuffle_buffer_size'"):
        source.record_batches(batch_size=2, shuffle_buffer_size=10)
