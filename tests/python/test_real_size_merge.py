"""The laws of merged schemas at real size: files with other columns and types have all rows."""

import json
import random
import shutil
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import arrowfeed as af
from real_rows import CASES, DATASETS, IS_LONG, WRITERS, check_table
from session_seed import seeds

NUMBERS = {
    "avro": ["int32", "int64", "float32", "float64"],
    "parquet": ["int8", "uint8", "int16", "uint16", "int32", "int64", "float32", "float64"],
    "csv": ["int64", "float64"],
    "jsonl": ["int64", "float64"],
}
TEXTS = {
    "avro": ["string", "binary"],
    "parquet": ["string", "large_string", "binary"],
    "csv": ["string", "int64", "float64", "late"],
    "jsonl": ["string", "int64", "float64", "late"],
}
READERS = {
    "avro": af.read_avro,
    "parquet": af.read_parquet,
    "csv": af.read_csv,
    "jsonl": af.read_json_lines,
}


def is_text(form):
    """Whether the types of a format are inferred."""
    return form in ("csv", "jsonl")


def merging(form):
    """The option that merges the schemas of files."""
    return {"reader_schema" if form == "avro" else "schema": "merge"}


def merged_number(one, other):
    """The type of a column of two types of numbers."""
    pair = {one, other}
    if len(pair) == 2 and any(kind.startswith("float") for kind in pair):
        return "float64"
    return str(np.promote_types(one, other))


def merged_text(one, other):
    """The type of a column of two types, of which one may be a text. A late text is text in the last row."""
    pair = {"string" if kind in ("late", "long") else kind for kind in (one, other)}
    if "binary" in pair or "large_binary" in pair:
        return "large_binary" if pair & {"large_string", "large_binary"} else "binary"
    texts = pair & {"string", "large_string"}
    # A large string is before a string.
    return min(texts) if texts else merged_number(one, other)


def value(kind, numbers):
    """The values of a file's column: small numbers, and texts. A seventh of the rows has none."""
    small, mask = numbers % 100, numbers % 7 == 0
    if kind.startswith("float"):
        return pa.array((small + 0.5).astype(kind), mask=mask)
    if "int" in kind:
        return pa.array(small.astype(kind), mask=mask)
    texts = pc.binary_join_element_wise("x", pc.cast(pa.array(numbers), pa.string()), "")
    if kind == "late":
        digits = pc.cast(pa.array(small), pa.string())
        texts = pc.if_else(pa.array(numbers == numbers[~mask].max(initial=0)), texts, digits)
    elif kind == "long":
        texts = pc.binary_repeat(pc.utf8_lpad(texts, 10, "x"), 10_000)
    texts = pc.if_else(pa.array(mask), None, texts)
    return texts if kind in ("late", "long", "string") else texts.cast(kind)


class Column:
    """A column that files have with some types or do not have.

    Args:
        kinds: Types of files.
        merge: Merges two types.
        nested: `list`, `struct`, `id` for the number of the row, or None for other single values.
    """

    def __init__(self, kinds, merge, nested=None):
        self.kinds, self.merge, self.nested = kinds, merge, nested

    def array(self, kind, numbers):
        """The values in a file where the type is `kind`."""
        if self.nested == "id":
            return pa.array(numbers.astype(kind))
        values = value(kind, numbers)
        if self.nested == "list":
            # Two items in each list.
            items = pa.chunked_array([values, values]).combine_chunks()
            order = np.arange(2 * len(numbers)).reshape(2, -1).T.ravel()
            return pa.ListArray.from_arrays(np.arange(len(numbers) + 1, dtype="int32") * 2, items.take(order))
        if self.nested == "struct":
            fields = {"zip": values, "city": value("string", numbers)}
            # Some files lack a field.
            names = {0: ["zip"], 1: ["city", "zip"], 2: ["zip", "city"]}[len(kind) % 3]
            return pa.StructArray.from_arrays([fields[name] for name in names], names)
        return values

    def type(self, kinds, form):
        """The merged type."""
        kind = reduce(self.merge, kinds)
        single = pa.string() if kind in ("late", "long") else pa.type_for_alias(kind)
        if self.nested == "list":
            return pa.list_(single)
        if self.nested == "struct":
            arrays = [self.array(each, np.arange(0)).type for each in kinds]
            names = dict.fromkeys(
                name for array in arrays for name in ordered([field.name for field in array], form)
            )
            return pa.struct([(name, pa.string() if name == "city" else single) for name in names])
        return single


def columns_of(form, shape):
    """The columns that files may have. All have the number of the row."""
    numbers = Column(NUMBERS[form], merged_number)
    columns = {"id": Column(["int64"] if is_text(form) else ["int32", "int64"], merged_number, "id")}
    if shape == "thousands of columns":
        return columns | {f"c{nth}": numbers for nth in range(4095)}
    columns |= {"number": numbers, "text": Column(TEXTS[form], merged_text)}
    if shape == "rows of 100 kB":
        columns["long"] = Column(["long"], merged_text)
    if form != "csv":
        columns["list"] = Column(NUMBERS[form], merged_number, "list")
        columns["home"] = Column(NUMBERS[form], merged_number, "struct")
    return columns


# No file has one row, whose lists might have no value and so no type in JSON lines.
SIZES = {
    # The types of text files are inferred from all rows, which takes time.
    "a million small rows": lambda form, _: [
        250_003 if is_text(form) and not IS_LONG else 1_000_003,
        70_000,
        0,
        2,
    ],
    "rows of 100 kB": lambda *_: [130, 0, 90],
    "hundreds of files": lambda _, chance: [chance.choice([0, *range(2, 60)]) for _ in range(300)],
    "thousands of columns": lambda *_: [100, 0, 60],
}


class Files:
    """Files of one family, and the rows that they have with the merged schema."""

    def __init__(self, form, shape, chance, directory):
        self.form = form
        columns = columns_of(form, shape)
        sizes = SIZES[shape](form, chance)
        chance.shuffle(sizes)
        # The only text is in the last row of the largest file.
        is_late = is_text(form) and chance.random() < 0.5
        self.paths, self.known, tables, first = [], {}, [], 0
        for nth, size in enumerate(sizes):
            numbers = np.arange(first, first + size)
            first += size
            some = chance.sample(list(columns), chance.randint(len(columns) * 2 // 3, len(columns)))
            kinds = {name: chance.choice(columns[name].kinds) for name in dict.fromkeys(["id", *some])}
            if is_late and "text" in columns:
                kinds["text"] = "late" if size == max(sizes) else "int64"
            tables.append(pa.table({name: columns[name].array(kinds[name], numbers) for name in kinds}))
            self.paths.append(directory / f"part-{nth:05}.{form}")
            WRITERS[form](tables[-1], self.paths[-1])
            self.add(tables[-1], kinds)
        types = {name: columns[name].type(kinds, form) for name, kinds in self.known.items() if kinds}
        self.schema = pa.schema([(name, types.get(name, pa.null())) for name in self.known])
        self.rows = pa.concat_tables(
            pa.table([resolved(table, field) for field in self.schema], self.schema) for table in tables
        )

    def add(self, table, kinds):
        """Adds the columns of a file to those that are known."""
        if self.form == "jsonl" and not len(table):
            return
        for name in ordered(table.schema.names, self.form):
            column = table[name]
            # The type of a text is known if there is a value.
            has_values = not is_text(self.form) or column.null_count < len(table)
            self.known.setdefault(name, []).extend([kinds[name]] if has_values else [])


def ordered(names, form):
    """The names of the columns of a file. The keys of JSON lines are sorted."""
    return sorted(names) if form == "jsonl" else names


def resolved(table, field):
    """The column of a file with the merged type."""
    if table.schema.get_field_index(field.name) < 0:
        return pa.nulls(len(table), field.type)
    column = table[field.name].combine_chunks()
    if pa.types.is_struct(field.type):
        inner = pa.table({each.name: column.field(each.name) for each in column.type})
        return pa.StructArray.from_arrays(
            [resolved(inner, each) for each in field.type], fields=list(field.type)
        )
    return pa.nulls(len(column), field.type) if pa.types.is_null(field.type) else column.cast(field.type)


def table_of(batches, schema):
    tables = [pa.table(batch) for batch in batches]
    return pa.concat_tables(tables) if tables else schema.empty_table()


def type_texts(schema):
    """The types of columns, without the names of items and without what is nullable."""
    return {
        field.name: str(field.type).replace("element:", "item:").replace(" not null", "") for field in schema
    }


class Case:
    """The laws for one set of files."""

    def __init__(self, files, chance, shown):
        self.files, self.chance, self.shown = files, chance, shown
        self.dataset = DATASETS[files.form](files.paths, representations={}, **merging(files.form))

    def options(self):
        return {
            "batch_size": self.chance.choice([60, 1_000, 8_193, 300_000]),
            "threads": self.chance.choice([1, 2, 3]),
            "prefetch_bytes": self.chance.choice([0, 1 << 16, 1 << 20, 64 << 20]),
        }

    def check(self, arrowfeed):
        found = pa.schema(self.dataset.arrow_schema)
        assert found.names == self.files.schema.names, self.shown
        assert type_texts(found) == type_texts(self.files.schema), self.shown
        laws = [self.check_reader, self.check_order, self.check_filter, self.check_splits, self.check_resumed]
        for law in self.chance.sample([*laws, lambda: self.check_converted(arrowfeed)], 2):
            law()

    def check_rows(self, batches, rows, shown):
        check_table(table_of(batches, self.files.schema), rows, f"{self.shown}: {shown}")

    def check_reader(self):
        reader = READERS[self.files.form](self.files.paths, **merging(self.files.form))
        self.check_rows(reader, self.files.rows, "reader")

    def check_order(self):
        """Shards of a shuffle have each row once."""
        options = {**self.options(), "shuffle_buffer_size": self.chance.choice([0, 700, 100_000]), "seed": 3}
        if not options["shuffle_buffer_size"]:
            del options["seed"]
        count = self.chance.choice([1, 3])
        shards = [self.dataset.record_batches(**options, shard=(nth, count)) for nth in range(count)]
        found = table_of([batch for shard in shards for batch in shard], self.files.schema)
        ids = found["id"].to_numpy()
        assert np.array_equal(np.sort(ids), np.arange(len(self.files.rows))), f"{self.shown}: {options}"
        if "seed" not in options:
            assert (np.diff(ids) > 0).all(), f"{self.shown}: {options}"
        self.check_rows([found], self.files.rows.take(ids), options)

    def check_filter(self):
        """A file without a column has null in it."""
        rows = self.files.rows
        numbers = [
            field.name
            for field in rows.schema
            if pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        ]
        name = self.chance.choice(numbers)
        least = self.chance.randrange(100)
        passes = {
            f"{name} >= {least}": pc.greater_equal(rows[name], least),
            f"{name} is null": pc.is_null(rows[name]),
            f"{name} is not null and id >= {least}": pc.and_(
                pc.is_valid(rows[name]), pc.greater_equal(rows["id"], least)
            ),
        }
        predicate = self.chance.choice(list(passes))
        options = self.options()
        batches = self.dataset.filter(predicate).record_batches(**options)
        self.check_rows(batches, rows.filter(passes[predicate]), (predicate, options))

    def check_splits(self):
        target = self.chance.choice([1 << 16, 3 << 20])
        splits = self.dataset.plan_splits(target_bytes=target)
        batches = [batch for split in splits for batch in self.dataset.read_split(split)]
        self.check_rows(batches, self.files.rows, f"splits of {target} bytes")

    def check_converted(self, arrowfeed):
        path = self.files.paths[0].parent / "all.parquet"
        ran = arrowfeed("convert", "--reader-schema", "merge", *self.files.paths, "-o", path)
        assert (ran.code, ran.err) == (0, ""), self.shown
        self.check_rows([pq.read_table(path)], self.files.rows, "converted")

    def check_resumed(self):
        options = self.options()
        batches = self.dataset.record_batches(**options)
        passed = self.chance.randrange(self.dataset.num_batches(batch_size=options["batch_size"]) + 1)
        found = [next(batches) for _ in range(passed)]
        resumed = self.dataset.record_batches(**options | {"prefetch_bytes": 0, "threads": 2})
        resumed.load_state_dict(json.loads(json.dumps(batches.state_dict())))
        self.check_rows([*found, *resumed], self.files.rows, f"resumed after {passed}, {options}")


@pytest.mark.parametrize("shape", SIZES)
def test_merged_files_have_the_rows_of_all_files(shape, arrowfeed, tmp_path):
    for seed in seeds(0, CASES):
        chance = random.Random(f"{seed} {shape}")
        form = chance.choice(list(NUMBERS))
        directory = tmp_path / str(seed)
        directory.mkdir()
        Case(Files(form, shape, chance, directory), chance, f"{form}, seed {seed}").check(arrowfeed)
        shutil.rmtree(directory)
