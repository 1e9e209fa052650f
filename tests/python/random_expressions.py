"""Random expressions of a library whose expressions have the operators `& | ~`."""

import operator


def random_expression(rng, random_test, depth=0):
    """Joins random tests, which `random_test(rng)` makes, up to three levels deep."""
    kind = rng.randrange(5)
    if depth == 3 or kind < 2:
        return random_test(rng)
    if kind == 2:
        return ~random_expression(rng, random_test, depth + 1)
    join = operator.and_ if kind == 3 else operator.or_
    return join(
        random_expression(rng, random_test, depth + 1), random_expression(rng, random_test, depth + 1)
    )
