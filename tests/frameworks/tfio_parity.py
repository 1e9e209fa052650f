"""Runs tensorflow-io on the cases of `tfio_cases.py`.

`python tfio_parity.py DIRECTORY` in an environment with tensorflow-io (`make
tfio-results`) writes its results, a line for each case that it survives; `test_tfio_parity.py` compares
with them.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

from tfio_cases import cases, write

TRIES = 15
"""Runs of a case until three agree."""


def theirs():
    """The functions of tensorflow-io by name."""
    import tensorflow_io  # noqa: PLC0415
    from tensorflow_io.python.experimental.atds import dataset, features  # noqa: PLC0415

    columnar = tensorflow_io.experimental.columnar
    names = ("AvroRecordDataset", "parse_avro", "make_avro_record_dataset", "VarLenFeatureWithRank")
    api = {name: getattr(columnar, name) for name in names}
    api["ATDSDataset"] = dataset.ATDSDataset
    return api | {
        name: getattr(features, name) for name in ("DenseFeature", "SparseFeature", "VarlenFeature")
    }


def alone(case):
    """The result of a case in a separate process, which tensorflow-io may crash. None: crash or error."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as pipe:
            json.dump(case(), pipe)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    return json.loads(text) if status == 0 else None


def agreed(case):
    """The result on which three runs agree, because tensorflow-io sometimes returns uninitialised memory."""
    found = Counter()
    for _ in range(TRIES):
        result = alone(case)
        if result is not None:
            text = json.dumps(result)
            found[text] += 1
            if found[text] == 3:
                return result
    return None


def main():
    """Writes the results of tensorflow-io to standard output."""
    directory = Path(sys.argv[1])
    write(directory)
    for name, case in cases(theirs(), directory):
        result = agreed(case)
        sys.stderr.write(f"{name}: {'ended' if result is None else 'done'}\n")
        if result is not None:
            sys.stdout.write(json.dumps([name, result]) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
