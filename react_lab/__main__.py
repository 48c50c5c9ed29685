"""Run the command line: python -m react_lab."""

import sys

from react_lab.cli import main

sys.exit(main())
