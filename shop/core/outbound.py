"""Calling addresses that people typed: webhooks of others, pictures to be copied.

Such an address must not lead into the network that the shop itself stands in. Its name is looked up once, every address
that it stands for has to be public, and the connection goes to the one that was checked: a name that means something
else a moment later changes nothing. Redirects are followed by `fetch` alone, each checked in the same way. Proxies of
the environment are not used.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from threading import Timer
from time import monotonic
from urllib.parse import SplitResult, urljoin, urlsplit

from requests.utils import DEFAULT_CA_BUNDLE_PATH

FETCHED_SCHEMES = ("https", "http")
MAX_REDIRECTS = 3
MAX_LENGTH = 2000
USER_AGENT = "Shop/1"
_PORTS = {"http": 80, "https": 443}
_REDIRECTS = (301, 302, 303, 307, 308)
_CHUNK = 64 * 1024
# Names that mean a machine of the network one stands in, whatever a resolver says.
_LOCAL_NAMES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# All that the open internet has of IPv6 (RFC 4291): the rest is local, translated within a network, or nobody's.
_GLOBAL_UNICAST = ipaddress.ip_network("2000::/3")
# What Python's own lists, which change with its version, may call global: assignments of protocols (a cloud's metadata
# among them), relays, examples (IANA's special-purpose registries).
_SPECIAL = tuple(map(ipaddress.ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20")))

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefused(ValueError):
    """The shop does not call this address. `reason` is stable and English: `malformed`, `scheme`, `credentials`,
    `private`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class CallFailed(Exception):
    """No answer: `unresolved`, `unreachable`, `timeout`, `too_large`, `too_many_redirects`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said. Of a body above the limit of the call, its beginning, where the call takes that."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def check_address(
    url: str, *, schemes: Collection[str] = ("https",), allow_loopback: bool = False
) -> SplitResult:
    """Refuse what can be told from the address itself; nothing is looked up. Raises AddressRefused."""
    try:
        parts = urlsplit(url)
        host, _port = parts.hostname or "", parts.port
    except ValueError as error:
        raise AddressRefused("malformed") from error
    if len(url) > MAX_LENGTH or not url.isascii() or any(sign <= " " or sign in '\\"<>' for sign in url):
        raise AddressRefused("malformed")
    if parts.scheme not in schemes:
        raise AddressRefused("scheme")
    if not host or _port == 0:
        raise AddressRefused("malformed")
    if "@" in parts.netloc:
        raise AddressRefused("credentials")
    literal = _literal(host)
    if literal is not None:
        if not is_public(literal) and not (allow_loopback and literal.is_loopback):
            raise AddressRefused("private")
    elif allow_loopback and host == "localhost":
        pass
    elif "." not in host.rstrip(".") or f".{host.rstrip('.')}".endswith(_LOCAL_NAMES):
        raise AddressRefused("private")
    return parts


def is_public(address: Address) -> bool:
    """Return whether an address is one of the open internet. One that carries an IPv4 address is judged by that one
    too."""
    if any(address in network for network in _SPECIAL):
        return False
    if isinstance(address, ipaddress.IPv6Address):
        carried = address.ipv4_mapped or address.sixtofour or (address.teredo and address.teredo[1])
        if carried is None and address in _NAT64:
            carried = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if carried and not is_public(carried):
            return False
        if address.ipv4_mapped or address in _NAT64:
            return True
        return address in _GLOBAL_UNICAST and address.is_global
    return address.is_global and not address.is_multicast


def post(
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    seconds: float,
    most: int,
    schemes: Collection[str],
    allow_loopback: bool = False,
) -> Answer:
    """Send `body`; return the answer with at most the first `most` bytes of its body. A redirect is an answer.

    Everything together takes at most about `seconds`, but for looking up the name. Raises AddressRefused, CallFailed.
    """
    parts = check_address(url, schemes=schemes, allow_loopback=allow_loopback)
    return _call("POST", parts, body, headers, seconds, most, allow_loopback=allow_loopback, cut=True)


def fetch(url: str, *, seconds: float, most: int, accept: str = "*/*") -> Answer:
    """Get a file of at most `most` bytes from a public address, through at most three redirects.

    Raises AddressRefused, also for an address it is redirected to, and CallFailed.
    """
    end = monotonic() + seconds
    for _attempt in range(MAX_REDIRECTS + 1):
        parts = check_address(url, schemes=FETCHED_SCHEMES)
        left = end - monotonic()
        if left <= 0:
            raise CallFailed("timeout")
        answer = _call("GET", parts, None, {"Accept": accept}, left, most)
        if answer.status not in _REDIRECTS or not answer.headers.get("location"):
            return answer
        url = urljoin(url, answer.headers["location"])
    raise CallFailed("too_many_redirects")


class _PinnedConnection(HTTPConnection):
    """A connection to an address that was checked; name and certificate are those of the host that was asked for."""

    def __init__(self, parts: SplitResult, address: str, seconds: float) -> None:
        port = parts.port or _PORTS[parts.scheme]
        super().__init__(parts.hostname or "", port, timeout=seconds)
        self.default_port = _PORTS[parts.scheme]
        self._address = address
        self._is_encrypted = parts.scheme == "https"
        # The library lets go of its own reference while an answer is still read.
        self._open: socket.socket | None = None

    def connect(self) -> None:
        self.sock = self._open = socket.create_connection((self._address, self.port), self.timeout)
        if self._is_encrypted:
            # In two steps, so that `give_up` ends a handshake too.
            encrypted = _encryption().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            self.sock = self._open = encrypted
            encrypted.do_handshake()

    def give_up(self) -> None:
        """End a call under way, from another thread."""
        if self._open is not None:
            # Not the method of encrypted sockets, which says goodbye first.
            with suppress(OSError):
                socket.socket.shutdown(self._open, socket.SHUT_RDWR)


def _call(
    method: str,
    parts: SplitResult,
    body: bytes | None,
    headers: Mapping[str, str],
    seconds: float,
    most: int,
    *,
    allow_loopback: bool = False,
    cut: bool = False,
) -> Answer:
    address = _resolve(parts, allow_loopback=allow_loopback)
    end = monotonic() + seconds
    connection = _PinnedConnection(parts, address, seconds)
    # Each read has a limit; a server that sends a byte now and then would never reach it.
    alarm = Timer(seconds, connection.give_up)
    alarm.daemon = True
    alarm.start()
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        sent = {"User-Agent": USER_AGENT, "Accept-Encoding": "identity", "Connection": "close", **headers}
        connection.request(method, target, body=body, headers=sent)
        response = connection.getresponse()
        content = _read(response, most, cut=cut)
        if monotonic() >= end:
            raise CallFailed("timeout")
        return Answer(
            response.status, {name.lower(): value for name, value in response.getheaders()}, content
        )
    except TimeoutError as error:
        raise CallFailed("timeout") from error
    except (OSError, HTTPException, ValueError) as error:
        raise CallFailed("timeout" if monotonic() >= end else "unreachable") from error
    finally:
        alarm.cancel()
        connection.close()


def _read(response: HTTPResponse, most: int, *, cut: bool) -> bytes:
    declared = response.headers.get("Content-Length", "")
    if not cut and declared.isdecimal() and int(declared) > most:
        raise CallFailed("too_large")
    content = b""
    while len(content) <= most and (chunk := response.read(min(_CHUNK, most + 1 - len(content)))):
        content += chunk
    if len(content) > most and not cut:
        raise CallFailed("too_large")
    return content[:most]


def _resolve(parts: SplitResult, *, allow_loopback: bool) -> str:
    """Return the address to connect to. Every one that the name stands for has to be public: a name that stands for
    both is an attempt."""
    host = parts.hostname or ""
    try:
        found = socket.getaddrinfo(host, parts.port or _PORTS[parts.scheme], type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise CallFailed("unresolved") from error
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
    for text in addresses:
        address = ipaddress.ip_address(text)
        if not is_public(address) and not (allow_loopback and address.is_loopback):
            raise AddressRefused("private")
    if not addresses:
        raise CallFailed("unresolved")
    # IPv4 first: a server without IPv6 of its own would wait for the limit.
    return next((text for text in addresses if ":" not in text), addresses[0])


def _literal(host: str) -> Address | None:
    """Return the address that a host is written as, also in the forms that only the C library reads (`127.1`,
    `0x7f.1`, `2130706433`); None for a name."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    if not all(sign in "0123456789abcdefx." for sign in host.lower()) or not host[:1].isdigit():
        return None
    try:
        return ipaddress.IPv4Address(socket.inet_aton(host))
    except OSError:
        return None


@cache
def _encryption() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=DEFAULT_CA_BUNDLE_PATH)
