"""Properties of shuffles: each row once, better mixing than block sampling, near perfect in large buffers."""

import itertools

import pytest

from shuffle_quality import table

ROWS, BATCH, BLOCK = 20_000, 64, 100


@pytest.fixture(scope="module")
def lines():
    """The figures by buffer size and shuffle."""
    return {
        (buffer, name): figures for _, buffer, name, *figures in table(ROWS, BATCH, (BLOCK,), (1000, 10_000))
    }


@pytest.mark.parametrize("buffer", [1000, 10_000])
def test_rows_are_mixed_better_than_by_block_sampling(lines, buffer):
    ours, sampled = lines[buffer, "arrowfeed"], lines[buffer, "ATDS"]
    assert ours[0] > sampled[0], "rows move farther"
    for one, other in itertools.islice(zip(ours, sampled, strict=True), 1, None):
        assert one < other / 2


def test_rows_move_as_far_as_in_a_perfect_shuffle(lines):
    for buffer in (1000, 10_000):
        assert lines[buffer, "arrowfeed"][0] == pytest.approx(1 / 3, abs=0.03)


def test_a_buffer_of_many_blocks_is_near_a_perfect_shuffle(lines):
    _, together, correlation, spread = lines[10_000, "arrowfeed"]
    # With a hundred blocks in a window, one neighbour in a hundred comes from the same block.
    assert together < 0.02
    assert abs(correlation) < 0.03
    assert spread < 2
