"""The settings of the sandbox, read from the environment (options of the command end up there)."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import urlsplit

from shop.loopback import is_loopback

DEFAULT_PORT = 12111
PROJECT_DIR = Path(__file__).resolve().parent.parent.parent
_OFF = {"0", "false", "no", "off", "n", "f"}
# How often a delivery comes before the customer is sent back, when no delay was asked for.
_EARLY_SHARE = 0.25


class ConfigurationRefused(Exception):
    """The sandbox must not start like this. The message says why and what to change."""


@dataclass(frozen=True, slots=True)
class Delay:
    """How long a webhook waits, in seconds, drawn anew for each event.

    Written "1.5" (always), "0.2-2" (between), "before" (delivered before the customer is sent back) or
    "mixed" (0.2 to 2 s, now and then before: how Stripe behaves).
    """

    shortest: float
    longest: float
    early_share: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Delay:
        """Raises ConfigurationRefused for anything else than the four forms."""
        if text == "mixed":
            return cls(0.2, 2.0, _EARLY_SHARE)
        if text == "before":
            return cls(0.0, 0.0, 1.0)
        shortest, _, longest = text.partition("-")
        try:
            delay = cls(float(shortest), float(longest or shortest))
        except ValueError:
            delay = cls(1, 0)
        if not 0 <= delay.shortest <= delay.longest:
            raise ConfigurationRefused(f"STRIPE_SANDBOX_WEBHOOK_DELAY: unreadable value {text!r}.")
        return delay

    def sample(self) -> float:
        return random.uniform(self.shortest, self.longest)  # noqa: S311

    def sample_early(self) -> bool:
        """Whether the events of the payment at hand are delivered before the customer is sent back."""
        return random.random() < self.early_share  # noqa: S311


@dataclass(frozen=True, slots=True)
class Configuration:
    """Times are seconds. `retry_pauses` has one entry for each try after the first. `webhook_kinds` are those that the
    endpoint asks for; all when there are none."""

    host: str
    port: int
    public_url: str
    data_dir: Path
    secret_key: str
    webhook_url: str
    webhook_secret: str
    webhook_kinds: frozenset[str]
    webhooks_on: bool
    webhook_delay: Delay
    retry_pauses: tuple[float, ...]
    balance_delay: float


def read_configuration(environ: Mapping[str, str]) -> Configuration:
    """Raises ConfigurationRefused when the sandbox would stand where money is real, or lacks a secret."""
    if environ.get("DEBUG", "0").strip().lower() in _OFF:
        raise ConfigurationRefused(
            "The payment sandbox does not start with DEBUG off: it takes no money. Set STRIPE_SECRET_KEY "
            "and STRIPE_WEBHOOK_SECRET of a Stripe account instead."
        )
    secret_key = environ.get("STRIPE_SECRET_KEY", "")
    if not secret_key.startswith("sk_test_"):
        raise ConfigurationRefused(
            "The payment sandbox needs a key that begins with sk_test_ (--secret-key or STRIPE_SECRET_KEY)."
        )
    webhook_secret = environ.get("STRIPE_WEBHOOK_SECRET", "")
    if not webhook_secret.startswith("whsec_"):
        raise ConfigurationRefused(
            "The payment sandbox needs a webhook secret that begins with whsec_ "
            "(--webhook-secret or STRIPE_WEBHOOK_SECRET)."
        )
    host = environ.get("STRIPE_SANDBOX_HOST") or "127.0.0.1"
    if not is_loopback(host):
        raise ConfigurationRefused(
            "The payment sandbox listens on this machine alone: leave STRIPE_SANDBOX_HOST out."
        )
    try:
        port = int(environ.get("STRIPE_SANDBOX_PORT") or DEFAULT_PORT)
        pauses = tuple(
            float(part) for part in environ.get("STRIPE_SANDBOX_WEBHOOK_RETRY", "10,60").split(",") if part
        )
    except ValueError as error:
        raise ConfigurationRefused(f"The payment sandbox can't read a number: {error}.") from error
    webhook_url = environ.get("STRIPE_SANDBOX_WEBHOOK_URL", "")
    if webhook_url and urlsplit(webhook_url).scheme not in ("http", "https"):
        raise ConfigurationRefused("STRIPE_SANDBOX_WEBHOOK_URL must be an absolute http address.")
    delay = Delay.parse(environ.get("STRIPE_SANDBOX_WEBHOOK_DELAY", "mixed"))
    return Configuration(
        host=host,
        port=port,
        public_url=(environ.get("STRIPE_SANDBOX_PUBLIC_URL") or f"http://127.0.0.1:{port}").rstrip("/"),
        data_dir=Path(environ.get("DATA_DIR") or PROJECT_DIR / "var").resolve(),
        secret_key=secret_key,
        webhook_url=webhook_url,
        webhook_secret=webhook_secret,
        webhook_kinds=frozenset(filter(None, environ.get("STRIPE_SANDBOX_WEBHOOK_KINDS", "").split(","))),
        webhooks_on=bool(webhook_url)
        and environ.get("STRIPE_SANDBOX_WEBHOOKS", "1").strip().lower() not in _OFF,
        webhook_delay=delay,
        retry_pauses=pauses,
        balance_delay=delay.longest,
    )


@lru_cache(maxsize=1)
def configuration() -> Configuration:
    """The configuration of this process, read once."""
    return read_configuration(os.environ)
