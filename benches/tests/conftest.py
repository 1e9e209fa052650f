"""Path setup, so that the tests import the scripts in the same way as the scripts import each other."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
