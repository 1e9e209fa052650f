"""Scans of Iceberg tables: the rows are those of pyiceberg, after any change of the table."""

from __future__ import annotations

import datetime as dt
import decimal
import os
import pickle
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

pytest.importorskip("pyiceberg")

import iceberg_tables
from pyiceberg.manifest import DataFileContent
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestamptzType,
)

import arrowfeed
from arrowfeed import iceberg

if TYPE_CHECKING:
    from pathlib import Path

    from iceberg_tables import Tables

CASES = max(int(os.environ.get("ARROWFEED_CASES", "200")) // 10, 4)

LAST_ID = 13
"""The last identifier of the columns with which a random table begins."""


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return iceberg_tables.Tables(tmp_path)


def read(dataset: Any, **options: Any) -> pa.Table:
    """The rows of a dataset."""
    batches = dataset.record_batches(**{"batch_size": 7, **options})
    return pa.Table.from_batches(
        [pa.record_batch(batch) for batch in batches], pa.schema(dataset.arrow_schema)
    )


def in_order(rows: pa.Table) -> list[str]:
    """The rows as texts, sorted."""
    return sorted(map(repr, rows.to_pylist()))


def same(scan: Any) -> int:
    """Checks that a scan has the rows of pyiceberg. Returns their number."""
    expected = scan.to_arrow()
    try:
        dataset = iceberg.dataset(scan)
    except FileNotFoundError:
        assert expected.num_rows == 0
        return 0
    found = read(dataset)
    columns = found.column_names
    assert [name for name in expected.column_names if name in columns] == columns
    assert in_order(found) == in_order(expected.select(columns).cast(found.schema))
    assert dataset.num_rows == expected.num_rows
    return expected.num_rows


class RandomTable:
    """A table that changes at random. Column 1 numbers the rows."""

    def __init__(self, tables: Tables, seed: int) -> None:
        self.chance, self.tables, self.rows = random.Random(seed), tables, 0
        schema = Schema(
            NestedField(1, "id", LongType(), required=False),
            NestedField(2, "country", StringType(), required=False),
            NestedField(3, "i", IntegerType(), required=False),
            NestedField(4, "f", FloatType(), required=False),
            NestedField(
                5,
                "u",
                StructType(
                    NestedField(6, "a", IntegerType(), required=False),
                    NestedField(7, "b", StringType(), required=False),
                ),
                required=False,
            ),
            NestedField(8, "l", ListType(9, LongType(), element_required=False), required=False),
            NestedField(10, "day", DateType(), required=False),
            NestedField(
                11, "m", MapType(12, StringType(), 13, IntegerType(), value_required=False), required=False
            ),
        )
        self.table = tables.create(schema, properties={"format-version": "2"})
        self.names = 0

    def value(self, kind: Any) -> Any:
        """A random value of an Iceberg type."""
        chance = self.chance
        if chance.random() < 0.2:
            return None
        if isinstance(kind, StructType):
            return {field.name: self.value(field.field_type) for field in kind.fields}
        if isinstance(kind, ListType):
            return [self.value(kind.element_type) for _ in range(chance.randrange(3))]
        if isinstance(kind, MapType):
            return [(f"k{number}", self.value(kind.value_type)) for number in range(chance.randrange(3))]
        values = {
            StringType: ["", "de", "us", "größe", "a/b=c%"],
            IntegerType: [-5, 0, 3, 2**31 - 1],
            LongType: [-(2**63), 0, 7, 2**40],
            FloatType: [-0.5, 0.0, 1.5, float("inf")],
            DoubleType: [-0.25, 0.0, 1e300],
            DateType: [dt.date(1969, 12, 31), dt.date(2026, 1, 2)],
            DecimalType: [decimal.Decimal("-1.25"), decimal.Decimal("99999.50")],
            TimestamptzType: [dt.datetime(2026, 1, 2, 3, 4, 5, 6, dt.timezone.utc)],
        }
        return chance.choice(values[type(kind)])

    def append(self) -> None:
        """Appends rows, some of them with few columns."""
        count = self.chance.choice([1, 5, 30])
        fields = self.table.schema().fields
        rows = []
        for _ in range(count):
            row = {field.name: self.value(field.field_type) for field in fields}
            row[next(field.name for field in fields if field.field_id == 1)] = self.rows
            self.rows += 1
            rows.append(row)
        self.table.append(pa.Table.from_pylist(rows, self.table.schema().as_arrow()))

    def delete(self) -> None:
        """Deletes random rows by their positions.

        Only in tables without partitions, because a delete file belongs to one.
        """
        files = [task.file for task in self.table.scan().plan_files()]
        if not files or not self.table.spec().is_unpartitioned() or any(file.spec_id for file in files):
            return
        chosen = [
            (file.file_path, self.chance.randrange(file.record_count + 1)) for file in files for _ in range(2)
        ]
        suffix = self.chance.choice([".parquet", ".avro", ".puffin"])
        if suffix == ".puffin":
            file = chosen[0][0]
            positions = [position for name, position in chosen if name == file]
            iceberg_tables.delete_by_vector(self.table, self.tables.path(suffix), file, positions)
        elif suffix == ".parquet":
            iceberg_tables.delete(self.table, self.tables.path(suffix), chosen)

    def evolve(self) -> None:
        """Renames, adds, moves, widens or drops a column."""
        fields = list(self.table.schema().fields)
        others = [field for field in fields if field.field_id != 1]
        partitioned = {field.source_id for field in self.table.spec().fields}
        field = self.chance.choice(others)
        self.names += 1
        kind = self.chance.choice(["rename", "nested", "add", "move", "widen", "drop"])
        with self.table.update_schema() as update:
            if kind == "rename":
                update.rename_column(field.name, f"c{self.names}")
            elif kind == "nested" and (
                structs := [f for f in fields if isinstance(f.field_type, StructType)]
            ):
                inner = self.chance.choice(structs[0].field_type.fields)
                if self.chance.random() < 0.5:
                    update.rename_column((structs[0].name, inner.name), f"c{self.names}")
                else:
                    update.add_column((structs[0].name, f"c{self.names}"), DoubleType())
            elif kind == "move":
                update.move_first(field.name)
            elif kind == "widen":
                wider = {IntegerType: LongType(), FloatType: DoubleType()}.get(type(field.field_type))
                if wider is not None and field.field_id not in partitioned:
                    update.update_column(field.name, wider)
            elif kind == "drop" and len(others) > 4 and field.field_id not in partitioned:
                update.delete_column(field.name)
            else:
                kinds = [
                    LongType(),
                    StringType(),
                    DecimalType(9, 2),
                    TimestamptzType(),
                    ListType(90, LongType(), element_required=False),
                ]
                update.add_column(f"c{self.names}", self.chance.choice(kinds))

    def repartition(self) -> None:
        """Adds or removes a partition column."""
        spec = self.table.spec()
        with self.table.update_spec() as update:
            if spec.fields and self.chance.random() < 0.5:
                update.remove_field(spec.fields[0].name)
            else:
                known = {field.source_id for field in spec.fields}
                kinds = StringType | IntegerType | DateType | LongType
                fields = self.table.schema().fields
                names = [
                    f.name
                    for f in fields
                    if isinstance(f.field_type, kinds) and f.field_id not in known | {1}
                ]
                if names:
                    self.names += 1
                    update.add_field(self.chance.choice(names), IdentityTransform(), f"p{self.names}")

    def filter(self) -> str:
        """A random row filter.

        pyiceberg lets a null partition value and a null of a column that a file lacks pass `!=` and `not
        like`, unlike a null in a file, and raises TypeError where it compares a null partition value with a
        number. So such columns are only compared with `=` and `in`.
        """
        chance = self.chance
        partitioned = {field.source_id for spec in self.table.specs().values() for field in spec.fields}
        filters, of_partitions = [], []
        for column in self.table.schema().fields:
            name, kind = column.name, column.field_type
            is_partition = column.field_id in partitioned or column.field_id > LAST_ID
            found = []
            if isinstance(kind, LongType | IntegerType):
                comparison = "=" if is_partition else chance.choice(["<", "<=", ">", ">=", "=", "!="])
                found += [f"{name} {comparison} {chance.choice([-5, 0, 7])}"]
                found += [f"{name} {'in' if is_partition else chance.choice(['in', 'not in'])} (0, 3)"]
            elif isinstance(kind, StringType):
                comparison = "=" if is_partition else chance.choice(["=", "!=", "<", ">="])
                found += [f"{name} {comparison} 'de'"]
                found += [f"{name} {'' if is_partition else chance.choice(['', 'not'])} like 'd%'"]
            elif isinstance(kind, FloatType | DoubleType):
                found += [f"{name} < 1.0", f"{name} is {chance.choice(['', 'not'])} nan"]
            elif isinstance(kind, DateType) and not is_partition:
                found += [f"{name} >= '2026-01-02'"]
            if not isinstance(kind, StructType | ListType | MapType):
                found += [f"{name} is {chance.choice(['', 'not'])} null"]
            (of_partitions if is_partition else filters).extend(found)
        first, second = chance.choice(filters), chance.choice(filters + of_partitions)
        return chance.choice([first, f"{first} and {second}", f"{first} or {second}", f"not ({first})"])

    def selected(self) -> tuple[str, ...]:
        """Some columns, with parts of structs."""
        names = []
        for field in self.table.schema().fields:
            if isinstance(field.field_type, StructType) and self.chance.random() < 0.5:
                names.append(f"{field.name}.{field.field_type.fields[-1].name}")
            else:
                names.append(field.name)
        return tuple(self.chance.sample(names, self.chance.randint(1, len(names))))


@pytest.mark.parametrize("seed", range(CASES))
def test_rows_are_those_of_pyiceberg_after_any_change(tables: Tables, seed: int) -> None:
    changing = RandomTable(tables, seed)
    changing.append()
    chance = changing.chance
    steps = [
        changing.append,
        changing.append,
        changing.evolve,
        changing.evolve,
        changing.repartition,
        changing.delete,
    ]
    for _ in range(chance.randint(3, 12)):
        chance.choice(steps)()
    table = changing.table
    same(table.scan(selected_fields=tuple(field.name for field in table.schema().fields)))
    same(table.scan(selected_fields=changing.selected()))
    same(table.scan(row_filter=changing.filter()))
    same(table.scan(row_filter=changing.filter(), selected_fields=changing.selected()))
    snapshot = chance.choice(table.metadata.snapshots)
    same(table.scan(snapshot_id=snapshot.snapshot_id))


AVRO = {
    "type": "record",
    "name": "anything",
    "namespace": "of.a.writer",
    "fields": [
        {"name": "old", "type": ["null", "string"], "field-id": 2},
        {"name": "dropped", "type": {"type": "fixed", "name": "odd", "size": 2}, "field-id": 90},
        {"name": "number", "type": "int", "field-id": 1},
        {
            "name": "user",
            "field-id": 3,
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "user",
                    "fields": [
                        {
                            "name": "scores",
                            "field-id": 5,
                            "type": {"type": "array", "element-id": 6, "items": "float"},
                        },
                        {
                            "name": "seen",
                            "field-id": 7,
                            "type": {
                                "type": "long",
                                "logicalType": "timestamp-micros",
                                "adjust-to-utc": False,
                            },
                        },
                    ],
                },
            ],
        },
        {
            "name": "price",
            "field-id": 8,
            "type": {
                "type": "fixed",
                "name": "p",
                "size": 4,
                "logicalType": "decimal",
                "precision": 9,
                "scale": 2,
            },
        },
        {
            "name": "owner",
            "field-id": 9,
            "type": {"type": "fixed", "name": "q", "size": 16, "logicalType": "uuid"},
        },
        {
            "name": "tags",
            "field-id": 10,
            "type": {"type": "map", "key-id": 11, "value-id": 12, "values": "long"},
        },
    ],
}


BEGIN = dt.datetime(2026, 1, 1)  # noqa: DTZ001 - a timestamp without a zone


def avro_rows(start: int, count: int) -> list[dict[str, Any]]:
    return [
        {
            "old": None if number % 3 == 0 else f"s{number}",
            "dropped": b"xy",
            "number": number,
            "user": None
            if number % 5 == 0
            else {
                "scores": [number / 2] * (number % 3),
                "seen": BEGIN + dt.timedelta(number),
            },
            "price": decimal.Decimal(number) / 4,
            "owner": number.to_bytes(16, "big"),
            "tags": {"a": number},
        }
        for number in range(start, start + count)
    ]


ARROW = pa.schema(
    [
        ("id", pa.int64()),
        ("user", pa.struct([("when", pa.timestamp("us")), ("scores", pa.list_(pa.float64()))])),
        ("text", pa.string()),
        ("price", pa.decimal128(9, 2)),
        ("owner", pa.binary(16)),
        ("tags", pa.map_(pa.string(), pa.int64())),
        ("new", pa.int32()),
    ]
)


def table_of_two_formats(tables: Tables) -> tuple[Any, pa.Table]:
    """A table with data files of Avro and Parquet, in which columns have changed, and its rows."""
    schema = Schema(
        NestedField(1, "id", LongType(), required=False),
        NestedField(
            3,
            "user",
            StructType(
                NestedField(7, "when", schema_type("timestamp"), required=False),
                NestedField(5, "scores", ListType(6, DoubleType(), element_required=False), required=False),
            ),
            required=False,
        ),
        NestedField(2, "text", StringType(), required=False),
        NestedField(8, "price", DecimalType(9, 2), required=False),
        NestedField(9, "owner", schema_type("fixed[16]"), required=False),
        NestedField(
            10, "tags", MapType(11, StringType(), 12, LongType(), value_required=False), required=False
        ),
    )
    table = tables.catalog.create_table("n.two", schema)
    with table.update_schema() as update:
        update.add_column("new", IntegerType())
    renumbered = with_ids(AVRO, table.schema())
    expected = []
    for start in (0, 100):
        iceberg_tables.add_avro(table, tables.path(".avro"), renumbered, avro_rows(start, 100))
        expected += [
            {
                "id": row["number"],
                "user": row["user"] and {"when": row["user"]["seen"], "scores": row["user"]["scores"]},
                "text": row["old"],
                "price": row["price"],
                "owner": row["owner"],
                "tags": list(row["tags"].items()),
                "new": None,
            }
            for row in avro_rows(start, 100)
        ]
        rows = pa.Table.from_pylist(
            [{"id": start + 200 + number, "new": number} for number in range(50)], ARROW
        )
        table.append(rows)
        expected += rows.to_pylist()
    return table, pa.Table.from_pylist(expected, ARROW)


def schema_type(name: str) -> Any:
    """An Iceberg type by its name in JSON."""
    from pyiceberg.types import IcebergType  # noqa: PLC0415

    return IcebergType.handle_primitive_type(name, lambda value: value)


def with_ids(json: Any, schema: Schema) -> Any:
    """The schema of a file with the identifiers that the catalog gave to the columns."""
    paths = {1: "id", 2: "text", 3: "user", 5: "user.scores", 6: "user.scores.element", 7: "user.when"}
    paths |= {8: "price", 9: "owner", 10: "tags", 11: "tags.key", 12: "tags.value"}
    numbers = {old: schema.find_field(path).field_id for old, path in paths.items()} | {90: 90}
    keys = ("field-id", "element-id", "key-id", "value-id")
    if isinstance(json, dict):
        return {
            key: numbers[value] if key in keys else with_ids(value, schema) for key, value in json.items()
        }
    if isinstance(json, list):
        return [with_ids(value, schema) for value in json]
    return json


def test_a_table_may_have_files_of_avro_and_parquet(tables: Tables) -> None:
    table, expected = table_of_two_formats(tables)
    names = tuple(ARROW.names)
    dataset = iceberg.dataset(table.scan(selected_fields=names))
    assert pa.schema(dataset.arrow_schema).equals(ARROW)
    for threads in (1, 4):
        assert in_order(read(dataset, threads=threads)) == in_order(expected)
    assert dataset.num_rows == 300
    scan = table.scan(
        row_filter="id >= 50 and id < 210 and text is not null", selected_fields=("user.when", "id")
    )
    found = read(iceberg.dataset(scan))
    assert found.column_names == ["id", "user"]
    assert found.schema.field("user").type == pa.struct([("when", pa.timestamp("us"))])
    passing = [row for row in expected.to_pylist() if 50 <= row["id"] < 210 and row["text"] is not None]
    assert sorted(found["id"].to_pylist()) == [row["id"] for row in passing]


def test_order_and_resume_are_those_of_any_dataset(tables: Tables) -> None:
    """With deletes and a filter: each row once, and the same rows after each state."""
    table, expected = table_of_two_formats(tables)
    chance = random.Random(5)
    numbers = set(expected["id"].to_pylist())
    deleted = set()
    for task in list(table.scan().plan_files()):
        positions = chance.sample(range(task.file.record_count), 11)
        iceberg_tables.delete(table, tables.path(".parquet"), [(task.file.file_path, at) for at in positions])
        rows = read(iceberg.dataset(table.scan(selected_fields=("id",))))
        deleted = numbers - set(rows["id"].to_pylist())
    assert len(deleted) == 44
    dataset = iceberg.dataset(table.scan(row_filter="id < 250", selected_fields=("id", "text")))
    kept = sorted(number for number in numbers - deleted if number < 250)
    assert sorted(read(dataset)["id"].to_pylist()) == kept
    for options in [
        {},
        {"shuffle_buffer_size": 40, "seed": 3, "epochs": 2},
        {"global_batch_size": 16, "streams": 4, "shuffle_buffer_size": 1000, "seed": 1},
    ]:
        size = {} if "global_batch_size" in options else {"batch_size": 9}
        every = [pa.table(batch) for batch in dataset.record_batches(**size, **options, threads=1)]
        numbers = [number for batch in every for number in batch["id"].to_pylist()]
        assert sorted(numbers) == sorted(kept * options.get("epochs", 1))
        again = [pa.table(batch) for batch in dataset.record_batches(**size, **options, threads=4)]
        assert again == every
        iterator = dataset.record_batches(**size, **options, threads=2)
        for number in range(len(every)):
            resumed = dataset.record_batches(**size, **options)
            resumed.load_state_dict(iterator.state_dict())
            assert [pa.table(batch) for batch in resumed] == every[number:]
            next(iterator)
    shards = [read(dataset, shard=(number, 3))["id"].to_pylist() for number in range(3)]
    assert sorted(number for shard in shards for number in shard) == kept
    assert max(map(len, shards)) - min(map(len, shards)) <= 1
    copy = pickle.loads(pickle.dumps(dataset.skip(5)))
    assert read(copy) == read(dataset).slice(5)
    first, rest = dataset.split(0.5, seed=1)
    assert sorted(read(first)["id"].to_pylist() + read(rest)["id"].to_pylist()) == kept
    splits = dataset.plan_splits(target_bytes=500)
    numbers = [number for split in splits for number in pa.table(dataset.read_split(split))["id"].to_pylist()]
    assert sorted(numbers) == kept


def test_an_index_has_all_rows_and_the_deletes_apply_to_it(tables: Tables, tmp_path: Path) -> None:
    table, _ = table_of_two_formats(tables)
    whole = iceberg.dataset(table.scan(selected_fields=("id",)))
    whole.filter("id < 100").save_index(tmp_path / "index.json")
    iceberg_tables.delete(table, tables.path(".avro"), [(iceberg_tables.data_files(table)[0], 3)])
    scan = table.scan(selected_fields=("id",))
    indexed = iceberg.dataset(scan, index=tmp_path / "index.json")
    assert indexed.num_rows == 299
    assert indexed.filter("id < 100").num_rows == iceberg.dataset(scan).filter("id < 100").num_rows
    assert read(indexed, shuffle_buffer_size=10, seed=1).num_rows == 299


def test_a_state_selects_its_snapshot_and_its_schema(tables: Tables) -> None:
    table = tables.create(pa.schema([("id", pa.int64()), ("s", pa.string())]))
    table.append(pa.table({"id": range(20), "s": ["a"] * 20}))
    first = table.current_snapshot().snapshot_id
    options = {"batch_size": 6, "shuffle_buffer_size": 10, "seed": 1}
    iterator = iceberg.dataset(table.scan()).record_batches(**options)
    rest = [pa.table(batch) for batch in iterator][1:]
    iterator = iceberg.dataset(table.scan()).record_batches(**options)
    next(iterator)
    state = iterator.state_dict()
    assert iceberg.snapshot_id(state) == first
    with table.update_schema() as update:
        update.rename_column("s", "text")
        update.add_column("new", LongType())
    table.append(pa.table({"id": [100]}))
    second = table.current_snapshot().snapshot_id
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the message follows
        iceberg.dataset(table.scan()).record_batches(**options).load_state_dict(state)
    assert str(refused.value) == (
        f"state: expected snapshot {second} with schema 1, as requested, found snapshot {first} with schema 0"
    )
    resumed = iceberg.dataset(table.scan(), state=state).record_batches(**options)
    resumed.load_state_dict(state)
    assert [pa.table(batch) for batch in resumed] == rest
    selected = iceberg.dataset(table.scan(selected_fields=("text", "new")), state=state)
    assert selected.arrow_schema.names == ["s"]
    with pytest.raises(
        ValueError, match=r"^expected a filter of columns of the schema that is read, found new$"
    ):
        iceberg.dataset(table.scan(row_filter="new = 1"), state=state)
    with pytest.raises(ValueError, match=r"^expected a state of a scan of one snapshot, found 0 snapshots$"):
        iceberg.snapshot_id({"version": 3})


def test_files_without_identifiers_are_read_by_the_name_mapping(tables: Tables) -> None:
    """As from directories of Hive: the files also lack the column of the partition."""
    schema = Schema(
        NestedField(1, "id", LongType(), required=False),
        NestedField(2, "u", StructType(NestedField(3, "a", LongType(), required=False)), required=False),
        NestedField(4, "country", StringType(), required=False),
    )
    table = tables.create(schema)
    with table.update_spec() as update:
        update.add_identity("country")
    with table.transaction() as transaction:
        mapping = table.schema().name_mapping.model_dump_json()
        transaction.set_properties({"schema.name-mapping.default": mapping})
    for country in ("de", "us"):
        path = tables.root / f"country={country}" / "part.parquet"
        path.parent.mkdir()
        pq.write_table(pa.table({"id": [1, 2], "u": [{"a": 3}, None]}), path)
        iceberg_tables.add(table, path, 2, partition=[country])
    with table.update_schema() as update:
        update.rename_column(("u", "a"), "b")
        update.rename_column("id", "number")
    assert same(table.scan()) == 4
    assert same(table.scan(row_filter="country = 'us'")) == 2
    # Another column partitions new files, so that these have the column themselves.
    with table.update_spec() as update:
        update.remove_field("country")
    table.append(pa.table({"number": [5], "u": [{"b": 6}], "country": ["fr"]}))
    assert same(table.scan()) == 5
    assert same(table.scan(row_filter="country = 'fr'")) == 1
    assert same(table.scan(selected_fields=("country",))) == 5
    with table.transaction() as transaction:
        transaction.remove_properties("schema.name-mapping.default")
    with pytest.raises(arrowfeed.SchemaError) as refused:
        read(iceberg.dataset(table.scan(row_filter="country = 'de'")))
    assert str(refused.value) == (
        f"{tables.root}/country=de/part.parquet: expected fields with identifiers, found none, "
        "and the table has no name mapping"
    )


def test_what_cannot_be_read_is_refused(tables: Tables) -> None:
    table = tables.create(pa.schema([("id", pa.int64())]))
    with pytest.raises(
        FileNotFoundError, match=r"^expected data files in the scan of snapshot None, found none$"
    ):
        iceberg.dataset(table.scan())
    table.append(pa.table({"id": range(3)}))
    path = tables.path(".orc")
    path.write_bytes(b"ORC")
    iceberg_tables.add(table, path, 1, DataFileContent.POSITION_DELETES)
    with pytest.raises(NotImplementedError) as refused:
        iceberg.dataset(table.scan())
    assert (
        str(refused.value) == f"file://{path}: expected a delete file of Parquet, Avro or Puffin, found ORC"
    )
    iceberg_tables.add(table, path, 1)
    with pytest.raises(NotImplementedError) as refused:
        iceberg.dataset(table.scan())
    assert str(refused.value) == f"file://{path}: expected a data file of Parquet or Avro, found ORC"
    other = tables.create(pa.schema([("id", pa.int64())]))
    other.append(pa.table({"id": range(3)}))
    iceberg_tables.add(other, path, 1, DataFileContent.EQUALITY_DELETES)
    # This is a refusal by pyiceberg.
    with pytest.raises(ValueError, match="equality deletes"):
        iceberg.dataset(other.scan())


def test_a_scan_may_be_limited_and_empty(tables: Tables) -> None:
    table = tables.create(pa.schema([("id", pa.int64())]))
    table.append(pa.table({"id": range(10)}))
    assert iceberg.dataset(table.scan(limit=4)).num_rows == 4
    assert read(iceberg.dataset(table.scan(row_filter="id > 5"))).num_rows == 4
    dataset = iceberg.dataset(table.scan())
    assert repr(dataset) == "<arrowfeed.IcebergDataset of 1 tensor>\n  id: dense int64 [?]"
    assert str(iceberg.dataset(table.scan(row_filter="id > 5 and id < 8")).predicate) == "id > 5 and id < 8"
    assert "rejected" not in dataset.report()
    appended = table.current_snapshot().snapshot_id
    table.append(pa.table({"id": range(10, 15)}))
    if hasattr(table, "incremental_append_scan"):
        rows = read(iceberg.dataset(table.incremental_append_scan(from_snapshot_id_exclusive=appended)))
        assert sorted(rows["id"].to_pylist()) == list(range(10, 15))


def test_arguments_of_the_class_are_checked(tables: Tables) -> None:
    table = tables.create(pa.schema([("id", pa.int64())]))
    table.append(pa.table({"id": range(3)}))
    files = [name.removeprefix("file://") for name in iceberg_tables.data_files(table)]
    with pytest.raises(arrowfeed.OptionError) as refused:
        iceberg.IcebergDataset(files, scan="{}")
    assert str(refused.value).startswith("expected the files of a scan in JSON: missing field `schema`")
    schema = '{"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long"}]}'
    scan = f'{{"schema": {schema}, "files": [{{"format": "parquet"}}]}}'
    with pytest.raises(arrowfeed.OptionError, match=r"^expected 1 file of the scan, found 2$"):
        iceberg.IcebergDataset([*files, *files], scan=scan)
    with pytest.raises(ValueError, match=r"^deleted: expected bytes of 64-bit integers, found bytes b'x'$"):
        iceberg.IcebergDataset(files, scan=scan, deleted=[b"x"])
    with pytest.raises(TypeError, match=r"^deleted: expected a list of bytes, found int 3$"):
        iceberg.IcebergDataset(files, scan=scan, deleted=3)
    positions = (1).to_bytes(8, "little") * 2 + (9).to_bytes(8, "little")
    assert read(iceberg.IcebergDataset(files, scan=scan, deleted=[positions]))["id"].to_pylist() == [0, 2]
