"""The program that `test_resume_kill.py` kills: resumes from its last saved state, and appends rows.

`python resuming.py JSON`, an object with `folder`, `urls`, `dataset` (its options) and `iteration`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import arrowfeed as af
from rows import ids


def main() -> None:
    """Iterate to the end, or until this process is killed."""
    given = json.loads(sys.argv[1])
    folder = Path(given["folder"])
    batches = af.AvroDataset(given["urls"], **given["dataset"]).record_batches(**given["iteration"])
    with (folder / "ids").open("r+b") as written:
        saved, length = folder / "state.json", 0
        if saved.exists():
            stand = json.loads(saved.read_text())
            batches.load_state_dict(stand["state"])
            length = stand["bytes"]
        # Rows that were appended after the state are read again.
        written.truncate(length)
        written.seek(0, os.SEEK_END)
        print("begun", flush=True)
        for batch in batches:
            written.write("".join(f"{number}\n" for number in ids([batch])).encode())
            written.flush()
            save(saved, {"state": batches.state_dict(), "bytes": written.tell()})
            print("going", flush=True)
            # Simulates the work on a batch.
            time.sleep(0.002)
    print("end", flush=True)


def save(path: Path, stand: dict[str, Any]) -> None:
    """Writes the file atomically."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps(stand))
    written.replace(path)


main()
