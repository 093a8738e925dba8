#!/usr/bin/env python
"""Ask the advisory services of PyPI and npm about every locked package.

A known advisory fails, unless `accepted-advisories.txt` accepts it until a later day. A service that can't be reached
fails nothing, and is named: without a network nobody can tell.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import lock_requirements

ROOT = Path(__file__).resolve().parent.parent
PIP_AUDIT = ROOT / ".venv" / "bin" / "pip-audit"
ACCEPTED = ROOT / "accepted-advisories.txt"
NPM_LOCK = "package-lock.json"
# For each answer, and for a whole service.
ANSWER_SECONDS = 3
SERVICE_SECONDS = 8

_LINE = re.compile(r"(\S+)\s+(\d{4}-\d{2}-\d{2})\s+(\S.*)")


class BadLineError(ValueError):
    """A line of accepted advisories is not of the form `identifier day reason`."""


@dataclass(frozen=True, slots=True)
class Advisory:
    """What is known about one package. Names of the same advisory stand beside each other."""

    package: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a service said of a file: how many packages it knew, and those that it said nothing about."""

    service: str
    audited: int = 0
    advisories: list[Advisory] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    failure: str = ""
    file: str = ""


def accepted_advisories(text: str) -> dict[str, date]:
    """Return until when each identifier is accepted. Raises BadLineError."""
    found = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        parts = _LINE.fullmatch(line.strip())
        if parts is None:
            raise BadLineError(f"accepted-advisories.txt: not “identifier day reason”: {line}")
        found[parts[1]] = date.fromisoformat(parts[2])
    return found


def read_pip_audit(output: str) -> Answer:
    """Read pip-audit's report. It calls a package « skipped » when its service did not answer for it."""
    rows: list[dict[str, Any]] = json.loads(output)["dependencies"]
    advisories = [
        Advisory(f"{row['name']} {row['version']}", (each["id"], *each["aliases"]))
        for row in rows
        for each in row.get("vulns", [])
    ]
    unknown = [row["name"] for row in rows if "skip_reason" in row]
    return Answer("PyPI", len(rows) - len(unknown), advisories, unknown)


def read_npm_audit(output: str) -> Answer:
    """Read the report of `npm audit --json`."""
    report: dict[str, Any] = json.loads(output)
    if "vulnerabilities" not in report:
        return Answer("npm", failure=str(report.get("message") or report.get("statusCode") or "no report"))
    advisories = {
        Advisory(each["name"], (each["url"].rpartition("/")[2],))
        for row in report["vulnerabilities"].values()
        for each in row["via"]
        if isinstance(each, dict)
    }
    total = report["metadata"]["dependencies"]["total"]
    return Answer("npm", total, sorted(advisories, key=lambda advisory: (advisory.package, advisory.names)))


def run(command: list[str]) -> str:
    """Return what a command printed; its status says only what its report says. Raises OSError, TimeoutExpired."""
    ended = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=SERVICE_SECONDS
    )
    return ended.stdout


def ask_pypi(name: str) -> Answer:
    """Ask about every package of one requirements file: the service is asked for one after the other."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as wanted:
        text = (ROOT / name).read_text(encoding="utf-8")
        blocks = lock_requirements.locked_packages(text).values()
        wanted.writelines(lock_requirements.without_hashes(block) + "\n" for block in blocks)
        wanted.flush()
        options = ["--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json"]
        return read_pip_audit(
            run([str(PIP_AUDIT), "-r", wanted.name, *options, "--timeout", str(ANSWER_SECONDS)])
        )


def ask_npm() -> Answer:
    """Ask about the lock file."""
    limits = [f"--fetch-timeout={ANSWER_SECONDS * 1000}", "--fetch-retries=0"]
    return read_npm_audit(run(["npm", "audit", "--json", *limits]))


def ask(name: str) -> Answer:
    """Ask about one file of versions; silence, and whatever is no report, is a failure of the answer."""
    service = "npm" if name == NPM_LOCK else "PyPI"
    try:
        answer = ask_npm() if name == NPM_LOCK else ask_pypi(name)
    except subprocess.TimeoutExpired:
        answer = Answer(service, failure=f"no answer within {SERVICE_SECONDS} s")
    except (OSError, ValueError, KeyError, TypeError) as error:
        answer = Answer(service, failure=f"no report ({type(error).__name__})")
    return replace(answer, file=name)


def judge(answers: list[Answer], accepted: dict[str, date], today: date) -> tuple[list[str], bool]:
    """Return the lines to print, and whether nothing is known against any package."""
    lines, passed = [], True
    for answer in answers:
        if answer.failure or not answer.audited:
            why = answer.failure or "it answered for no package"
            lines.append(
                f"NOT CHECKED: {answer.file}, the advisory service of {answer.service} was not reached: {why}."
            )
            continue
        lines.append(f"{answer.file}: {answer.audited} packages, {len(answer.advisories)} advisories.")
        if answer.unknown:
            lines.append(f"NOT CHECKED: {answer.service} did not know {', '.join(answer.unknown)}.")
        for advisory in answer.advisories:
            until = next((accepted[name] for name in advisory.names if name in accepted), None)
            names = " = ".join(advisory.names)
            if until is None:
                lines.append(f"{advisory.package}: {names}")
            elif until <= today:
                lines.append(f"{advisory.package}: {names}, accepted until {until}")
            passed = passed and until is not None and until > today
    return lines, passed


def main() -> int:
    try:
        accepted = accepted_advisories(ACCEPTED.read_text(encoding="utf-8"))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    files = (*lock_requirements.FILES, NPM_LOCK)
    with ThreadPoolExecutor(max_workers=len(files)) as pool:
        answers = list(pool.map(ask, files))
    lines, passed = judge(answers, accepted, datetime.now(tz=UTC).date())
    print("\n".join(lines))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
