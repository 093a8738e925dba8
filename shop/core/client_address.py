"""Who calls, by network address."""

from __future__ import annotations

import ipaddress

from django.conf import settings
from django.http import HttpRequest
from django.utils.crypto import salted_hmac


def client_address(request: HttpRequest) -> str:
    """Return the caller's IP address in its shortest form: the one that the outermost trusted proxy wrote, else the
    socket's.

    Each of `TRUSTED_PROXIES` proxies appends one hop to `X-Forwarded-For`, so what counts from the right was written
    by them and what stands before it by anybody. A header with too few hops, or whose hop is no address, is no word of
    the proxies: the socket's address is taken then. "" when there is none (a Unix socket).
    """
    proxies: int = settings.TRUSTED_PROXIES
    if proxies:
        hops = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        if len(hops) >= proxies and (address := _parse(hops[-proxies])):
            return str(address)
    socket = str(request.META.get("REMOTE_ADDR", ""))
    return str(_parse(socket) or socket)


def network_of(address: str) -> str:
    """Return what limits count an address by: IPv6 by its /64, which is one subscriber's; IPv4 as it is."""
    parsed = _parse(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((int(parsed), 64), strict=False))
    return str(parsed or address)


def network_fingerprint(address: str) -> str:
    """Return a keyed hash of an address's network: it proves this one and tells nobody another. "" of ""."""
    return (
        salted_hmac("shop.core.network", network_of(address), algorithm="sha256").hexdigest()
        if address
        else ""
    )


def _parse(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address, also with a port as some proxies write it (`192.0.2.1:80`, `[2001:db8::1]:80`) or with a
    zone.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
