"""`Dataset.describe` returns the statistics of `arrowfeed stats`."""

import json
import pickle
import xml.etree.ElementTree as ET

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from arrowfeed._statistics import Description, FieldStatistics, LengthStatistics
from conftest import users, write
from test_cli_stats import TABLE


def test_the_text_is_the_table_of_the_command(users_file):
    description = af.AvroDataset(users_file).describe()
    origin, rest = TABLE.split("rows  ", 1)
    assert origin == "files            users.avro\nformat           avro\ncodecs           null\n"
    assert repr(description) == str(description) == f"dataset          AvroDataset\nrows  {rest}".rstrip("\n")


def test_the_fields_are_those_of_the_command(arrowfeed, users_file):
    description = af.AvroDataset(users_file).describe(threads=1)
    found = json.loads(arrowfeed("stats", "--json", "users.avro").out)
    for key in ("files", "format", "codecs"):
        del found[key]
    assert description.to_dict() == found
    assert (description.num_rows, description.arrow_bytes) == (found["rows"], found["arrow_bytes"])
    assert list(description) == [field["path"] for field in found["fields"]]
    assert len(description) == len(found["fields"])
    for field in found["fields"]:
        statistics = description[field["path"]]
        names = ("path", "type", "count", "nulls", "nans", "min", "max", "bytes")
        assert [getattr(statistics, name) for name in names] == [field[name] for name in names]
        assert statistics.share == pytest.approx(field["share"], rel=1e-3)
        assert statistics.distinct == (field["distinct"] and field["distinct"]["count"])
        top = None if field["top"] is None else [(it["value"], it["count"]) for it in field["top"]]
        assert statistics.top == top
        lengths = field["lengths"]
        assert (statistics.lengths is None) == (lengths is None)
        if lengths is not None:
            assert statistics.lengths.mean == pytest.approx(lengths["mean"], rel=1e-3)
            assert (statistics.lengths.min, statistics.lengths.max) == (lengths["min"], lengths["max"])


def test_a_field_has_plain_values():
    text = "x" * 100
    rows = [{"t": text}, {"t": None}, {"t": text}]
    description = af.JsonLinesDataset("".join(json.dumps(row) + "\n" for row in rows).encode()).describe()
    assert description["t"] == FieldStatistics(
        path="t",
        type="string",
        count=3,
        nulls=1,
        nans=None,
        min=text,
        max=text,
        mean=None,
        std=None,
        lengths=LengthStatistics(100, 100.0, 100),
        distinct=1,
        top=[(text, 2)],
        bytes=213,
        share=1.0,
    )
    with pytest.raises(KeyError, match="^'x'$"):
        description["x"]


def test_more_than_a_thousand_values_have_no_number(tmp_path):
    af.write_avro(pa.table({"n": range(1001)}), tmp_path / "n.avro")
    found = af.AvroDataset(tmp_path / "n.avro").describe()["n"]
    assert (found.distinct, found.top, found.min, found.max) == (None, None, 0, 1000)


def test_rows_that_a_dataset_leaves_out_do_not_count(tmp_path):
    dataset = af.AvroDataset(write(tmp_path / "users.avro", users(100)))
    for selected, ids in (
        (dataset.take(10), (0, 9)),
        (dataset.skip(90), (90, 99)),
        (dataset.filter("id >= 40 and id < 50"), (40, 49)),
        (dataset.filter("id >= 1000"), (None, None)),
    ):
        found = selected.describe()
        assert (found["id"].min, found["id"].max) == ids
        assert found.num_rows == selected.num_rows == found["id"].count


def test_a_dataset_of_some_columns_describes_them(users_file):
    assert list(af.AvroDataset(users_file, columns=["home.zip", "id"]).describe()) == [
        "home",
        "home.zip",
        "id",
    ]
    assert list(af.AvroDataset(users_file, exclude=["home", "scores"]).describe()) == ["id", "name"]


def test_every_kind_of_dataset_has_a_description(tmp_path, users_file):
    class Rows(af.ChunkSource):
        arrow_schema = pa.schema({"n": pa.int64()})
        chunk_rows = (2, 1)

        def read_chunk(self, number, columns):
            return pa.record_batch({"n": [1, 2] if number == 0 else [3]})

    chunks = af.ChunkDataset(Rows()).describe()
    assert repr(chunks).startswith("dataset          ChunkDataset\nrows             3\n")
    one = af.AvroDataset(users_file)
    mixed = af.MixedDataset([one, af.AvroDataset(users_file).filter("id < 10")])
    assert mixed.describe()["id"].count == 110


def test_skipped_parts_are_in_the_report(tmp_path):
    path = write(tmp_path / "users.avro", users(100), sync_interval=500)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    data[-1] ^= 0xFF
    dataset = af.AvroDataset(bytes(data))
    with pytest.raises(af.ArrowfeedError):
        dataset.describe()
    with pytest.warns(af.SkippedWarning):
        description = dataset.describe(on_error="skip_block")
    assert description.report["skipped"]
    assert description.num_rows == description["id"].count < 100
    assert f"skipped          {len(description.report['skipped'])}\n" in repr(description)


def test_the_page_is_that_of_the_command(arrowfeed, users_file, tmp_path):
    description = af.AvroDataset(users_file).describe()
    description.write_html(tmp_path / "own.html")
    assert arrowfeed("stats", "--html", "out.html", "users.avro") == (0, "", "")
    own, of_command = ((tmp_path / name).read_text("utf-8") for name in ("own.html", "out.html"))
    assert own[own.index("<h2>") :] == of_command[of_command.index("<h2>") :]
    assert "<h1>arrowfeed.AvroDataset</h1>" in own
    description.write_html(str(tmp_path / "out.html"))
    assert (tmp_path / "out.html").read_text("utf-8") == own


def test_a_notebook_shows_the_page_in_a_frame(users_file, tmp_path):
    description = af.AvroDataset(users_file).describe()
    description.write_html(tmp_path / "page.html")
    frame = ET.fromstring(description._repr_html_())
    assert frame.tag == "iframe"
    assert frame.attrib["srcdoc"].split() == (tmp_path / "page.html").read_text("utf-8").split()


def test_a_copy_is_equal(users_file):
    description = af.AvroDataset(users_file).describe()
    copy = pickle.loads(pickle.dumps(description))
    assert isinstance(copy, Description)
    assert (copy, repr(copy)) == (description, repr(description))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"threads": 0}, ValueError, "threads: expected an integer of 1 or more, found int 0"),
        ({"batch_size": 1}, TypeError, "described() got an unexpected keyword argument 'batch_size'"),
    ],
)
def test_a_wrong_option_is_an_error(users_file, options, error, message):
    with pytest.raises(error) as raised:
        af.AvroDataset(users_file).describe(**options)
    assert str(raised.value) == message


def test_statistics_make_transforms(tmp_path):
    chance = np.random.default_rng(5)
    # The numbers are far from 0 and differ little, so that a sum of squares would lose their digits.
    price, count = 1e9 + chance.normal(size=20_000), chance.integers(0, 50, 20_000)
    site = [["shop", "news", "video"][min(number % 6, 2)] for number in count]
    table = pa.table({"price": price, "count": count, "site": site, "same": [2.5] * 20_000})
    table = pa.concat_tables([table, pa.table({"price": [None, np.nan, np.inf]})], promote_options="default")
    af.write_avro(table, tmp_path / "a.avro")
    dataset = af.AvroDataset(tmp_path / "a.avro")
    found = dataset.describe()
    for name, numbers in (("price", price), ("count", count), ("same", np.array([2.5]))):
        assert found[name].mean == pytest.approx(numbers.mean(), rel=1e-12)
        assert found[name].std == pytest.approx(numbers.std(), rel=1e-6)
    assert (found["site"].mean, found["site"].std) == (None, None)
    inputs = {
        "price": features.Dense([], default=0.0, transform=found["price"].normalised()),
        "site": features.Dense([], default=0, transform=found["site"].vocabulary()),
        "count": features.Dense([], default=0, transform=found["count"].vocabulary(3, oov=2)),
    }
    [tensors] = af.AvroDataset(tmp_path / "a.avro", features=inputs).take(20_000).tensors(batch_size=20_000)
    assert tensors["price"].values.std() == pytest.approx(1)
    order = pa.array(site).value_counts().to_pylist()
    order = [one["values"] for one in sorted(order, key=lambda one: -one["counts"])]
    assert tensors["site"].values.tolist() == [1 + order.index(one) for one in site]
    assert set(tensors["count"].values.tolist()) == {0, 1, 2, 3, 4}
    assert pickle.loads(pickle.dumps(found["site"])).vocabulary() == found["site"].vocabulary()


def test_statistics_that_make_no_transform_are_named(tmp_path):
    table = pa.table({"x": np.arange(2000.0), "same": [1.5] * 2000, "text": ["a"] * 2000})
    af.write_avro(table, tmp_path / "a.avro")
    found = af.AvroDataset(tmp_path / "a.avro").describe()
    tokens = "expected at most 1,000 distinct strings, byte strings or integers, found"
    for call, message in (
        (found["same"].normalised, "same: expected different numbers, found a standard deviation of 0.0"),
        (found["text"].normalised, "text: expected different numbers, found a standard deviation of None"),
        (found["x"].vocabulary, f"x: {tokens} more"),
        (found["same"].vocabulary, f"same: {tokens} values of double"),
        (lambda: found["text"].vocabulary(0), "most: expected an integer of 1 or more, found 0"),
    ):
        with pytest.raises(ValueError, match=f"^{message}$"):
            call()
