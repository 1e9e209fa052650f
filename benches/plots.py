"""Draws the plots of `docs/speed.md` from the results of `run.py`: `plots.py RESULTS FOLDER`.

The results need the suites `decode`, `projection`, `threads`, `columns`, `batches` and `memory`.
"""

import argparse
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

from harness.results import Line, medians, ratios, read

OURS, PEER = "#1f77b4", "#b0b7bf"
COLORS = ("#1f77b4", "#d9730d", "#2a9d5c", "#8a4fbe")
MEBIBYTE = 1 << 20


def draw_ratios(axes: Axes, found: dict[str, float], title: str) -> None:
    """Draws one bar for each case, from the fastest to the slowest."""
    names = sorted(found, key=found.__getitem__)
    bars = axes.barh(names, [found[name] for name in names], color=OURS)
    axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.axvline(1, color=PEER, linewidth=2)
    axes.set_title(title)
    axes.margins(x=0.12)


def draw_peers(lines: list[Line], axes: Axes) -> None:
    """Whole files, relative to arrow-avro."""
    files = ratios(lines, "decode", "arrow-avro", "arrowfeed")
    whole = {case.removesuffix(" 8192"): ratio for case, ratio in files.items() if case.endswith(" 8192")}
    columns = ratios(lines, "projection", "arrow-avro", "arrowfeed")
    few = {f"{name}, a few columns": ratio for name, ratio in columns.items()}
    draw_ratios(axes, whole | few, "Speed relative to arrow-avro, one thread")


def draw_threads(lines: list[Line], axes: Axes) -> None:
    """Two threads, relative to one."""
    draw_ratios(axes, ratios(lines, "threads", "one", "several"), "Two threads relative to one")
    axes.axvline(2, color=PEER, linewidth=2, linestyle=":")


def draw_columns(lines: list[Line], axes: Axes) -> None:
    """The time of files with the same values in few and in many columns."""
    found = medians(lines, "columns")["null"]
    least = min(found.values())
    counts = sorted(found, key=int)
    axes.plot(
        [int(count) for count in counts], [found[count] / least for count in counts], marker="o", color=OURS
    )
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("columns of nullable longs")
    axes.set_title("Time of a value, relative to the fastest file")


def draw_batches(lines: list[Line], axes: Axes) -> None:
    """The time of a file with each size of batches."""
    for color, (name, found) in zip(COLORS, medians(lines, "batches").items(), strict=False):
        sizes = sorted(found, key=int)
        least = min(found.values())
        points = [found[size] / least for size in sizes]
        axes.plot([int(size) for size in sizes], points, marker="o", color=color, label=name)
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("rows of a batch")
    axes.set_title("Time of a file, relative to its fastest size")
    axes.legend()


def draw_memory(lines: list[Line], axes: Axes) -> None:
    """The memory of one stream of each file in four codecs."""
    streams = {
        line["case"]: line["samples"] for line in lines if line["suite"] == "memory" and line["round"] == 0
    }
    for color, (name, samples) in zip(COLORS, streams.items(), strict=False):
        times = [seconds for seconds, _ in samples]
        axes.plot(times, [size / MEBIBYTE for _, size in samples], color=color, label=name)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("seconds")
    axes.set_ylabel("MiB")
    axes.set_title("Resident memory of a process that streams four files, two threads")
    axes.legend()


PLOTS = {
    "peers": (draw_peers, 6.5),
    "threads": (draw_threads, 5.5),
    "columns": (draw_columns, 3.5),
    "batches": (draw_batches, 3.5),
    "memory": (draw_memory, 3.5),
}


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, help="a results file of run.py")
    parser.add_argument("folder", type=Path, help="folder for the SVG files")
    arguments = parser.parse_args()
    lines = read(arguments.results)
    # Equal results give equal files.
    plt.rcParams.update({"svg.hashsalt": "arrowfeed", "axes.spines.top": False, "axes.spines.right": False})
    for name, (draw, height) in PLOTS.items():
        figure, axes = plt.subplots(figsize=(8, height), layout="constrained")
        draw(lines, axes)
        figure.savefig(arguments.folder / f"speed-{name}.svg", metadata={"Date": None})
        plt.close(figure)


if __name__ == "__main__":
    main()
