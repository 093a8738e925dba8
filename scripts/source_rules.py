#!/usr/bin/env python
"""House rules that no linter knows, each one a pattern: where it may not stand, and why."""

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


RULES = (
    Rule(
        "colours have names: a raw one belongs in tokens.css",
        re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})\b(?![-\w])"),
        ("frontend_islands/*.css", "frontend_islands/*.tsx"),
        ("frontend_islands/styles/tokens.css",),
    ),
    Rule(
        "the Content-Security-Policy allows no inline style",
        re.compile(r"<style\b|\sstyle\s*=\s*[\"'{]"),
        ("*.html",),
        # Mail programs know nothing else.
        ("templates/mail/*",),
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
            "shop/pages/markup.py",
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
            "orders/webhooks.py",
            "shop/core/api.py",
            # Forms on pages that are the same for everybody, and links of mails: their own words say why.
            "catalog/views/notices.py",
            "orders/withdrawal_views.py",
        ),
    ),
    Rule(
        "payments are called through orders/payments/gateway.py and its stripe_api.py",
        re.compile(r"^\s*(?:import|from) stripe\b", re.MULTILINE),
        ("*.py",),
        (
            "orders/payments/gateway.py",
            "orders/payments/provider_objects.py",
            "orders/payments/stripe_api.py",
            "orders/stripe_sandbox/*",
            "*/tests/*",
            "tests/*",
        ),
    ),
    Rule(
        "the status of an order and its dates are written by orders/services/transitions.py alone",
        re.compile(
            r"^\s*(?:[\w.]+, )*order\.(?:status|paid_at|shipped_at|delivered_at|cancelled_at|status_before_closing)"
            r"(?:, [\w.]+)* = "
            r"|\bOrder\.objects\b[^\n]*\.(?:update|create|get_or_create|update_or_create)\((?:[^()]|\([^()]*\))*?"
            r"\b(?:status|paid_at|shipped_at|delivered_at|cancelled_at)=",
            re.MULTILINE,
        ),
        ("*.py",),
        ("orders/services/transitions.py", "*/migrations/*", "*/tests/*", "tests/*", "conftest.py"),
    ),
)
# A room is named for what it holds.
NAMELESS = {"utils.py", "helpers.py", "common.py", "misc.py", "signals.py", "utils.ts", "helpers.ts"}
NOT_OURS = ("scripts/source_rules.py", "tests/test_source_rules.py")


def tracked_files(root: Path = ROOT) -> list[str]:
    """Files of the project: committed, or new and not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return [name for name in listing.splitlines() if name not in NOT_OURS and (root / name).is_file()]


def broken_rules(root: Path, names: list[str]) -> Iterator[str]:
    """Every breach, as ``file:line: reason``."""
    for name in names:
        if Path(name).name in NAMELESS:
            yield f"{name}: name the file for what it holds"
        rules = [
            rule
            for rule in RULES
            if any(fnmatch(name, files) for files in rule.files)
            and not any(fnmatch(name, files) for files in rule.except_in)
        ]
        if not rules:
            continue
        text = (root / name).read_text(encoding="utf-8")
        for rule in rules:
            for found in rule.pattern.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{name}:{line}: {rule.reason}: {found.group().strip()}"


def main() -> int:
    breaches = list(broken_rules(ROOT, tracked_files()))
    for breach in breaches:
        print(breach)
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
