#!/usr/bin/env python
"""Rules of the project that no linter knows: patterns that files may not contain, and words that were given up."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern that no file matching ``files`` may hold, unless its path matches ``except_in``."""

    reason: str
    pattern: re.Pattern[str]
    files: tuple[str, ...]
    except_in: tuple[str, ...] = ()
    # Whether the names of files may not match either.
    names: bool = False


@dataclass(frozen=True, slots=True)
class GivenUp:
    """A word that was given up, for what to say instead, and where its pattern is looked for."""

    word: str
    instead: str
    pattern: str
    files: tuple[str, ...] = ("*.py", "*.ts", "*.tsx", "*.mjs", "*.css", "*.html", "*.md", "*.toml")
    except_in: tuple[str, ...] = ()


PROSE = ("*.py", "*.md", "*.toml")
# The table in docs/glossary.md, word for word.
GIVEN_UP = (
    # The English of the pages is British, and one test reads it.
    GivenUp(
        "instalment",
        "installment",
        r"(?i)instalment",
        except_in=("orders/tests/test_payment_page.py",),
    ),
    GivenUp("thirds", "installments", r"(?i)(?<!two )(?:\b|_)thirds(?:\b|_)"),
    GivenUp(
        "canceled",
        "cancelled; `canceled` in quotes or as an attribute is Stripe's",
        r"\bCANCELED\b|(?<![\w.`'\"])canceled(?![\w`'\"])",
        ("*.py", "*.md"),
        ("orders/stripe_sandbox/*",),
    ),
    GivenUp(
        "Shelf, kept, pieces of a page",
        "fragment cache, `cached_fragment`; cached page",
        r"\bShelf\b|\{% *(?:end)?kept\b|(?:core|templatetags)[./]kept\b|\bfind_kept\b"
        r"|\bkept (?:page|piece)s?\b|\bpieces_of\b|\bPIECE_CACHE",
    ),
    GivenUp("kept()", "`cached_fragment()`", r"\bkept\(", ("*.py",), ("*/tests/*", "tests/*")),
    GivenUp(
        "wake, wake-up",
        "enqueue, `enqueue_after_commit`",
        r"\bwake(?:_\w+)?\(|core[./]wake\b|\bWAKE_|\bwake-ups?\b",
    ),
    GivenUp("print", "fingerprint", r"\bprint_of|\bprints? of (?:a|the)\b", PROSE),
    GivenUp("told", "reported, notified, or what it says", r"\btold_\w+|(?<!\w)_told\b", ("*.py", "*.html")),
    GivenUp("toise", "ruler, `size_ruler`", r"\btoise\b", ("*.py", "*.ts", "*.tsx", "*.css", "*.md")),
    GivenUp(
        "finding",
        "discrepancy",
        r"\bFinding[A-Z]\w*|\bFinding\b(?! [a-z])|\bfindings\b|\bfinding_\w+|\w+_findings?\b"
        r"|\b(?:a|the|each|every) finding\b",
        ("*.py", "*.html", "*.md"),
    ),
    GivenUp(
        "reserve_place, take_place", "`reserve_number`, `assign_number`", r"\b(?:reserve|take)_place\b", PROSE
    ),
    GivenUp("take_up", "`accept_case`", r"\btake_up\b", PROSE),
    GivenUp("restate", "`recompute_state`", r"\brestate\b", PROSE),
    GivenUp("try_again", "`retry`", r"\b_?try_again\b", ("*.py", "*.html")),
    GivenUp("door", "entry point, endpoint, view", r"(?i)\bdoors?\b", PROSE),
    GivenUp(
        "house, room",
        "project, package, app",
        r"(?i)\bhouse\b|\brooms\b|\b(?:a|one|each|every|this|its) room\b",
        PROSE,
    ),
    GivenUp(
        "bank, desk, crowd, giving_back (in tests)",
        "`fake_stripe`, `staff_client`, `run_concurrently`, `refunding`",
        r"tests[./]bank\b|\btests import bank\b|\bdef bank\(|\bdesk\b|\bcrowd\b|\bgiving_back\b",
        ("*.py",),
    ),
    GivenUp(
        "`--primer`, `--resin`, `--mat`, `--pot`, `--amber`, `--vermilion`, `--tape`, `--ink`",
        "a name by role: `--surface-…`, `--text`, `--accent`",
        r"--(?:primer|resin|mat|pot|amber|vermilion|tape|ink)(?![a-z])",
        ("*.css", "*.ts", "*.tsx", "*.html", "*.md", "*.py"),
    ),
)
# What visitors read, and the list itself.
NO_WORDS_IN = ("docs/glossary.md", "shop/pages/texts/*", "blog/demo/*", "catalog/demo/*")

RULES = (
    *(
        Rule(
            f"“{given_up.word}” was given up: {given_up.instead}",
            re.compile(given_up.pattern),
            given_up.files,
            (*NO_WORDS_IN, *given_up.except_in),
            names=True,
        )
        for given_up in GIVEN_UP
    ),
    Rule(
        "colours have names: a raw one belongs in tokens.css",
        re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b(?![-\w])|\b(?:rgb|hsl|oklch)a?\("),
        ("frontend_islands/*.css", "frontend_islands/*.tsx"),
        ("frontend_islands/styles/tokens.css", "frontend_islands/styles/staff/dark.css"),
    ),
    Rule(
        "the Content-Security-Policy allows no inline style",
        re.compile(r"<style\b|\sstyle\s*=\s*[\"'{]"),
        ("*.html",),
        # Mail programs know nothing else; the page of an archive is a file that reads alone.
        ("templates/mail/*", "templates/pages/data_export.html"),
    ),
    Rule(
        "the Content-Security-Policy allows no inline script",
        re.compile(r"<script\b(?![^>]*\bsrc=)(?![^>]*\btype=[\"']application/(?:ld\+)?json)"),
        ("*.html",),
    ),
    Rule(
        "the Content-Security-Policy allows no handler in an attribute",
        re.compile(r"<[^>{%]*\son[a-z]{3,}\s*=\s*[\"']"),
        ("*.html",),
    ),
    Rule(
        "text becomes markup only where it was escaped or cleaned before",
        re.compile(r"\bmark_safe\(|\|\s*safe\b|\{%\s*autoescape off|dangerouslySetInnerHTML|\.innerHTML\s*="),
        ("*.py", "*.html", "*.tsx", "*.ts"),
        (
            "shop/core/templatetags/*",
            # A page that a template rendered just before.
            "shop/core/errors.py",
            # Sanitised by nh3 just before.
            "blog/markup.py",
            "catalog/markup.py",
            "frontend_islands/staff/article/preview.tsx",
            # The server's own fragment, escaped there.
            "frontend_islands/*fragment*.ts",
            "templates/mail/*.txt",
            # The server's own answer, escaped by its templates.
            "frontend_islands/lib/fragment.ts",
            "frontend_islands/*.test.ts*",
            "frontend_islands/testing/*",
        ),
    ),
    Rule(
        "only what carries no session may go without a CSRF token",
        re.compile(r"^@csrf_exempt", re.MULTILINE),
        ("*.py",),
        (
            "orders/views/webhook.py",
            "shop/core/api.py",
            "shop/statistics/views.py",
            # Forms on pages that are the same for everybody, and links of mails: their own words say why.
            "blog/newsletter_views.py",
            "catalog/views/notices.py",
            "orders/views/withdrawals.py",
        ),
    ),
    Rule(
        "a text to translate is no part of an f-string: no catalogue would have it",
        re.compile(r"""\bf(["'])(?:(?!\1).)*\{[^{}]*?(?<!\w)(?:_|n?p?gettext(?:_lazy)?)\("""),
        ("*.py",),
        ("*/tests/*", "tests/*"),
    ),
    Rule(
        "French wants a no-break space here, as scripts/messages.py asks of what is translated",
        re.compile(r"(?<=[^\W_]|[)>}»\xa0]) [:;!?»](?=[\s<\"',.)]|$)|« |\bn° | · ", re.MULTILINE),
        (
            "templates/staff/*.html",
            "templates/mailbox/*.html",
            "frontend_islands/staff/*words.json",
            "shop/pages/texts/*/fr.json",
            "shop/pages/texts/*/fr.md",
        ),
    ),
    Rule(
        "payments are called through orders/stripe/gateway.py and its stripe_api.py",
        re.compile(r"^\s*(?:import|from) stripe\b", re.MULTILINE),
        ("*.py",),
        (
            "orders/stripe/gateway.py",
            "orders/stripe/provider_objects.py",
            "orders/stripe/stripe_api.py",
            "orders/stripe/webhook_calls.py",
            "orders/stripe_sandbox/*",
            "*/tests/*",
            "tests/*",
        ),
    ),
    Rule(
        "what two files of tests share is in a module beside them",
        re.compile(r"^\s*from [\w.]*\btest_\w+ import\b", re.MULTILINE),
        ("*.py",),
    ),
    Rule(
        "the status of an order and its dates are written by orders/services/status/transitions.py alone",
        re.compile(
            r"^\s*(?:[\w.]+, )*order\.(?:status|paid_at|shipped_at|delivered_at|cancelled_at|status_before_closing)"
            r"(?:, [\w.]+)* = "
            r"|\bOrder\.objects\b[^\n]*\.(?:update|create|get_or_create|update_or_create)\((?:[^()]|\([^()]*\))*?"
            r"\b(?:status|paid_at|shipped_at|delivered_at|cancelled_at)=",
            re.MULTILINE,
        ),
        ("*.py",),
        ("orders/services/status/transitions.py", "*/migrations/*", "*/tests/*", "tests/*", "conftest.py"),
    ),
)
# A module is named for what is in it.
NAMELESS = {"utils.py", "helpers.py", "common.py", "misc.py", "signals.py", "utils.ts", "helpers.ts"}
# How long a file may be. Migrations and the API's types are generated.
MOST_LINES = 400
MEASURED = ("*.py", "*.ts", "*.tsx", "*.mjs", "*.css")
NOT_MEASURED = ("*/migrations/*", "frontend_islands/api/schema.d.ts")
NOT_OURS = ("scripts/source_rules.py", "tests/test_source_rules.py")


def tracked_files() -> list[str]:
    """Files of the project: committed, or new and not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [name for name in listing.splitlines() if name not in NOT_OURS and (ROOT / name).is_file()]


def broken_rules(root: Path, names: list[str]) -> Iterator[str]:
    """Every breach, as ``file:line: reason``."""
    for name in names:
        if Path(name).name in NAMELESS:
            yield f"{name}: name the file for what is in it"
        rules = [
            rule
            for rule in RULES
            if any(fnmatch(name, files) for files in rule.files)
            and not any(fnmatch(name, files) for files in rule.except_in)
        ]
        if not rules and not _is_measured(name):
            continue
        text = (root / name).read_text(encoding="utf-8")
        if _is_measured(name) and (lines := text.count("\n")) > MOST_LINES:
            yield f"{name}: split it by use case or subject: {lines} lines of {MOST_LINES} at most"
        for rule in rules:
            if rule.names and (found_in_name := rule.pattern.search(name)):
                yield f"{name}: {rule.reason}: {found_in_name.group()}"
            for found in rule.pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{name}:{line}: {rule.reason}: {found.group().strip()}"


def _is_measured(name: str) -> bool:
    return any(fnmatch(name, files) for files in MEASURED) and not any(
        fnmatch(name, files) for files in NOT_MEASURED
    )


def main() -> int:
    breaches = list(broken_rules(ROOT, tracked_files()))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
