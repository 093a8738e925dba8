"""Absolute addresses of the shop's own pages."""

from django.conf import settings


def absolute_url(path: str) -> str:
    """The page's full address, made from ``SITE_URL`` and never from the Host header of a request.

    ``path`` starts with a slash. Mails are written with it, so a forged Host puts no foreign link in.
    """
    return f"{settings.SITE_URL}{path}"
