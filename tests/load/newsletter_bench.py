"""A letter to 20,000 subscribers through two killed workers, on PostgreSQL: everybody gets it once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def main(people: str = "20000", kills: str = "2") -> int:
    environment = {**os.environ, "NEWSLETTER_PEOPLE": people, "NEWSLETTER_KILLS": kills}
    tests = ["postgres", "--", "tests/faults/test_newsletter_killed.py", "-s"]
    command = [sys.executable, "scripts/run_tests.py", *tests]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
