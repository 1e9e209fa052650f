"""`python -m arrowfeed`: the command line, without the installed script."""

import sys

from arrowfeed.cli import main

sys.exit(main())
