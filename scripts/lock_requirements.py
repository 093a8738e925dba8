#!/usr/bin/env python
"""Lock the Python packages: what the first part of a requirements file names, with all that it needs, by hash.

    python scripts/lock_requirements.py

A requirements file has two parts, divided by `DIVIDER`. The first one is written by hand, a line a package
(`django==5.2.19`); this adds the hashes of every file of that version, and writes the second part: what those packages
need themselves. Versions of the second part stay as they are where they still fit. Files hold no address of an index.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".venv" / "bin" / "uv"
PYTHON_VERSION = "3.11"
# In this order: each builds on those before it, whose versions it may not change.
FILES = ("requirements.txt", "requirements-tracing.txt", "requirements-dev.txt")
DIVIDER = "# --- What those need, written by scripts/lock_requirements.py"

_HASHES = re.compile(r"(?: \\)?\n    --hash=\S+")


def without_hashes(text: str) -> str:
    return _HASHES.sub("", text)


def direct_lines(text: str) -> list[str]:
    """Return the lines of the first part, without hashes: comments, `-r` and packages."""
    return without_hashes(text.partition(DIVIDER)[0]).strip().splitlines()


def name_of(line: str) -> str:
    """Return the name of a pinned package as indexes compare it; "" for any other line."""
    found = re.match(r"([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?==", line)
    return re.sub(r"[-_.]+", "-", found[1]).lower() if found else ""


def locked_packages(text: str) -> dict[str, str]:
    """Return every package of a file by its name, as it stands there: its line with the hashes below it, or several of
    them where versions of Python need different ones."""
    found: dict[str, list[str]] = {}
    for block in re.split(r"\n(?=[A-Za-z0-9#-])", text):
        if name := name_of(block):
            found.setdefault(name, []).append(block.strip())
    return {name: "\n".join(blocks) for name, blocks in found.items()}


def lock(name: str, earlier: dict[str, str]) -> dict[str, str]:
    """Write one file; return the packages of it and of those before it.

    :raises subprocess.CalledProcessError: versions contradict each other, or the index is not reached.
    """
    path = ROOT / name
    text = path.read_text(encoding="utf-8")
    direct = direct_lines(text)
    with tempfile.TemporaryDirectory(prefix="shop-lock-") as folder:
        wanted, bounds, result = (Path(folder) / part for part in ("wanted.in", "bounds.txt", "result.txt"))
        wanted.write_text("\n".join(line for line in direct if not line.startswith("-r")) + "\n")
        # Extras have no place in a constraint.
        bounds.write_text(
            "\n".join(re.sub(r"\[[^\]]*\]", "", without_hashes(block)) for block in earlier.values()) + "\n"
        )
        # An output that exists is what uv keeps to where it can.
        result.write_text(without_hashes("\n".join(locked_packages(text).values())) + "\n")
        command = [str(UV), "pip", "compile", str(wanted), "--constraint", str(bounds), "-o", str(result)]
        options = ["--universal", "--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url"]
        options += [
            "--no-emit-find-links",
            "--no-strip-extras",
            "--python-version",
            PYTHON_VERSION,
            "--quiet",
        ]
        subprocess.run([*command, *options], cwd=ROOT, check=True)
        found = locked_packages(result.read_text(encoding="utf-8"))
    named = {name_of(line) for line in direct}
    first = [found[name_of(line)] if name_of(line) else line for line in direct]
    rest = [block for each, block in sorted(found.items()) if each not in named | earlier.keys()]
    path.write_text("\n".join([*first, "", DIVIDER, *rest]) + "\n", encoding="utf-8")
    return {**earlier, **found}


def main() -> int:
    earlier: dict[str, str] = {}
    try:
        for name in FILES:
            earlier = lock(name, earlier)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"{name} could not be locked: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
