"""`tools/stages.py` runs the stages of CI."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    sys.version_info < (3, 11), reason="SKIPPED tools/stages.py: expected Python 3.11 or newer"
)

ROOT = Path(__file__).parents[2]
TOOLS = ROOT / "tools"


@pytest.fixture
def stages(load_tool: Callable[[str], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module, with a Makefile of its own."""
    module = load_tool("stages")
    (tmp_path / "Makefile").write_text(
        "pass:\n\t@echo '===== 3 passed, 2 skipped in 0.1s ====='\n"
        "fail:\n\t@echo 'SKIPPED nothing'; exit 1\n"
        "wait:\n\t@sleep 3600\n"
    )
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def run(stages: Any, tmp_path: Path, *chosen: Any) -> Any:
    """Runs stages to the end."""
    run = stages.Run(list(chosen), tmp_path)
    run.run()
    return run


def test_tests_and_skips_are_counted(stages: Any) -> None:
    text = """
test result: ok. 9 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
======= 12 passed, 1 skipped, 3 deselected in 4.56s =======
12 passed in 0.50s
4 passed, 1 warning in 70.12s (0:01:10)
this line says 99 passed
"""
    assert stages.counts(text) == (9 + 12 + 12 + 4, 2 + 1)


def test_the_first_failure_stops_the_other_lane(stages: Any, tmp_path: Path) -> None:
    first, failing = stages.Stage("first", "pass"), stages.Stage("failing", "fail")
    never, waiting = stages.Stage("never", "pass"), stages.Stage("waiting", "wait", "beside", ("first",))
    done = run(stages, tmp_path, first, failing, never, waiting)
    assert done.has_failed
    states = [stage.state for stage in (first, failing, never, waiting)]
    assert states[:3] == ["passed", "FAILED", "waits"]
    assert states[3] in ("stopped", "waits")
    assert (first.passed, first.skipped) == (3, 2)
    assert stages.skips([first, failing]) == ["failing: SKIPPED nothing"]


def test_a_run_that_keeps_going_runs_every_stage(stages: Any, tmp_path: Path) -> None:
    failing, next_stage = stages.Stage("failing", "fail"), stages.Stage("next", "pass")
    beside = stages.Stage("beside", "pass", "beside", ("failing",))
    done = stages.Run([failing, next_stage, beside], tmp_path, keeps_going=True)
    done.run()
    assert done.has_failed
    assert [stage.state for stage in (failing, next_stage, beside)] == ["FAILED", "passed", "passed"]


def test_a_stage_of_another_lane_is_awaited(stages: Any, tmp_path: Path) -> None:
    last, first = stages.Stage("last", "pass", "main", ("first",)), stages.Stage("first", "pass", "beside")
    assert not run(stages, tmp_path, last, first).has_failed
    assert (last.state, first.state) == ("passed", "passed")


def test_a_slower_stage_is_a_warning(stages: Any) -> None:
    fast = stages.Stage("fast", "pass", state="passed", cpu=124.0)
    slow = stages.Stage("slow", "pass", state="passed", cpu=126.0)
    new = stages.Stage("new", "pass", state="passed", cpu=500.0)
    committed = {"fast": 100, "slow": 100}
    assert stages.warnings([fast, slow, new], committed) == [
        "WARNING: slow took 126 s of CPU time, more than 1.25 times the committed 100 s:"
        " find out why, or run tools/stages.py --update"
    ]
    lines = stages.table([fast, slow, new], committed).splitlines()
    assert [line.split()[0] for line in lines] == ["stage", "fast", "slow", "new", "sum"]
    assert "500" in lines[3]


def targets(stage: Any) -> list[str]:
    """The targets of a stage that the Makefile names."""
    return [target for target in stage.targets.split() if "=" not in target and not target.startswith(".")]


@pytest.mark.parametrize("name", ["change", "night"])
def test_the_stages_are_targets_of_the_makefile_and_of_each_other(stages: Any, name: str) -> None:
    every = getattr(stages, name)()
    names = [stage.name for stage in every]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for stage in every:
        assert set(stage.after) <= set(names)
        for target in targets(stage):
            assert f"\n{target}:" in makefile, target


def test_the_workflow_of_the_night_runs_its_stages(stages: Any) -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8"))
    run = set()
    for job in workflow["jobs"].values():
        run |= {target for step in job["steps"] for target in step.get("run", "").split()}
        run |= set(job.get("strategy", {}).get("matrix", {}).get("target", []))
    assert {target for stage in stages.night() for target in targets(stage)} - run == set()


def test_the_night_runs_each_test_with_its_mark() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    recipes = re.findall(r"^test-(?:alone|kills): .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    assert len(recipes) == 2
    arguments = " ".join(recipes).split()
    marked = [path for path in (ROOT / "tests").rglob("*.py") if "mark.night" in path.read_text("utf-8")]
    marked = [path.relative_to(ROOT).as_posix() for path in marked if path != Path(__file__)]
    assert marked
    for name in marked:
        assert any(name.startswith(argument) for argument in arguments), name
    for path in (ROOT / "crates").rglob("*.rs"):
        for reason in re.findall(r"#\[ignore.*\]", path.read_text("utf-8")):
            assert reason == '#[ignore = "compares times: make test-alone runs it"]', path
            assert {"it", "memory"} & set(path.parts), path


def test_no_stage_depends_on_the_time(stages: Any) -> None:
    code = (TOOLS / "stages.py").read_text("utf-8")
    assert re.findall(r"\b(?:timeout|latest|deadline)\b", code) == []
    assert {stage.name for stage in stages.change()}.isdisjoint(
        stage.name for stage in stages.night() if stage.name != stages.PACKAGE
    )
