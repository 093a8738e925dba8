#!/usr/bin/env python
"""Every check, in a fixed order; all run, and what failed is listed at the end."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
PYTHON = str(BIN / "python")
PACKAGES = ("shop", "catalog", "orders", "accounts", "blog", "scripts", "manage.py")
API = ROOT / "frontend_islands" / "api"

SHOWN_LINES = 60

PRODUCTION = {
    "DEBUG": "false",
    "SECRET_KEY": "checks-run-with-this-one-0123456789-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "ALLOWED_HOSTS": "shop.example",
    "SITE_URL": "https://shop.example",
    "EMAIL_URL": "smtp+tls://user:password@mail.example:587",
    "STRIPE_SECRET_KEY": "sk_live_checks",
    "STRIPE_WEBHOOK_SECRET": "whsec_checks",
    "STRIPE_API_BASE": "",
    "TRUSTED_PROXIES": "1",
    "DEFAULT_FROM_EMAIL": "boutique@shop.example",
    "BACKUP_URL": "/srv/shop-backup",
    "BACKUP_RECIPIENTS": "age1rn0q7wtg07uasu4nfp5znmrh9pgfnm8fkj47xhcg5jrxfgxvjdds5j2s6w",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One check: commands run one after the other, the first that fails ends it.

    `shows_output`: what it printed is shown when it passed, too.
    """

    name: str
    commands: list[list[str]]
    environment: dict[str, str] = field(default_factory=dict)
    shows_output: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a step ended."""

    step: Step
    passed: bool
    seconds: float
    output: str


def django(*arguments: str) -> list[str]:
    return [PYTHON, "manage.py", *arguments]


def steps(scratch: Path) -> list[Step]:
    """Return the checks, from the cheapest to the dearest; ``scratch`` is a folder that is thrown away."""
    fresh_schema, fresh_types = str(scratch / "schema.json"), str(scratch / "schema.d.ts")
    data = {"DATA_DIR": str(scratch / "data")}
    return [
        Step("format", [[str(BIN / "ruff"), "format", "--check", "."]]),
        Step("lint", [[str(BIN / "ruff"), "check", "."]]),
        Step("source rules", [[PYTHON, "scripts/source_rules.py"]]),
        Step("types", [[str(BIN / "mypy"), *PACKAGES]]),
        Step("layers", [[str(BIN / "lint-imports")]]),
        Step("migrations", [django("makemigrations", "--check", "--dry-run")], data),
        Step("migrations under load", [[PYTHON, "scripts/migration_rules.py"]], data),
        Step("translations", [[PYTHON, "scripts/messages.py", "check"]]),
        Step(
            "production settings",
            [django("check", "--deploy", "--fail-level", "WARNING")],
            {**data, **PRODUCTION},
        ),
        Step(
            "API schema",
            [
                django(
                    "spectacular",
                    "--format",
                    "openapi-json",
                    "--validate",
                    "--fail-on-warn",
                    "--file",
                    fresh_schema,
                ),
                ["diff", "-u", str(API / "schema.json"), fresh_schema],
                ["npx", "openapi-typescript", fresh_schema, "-o", fresh_types],
                ["diff", "-u", str(API / "schema.d.ts"), fresh_types],
            ],
            data,
        ),
        Step("advisories", [[PYTHON, "scripts/audit_dependencies.py"]], shows_output=True),
        Step("scripts and styles: lint", [["npm", "run", "--silent", "lint"]]),
        Step("scripts: types", [["npm", "run", "--silent", "typecheck"]]),
        Step("scripts: translations", [["npm", "run", "--silent", "check:i18n"]]),
        Step("scripts and styles: weights", [["npm", "run", "--silent", "check:size"]]),
    ]


def run_step(step: Step) -> Outcome:
    started = monotonic()
    output = ""
    passed = True
    for command in step.commands:
        try:
            ended = subprocess.run(
                command,
                cwd=ROOT,
                env={**os.environ, **step.environment},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            output += f"{command[0]}: {error.strerror}\n"
            passed = False
            break
        output += ended.stdout
        if ended.returncode:
            passed = False
            break
    return Outcome(step, passed, monotonic() - started, output)


def shortened(output: str) -> str:
    """Return the first lines of a failed step's output, indented: the rest is had by running the step alone."""
    lines = output.strip().splitlines()
    shown = [f"    {line}" for line in lines[:SHOWN_LINES]]
    if len(lines) > SHOWN_LINES:
        shown.append(f"    … and {len(lines) - SHOWN_LINES} more lines")
    return "\n".join(shown)


def run_steps(chosen: Iterable[Step]) -> list[Outcome]:
    """Run steps two at a time and print each, in order, when it is done."""
    outcomes = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for outcome in pool.map(run_step, chosen):
            mark = "✓" if outcome.passed else "✗"
            print(f"{mark} {outcome.step.name:30}{outcome.seconds:6.1f} s", flush=True)
            if not outcome.passed or outcome.step.shows_output:
                print(shortened(outcome.output), flush=True)
            outcomes.append(outcome)
    return outcomes


def run_checks() -> tuple[int, list[str]]:
    """Run every check: how many passed, and the names of those that failed."""
    with tempfile.TemporaryDirectory(prefix="shop-checks-") as scratch:
        outcomes = run_steps(steps(Path(scratch)))
    failed = [outcome.step.name for outcome in outcomes if not outcome.passed]
    return len(outcomes) - len(failed), failed


def main() -> int:
    passed, failed = run_checks()
    print()
    if failed:
        print(f"{len(failed)} of {passed + len(failed)} checks failed: {', '.join(failed)}.")
        return 1
    print(f"All {passed} checks passed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
