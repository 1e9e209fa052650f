"""What test_dataset_kill kills: goes on from its last saved state, and appends what it is given to a file.

python dataset_worker.py FOLDER OPTIONS FILE...
"""

import json
import os
import sys
import time
from pathlib import Path

import arrowfeed as af
from law_sources import flat_ids


def main():
    """Iterates to the end, or until it is killed."""
    folder, options, files = Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:]
    batches = af.open_dataset(files, columns=["id"]).record_batches(**options)
    with (folder / "ids").open("r+b") as given:
        saved = folder / "state.json"
        if saved.exists():
            stand = json.loads(saved.read_text())
            batches.load_state_dict(stand["state"])
            # What was appended after the state comes again.
            given.truncate(stand["bytes"])
        given.seek(0, os.SEEK_END)
        tell("begun")
        for batch in batches:
            numbers = flat_ids(batch)
            given.write("".join(f"{number}\n" for number in numbers).encode())
            given.flush()
            save(saved, {"state": batches.state_dict(), "bytes": given.tell()})
            tell("going")
            # The work that a batch is for.
            time.sleep(0.002)
    tell("end")


def tell(word):
    """Says to the test where it is."""
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def save(path, stand):
    """Writes all or nothing."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps(stand))
    written.replace(path)


main()
