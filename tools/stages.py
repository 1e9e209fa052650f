"""Runs the stages of CI on three lanes, prints where the time went, and warns of slower stages.

`python tools/stages.py` runs all stages of a change, `python tools/stages.py lint rust` these two stages, and
`--night` those of the night, also after a failure. `--update` writes the CPU time of this run to
`tools/stages.json`. Needs Python 3.11 or newer.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from repository import ROOT

COMMITTED = ROOT / "tools" / "stages.json"
"""CPU seconds of each stage, from an earlier run."""

GROWTH = 1.25
"""A stage that takes this many times its committed CPU time is reported."""

PACKAGE = "package"
"""The stage that builds the package. Two stages must not install it at the same time."""

ENDED = ("passed", "FAILED")
"""The states of a stage after which others may begin."""

IDLE = ["chrt", "--idle", "0"] if Path("/usr/bin/chrt").exists() else []
"""Starts a command that runs only on a core that has nothing else to do.

Linux divides the time between sessions first, so all stages must be in the session of this process.
"""


@dataclass
class Stage:
    """A target of the Makefile, or several."""

    name: str
    targets: str
    lane: str = "main"
    """Stages of one lane run one after the other, in the order of the list. Those of the lane `idle` get only
    the time that others leave, so their results must not depend on the load."""
    after: tuple[str, ...] = ()
    """Stages of other lanes that must end before."""
    state: str = "waits"
    wall: float = 0.0
    cpu: float = 0.0
    passed: int = 0
    skipped: int = 0
    log: Path = field(default_factory=Path)


def change() -> list[Stage]:
    """The stages that each change must pass. Stages that fail often and early come first."""
    return [
        Stage("environments", "environments", "beside", ("tools",)),
        Stage("tools", ".venv/.lint .venv/.docs .venv/.test"),
        Stage("lint", "lint"),
        Stage("docs", "docs"),
        Stage(PACKAGE, "package-dev"),
        Stage("rust", "test-rust"),
        Stage("c", "test-c C_LIBRARY=target/debug/deps"),
        Stage("python", "test-python"),
        Stage("frameworks", "test-frameworks", "main", ("environments",)),
        Stage("torch", "test-torch", "beside", (PACKAGE,)),
        Stage("java", "test-java", "beside"),
        Stage("engines", "test-engines", "beside"),
        # They wait for servers, and use two thirds of a core beside `frameworks`, which uses one.
        Stage("stores", "test-stores", "beside", ("python",)),
        # Their builds lock the folder in which the stages before compile.
        Stage("instructions", "bench-instructions-dev", "idle", ("rust",)),
        Stage("datafusion", "test-datafusion", "idle"),
    ]


def night() -> list[Stage]:
    """The stages that only the night runs, which take hours. Each is a job of the workflow `nightly`."""
    return [
        Stage(PACKAGE, "package-dev"),
        Stage("alone", "test-alone"),
        Stage("kills", "test-kills"),
        Stage("long", "test-long"),
        Stage("oldest", "test-tensorflow-oldest"),
        Stage("tfx", "test-tfx"),
        Stage("rust frameworks", "test-rust-frameworks"),
        Stage("mutants", "mutants"),
        Stage("toy format", "test-toy-format"),
        Stage("fuzz", "fuzz"),
        Stage("asan", "asan"),
        Stage("asan-c", "asan-c"),
        Stage("tsan", "tsan"),
        Stage("release instructions", "bench-instructions"),
        Stage("deny", "deny"),
        Stage("semver", "semver"),
        Stage("minimal versions", "minimal-versions"),
    ]


class Run:
    """One run of the stages."""

    def __init__(self, chosen: list[Stage], logs: Path, *, keeps_going: bool = False) -> None:
        self.stages = chosen
        self.logs = logs
        self.keeps_going = keeps_going
        self.changed = threading.Condition()
        self.processes: set[subprocess.Popen[bytes]] = set()
        self.has_failed = False

    @property
    def is_over(self) -> bool:
        """Whether a failure ends the run."""
        return self.has_failed and not self.keeps_going

    def run(self) -> None:
        """Runs all lanes. The first failure stops the others, unless the run keeps going."""
        lanes = dict.fromkeys(stage.lane for stage in self.stages)
        threads = [threading.Thread(target=self.run_lane, args=(lane,)) for lane in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def run_lane(self, lane: str) -> None:
        for stage in self.stages:
            if stage.lane == lane and not self.run_stage(stage):
                return

    def run_stage(self, stage: Stage) -> bool:
        names = {other.name for other in self.stages}
        needed = [other for other in self.stages if other.name in stage.after and other.name in names]
        with self.changed:
            self.changed.wait_for(lambda: self.is_over or all(other.state in ENDED for other in needed))
            if self.is_over:
                return False
            stage.state = "runs"
        begin = time.monotonic()
        print(f"--- {stage.name}: make {stage.targets}", flush=True)
        status = self.execute(stage)
        stage.wall = time.monotonic() - begin
        with self.changed:
            fails = status != 0 and (self.keeps_going or not self.has_failed)
            self.has_failed |= status != 0
            stage.state = "passed" if status == 0 else "FAILED" if fails else "stopped"
            self.changed.notify_all()
            if fails and not self.keeps_going:
                self.stop()
        text = stage.log.read_text(errors="replace")
        stage.passed, stage.skipped = counts(text)
        if status == 0 or fails:
            print(f"=== {stage.name}: {stage.state} after {stage.wall:.0f} s\n{text}", flush=True)
        return status == 0 or self.keeps_going

    def execute(self, stage: Stage) -> int:
        """Runs the targets. Returns the exit status, and measures the CPU time of all its processes."""
        stage.log = self.logs / f"{stage.name.replace(' ', '-')}.log"
        with stage.log.open("wb") as log:
            command = [*(IDLE if stage.lane == "idle" else []), "make", *stage.targets.split()]
            if stage.name != PACKAGE:
                command.append("BUILT_PACKAGE=yes")
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
            with self.changed:
                self.processes.add(process)
                is_over = self.is_over
            if is_over:
                self.stop()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            with self.changed:
                self.processes.discard(process)
        stage.cpu = usage.ru_utime + usage.ru_stime
        return process.returncode

    def stop(self) -> None:
        """Ends the processes of all running stages."""
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                continue


def counts(text: str) -> tuple[int, int]:
    """The tests that passed, and those that were skipped, in the output of cargo and pytest."""
    passed = skipped = 0
    for line in text.splitlines():
        if line.startswith("test result:") or re.search(r"\b(passed|skipped)\b.* in [\d.]+s", line):
            passed += sum(int(number) for number in re.findall(r"(\d+) passed", line))
            skipped += sum(int(number) for number in re.findall(r"(\d+) (?:skipped|ignored)", line))
    return passed, skipped


def table(run: list[Stage], committed: dict[str, float]) -> str:
    """A table of the times: a line for each stage, and the sums."""
    lines = [
        f"{'stage':14} {'lane':7} {'':8} {'wall s':>7} {'CPU s':>7} {'committed':>9}"
        f" {'tests':>6} {'skips':>6}"
    ]
    for stage in run:
        known = f"{committed[stage.name]:9.0f}" if stage.name in committed else f"{'-':>9}"
        lines.append(
            f"{stage.name:14} {stage.lane:7} {stage.state:8} {stage.wall:7.0f} {stage.cpu:7.0f} {known}"
            f" {stage.passed:6} {stage.skipped:6}"
        )
    cpu, passed, skipped = (
        sum(getattr(stage, name) for stage in run) for name in ("cpu", "passed", "skipped")
    )
    lines.append(
        f"{'sum':14} {'':7} {'':8} {'':7} {cpu:7.0f} {sum(committed.values()):9.0f} {passed:6} {skipped:6}"
    )
    return "\n".join(lines)


def warnings(run: list[Stage], committed: dict[str, float]) -> list[str]:
    """The stages that took a quarter more CPU time than the committed figure."""
    return [
        f"WARNING: {stage.name} took {stage.cpu:.0f} s of CPU time, more than {GROWTH} times the committed"
        f" {committed[stage.name]:.0f} s: find out why, or run tools/stages.py --update"
        for stage in run
        if stage.state == "passed" and stage.name in committed and stage.cpu > GROWTH * committed[stage.name]
    ]


def skips(run: list[Stage]) -> list[str]:
    """The lines of stages that say what was skipped."""
    lines = []
    for stage in run:
        if stage.log.is_file():
            text = stage.log.read_text(errors="replace")
            lines += [f"{stage.name}: {line}" for line in text.splitlines() if line.startswith("SKIPPED ")]
    return lines


def main() -> None:
    """Runs the stages, prints the table, and fails if a stage has failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stage", nargs="*", help="stages to run; default: all of the list")
    parser.add_argument("--night", action="store_true", help="run the list of the night")
    parser.add_argument("--update", action="store_true", help="write the CPU times to tools/stages.json")
    arguments = parser.parse_args()
    every = night() if arguments.night else change()
    names = [stage.name for stage in every]
    if unknown := [name for name in arguments.stage if name not in names]:
        parser.error(f"expected one of {names}, found {unknown}")
    chosen = [stage for stage in every if not arguments.stage or stage.name in arguments.stage]
    logs = ROOT / "target" / "stages"
    logs.mkdir(parents=True, exist_ok=True)
    committed = json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {}
    begin = time.monotonic()
    run = Run(chosen, logs, keeps_going=arguments.night)
    run.run()
    if arguments.update and not run.has_failed:
        committed |= {stage.name: round(stage.cpu) for stage in chosen}
        COMMITTED.write_text(json.dumps(committed, indent=2) + "\n")
    for line in [*skips(chosen), table(chosen, committed), *warnings(chosen, committed)]:
        print(line)
    print(f"{'FAILED' if run.has_failed else 'passed'} in {(time.monotonic() - begin) / 60:.1f} min")
    passed, skipped = (sum(getattr(stage, name) for stage in chosen) for name in ("passed", "skipped"))
    print(f"{passed} passed, {sum(stage.state == 'FAILED' for stage in chosen)} failed, {skipped} skipped")
    sys.exit(run.has_failed)


if __name__ == "__main__":
    main()
