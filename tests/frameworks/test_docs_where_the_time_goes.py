"""The examples of the page on the figures of the loader run, with OpenTelemetry and tensorboardX."""

import sys
import types
from pathlib import Path

import pytest
from training_rows import sections

EXAMPLES = str(Path(__file__).resolve().parents[2] / "examples" / "python")
sys.path.insert(0, EXAMPLES)
import people  # noqa: E402

sys.path.remove(EXAMPLES)


def test_the_code_of_where_the_time_goes_runs(tmp_path, monkeypatch):
    metrics = pytest.importorskip("opentelemetry.sdk.metrics")
    export = pytest.importorskip("opentelemetry.sdk.metrics.export")
    pytest.importorskip("tensorboardX")
    logged = []
    wandb = types.SimpleNamespace(
        init=lambda **_: None, log=lambda figures, step: logged.append((step, figures))
    )
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    reader = export.InMemoryMetricReader()
    api = sys.modules["opentelemetry.metrics"]
    api.set_meter_provider(metrics.MeterProvider([reader]))
    (tmp_path / "data").mkdir()
    people.write(tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    blocks = [block for part in sections("where-the-time-goes.md").values() for block in part]
    assert len(blocks) == 4
    names = {}
    for block in blocks:
        exec(compile(block, "where-the-time-goes.md", "exec"), names)
    rows = names["batches"].report()["rows"]
    assert [(step, figures["loader"]["batches"]) for step, figures in logged] == [(0, 1)]
    assert list((tmp_path / "logs").iterdir())
    [resource] = reader.get_metrics_data().resource_metrics
    found = {
        metric.name: metric.data.data_points[0].value
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert found["loader.rows"] == rows > 0
    assert 0 <= found["loader.wait_share"] <= 1
