"""The page on a first click model: its program prints what it says, and the model learns.

The table of features and representations on the page on tensors: both make the same tensors.
"""

import re
import shlex
from typing import Any, NamedTuple

import pyarrow as pa
import pytest

import arrowfeed as af
from arrowfeed import features
from example_programs import DOCS

PAGE = (DOCS / "first-model.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
PRINTED = re.compile(r"^print\(.*\)  # (.+)$", re.MULTILINE)
"""A value that the program prints, in the comment after the call."""


class Told(NamedTuple):
    """A block of the page, and what the page says that it prints."""

    language: str
    code: str
    output: str


def told():
    """The blocks of the page in order, each with its output: the text after it, or its comments."""
    found = []
    for language, text in BLOCKS:
        if language == "text":
            found[-1] = found[-1]._replace(output=text)
        else:
            found.append(Told(language, text, "".join(f"{line}\n" for line in PRINTED.findall(text))))
    return found


def test_the_program_prints_what_the_page_says(arrowfeed, tmp_path, capsys):
    names: dict[str, Any] = {}
    for number, block in enumerate(told()):
        if block.language == "sh":
            ran = [arrowfeed(*shlex.split(line)[1:]) for line in block.code.splitlines()]
            assert [(one.code, one.err) for one in ran] == len(ran) * [(0, "")]
            printed = "".join(one.out for one in ran)
        else:
            exec(compile(block.code, f"first-model.md, block {number}", "exec"), names)
            printed = capsys.readouterr().out
        assert printed == block.output, block.code
    assert len(list((tmp_path / "clicks").glob("dt=*/*.avro"))) == 6
    assert_that_it_learns(**names)


def assert_that_it_learns(*, accuracy, weights, start, train, validation, **_):
    """The model is much better than the answer "no click", also on the last day."""
    assert accuracy(start, validation) > 0.5
    assert accuracy(weights, train) > accuracy(start, train) + 0.2
    assert accuracy(weights, validation) > accuracy(start, validation) + 0.2


def test_each_print_of_the_page_has_its_output():
    python = [block for block in told() if block.language == "python"]
    assert [block.code for block in python if block.output.count("\n") < block.code.count("print(")] == []
    assert [block.language for block in told()] == ["python", "sh", *["python"] * 10]


def test_the_page_is_short():
    prose = re.sub(r"^```.*?^```", "", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert len(prose.split()) <= 900


INTEGERS, FLOATS = pa.list_(pa.int64()), pa.list_(pa.float32())
PERSON = pa.struct({"age": pa.int64()})
ROWS = pa.record_batch(
    {
        "age": [7, 8],
        "vector": pa.array([[0.5] * 4, [1.5] * 4], FLOATS),
        "tags": pa.array([[1, 2], []], INTEGERS),
        "at": pa.array([[3], []], INTEGERS),
        "value": pa.array([[0.5], []], FLOATS),
        "lengths": pa.array([[0, 1], []], INTEGERS),
        "friends": pa.array([[], [{"age": 9}]], pa.list_(PERSON)),
        "user": pa.array([{"age": 7}, {"age": 8}], PERSON),
    }
)
"""Rows with the columns of the table."""


def rows_of_the_table():
    """The expressions of the table, for features and for representations."""
    _, _, text = (DOCS / "tensors.md").read_text("utf-8").partition("## Features or representations\n")
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    return [[cell.strip(" `") for cell in line.split("|")[2:4]] for line in lines[1:]]


NAMES = {"af": af, "features": features, "representations": af.representations}
"""The names in the expressions."""


def made(definition):
    """The tensor of an expression of the table, as lists."""
    if definition.startswith("features."):
        adapter = af.TensorAdapter.from_features(ROWS.schema, {"x": eval(definition, NAMES)})
    else:
        adapter = af.TensorAdapter(ROWS.schema, {"x": eval(definition, NAMES)})
    tensor = adapter.convert(ROWS)["x"]
    if isinstance(tensor, af.SparseTensor):
        return tensor.indices.tolist(), tensor.values.tolist(), tensor.dense_shape
    if isinstance(tensor, af.StructuredTensor):
        return sorted(tensor.fields)
    return tensor.to_list() if isinstance(tensor, af.RaggedTensor) else tensor.values.tolist()


@pytest.mark.parametrize(("feature", "representation"), rows_of_the_table())
def test_both_columns_of_the_table_make_one_tensor(feature, representation):
    if callable(getattr(af, representation.partition("af.")[2], None)):
        return  # a function that reads schemas
    both = [made(definition) for definition in (feature, representation) if definition]
    assert all(both)
    assert both[0] == both[-1]
