"""Two ranks of `torch.distributed`, each a process."""

import multiprocessing

RANKS = 2


def of_ranks(rank, directory, *arguments):
    """The result that each rank puts into its queue.

    Args:
        rank: A function of a module, called with the number of the rank, the address of the group, the
            queue and the arguments.
        directory: Where the ranks meet.
        arguments: Passed on.
    """
    context = multiprocessing.get_context("spawn")
    results, meeting = context.Queue(), f"file://{directory / 'meeting'}"
    numbers = range(RANKS)
    ranks = [context.Process(target=rank, args=(n, meeting, results, *arguments)) for n in numbers]
    for process in ranks:
        process.start()
    given = [results.get(timeout=300) for _ in ranks]
    for process in ranks:
        process.join()
    return given
