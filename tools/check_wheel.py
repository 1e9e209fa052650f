"""Compares wheels with the table of docs/releasing.md: tags, size, metadata, contents."""

import email.message
import email.parser
import re
import sys
import zipfile
from pathlib import Path

from repository import ROOT
from wheel_facts import MEGABYTE, stated

NAME = re.compile(r"arrowfeed-(?P<version>[^-]+)-(?P<python>[^-]+)-(?P<abi>[^-]+)-(?P<platform>[^-]+)\.whl")

UNWINDER = b"libgcc_s.so.1"


def tag_faults(name: str, facts: dict[str, list[str]]) -> list[str]:
    """The differences between the name of a wheel and the stated tags."""
    tags = NAME.fullmatch(name)
    if tags is None:
        return [f"expected arrowfeed-VERSION-PYTHON-ABI-PLATFORM.whl, found {name}"]
    faults = []
    found = f"{tags['python']}-{tags['abi']}"
    if [found] != facts["tag"]:
        faults.append(f"expected the tag {facts['tag'][0]}, found {found}")
    if not any(
        re.fullmatch(platform.replace("*", "[0-9_]+"), tags["platform"]) for platform in facts["platforms"]
    ):
        faults.append(f"expected a platform of {', '.join(facts['platforms'])}, found {tags['platform']}")
    return faults


def dependencies(metadata: email.message.Message, extra: str | None) -> list[str]:
    """The requirements of the package, or of one of its extras, without white space."""
    found = []
    for line in metadata.get_all("Requires-Dist", []):
        requirement, _, marker = line.partition(";")
        of_extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", marker)
        if (of_extra[1] if of_extra else None) == extra:
            found.append(re.sub(r"\s", "", requirement))
    return sorted(found)


def metadata_faults(metadata: email.message.Message, facts: dict[str, list[str]]) -> list[str]:
    """The differences between the metadata of a wheel and the stated metadata, except for the description."""
    expected = {
        "Requires-Python": facts["Python"],
        "dependencies": sorted(facts["dependencies"]),
        "dependencies of the extra cli": sorted(facts["dependencies of the extra cli"]),
        "extras": sorted(facts["extras"]),
        "author": facts["author"],
        "license": facts["license"],
        "classifiers": sorted(facts["classifiers"]),
    }
    found = {
        "Requires-Python": metadata.get_all("Requires-Python", []),
        "dependencies": dependencies(metadata, None),
        "dependencies of the extra cli": dependencies(metadata, "cli"),
        "extras": sorted(metadata.get_all("Provides-Extra", [])),
        "author": metadata.get_all("Author", []),
        "license": metadata.get_all("License-Expression", []),
        "classifiers": sorted(metadata.get_all("Classifier", [])),
    }
    return [
        f"expected {name} {', '.join(expected[name]) or 'none'}, found {', '.join(found[name]) or 'none'}"
        for name in expected
        if expected[name] != found[name]
    ]


def description_faults(metadata: email.message.Message, facts: dict[str, list[str]]) -> list[str]:
    """The differences between the description, which PyPI shows, and the stated Markdown file."""
    [name] = facts["description"]
    faults = []
    kind = metadata.get("Description-Content-Type", "none").split(";")[0]
    if kind != "text/markdown":
        faults.append(f"expected a description of the type text/markdown, found {kind}")
    text = str(metadata.get_payload()).strip()
    # Windows may have other line ends.
    if text.splitlines() != (ROOT / name).read_text("utf-8").strip().splitlines():
        faults.append(f"expected the description {name}, found {'another text' if text else 'none'}")
    return faults


def content_faults(names: list[str]) -> list[str]:
    """The files that a wheel must have and lacks, or has and must not have."""
    modules = [name for name in names if re.fullmatch(r"arrowfeed/_arrowfeed\.(abi3\.so|pyd)", name)]
    faults = (
        [] if len(modules) == 1 else [f"expected one compiled module, found {', '.join(modules) or 'none'}"]
    )
    for end in ["arrowfeed/py.typed", "arrowfeed/_arrowfeed.pyi", ".dist-info/licenses/LICENSE"]:
        if not any(name.endswith(end) for name in names):
            faults.append(f"expected a file {end}, found none")
    others = {name.split("/")[0] for name in names} - {"arrowfeed"}
    faults += [
        f"expected no file outside of arrowfeed/, found {name}/"
        for name in sorted(others)
        if ".dist-info" not in name
    ]
    return faults


def unwinder_faults(wheel: Path, archive: zipfile.ZipFile) -> list[str]:
    """A missing link to the unwinder of the system, without which a daemon thread may crash Python."""
    module = "arrowfeed/_arrowfeed.abi3.so"
    if "manylinux" not in wheel.name or module not in archive.namelist():
        return []
    return (
        []
        if UNWINDER in archive.read(module)
        else [f"expected a module that links {UNWINDER.decode()}, found none"]
    )


def faults(wheel: Path, facts: dict[str, list[str]]) -> list[str]:
    """All differences between a wheel and the stated properties."""
    found = tag_faults(wheel.name, facts)
    limit = float(facts["size"][0].removesuffix(" MB")) * MEGABYTE
    if wheel.stat().st_size > limit:
        found.append(f"expected at most {facts['size'][0]}, found {wheel.stat().st_size / MEGABYTE:.1f} MB")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        found += content_faults(names) + unwinder_faults(wheel, archive)
        path = next((name for name in names if name.endswith(".dist-info/METADATA")), None)
        if path is None:
            return [*found, "expected a file METADATA, found none"]
        metadata = email.parser.Parser().parsestr(archive.read(path).decode("utf-8"))
    return found + metadata_faults(metadata, facts) + description_faults(metadata, facts)


def main() -> None:
    """Checks the wheels that are named on the command line."""
    wheels = [Path(name) for name in sys.argv[1:]]
    if not wheels:
        sys.exit("expected the path of a wheel")
    facts = stated()
    if lines := [f"{wheel.name}: {fault}" for wheel in wheels for fault in faults(wheel, facts)]:
        sys.exit("\n".join(lines))
    for wheel in wheels:
        print(f"{wheel.name}: {wheel.stat().st_size / MEGABYTE:.1f} MB, as stated in docs/releasing.md")


if __name__ == "__main__":
    main()
