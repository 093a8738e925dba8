"""What this machine alone can reach: a shop that may run with DEBUG, and ports for its processes."""

import socket
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured


def is_loopback(host: str) -> bool:
    """Return whether a name, address or ``host:port`` always means this machine."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def refuse_public_debug(*, allowed_hosts: Iterable[str], site_url: str) -> None:
    """Refuse DEBUG for a shop with a public name: it shows every mail, takes simulated payments and loads known
    passwords.

    :raises ImproperlyConfigured: naming the setting that is public.
    """
    public = [("ALLOWED_HOSTS", host) for host in allowed_hosts if not is_loopback(host)]
    site = urlsplit(site_url)
    if site.scheme != "http" or not is_loopback(site.netloc):
        public.append(("SITE_URL", site_url))
    for name, value in public:
        raise ImproperlyConfigured(
            f"DEBUG is on and {name} names {value}: with DEBUG the shop, its demonstration included, is for "
            f"this machine alone; set DEBUG=false for a public shop (docs/operator.md), or leave {name} out."
        )


def free_port() -> int:
    """Return a port that no server of this machine listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
