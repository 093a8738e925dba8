"""Install and build what is missing or has changed, and nothing else.

Runs on the machine's own Python with the standard library alone, for the environment that it makes does
not exist yet. What each step depends on is hashed into a stamp beside its result, so a second run costs
a fraction of a second and a changed requirement is never forgotten.

    python scripts/prepare.py run    what the shop needs to start
    python scripts/prepare.py test   the same, plus what checks and tests need
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
MODULES = ROOT / "node_modules"
BUILD = ROOT / "static" / "build"
REQUIREMENTS = {"run": ["requirements.txt"], "test": ["requirements.txt", "requirements-dev.txt"]}
# The second one includes this.
TRACING = "requirements-tracing.txt"
BUILD_SOURCES = ("frontend_islands", "package.json", "package-lock.json", "tsconfig.json")


class StepError(Exception):
    """A step failed; the message is one sentence for whoever typed ``make``."""


def digest(paths: Iterable[Path], *extra: str) -> str:
    """Return a hash of the names and contents of files (folders are walked), and of anything else that counts."""
    total = hashlib.sha256("\0".join(extra).encode())
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file():
                total.update(str(file.relative_to(ROOT)).encode())
                total.update(file.read_bytes())
    return total.hexdigest()


def is_current(stamp: Path, value: str) -> bool:
    return stamp.is_file() and stamp.read_text() == value


def run(step: str, command: list[str], failure: str) -> None:
    """Announce and run one command.

    :raises StepError: it did not end well.
    """
    print(f"• {step}", flush=True)
    try:
        subprocess.run(command, cwd=ROOT, check=True, env=environment())
    except (OSError, subprocess.CalledProcessError) as error:
        raise StepError(failure) from error


def environment() -> dict[str, str]:
    """Return the caller's environment, with the named Node (if any) before the PATH's."""
    node = shutil.which(os.environ.get("NODE") or "node")
    values = dict(os.environ)
    if node:
        values["PATH"] = f"{Path(node).parent}{os.pathsep}{values.get('PATH', '')}"
    return values


def prepare_python(kind: str) -> None:
    """The virtual environment with the pinned packages."""
    if not works(PYTHON):
        print("• Python environment in .venv", flush=True)
        venv.create(VENV, with_pip=True, clear=True, symlinks=True)
    wanted = digest([ROOT / name for name in (*REQUIREMENTS["test"], TRACING)], version_of(str(PYTHON)))
    # What tests need holds what running needs: either stamp will do to run.
    stamps = [VENV / f".installed-{name}" for name in ("test", kind)]
    if any(is_current(stamp, wanted) for stamp in stamps[: 2 if kind == "run" else 1]):
        return
    listed = [part for name in REQUIREMENTS[kind] for part in ("-r", name)]
    options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--require-hashes"]
    run(
        "Python packages",
        [str(PYTHON), "-m", "pip", "install", *options, *listed],
        "The Python packages could not be installed: see pip's message above (is the network reachable?).",
    )
    (VENV / f".installed-{kind}").write_text(wanted)


def version_of(program: str) -> str:
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout


def works(python: Path) -> bool:
    """Return whether the environment's Python starts (it does not once the folder was moved or Python removed)."""
    try:
        return subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def prepare_node() -> None:
    """The Node packages of the lock file, and the bundles when their sources changed."""
    wanted = digest([ROOT / "package-lock.json"], version_of(os.environ.get("NODE") or "node"))
    if not is_current(MODULES / ".installed", wanted):
        run(
            "Node packages",
            ["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"],
            "The Node packages could not be installed: see npm's message above (is the network reachable?).",
        )
        (MODULES / ".installed").write_text(wanted)
    wanted = digest([ROOT / name for name in BUILD_SOURCES])
    if not (BUILD / "manifest.json").is_file() or not is_current(BUILD / ".built", wanted):
        run(
            "Scripts and styles",
            ["npm", "run", "--silent", "build"],
            "The scripts and styles could not be built: see the message above.",
        )
        (BUILD / ".built").write_text(wanted)


def prepare_messages() -> None:
    run(
        "Translations",
        [str(PYTHON), "scripts/messages.py", "compile"],
        "The translations could not be compiled: see the message above.",
    )


def main() -> int:
    kind = sys.argv[1] if len(sys.argv) > 1 else "run"
    if kind not in REQUIREMENTS:
        print(f"Unknown: {kind}. Say run or test.", file=sys.stderr)
        return 2
    try:
        # Each waits for the network for most of its time.
        with ThreadPoolExecutor() as pool:
            python, node = pool.submit(prepare_python, kind), pool.submit(prepare_node)
        python.result()
        node.result()
        prepare_messages()
    except StepError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
