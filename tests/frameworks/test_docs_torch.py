"""The examples of the page on training in PyTorch run unchanged."""

import pytest
from training_rows import names, sections

REASON = "expected PyTorch and torchdata, found them not installed: `make test-torch` has them"
pytest.importorskip("torch", reason=REASON)
pytest.importorskip("torchdata", reason=REASON)


def test_the_code_of_sequences_in_torch_runs(tmp_path):
    parts, given = sections("sequences.md"), {"path": str(tmp_path / "sequences.avro")}
    for block in parts[None] + parts["PyTorch"]:
        exec(compile(block, "sequences.md", "exec"), given)


@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning")
def test_the_code_of_training_in_torch_runs(tmp_path):
    parts, given = sections("training.md"), names(tmp_path)
    blocks = parts[None] + parts["PyTorch"]
    assert len(blocks) == 5
    for block in blocks:
        exec(compile(block, "training.md", "exec"), given)
