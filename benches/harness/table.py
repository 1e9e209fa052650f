"""Markdown tables and the figures in them."""

from harness.rounds import Failure, Outcome


def show(title: str, headers: list[str], rows: list[list[str]]) -> None:
    """Prints a table with a title, or nothing if there are no rows."""
    if not rows:
        return
    lines = [headers, ["---"] * len(headers), *rows]
    print(f"\n## {title}\n")
    print("\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)


def milliseconds(outcome: Outcome) -> str:
    """The median, and the range over all rounds."""
    if isinstance(outcome, Failure):
        return "failed"
    low, high = min(outcome.seconds), max(outcome.seconds)
    return f"{_figure(outcome.median)} ({_figure(low)}..{_figure(high)})"


def times(ratio: float | None) -> str:
    """A ratio, or a dash if there is none."""
    return "-" if ratio is None else f"{ratio:.2f}"


def met(passed: bool | None) -> str:
    """Whether a bar is met; a dash if it was not measured."""
    if passed is None:
        return "-"
    return "yes" if passed else "**no**"


def at_least(ratio: float | None, bar: float) -> str:
    """Whether a ratio reaches a bar."""
    return met(None if ratio is None else ratio >= bar)


def at_most(ratio: float | None, bar: float) -> str:
    """Whether a ratio stays within a bar."""
    return met(None if ratio is None else ratio <= bar)


def _figure(seconds: float) -> str:
    value = seconds * 1000
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}"
