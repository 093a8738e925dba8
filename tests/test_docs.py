"""What the documents name exists: files, commands, settings, packages, links."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import lock_requirements
import pytest
from django.conf import settings
from django.core.management import get_commands

from orders.stripe.webhook_kinds import WEBHOOK_KINDS

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
FOLDERS = (
    *("shop", "catalog", "orders", "accounts", "blog", "frontend_islands", "templates", "static", "locale"),
    *("tests", "scripts", "docs"),
)
# Made by a run, and therefore in no checkout.
MADE = ("static/build",)


def code_of(document: Path) -> Iterator[str]:
    """What stands in backticks and in blocks of code."""
    text = document.read_text(encoding="utf-8")
    blocks = re.findall(r"```\w*\n(.*?)```", text, re.DOTALL)
    yield from (line for block in blocks for line in block.splitlines())
    yield from re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def named(document: Path, pattern: str) -> set[str]:
    return {found for code in code_of(document) for found in re.findall(pattern, code)}


each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))


@each_document
def test_links_lead_to_files_and_headings(document: Path):
    prose = re.sub(r"```.*?```|`[^`\n]+`", "", document.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\((?!https?:|mailto:)([^)\s]+)\)", prose):
        path, _hash, heading = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        assert file.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in {
                re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles
            }, target


@each_document
def test_files_and_folders_exist(document: Path):
    starts = "|".join(FOLDERS)
    for name in named(document, rf"(?<![\w./-])((?:{starts})/[\w./<>*{{}}-]*)"):
        if name.startswith(MADE) or re.search(r"[<>{}]", name):
            continue
        assert list(ROOT.glob(name.rstrip("./"))), name


@each_document
def test_commands_exist(document: Path):
    scripts = json.loads((ROOT / "package.json").read_text())["scripts"]
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named(document, r"manage\.py ([a-z_]+)") <= set(get_commands())
    assert named(document, r"npm run ([\w:]+)") <= set(scripts)
    assert named(document, r"(?:^|[ ;&])make ([a-z]+)") <= targets


@each_document
def test_settings_exist(document: Path):
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    # What the project's own scripts read, apart from the settings of the shop.
    scripts = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "scripts").glob("*.py"))
    for name in named(document, r"(?<![\w*:])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w*])"):
        assert hasattr(settings, name) or f"#{name}=" in example or name in scripts, name


def test_decorators_exist():
    code = [path.read_text(encoding="utf-8") for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    defined = set(re.findall(r"^def (\w+)\(", "\n".join(code), re.MULTILINE))
    assert {name for document in DOCUMENTS for name in named(document, r"@(\w+)\(")} <= defined


def test_the_operator_asks_stripe_for_the_events_that_the_shop_acts_on():
    kinds = named(
        ROOT / "docs/operator.md",
        r"^(?:charge|checkout\.session|payment_intent|refund|setup_intent)\.[\w.]+$",
    )
    assert kinds == set(WEBHOOK_KINDS)
    # What one call of Stripe's list of events takes.
    assert len(WEBHOOK_KINDS) <= 20


def test_every_package_has_its_line_and_every_line_its_package():
    listed = json.loads((ROOT / "package.json").read_text())
    pinned = {
        lock_requirements.name_of(line)
        for name in lock_requirements.FILES
        for line in lock_requirements.direct_lines((ROOT / name).read_text())
        if lock_requirements.name_of(line)
    } | {*listed["dependencies"], *listed["devDependencies"]}
    rows = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/dependencies.md").read_text(), re.MULTILINE)
    explained = {
        name.lower().replace("_", "-")
        for row in rows
        if row not in ("Package", "---")
        for name in row.split(", ")
    }
    assert explained == pinned
