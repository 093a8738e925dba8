"""Where a visitor may be sent after signing in or out: to a page of this shop, nowhere else."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.utils.http import url_has_allowed_host_and_scheme

MAX_LENGTH = 2000


def is_own_path(target: str) -> bool:
    """Return whether ``target`` is a path of this site, as every browser would read it.

    Full addresses are refused, those of this host included: a path is all that ``next`` ever needs.
    """
    return (
        target.startswith("/")
        and len(target) <= MAX_LENGTH
        and target.isprintable()
        and "\\" not in target
        and not target.startswith("//")
        and not urlsplit(target).netloc
        and url_has_allowed_host_and_scheme(target, allowed_hosts=None)
    )


def own_path(target: str | None, default: str) -> str:
    """``target`` when it is a path of this site, else ``default``."""
    return target if target and is_own_path(target) else default
