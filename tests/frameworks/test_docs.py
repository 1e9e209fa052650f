"""The examples of the pages on training run unchanged. `test_docs_torch.py` has those of PyTorch."""

import pytest
from training_rows import names, sections

OF_TORCH = ("PyTorch", "TorchRec")


@pytest.mark.parametrize(("page", "count"), [("training.md", 9), ("from-tensorflow-io.md", 3)])
def test_the_code_of_a_page_of_frameworks_runs(page, count, tmp_path):
    given = names(tmp_path)
    blocks = [block for heading, part in sections(page).items() if heading != "PyTorch" for block in part]
    assert len(blocks) == count
    for block in blocks:
        exec(compile(block, page, "exec"), given)


def test_the_code_of_sequences_runs(tmp_path):
    given, parts = {"path": str(tmp_path / "sequences.avro")}, sections("sequences.md")
    blocks = [block for heading, part in parts.items() if heading not in OF_TORCH for block in part]
    assert len(blocks) == 6
    for block in blocks:
        exec(compile(block, "sequences.md", "exec"), given)
