"""Lets a PyTorch that was built for CUDA run on the CPU without the libraries of CUDA, which take 5 GB.

.venv-all/bin/python tools/torch_without_cuda.py

The wheel of PyTorch for Linux links to the libraries of CUDA, so the dynamic linker wants each of them before `import torch` can
run. PyTorch calls them only to ask for a GPU. This program writes one small library which has the names and the symbols of all
that are missing. Each of its functions returns the error "no device", so PyTorch finds no GPU.

It exits with 1, and leaves PyTorch as it was, where this does not work. Then the libraries of CUDA have to be installed.
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
CODE = 'int name(void) { return 100; }  /* cudaErrorNoDevice */\n'
TEXT = 'const char *name(void) { return "no CUDA"; }\n'
"""What a function returns, and what one returns that gives the text or the name of an error."""

LOADED = ["libtorch_global_deps.so", "libtorch_python.so"]
"""What `import torch` loads. The libraries that only work on a GPU needs are not reached from them."""

CUDA = re.compile("_*(cu|nccl|nv)")
"""How the symbols of CUDA's libraries start."""

CHECK = """
import torch
assert not torch.cuda.is_available() and torch.cuda.device_count() == 0
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
    """The symbols that a library defines, without versions, and those that it takes from others, as `name` or `name@version`."""
    defined, taken = set(), set()
    for words in readelf("--dyn-syms", library):
        if len(words) < 8 or not words[0].endswith(":"):
            continue
        binding, section, name = words[4], words[6], words[7]
        if section != "UND":
            defined.add(name.partition("@")[0])
        elif binding == "GLOBAL":
            taken.add(name)
    return defined, taken


def is_found(name: str) -> bool:
    """Whether the system has the library."""
    try:
        ctypes.CDLL(name)
    except OSError:
        return False
    return True


def missing(folder: Path) -> tuple[set[str], dict[str, set[str]]]:
    """The names of libraries that PyTorch links to and that are not there, and their symbols by version."""
    names, libraries, rest = set(), set(), list(LOADED)
    while rest:
        library = folder / rest.pop()
        libraries.add(library)
        for name in needed(library):
            if not (folder / name).exists():
                names.add(name)
            elif folder / name not in libraries:
                rest.append(name)
    names = {name for name in names if not is_found(name)}

    defined, taken = set(), set()
    for library in libraries:
        ours, theirs = symbols(library)
        defined |= ours
        taken |= theirs
    versions = defaultdict(set)
    for symbol in taken:
        name, _, version = symbol.replace("@@", "@").partition("@")
        if name not in defined and CUDA.match(name):
            versions[version].add(name)
    return names, versions


def write_stub(folder: Path, names: set[str], versions: dict[str, set[str]]) -> None:
    """Compiles the library, and gives it the names of those that are missing."""
    with tempfile.TemporaryDirectory() as scratch:
        source, script = Path(scratch, "stub.c"), Path(scratch, "versions")
        with source.open("w") as file:
            for symbol in sorted(set().union(*versions.values())):
                form = TEXT if re.search(r"Error(String|Name)$|ErrorString", symbol) else CODE
                file.write(form.replace("name", symbol, 1))
        nodes = [f"{version} {{ {'; '.join(sorted(names))}; }};\n" for version, names in versions.items() if version]
        script.write_text("".join(nodes))
        command = ["cc", "-shared", "-fPIC", "-w", "-O1", f"-Wl,--version-script={script}", "-o", str(folder / STUB)]
        subprocess.run([*command, str(source)], check=True)
    for name in names:
        # The folder of PyTorch's libraries is the last that the dynamic linker searches: real ones come first.
        (folder / name).symlink_to(STUB)


def main() -> None:
    """Writes the library, and tries PyTorch with it."""
    torch = importlib.util.find_spec("torch")
    if torch is None or sys.platform != "linux":
        return
    if is_found("libcuda.so.1"):
        sys.exit("found a driver for GPUs: PyTorch gets the libraries of CUDA")
    folder = Path(torch.origin).parent / "lib"
    try:
        names, versions = missing(folder)
        if not names:
            return
        write_stub(folder, names, versions)
        subprocess.run([sys.executable, "-c", CHECK], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        for path in folder.iterdir():
            if path.name == STUB or (path.is_symlink() and str(path.readlink()) == STUB):
                path.unlink()
        sys.exit(f"expected to run PyTorch without CUDA: {error}")
    print(f"PyTorch runs without {len(names)} libraries of CUDA")


if __name__ == "__main__":
    main()
