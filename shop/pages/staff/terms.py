"""`/admin/conditions`: the versions of the terms of sale, what would change, and publishing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import cast

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.models import User
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_pages import WRITE, staff_page
from shop.pages.markup import unescape
from shop.terms.models import TermsText, TermsVersion
from shop.terms.versions import digest_of, draft_terms, publish_terms


@dataclass(frozen=True, slots=True)
class Change:
    """A passage that is no more and what stands in its place; either may be empty."""

    before: str
    after: str


@dataclass(frozen=True, slots=True)
class LanguageChanges:
    """What differs between two versions in one language."""

    name: str
    changes: list[Change]


@staff_page(StaffAction.SEE_TERMS, WRITE)
def terms_index(request: HttpRequest) -> HttpResponseBase:
    """Every version, and what would change by publishing now. POST publishes."""
    status = 200
    if request.method == "POST":
        require(request.user, StaffAction.PUBLISH_TERMS)
        try:
            version = publish_terms(actor=cast(User, request.user), expected=request.POST.get("digest", ""))
        except Problem as problem:
            messages.error(request, problem.detail)
            status = problem.status
        else:
            messages.success(request, f"Version {version.number} publiée.")
            return redirect("staff-terms")
    draft, versions = draft_terms(), list(TermsVersion.objects.all())
    current = versions[0] if versions else None
    return render(
        request,
        "staff/terms.html",
        {
            "versions": versions,
            "current": current,
            "is_edited": current is None or current.sha256 != digest_of(draft),
            "languages": list(_changes(current, draft)) if current else [],
            "digest": digest_of(draft),
            "may_publish": may(request.user, StaffAction.PUBLISH_TERMS),
        },
        status=status,
    )


@staff_page(StaffAction.SEE_TERMS)
def terms_version(request: HttpRequest, number: str) -> HttpResponseBase:
    """One version: its four texts, and how it differs from the one before."""
    versions = list(TermsVersion.objects.all())
    place = next((index for index, row in enumerate(versions) if row.number == number), None)
    if place is None:
        raise Http404
    version = versions[place]
    before = versions[place + 1] if place + 1 < len(versions) else None
    context = {
        "version": version,
        "before": before,
        "languages": list(_changes(before, version.texts)) if before else [],
        "texts": [(name, unescape(version.text(code)["body"])) for code, name in settings.LANGUAGES],
    }
    return render(request, "staff/terms_version.html", context)


def _changes(before: TermsVersion | None, after: dict[str, TermsText]) -> Iterator[LanguageChanges]:
    for code, name in settings.LANGUAGES:
        old = _passages(before.text(code)) if before is not None else []
        new = _passages(after[code])
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        yield LanguageChanges(
            str(name),
            [
                Change("\n".join(old[i1:i2]), "\n".join(new[j1:j2]))
                for kind, i1, i2, j1, j2 in matcher.get_opcodes()
                if kind != "equal"
            ],
        )


def _passages(text: TermsText) -> list[str]:
    official = [" ".join(part for part in (item["text"], item["url"]) if part) for item in text["official"]]
    return [text["title"], *(line for line in unescape(text["body"]).splitlines() if line.strip()), *official]
