"""The program that test_dataset_kill kills: resumes from its last saved state, and appends rows to a file.

`dataset_worker.py FOLDER OPTIONS FILE...` starts a process for each line of its input. After the line `work`,
the process saves its state and waits after each batch. After the line `finish`, it does neither. A process
prints its number and some words, and the program then prints its exit code. The processes are forks of the
program, which never opens a file: the program imports the libraries once for all of them.
"""

import json
import os
import sys
import time
from pathlib import Path

import arrowfeed as af
from law_sources import flat_ids


def main():
    """Starts one process after the other."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            tell(f"process {os.getpid()}")
            iterate(Path(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3:], works=line == "work\n")
            return
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        tell(f"code {code}")


def iterate(folder, options, files, *, works):
    """Iterates to the end, or until it is killed."""
    batches = af.open_dataset(files, columns=["id"]).record_batches(**options)
    with (folder / "ids").open("r+b") as given:
        saved = folder / "state.json"
        stand = json.loads(saved.read_text()) if saved.exists() else {"bytes": 0}
        if "state" in stand:
            batches.load_state_dict(stand["state"])
        # Rows that were appended after the state are read again.
        given.truncate(stand["bytes"])
        given.seek(0, os.SEEK_END)
        tell("begun")
        for batch in batches:
            numbers = flat_ids(batch)
            given.write("".join(f"{number}\n" for number in numbers).encode())
            given.flush()
            if works:
                save(saved, {"state": batches.state_dict(), "bytes": given.tell()})
                tell("going")
                # Simulates the work on a batch.
                time.sleep(0.002)


def tell(text):
    """Reports the progress to the test."""
    os.write(1, f"{text}\n".encode())


def save(path, stand):
    """Writes the file atomically."""
    written = path.with_suffix(".new")
    written.write_text(json.dumps(stand))
    written.replace(path)


main()
