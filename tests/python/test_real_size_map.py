"""The laws of `Dataset.map` at real size: a result has the rows of the batch before the function."""

import json
import random

import numpy as np
import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed.representations import Dense
from real_functions import ROWS, expected, ids, narrowed
from real_rows import CASES, DATASETS, SHAPES, check_table, without_lists
from session_seed import seeds

PREFETCH = [0, 1 << 16, 1 << 20, 64 << 20]


class Case:
    """A dataset, the same dataset with a function, and the numbers of its rows in file order."""

    def __init__(self, shape, form, datasets, function, chance):
        self.shape, self.form, self.function, self.chance = shape, form, function, chance
        self.plain, self.mapped = datasets
        self.numbers = np.arange(shape.total)
        self.is_mixed = False
        self.text = "all rows"

    def restrict(self):
        """Selects some of the rows, before the function or after it."""
        how = self.chance.choice(["whole", "part", "split", "filter", "mixture"])
        start, count, one = (self.chance.randrange(self.shape.total) for _ in range(3))
        if how == "part":
            self.plain, self.mapped = (each.skip(start).take(count) for each in (self.plain, self.mapped))
            self.numbers = self.numbers[start : start + count]
        elif how == "split":
            parts = self.plain.split(0.6, seed=3)
            [own, other] = [np.concatenate(numbers_of(part, {"batch_size": 50_000})) for part in parts]
            assert np.array_equal(np.sort(np.concatenate([own, other])), self.numbers)
            assert (np.diff(own) > 0).all()
            self.plain, self.mapped, self.numbers = parts[0], self.mapped.split(0.6, seed=3)[0], own
        elif how == "filter" and self.form != "tfrecord":
            passes = (self.numbers >= start) & (self.numbers < start + count) | (self.numbers == one)
            self.plain = self.plain.filter(f"id >= {start} and id < {start + count} or id = {one}")
            self.numbers = self.numbers[passes]
            self.map()
        elif how == "mixture":
            parts = [self.plain.take(count), self.plain.skip(count)]
            self.plain, self.is_mixed = af.MixedDataset(parts, weights=[1.0, 2.0]), True
            self.map()
        self.text = f"{how} of {start}, {count}, {one}"

    def map(self):
        # Another dataset has other workers, which take time to start.
        self.mapped = map_of(self.plain, self.function, self.chance.choice([0, 0, 1]))

    def options(self, kind):
        """Options of an iteration, and the number of shards."""
        options = {
            "batch_size": self.chance.choice(self.shape.batches),
            "threads": self.chance.choice([1, 2, 3]),
            "prefetch_bytes": self.chance.choice(PREFETCH),
        }
        shards = 1
        if kind == "file order":
            options |= {"epochs": self.chance.choice([1, 2]), "across_epochs": self.chance.random() < 0.5}
        elif kind == "shards":
            shards = self.chance.choice([2, 3, 7])
        elif kind == "global batches":
            streams = self.chance.choice([6, 12])
            rows = max(1, options.pop("batch_size") // streams)
            options |= {"global_batch_size": rows * streams, "streams": streams, "even": None}
            shards = self.chance.choice([1, 3])
        elif kind == "by length":
            has_texts = self.form != "tfrecord" and "text" in self.plain.arrow_schema.names
            column = self.chance.choice(["id", "text"] if has_texts else ["id"])
            options |= {"batches": af.ByLength(column, window=self.chance.choice([None, 30_000]))}
        is_drawn = kind in ("shards", "global batches") and self.chance.random() < 0.5
        if kind == "shuffled" or is_drawn:
            options |= {"shuffle_buffer_size": self.chance.choice([500, 100_000])}
        if "shuffle_buffer_size" in options or self.is_mixed:
            options |= {"seed": 5}
        return options, shards

    def check(self):
        kind = self.chance.choice(["file order", "shards", "shuffled", "global batches", "by length"])
        options, shards = self.options(kind)
        shown = f"{self.form}, {self.function.__name__}, {self.text}, {options}, {shards} shards"
        given = [numbers_of(self.plain, {**options, "shard": (nth, shards)}) for nth in range(shards)]
        all_rows = np.concatenate([np.arange(0), *(batch for own in given for batch in own)])
        every = np.tile(self.numbers, options.get("epochs", 1))
        if kind in ("file order", "shards") and "seed" not in options:
            assert np.array_equal(all_rows, every), f"{shown}: other rows"
        else:
            assert np.array_equal(np.sort(all_rows), np.sort(every)), f"{shown}: other rows"
        if kind == "file order":
            # The datasets of a mixture repeat independently, so that its batches may have rows of two epochs.
            has_ends = not (options["across_epochs"] or self.is_mixed)
            epochs = [len(self.numbers)] * options["epochs"] if has_ends else [len(every)]
            size = options["batch_size"]
            sizes = [min(size, rows - at) for rows in epochs for at in range(0, rows, size)]
            assert [len(batch) for batch in given[0]] == sizes, shown
        nth = self.chance.randrange(shards)
        self.check_mapped({**options, "shard": (nth, shards)}, given[nth], shown)

    def check_mapped(self, options, given, shown):
        """The results of all batches, and those from the middle on with other threads."""
        passed = self.chance.randrange(len(given) + 1)
        batches = self.mapped.record_batches(**options)
        found = [next(batches) for _ in given[:passed]]
        state = json.dumps(batches.state_dict())
        found.extend(batches)
        self.check_results(found, given, shown)
        assert batches.report()["rows"] == sum(map(len, given)), shown
        if "batches" not in options:
            counted = {name: options[name] for name in options if name not in ("threads", "prefetch_bytes")}
            assert self.mapped.num_batches(**counted) == len(given), shown
        other = {"threads": self.chance.choice([1, 2, 5]), "prefetch_bytes": self.chance.choice(PREFETCH)}
        how = "tensors" if self.function is narrowed else "record_batches"
        resumed = getattr(self.mapped, how)(**options | other)
        resumed.load_state_dict(json.loads(state))
        self.check_results(list(resumed), given[passed:], f"{shown}: {how} after {passed} with {other}")

    def check_results(self, found, given, shown):
        """Compares results with the numbers of the rows with which the function was called."""
        numbers = [ROWS[self.function](batch) for batch in given]
        rows = np.concatenate([np.arange(0), *numbers])
        if not found or not isinstance(found[0], dict):
            assert [batch.num_rows for batch in found] == [len(batch) for batch in numbers], shown
            all_columns = self.shape.rows(rows)
            columns = without_lists(all_columns) if self.form == "csv" else all_columns
            if found:
                table = pa.concat_tables(pa.table(batch) for batch in found)
                check_table(table, expected(self.function, columns, rows), shown)
            return
        for batch, own in zip(found, numbers, strict=True):
            assert np.array_equal(batch["id"].values, own), shown
            assert np.array_equal(batch["rest"].values, -own), shown


def map_of(dataset, function, workers):
    tensors = {"id": Dense("id"), "rest": Dense("rest")} if function is narrowed else {}
    return dataset.map(function, workers=workers, representations=tensors)


def numbers_of(dataset, options):
    """The numbers of the rows of each batch."""
    return [ids(pa.table(batch)) for batch in dataset.record_batches(**options)]


@pytest.mark.parametrize("name", SHAPES)
def test_results_have_the_rows_of_the_batches_before_the_function(name, real_files):
    shape, mapped = SHAPES[name], {}
    for seed in seeds(0, CASES):
        chance = random.Random(f"{seed} {name}")
        form, function = chance.choice(list(DATASETS)), chance.choice(list(ROWS))
        plain = DATASETS[form](real_files(name, form), representations={})
        if (form, function) not in mapped:
            # Workers take time to start, and end with their dataset.
            mapped = {(form, function): map_of(plain, function, chance.choice([1, 2]))}
        case = Case(shape, form, (plain, mapped[form, function]), function, chance)
        case.restrict()
        case.check()
