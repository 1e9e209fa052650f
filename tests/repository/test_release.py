"""Versions, metadata and workflows agree with docs/releasing.md, and the release tools find differences.

`make wheel`, `make sdist` and `make package` build and test the files of a release.
"""

import ast
import email.parser
import importlib.metadata
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
sys.path.insert(0, str(TOOLS))
import check_wheel  # noqa: E402
import publish_crates  # noqa: E402
import stages as stages_of_ci  # noqa: E402
import test_wheel as wheel_test  # noqa: E402
import version  # noqa: E402
import wheel_facts  # noqa: E402

sys.path.remove(str(TOOLS))

VERSION = version.current((ROOT / "Cargo.toml").read_text("utf-8"))
"""The version of all packages."""

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def toml(path: str) -> dict:
    return tomllib.loads((ROOT / path).read_text())


def python_version(of_cargo: str) -> str:
    """A version of Cargo as Python writes it: 0.2.0-rc.1 is 0.2.0rc1."""
    return re.sub(r"-(a|b|rc)[a-z]*\.", r"\1", of_cargo)


def members() -> dict[str, dict]:
    """The manifests of the workspace by their folder."""
    return {folder: toml(f"{folder}/Cargo.toml") for folder in toml("Cargo.toml")["workspace"]["members"]}


# ---- versions


def test_all_versions_are_that_of_the_workspace():
    workspace = toml("Cargo.toml")["workspace"]
    assert workspace["package"]["version"] == VERSION
    for folder, manifest in members().items():
        assert manifest["package"]["version"] == {"workspace": True}, folder
    ours = {name: entry for name, entry in workspace["dependencies"].items() if name.startswith("arrowfeed")}
    assert sorted(ours) == sorted(path.name for path in (ROOT / "crates").iterdir())
    assert {entry["version"] for entry in ours.values()} == {VERSION}
    locked = {entry["name"]: entry["version"] for entry in toml("Cargo.lock")["package"]}
    assert {locked[manifest["package"]["name"]] for manifest in members().values()} == {VERSION}

    project = toml("python/pyproject.toml")["project"]
    assert "version" not in project
    assert "version" in project["dynamic"]


def test_the_changelog_begins_with_the_version():
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert re.fullmatch(re.escape(VERSION) + r" \((unreleased|\d{4}-\d\d-\d\d)\)", headings[0])


def test_the_tool_changes_the_version_everywhere():
    manifest = (ROOT / "Cargo.toml").read_text()
    changed = tomllib.loads(version.changed(manifest, "9.8.7-rc.1"))["workspace"]
    assert changed["package"]["version"] == "9.8.7-rc.1"
    before = toml("Cargo.toml")["workspace"]["dependencies"]
    for name, entry in changed["dependencies"].items():
        if name.startswith("arrowfeed"):
            assert entry["version"] == "9.8.7-rc.1", name
        else:
            assert entry == before[name]
    assert version.changed(version.changed(manifest, "9.8.7-rc.1"), VERSION) == manifest


@pytest.mark.parametrize(
    ("page", "release", "prerelease"),
    [("README.md", "9.8.7", "9.8.7-rc.1"), ("docs/rust.md", "9.8", "9.8.7-rc.1")],
)
def test_the_pages_state_the_version_and_the_tool_changes_it(page, release, prerelease):
    text, place = (ROOT / page).read_text("utf-8"), version.IN_PAGES[page]
    assert place.findall(text) == [version.page_version(page, VERSION)]
    for new, stated in [("9.8.7", release), ("9.8.7-rc.1", prerelease)]:
        changed = version.changed_page(page, text, new)
        assert place.findall(changed) == [stated]
        assert version.changed_page(page, changed, VERSION) == text


@pytest.mark.parametrize(
    ("cargo", "python"), [("0.2.0", "0.2.0"), ("0.2.0-rc.1", "0.2.0rc1"), ("1.0.0-beta.2", "1.0.0b2")]
)
def test_a_prerelease_in_python(cargo, python):
    assert version.VERSION.fullmatch(cargo)
    assert python_version(cargo) == python


# ---- crates


def test_the_page_lists_the_published_crates_after_their_dependencies():
    section = re.search(r"<!-- crates -->\n(.*?)\n<!-- end -->", wheel_facts.PAGE.read_text(), re.DOTALL)
    listed = re.findall(r"`([^`]+)`", section[1])
    manifests = {manifest["package"]["name"]: manifest for manifest in members().values()}
    assert sorted(listed) == sorted(
        name for name, manifest in manifests.items() if manifest["package"].get("publish", True)
    )
    for place, name in enumerate(listed):
        ours = {other for other in manifests[name]["dependencies"] if other.startswith("arrowfeed")}
        assert ours <= set(listed[:place]), name


def test_only_the_crates_are_published():
    manifests = [path for path in ROOT.glob("*/**/Cargo.toml") if "target" not in path.parts]
    manifests = [
        path for path in manifests if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
    ]
    packages = {path: tomllib.loads(path.read_text()).get("package") for path in manifests}
    published = {
        path.parent.parent.name
        for path, package in packages.items()
        if package and package.get("publish", True)
    }
    assert published == {"crates"}


def test_a_published_crate_has_a_description_a_licence_and_no_tests():
    for folder, manifest in members().items():
        if folder.startswith("crates/"):
            package = manifest["package"]
            assert package["description"]
            assert package["license"] == package["exclude"] == {"workspace": True}, folder
    assert toml("Cargo.toml")["workspace"]["package"]["exclude"] == ["/tests"]


def test_every_package_has_the_licence():
    text = (ROOT / "LICENSE").read_bytes()
    for folder in [*(folder for folder in members() if folder.startswith("crates/")), "python"]:
        assert (ROOT / folder / "LICENSE").read_bytes() == text, folder


def test_only_missing_crates_are_published():
    crates = {"b": "0.1.0", "a": "0.1.0", "c": "0.1.0"}
    assert publish_crates.command(crates, lambda name, _: name == "b", []) == [
        *["cargo", "publish", "--locked", "--package", "a", "--package", "c"],
    ]
    assert publish_crates.command(crates, lambda *_: True, []) == []


# ---- the wheel


def requirement(text: str) -> str:
    return re.sub(r"\s", "", text)


def test_the_page_states_the_metadata_of_the_wheel():
    project = toml("python/pyproject.toml")["project"]
    facts = wheel_facts.stated()
    assert facts["Python"] == [project["requires-python"]]
    assert facts["dependencies"] == [requirement(text) for text in project["dependencies"]]
    extras = project["optional-dependencies"]
    assert facts["extras"] == sorted(extras)
    assert facts["dependencies of the extra cli"] == [requirement(text) for text in extras["cli"]]
    assert [{"name": name} for name in facts["author"]] == project["authors"]
    assert facts["license"] == [project["license"]]
    assert facts["classifiers"] == project["classifiers"]
    assert facts["description"] == [project["readme"].removeprefix("../")]
    oldest = project["requires-python"].removeprefix(">=").replace(".", "")
    assert facts["tag"] == [f"cp{oldest}-abi3"]
    assert f"abi3-py{oldest}" in toml("Cargo.toml")["workspace"]["dependencies"]["pyo3"]["features"]


STATED = wheel_facts.stated()
CLASSIFIERS = "".join(f"Classifier: {name}\n" for name in STATED["classifiers"])
README = (ROOT / "README.md").read_text("utf-8")
METADATA = f"""Metadata-Version: 2.4
Name: arrowfeed
Version: 0.1.0
Requires-Python: >=3.10
Requires-Dist: numpy
Requires-Dist: pyarrow>=18 ; extra == 'cli'
Requires-Dist: shtab ; extra == 'cli'
Requires-Dist: tqdm ; extra == 'cli'
Requires-Dist: pytest ; extra == 'test'
Provides-Extra: cli
Provides-Extra: lint
Provides-Extra: test
{CLASSIFIERS}Author: The arrowfeed authors
License-Expression: Apache-2.0
Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM

{README}"""


def make_wheel(
    folder: Path, name: str, metadata: str = METADATA, size: int = 0, without: str = "nothing"
) -> Path:
    """Writes a file with the names of a wheel, and random bytes of this size."""
    path = folder / name
    files = ["arrowfeed/_arrowfeed.abi3.so", "arrowfeed/_arrowfeed.pyi", "arrowfeed/py.typed"]
    files.append("arrowfeed-0.1.0.dist-info/licenses/LICENSE")
    with zipfile.ZipFile(path, "w") as archive:
        for file in files:
            if without not in file:
                archive.writestr(file, b"" if without == "libgcc_s" else b"libgcc_s.so.1")
        archive.writestr("arrowfeed-0.1.0.dist-info/METADATA", metadata.encode("utf-8"))
        archive.writestr("arrowfeed/bytes", bytes(size))
    return path


@pytest.mark.parametrize(
    "platform", ["manylinux_2_28_x86_64", "manylinux_2_28_aarch64", "macosx_11_0_arm64", "win_amd64"]
)
def test_a_wheel_as_stated_passes(tmp_path, platform):
    wheel = make_wheel(tmp_path, f"arrowfeed-0.1.0-cp310-abi3-{platform}.whl")
    assert check_wheel.faults(wheel, wheel_facts.stated()) == []


GOOD = "arrowfeed-0.1.0-cp310-abi3-manylinux_2_28_x86_64.whl"


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        (
            "arrowfeed-0.1.0-cp311-cp311-manylinux_2_28_x86_64.whl",
            {},
            "expected the tag cp310-abi3, found cp311-cp311",
        ),
        (
            "arrowfeed-0.1.0-cp310-abi3-linux_x86_64.whl",
            {},
            "expected a platform of manylinux_2_28_x86_64, manylinux_2_28_aarch64, "
            "macosx_*_x86_64, macosx_*_arm64, win_amd64, found linux_x86_64",
        ),
        ("other-0.1.0.whl", {}, "expected arrowfeed-VERSION-PYTHON-ABI-PLATFORM.whl, found other-0.1.0.whl"),
        (
            GOOD,
            {
                "metadata": METADATA.replace(
                    "Requires-Dist: numpy", "Requires-Dist: numpy >= 2\nRequires-Dist: pandas"
                )
            },
            "expected dependencies numpy, found numpy>=2, pandas",
        ),
        (
            GOOD,
            {"metadata": METADATA.replace("tqdm", "rich")},
            "expected dependencies of the extra cli pyarrow>=18, shtab, tqdm, found pyarrow>=18, rich, shtab",
        ),
        (
            GOOD,
            {"metadata": METADATA.replace(">=3.10", ">=3.9")},
            "expected Requires-Python >=3.10, found >=3.9",
        ),
        (
            GOOD,
            {
                "metadata": METADATA.replace(
                    "Provides-Extra: cli\n", "Provides-Extra: all\nProvides-Extra: cli\n"
                )
            },
            "expected extras cli, lint, test, found all, cli, lint, test",
        ),
        (
            GOOD,
            {"metadata": METADATA.replace("Author: The arrowfeed authors\n", "")},
            "expected author The arrowfeed authors, found none",
        ),
        (
            GOOD,
            {"metadata": METADATA.replace("License-Expression: Apache-2.0", "License-Expression: MIT")},
            "expected license Apache-2.0, found MIT",
        ),
        (
            GOOD,
            {"metadata": METADATA.replace(CLASSIFIERS, "Classifier: Typing :: Typed\n")},
            f"expected classifiers {', '.join(sorted(STATED['classifiers']))}, found Typing :: Typed",
        ),
        (
            GOOD,
            {"metadata": METADATA.replace("text/markdown; charset=UTF-8; variant=GFM", "text/x-rst")},
            "expected a description of the type text/markdown, found text/x-rst",
        ),
        (GOOD, {"metadata": METADATA + "more"}, "expected the description README.md, found another text"),
        (GOOD, {"metadata": METADATA.removesuffix(README)}, "expected the description README.md, found none"),
        (GOOD, {"size": 40_000_000}, "expected at most 16 MB, found 40.0 MB"),
        (GOOD, {"without": "libgcc_s"}, "expected a module that links libgcc_s.so.1, found none"),
        (GOOD, {"without": "abi3"}, "expected one compiled module, found none"),
        (GOOD, {"without": "LICENSE"}, "expected a file .dist-info/licenses/LICENSE, found none"),
    ],
)
def test_a_wheel_that_differs_is_refused(tmp_path, name, changes, message):
    wheel = make_wheel(tmp_path, name, **changes)
    assert check_wheel.faults(wheel, wheel_facts.stated()) == [message]


def test_the_metadata_of_the_installed_package_are_as_stated():
    try:
        text = importlib.metadata.distribution("arrowfeed").read_text("METADATA")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is on the path, and not installed")
    metadata = email.parser.Parser().parsestr(text)
    assert check_wheel.metadata_faults(metadata, wheel_facts.stated()) == []


def test_the_wheel_is_tested_without_rust(tmp_path, monkeypatch):
    with_rust, without = tmp_path / "rust", tmp_path / "other"
    suffix = ".exe" if sys.platform == "win32" else ""
    for folder, program in [(with_rust, "cargo"), (without, "tool")]:
        folder.mkdir()
        (folder / f"{program}{suffix}").touch(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, [with_rust, without])))
    monkeypatch.setenv("PYTHONPATH", "python")
    variables = wheel_test.environment(tmp_path / "bin")
    assert variables["PATH"] == os.pathsep.join(map(str, [tmp_path / "bin", without]))
    assert "PYTHONPATH" not in variables


POSIX_MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "termios"}


@pytest.mark.parametrize("path", sorted(Path(__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_windows_can_import_the_tests_of_the_wheel(path):
    body = ast.parse(path.read_text("utf-8")).body
    imported = {name.name for node in body if isinstance(node, ast.Import) for name in node.names}
    imported |= {node.module for node in body if isinstance(node, ast.ImportFrom)}
    assert not imported & POSIX_MODULES


# ---- free-threaded Python


def test_the_page_has_the_message_for_free_threaded_python():
    words = re.search(r'"cargo::error=(.*?)"\n', (ROOT / "python" / "build.rs").read_text(), re.DOTALL)
    message = re.sub(r"\\\n\s*", "", words[1])
    assert f"```text\n{message}\n```" in wheel_facts.PAGE.read_text()
    [step] = [
        line for path in WORKFLOWS for line in path.read_text().splitlines() if 'grep "expected' in line
    ]
    assert re.search(r'grep "([^"]+)"', step)[1] in message


# ---- workflows


def steps(workflow: dict) -> list[dict]:
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


def triggers(workflow: dict) -> dict:
    return workflow[True]  # YAML reads the key `on` as a truth value


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_is_valid_and_may_only_read(path):
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for name, job in workflow["jobs"].items():
        assert ("uses" in job) != ("timeout-minutes" in job), name
        needs = job.get("needs", [])
        assert set([needs] if isinstance(needs, str) else needs) <= workflow["jobs"].keys(), name
    for step in steps(workflow):
        assert ("uses" in step) != ("run" in step), step
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False
        assert "${{ github" not in step.get("run", ""), "an expression in a script can inject commands"


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_runs_targets_and_tools_that_exist(path):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    scripts = "\n".join(step.get("run", "") for step in steps(yaml.safe_load(path.read_text())))
    assert set(re.findall(r"\bmake ([a-z-]+)", scripts)) <= targets
    for tool in re.findall(r"\b(?:tools|requirements)/\S+\.(?:py|in)", scripts):
        assert (ROOT / tool).exists(), tool


def test_the_workflow_runs_the_checks_of_the_page():
    page = wheel_facts.PAGE.read_text("utf-8")
    [step] = re.findall(r"^3\. Run the checks:\n\n    ```sh\n(.*?)    ```$", page, re.DOTALL | re.MULTILINE)
    first, *others = [line.strip() for line in step.splitlines()]
    assert (first, others) == (
        ".ci/run",
        [f"make {name}" for name in ("features", "wheel", "sdist", "package")],
    )
    # The workflow runs only the stages of `make test`, because the others download many gigabytes.
    stages = {target for stage in stages_of_ci.change() for target in stage.targets.split()}
    assert {"lint", "docs", "test-rust", "test-python"} <= stages
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    assert {"make test", *others} <= {step.get("run") for step in steps(workflow)}


def test_only_a_tag_publishes():
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        for name, job in workflow["jobs"].items():
            text = str(job)
            publishes = "publish@" in text or "publish_crates" in text or "id-token" in text
            assert publishes == ("environment" in job), name
            if publishes:
                assert triggers(workflow) == {"push": {"tags": ["v*"]}}
                assert job["if"] == "github.event_name == 'push' && github.ref_type == 'tag'"
                assert "ci" in job["needs"]


def test_the_platforms_of_the_workflow_are_those_of_the_page():
    matrix = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]["wheel"]["strategy"][
        "matrix"
    ]
    built = sorted(entry["platform"] for entry in matrix["include"])
    assert built == ["linux-aarch64", "linux-x86_64", "macos-arm64", "macos-x86_64", "windows-x86_64"]
    assert len(wheel_facts.stated()["platforms"]) == len(built)
