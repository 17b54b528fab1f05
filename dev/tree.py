# SPDX-License-Identifier: Apache-2.0
"""What the checkers written in Python share: the tree that they look at, its files, and how they say what is wrong."""
import subprocess
import sys
from pathlib import Path

DEV = Path(__file__).resolve().parent


def tree_argument():
    """The tree to check: the only argument, or the one that this script lies in."""
    return Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else DEV.parent


def list_files(tree, *patterns):
    done = subprocess.run([DEV / "list-files", tree, *patterns], stdout=subprocess.PIPE, text=True, check=True)
    return [name for name in done.stdout.splitlines() if (tree / name).is_file()]


def finish(violations):
    """One line each; the exit status says whether there are any."""
    for line in violations:
        print(line)
    sys.exit(1 if violations else 0)
