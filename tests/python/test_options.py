"""Wrong arguments raise errors with these messages."""

import functools
import inspect
import pickle
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from conftest import users, write

REFUSED = [
    ({"columns": "id"}, TypeError, "columns: expected a list of field paths (str), found str 'id'"),
    ({"columns": ["id", 1]}, TypeError, "columns: expected a list of field paths (str), found int 1"),
    ({"batch_size": 0}, ValueError, "batch_size: expected an integer of 1 or more, found int 0"),
    ({"batch_size": -1}, ValueError, "batch_size: expected an integer of 1 or more, found int -1"),
    ({"batch_size": 1 << 64}, ValueError, f"batch_size: expected an integer of 64 bits, found int {1 << 64}"),
    ({"batch_size": 1.5}, TypeError, "batch_size: expected an integer of 1 or more, found float 1.5"),
    ({"max_batch_bytes": 0}, ValueError, "max_batch_bytes: expected an integer of 1 or more, found int 0"),
    (
        {"encoding": "nativ"},
        ValueError,
        'encoding: expected "native", "feature" or "tfx", found str \'nativ\'',
    ),
    (
        {"string_type": "str"},
        ValueError,
        'string_type: expected "utf8", "large_utf8" or "utf8_view", found str \'str\'',
    ),
    ({"unions": "sparse"}, ValueError, 'unions: expected "dense", "struct" or "json", found str \'sparse\''),
    (
        {"on_error": "ignore"},
        ValueError,
        'on_error: expected "raise", "skip_block" or "skip_file", found str \'ignore\'',
    ),
    ({"double_as_float": 1}, TypeError, "double_as_float: expected True or False, found int 1"),
    ({"encoding": None}, TypeError, 'encoding: expected "native", "feature" or "tfx", found None'),
    ({"threads": 0}, ValueError, "threads: expected an integer of 1 or more, found int 0"),
    ({"threads": 1 << 31}, af.OptionError, "threads: expected at most 1,024, found 2,147,483,648"),
    ({"threads": "2"}, TypeError, "threads: expected an integer of 1 or more, found str '2'"),
    ({"limits": {}}, TypeError, "limits: expected a Limits, found dict {}"),
    (
        {"reader_schema": 3},
        TypeError,
        "reader_schema: expected JSON text, a dict, the path of an .avsc file or an AvroSchema, found int 3",
    ),
]


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED)
def test_a_wrong_option_is_named(users_file, options, kind, message):
    with pytest.raises(kind) as caught:
        af.read_avro(users_file, **options)
    assert (type(caught.value), str(caught.value)) == (kind, message)


def test_an_unknown_option_is_named(users_file):
    for function, name in ((af.read_avro, "read_avro"), (af.AvroDataset, "AvroDataset.__new__")):
        with pytest.raises(TypeError) as caught:
            function(users_file, batchsize=1)
        assert str(caught.value) == f"{name}() got an unexpected keyword argument 'batchsize'"


def test_a_name_of_another_function_or_library_is_refused_with_the_own_one(users_file, tmp_path):
    table = pa.table({"id": [1]})
    filters = "use the method filter() of the dataset"
    for call, keyword, advice in [
        (lambda **given: af.read_avro(users_file, **given), "filter", "use where="),
        (lambda **given: af.AvroDataset(users_file, **given), "filter", filters),
        (lambda **given: af.AvroDataset(users_file).tensors(batch_size=1, **given), "where", filters),
        (lambda **given: af.AvroDataset(users_file, **given), "schema", "use reader_schema="),
        (lambda **given: af.read_csv(b"a\n1\n", **given), "reader_schema", "use schema="),
        (lambda **given: af.read_csv(b"a\n1\n", **given), "sep", "use delimiter="),
        (lambda **given: af.CsvDataset(b"a\n1\n", **given), "dtype", "use types="),
        (lambda **given: af.ParquetDataset(users_file, **given), "usecols", "use columns="),
        (lambda **given: af.write_avro(table, tmp_path / "a", **given), "compression", "use codec="),
        (lambda **given: af.AvroWriter(tmp_path / "a", **given), "compression", "use codec="),
        (lambda **given: af.write_tfrecord(table, tmp_path / "a", **given), "codec", "use compression="),
        (lambda **given: af.write_tfrecord(table, tmp_path / "a", **given), "where", None),
    ]:
        with pytest.raises(TypeError) as caught:
            call(**{keyword: "x"})
        after = "" if advice is None else f": {advice}"
        assert str(caught.value).endswith(f"() got an unexpected keyword argument '{keyword}'{after}")
    assert not (tmp_path / "a").exists()


def test_double_as_float_is_an_option_of_every_reader(tmp_path):
    fields = [{"name": "x", "type": "double"}, {"name": "y", "type": ["null", "double"]}]
    path = write(
        tmp_path / "x.avro", [{"x": 0.1, "y": None}], {"type": "record", "name": "R", "fields": fields}
    )
    dataset = functools.partial(af.AvroDataset, path)
    for read in (functools.partial(af.read_avro, path), dataset):
        for encoding, given, expected in [
            ("tfx", {}, "double"),
            ("tfx", {"double_as_float": False}, "double"),
            ("tfx", {"double_as_float": True}, "float"),
            ("feature", {"double_as_float": True}, "double"),
        ]:
            made = read(encoding=encoding, **given)
            schema = made.schema if read is not dataset else made.arrow_schema
            assert [str(field.type.value_type) for field in pa.schema(schema)] == [expected, expected]
    floats = pickle.loads(pickle.dumps(dataset(encoding="tfx", double_as_float=True)))
    [batch] = floats.record_batches(batch_size=1)
    assert pa.record_batch(batch).to_pydict() == {"x": [[0.10000000149011612]], "y": [None]}
    assert floats.specs["x"].dtype == "float32"
    with pytest.raises(TypeError, match="^double_as_float: expected True or False, found str 'yes'$"):
        dataset(double_as_float="yes")


def test_options_are_keyword_only(users_file):
    for call in (
        lambda: af.read_avro(users_file, ["id"]),
        lambda: af.AvroDataset(users_file).read_split(af.Split(users_file, 0, 1), max),
        lambda: af.AvroDataset(users_file).plan_splits(100),
        lambda: af.write_avro(af.read_avro(users_file), users_file, "null"),
        lambda: af.Limits(1),
    ):
        with pytest.raises(TypeError, match="positional arguments? but"):
            call()


def test_none_means_the_default(users_file):
    none = dict.fromkeys(["columns", "reader_schema", "batch_size", "max_batch_bytes", "threads", "limits"])
    assert list(af.read_avro(users_file, **none)) == list(af.read_avro(users_file))


def test_integers_of_numpy_are_integers(users_file):
    numpy = pytest.importorskip("numpy")
    reader = af.read_avro(users_file, batch_size=numpy.int64(60), threads=numpy.uint8(1))
    assert [batch.num_rows for batch in reader] == [60, 40]


READ_OPTIONS = {
    "columns": None,
    "exclude": None,
    "reader_schema": None,
    "where": None,
    "batch_size": None,
    "max_batch_bytes": None,
    "encoding": "native",
    "double_as_float": False,
    "string_type": "utf8",
    "unions": "dense",
    "fixed_lengths": None,
    "raw": False,
    "threads": None,
    "limits": None,
    "on_error": "raise",
}

STORE = {"storage_options": None, "store": None}

CACHED_STORE = {**STORE, "cache": None, "cache_bytes": None}

ADDED_COLUMNS = {"partitioning": None, "file_column": None, "row_column": None}


@pytest.mark.parametrize(
    ("function", "positional", "options"),
    [
        (af.read_avro, ["source"], {**READ_OPTIONS, **ADDED_COLUMNS, **CACHED_STORE, "progress": False}),
        (
            af.AvroDataset.read_split,
            ["split"],
            {"claim": None, "file": None, "batch_size": None, "on_error": "raise", "progress": False},
        ),
        (af.avro_schema, ["source"], {"merge": False, "limits": None, **STORE}),
        (af.AvroDataset.plan_splits, [], {"target_bytes": 64 << 20}),
        (
            af.write_avro,
            ["batches", "path"],
            {
                "codec": "zstandard",
                "level": None,
                "block_bytes": 64 << 10,
                "schema": None,
                "metadata": None,
                "on_overflow": "decimal",
                "threads": None,
                "append": False,
                **STORE,
            },
        ),
    ],
)
def test_signatures_show_names_and_defaults(function, positional, options):
    parameters = inspect.signature(function).parameters.values()
    shown = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert shown == positional
    assert {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY} == options


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED[2:])
def test_options_that_are_refused_have_an_accepted_value(users_file, options, kind, message):
    """Shows that the tests above do not pass for another reason."""
    [name] = options
    accepted = {**READ_OPTIONS, "threads": 2, "limits": af.Limits(), "max_batch_bytes": 1 << 20}
    list(af.read_avro(users_file, **{name: accepted[name]}))


def test_the_signature_of_limits_has_the_defaults():
    parameters = inspect.signature(af.Limits).parameters
    assert parameters
    limits = af.Limits()
    assert {name: getattr(limits, name) for name in parameters} == {
        name: parameter.default for name, parameter in parameters.items()
    }


def test_limits_compare_print_and_pickle():
    limits = af.Limits(header_bytes=1, xz_memory_bytes=2)
    assert limits == af.Limits(xz_memory_bytes=2, header_bytes=1)
    assert limits != af.Limits()
    assert eval(repr(limits), {"Limits": af.Limits}) == limits
    assert pickle.loads(pickle.dumps(limits)) == limits


@pytest.mark.parametrize(
    ("limits", "kind", "message"),
    [
        ({"header_bytes": -1}, ValueError, "header_bytes: expected an integer of 0 or more, found int -1"),
        ({"header_bytes": "x"}, TypeError, "header_bytes: expected an integer of 0 or more, found str 'x'"),
        ({"head": 1}, TypeError, "Limits.__new__() got an unexpected keyword argument 'head'"),
        ({"schema_depth": 129}, ValueError, "schema_depth: expected at most 128, found int 129"),
    ],
)
def test_a_wrong_limit_is_named(limits, kind, message):
    with pytest.raises(kind) as caught:
        af.Limits(**limits)
    assert (type(caught.value), str(caught.value)) == (kind, message)


def test_limits_hold(tmp_path):
    path = write(tmp_path / "users.avro", users(10))
    for name in ("header_bytes", "schema_bytes", "decoded_block_bytes", "expanded_fields", "schema_depth"):
        with pytest.raises(af.LimitError) as caught:
            list(af.read_avro(path, limits=af.Limits(**{name: 1})))
        assert caught.value.limit == name


OPTIONS = {
    "storage options": (
        lambda path: af.read_avro("s3://b/x.avro", storage_options={"nope": "1"}),
        's3://b/x.avro: storage_options: expected a key of s3, found "nope"',
    ),
    "weights": (
        lambda path: af.MixedDataset([af.AvroDataset(path)] * 2, weights=[1, -1]),
        "weights: expected numbers above 0, found -1",
    ),
    "threads": (
        lambda path: af.read_avro(path, threads=5000),
        "threads: expected at most 1,024, found 5,000",
    ),
    "sources": (lambda path: af.read_avro([]), "source: expected at least one file, found an empty list"),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_an_error_about_an_option_is_a_value_error_and_no_schema_error(users_file, case):
    call, message = OPTIONS[case]
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$") as caught:
        call(users_file)
    assert not isinstance(caught.value, af.SchemaError)


def test_doubles_beyond_the_floats_become_infinite(tmp_path):
    doubles = pa.table({"x": [1e300, -1e39, 3.4028235677973366e38, 3.4e38, 0.1]})
    af.write_avro(doubles, tmp_path / "x.avro")
    pq.write_table(doubles, tmp_path / "x.parquet")
    floats = pa.schema({"x": pa.float32()})
    parquet = pa.table(af.read_parquet(tmp_path / "x.parquet", schema=floats, double_as_float=True))
    avro = pa.table(af.read_avro(tmp_path / "x.avro", encoding="tfx", double_as_float=True))
    inf = float("inf")
    expected = [inf, -inf, inf, *pa.array([3.4e38, 0.1], pa.float32()).to_pylist()]
    assert parquet["x"].to_pylist() == expected
    assert avro["x"].to_pylist() == [[value] for value in expected]
