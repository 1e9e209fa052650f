"""A process whose threads decode while workers of `multiprocessing` iterate over the same dataset.

`life_cycle_worker.py FILE METHOD` prints the row counts of the workers, and how many workers found each.
"""

import multiprocessing
import sys
import threading

import arrowfeed as af
from arrowfeed.representations import Dense


def rows(dataset, number):
    """The rows of an epoch, in an order that depends on the worker."""
    options = {"batch_size": 100, "threads": 1 + number % 2, "shuffle_buffer_size": 300 * (number % 3)}
    if number % 4 == 3:
        return sum(len(batch["id"]) for batch in dataset.tensors(**options))
    return sum(batch.num_rows for batch in dataset.record_batches(**options))


def main(path, method):
    """Iterates in two threads until all workers are done."""
    dataset = af.AvroDataset([path] * 3, representations={"id": Dense("id")})
    stop, begun = threading.Event(), threading.Barrier(3)

    def iterate(shuffle_buffer_size):
        options = {"batch_size": 10, "threads": 2, "shuffle_buffer_size": shuffle_buffer_size}
        batches = dataset.tensors(epochs=None, **options)
        kept = [next(batches)]
        begun.wait()
        for batch in batches:
            kept[-20:] = [*kept[-20:], batch]
            if stop.is_set():
                return

    threads = [threading.Thread(target=iterate, args=(size,)) for size in (0, 300)]
    for thread in threads:
        thread.start()
    begun.wait()
    context = multiprocessing.get_context(method)
    # New processes for every few tasks: more forks while threads decode.
    with context.Pool(2, maxtasksperchild=2) as pool:
        found = pool.starmap(rows, [(dataset, number) for number in range(8)], chunksize=1)
        pool.close()
        pool.join()
    stop.set()
    for thread in threads:
        thread.join()
    sys.stdout.write(f"{sorted(set(found))} {len(found)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
