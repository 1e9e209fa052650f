"""Lets PyTorch run without the libraries of CUDA, which take 5 GB.

.venv-all/bin/python tools/torch_without_cuda.py

The wheel of PyTorch for Linux is built for CUDA. The dynamic linker needs each library of CUDA that PyTorch
links to, although PyTorch uses them only if it finds a GPU. This program compiles one small library that has
their symbols, and adds links to it that have their names. Each function returns the error "no device".

Where this does not work, the program removes what it wrote and exits with 1. Then the libraries of CUDA must
be installed.
"""

import ctypes
import importlib.util
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

STUB = "libarrowfeed_no_cuda.so"
FUNCTION = "int {}(void) {{ return 100; }}  /* cudaErrorNoDevice */\n"
TEXT_FUNCTION = 'const char *{}(void) {{ return "no CUDA"; }}\n'
"""A function, and one that returns the text or the name of an error."""

LOADED = ["libtorch_global_deps.so", "libtorch_python.so"]
"""The libraries that `import torch` loads. PyTorch loads others only on a GPU."""

CUDA = re.compile("_*(cu|nccl|nv)")
"""The prefixes of the symbols of CUDA."""

RETURNS_TEXT = re.compile("(String|Name)$|^ncclGetLastError$")

CHECK = """
import torch
assert torch.cuda.device_count() == 0 and not torch.cuda.is_available()
x = torch.rand(64, 64, requires_grad=True)
torch.nn.functional.relu(x @ x).sum().backward()
assert x.grad.shape == (64, 64)
"""


def readelf(option: str, library: Path) -> list[list[str]]:
    """The words of each line that readelf prints."""
    command = ["readelf", "--wide", option, str(library)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [line.split() for line in done.stdout.splitlines()]


def needed(library: Path) -> list[str]:
    """The names of the libraries that a library links to."""
    return [words[-1].strip("[]") for words in readelf("--dynamic", library) if "(NEEDED)" in words]


def symbols(library: Path) -> tuple[set[str], set[str]]:
    """The symbols that a library defines, and those that it takes from others; these as `name@version`."""
    defined, taken = set(), set()
    for words in readelf("--dyn-syms", library):
        if len(words) < 8 or not words[0].endswith(":"):
            continue
        binding, section, name = words[4], words[6], words[7].replace("@@", "@")
        if section != "UND":
            defined.add(name.partition("@")[0])
        elif binding == "GLOBAL":
            taken.add(name)
    return defined, taken


def is_found(library: str) -> bool:
    """Whether the system has a library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing(folder: Path) -> tuple[set[str], dict[str, set[str]]]:
    """The libraries that PyTorch links to and that are not there, and the symbols of CUDA by version."""
    absent, libraries, rest = set(), set(), set(LOADED)
    while rest:
        library = rest.pop()
        libraries.add(library)
        for name in needed(folder / library):
            if not (folder / name).exists():
                absent.add(name)
            elif name not in libraries:
                rest.add(name)

    defined, taken = set(), set()
    for library in libraries:
        ours, theirs = symbols(folder / library)
        defined |= ours
        taken |= theirs
    versions = defaultdict(set)
    for symbol in taken:
        name, _, version = symbol.partition("@")
        if name not in defined and CUDA.match(name):
            versions[version].add(name)
    return {name for name in absent if not is_found(name)}, versions


def write_stub(folder: Path, libraries: set[str], versions: dict[str, set[str]]) -> None:
    """Compiles the library, and links the names of the missing ones to it."""
    code, script = "", ""
    for version, names in sorted(versions.items()):
        for name in sorted(names):
            code += (TEXT_FUNCTION if RETURNS_TEXT.search(name) else FUNCTION).format(name)
        # The dynamic linker compares the versions of symbols, too.
        if version:
            script += f"{version} {{ {'; '.join(sorted(names))}; }};\n"
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "stub.c").write_text(code)
        Path(scratch, "versions").write_text(script)
        command = ["cc", "-shared", "-fPIC", "-w", "-Wl,--version-script=versions"]
        subprocess.run([*command, "-o", str(folder / STUB), "stub.c"], check=True, cwd=scratch)
    # PyTorch's own folder is the last of those that its libraries name: real libraries of CUDA come first.
    for name in libraries:
        (folder / name).symlink_to(STUB)


def remove_stub(folder: Path) -> None:
    """Removes the library and the links to it."""
    for path in folder.glob("*.so*"):
        if path.name == STUB or (path.is_symlink() and path.readlink() == Path(STUB)):
            path.unlink()


def main() -> None:
    """Writes the library, and tries PyTorch with it."""
    torch = importlib.util.find_spec("torch")
    if torch is None or sys.platform != "linux":
        return
    if is_found("libcuda.so.1"):
        sys.exit("found the driver of a GPU: PyTorch needs the libraries of CUDA")
    folder = Path(torch.origin).parent / "lib"
    remove_stub(folder)
    try:
        libraries, versions = missing(folder)
        if libraries:
            write_stub(folder, libraries, versions)
            subprocess.run([sys.executable, "-c", CHECK], check=True)
            print(f"PyTorch runs without {len(libraries)} libraries of CUDA")
    except (OSError, subprocess.CalledProcessError) as error:
        remove_stub(folder)
        sys.exit(f"expected PyTorch to run without CUDA: {error}")


if __name__ == "__main__":
    main()
