"""Limits by client address."""

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The caller's address: the socket's, or the hop that the trusted proxies wrote (TRUSTED_PROXIES)."""
    proxies: int = settings.TRUSTED_PROXIES
    if proxies:
        hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",") if hop.strip()]
        if len(hops) >= proxies:
            return str(hops[-proxies])
    return str(request.META.get("REMOTE_ADDR", ""))


def allowed(request: HttpRequest, *, scope: str, limit: int, seconds: int) -> bool:
    """Counts a call and tells whether it is within `limit` a window of `seconds`."""
    key = f"limit:{scope}:{client_address(request)}"
    if cache.add(key, 1, seconds):
        return True
    try:
        return bool(cache.incr(key) <= limit)
    except ValueError:
        # The window ended between the two calls.
        return True
