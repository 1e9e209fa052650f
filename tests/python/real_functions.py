"""Functions of batches, for `Dataset.map`. Workers import this module, so it imports little."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def ids(found):
    """The numbers of rows. A feature of `tf.Example` is a list of one."""
    column = found["id"]
    is_list = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
    return (pc.list_flatten(column) if is_list else column).to_numpy()


def widened(batch):
    """The rows with another column."""
    table = pa.table(batch)
    return table.append_column("double", pa.array(ids(table) * 2))


def narrowed(batch):
    """Two columns. One of them is new."""
    numbers = ids(pa.table(batch))
    return pa.table({"id": numbers, "rest": -numbers})


def thinned(batch):
    """A third of the rows, so that small batches become empty."""
    table = pa.table(batch)
    return table.filter(pa.array(ids(table) % 3 == 0))


def repeated(batch):
    """Four times the rows and the bytes, in chunks."""
    return pa.concat_tables([pa.table(batch)] * 4)


def reversed_frame(batch):
    """The rows in the opposite order, as a frame of polars."""
    import polars as pl  # noqa: PLC0415 - one function needs it

    return pl.DataFrame(batch).reverse()


ROWS = {
    widened: lambda numbers: numbers,
    narrowed: lambda numbers: numbers,
    thinned: lambda numbers: numbers[numbers % 3 == 0],
    repeated: lambda numbers: np.tile(numbers, 4),
    reversed_frame: lambda numbers: numbers[::-1],
}
"""The numbers of the rows of a result, for the numbers of the rows of the batch."""


def expected(function, rows, numbers):
    """The columns of a result that has the rows of these numbers."""
    if function is narrowed:
        return pa.table({"id": numbers, "rest": -numbers})
    return rows.append_column("double", pa.array(numbers * 2)) if function is widened else rows
