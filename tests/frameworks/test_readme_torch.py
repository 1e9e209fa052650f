"""The examples of the README on PyTorch run unchanged."""

import pytest
from readme_code import run

REASON = "expected PyTorch, found it not installed: `make test-torch` has it"
pytest.importorskip("torch", reason=REASON)


@pytest.mark.filterwarnings("ignore:'set_vital' is deprecated:UserWarning")
def test_the_code_of_the_readme_for_torch_runs(tmp_path, monkeypatch, capsys):
    run("PyTorch", tmp_path, monkeypatch)
    assert capsys.readouterr().out.endswith("\ntorch.Size([104, 2]) torch.Size([104])\n")
