"""Settings as they stand in the environment or in `.env`: what is no value of a setting is refused in a sentence.

Nothing is guessed: « flase » is not « false », and would open what it was written to close.
"""

from __future__ import annotations

import os
import re
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

TRUE, FALSE = frozenset({"true", "1", "yes", "y", "on", "ok"}), frozenset({"false", "0", "no", "n", "off"})
POSTGRESQL, SQLITE = ("postgresql", "postgres", "pgsql", "psql"), ("sqlite",)
MAIL_SERVERS = ("smtp", "smtps", "smtp+tls", "smtp+ssl")


def read_database(name: str, text: str) -> dict[str, Any]:
    """Return Django's settings of the database that an address names, on an engine of the shop's.

    Raises ImproperlyConfigured, which says whose address it is and repeats nothing of it."""
    wrong = ImproperlyConfigured(
        f"{name} is no address such as postgresql://user:password@db.example:5432/shop or "
        "sqlite:////folder/shop.sqlite3 (in a password / is written %2F, @ %40, : %3A)."
    )
    if text.partition("://")[0] not in POSTGRESQL + SQLITE:
        raise wrong
    try:
        found = dict(environ.Env.db_url_config(text))
    except (ValueError, KeyError) as error:
        raise wrong from error
    if not found.get("NAME") or not found.get("ENGINE"):
        raise wrong
    if "postgresql" in found["ENGINE"]:
        # A password with a / whose beginning is a number, read as a port: the rest, and the host, would be the name.
        if "@" in found["NAME"]:
            raise wrong
        found["ENGINE"] = "shop.core.postgresql"
    return found


class SettingValues:
    """Reads one setting a call. An empty one counts as not set.

    Every method raises ImproperlyConfigured, which repeats no value that may hold a password.
    """

    def __init__(self, file: Path) -> None:
        # The library reads one that it may not open as an empty one.
        if os.path.lexists(file) and not os.access(file, os.R_OK):
            raise ImproperlyConfigured(
                f"{file} leads to no file, or to one that this user can't read (chgrp shop, chmod 640)."
            )
        environ.Env.read_env(file)
        self._env = environ.Env()

    def text(self, name: str, *, default: str = "") -> str:
        return str(self._env.str(name, default="")).strip() or default

    def texts(self, name: str, *, default: list[str] | None = None) -> list[str]:
        """`a,b`, and `a, b` as people write it."""
        found = (part.strip() for part in self.text(name).split(","))
        return [part for part in found if part] or default or []

    def flag(self, name: str, *, default: bool) -> bool:
        text = self.text(name).lower()
        if not text:
            return default
        if text not in TRUE | FALSE:
            raise ImproperlyConfigured(f"{name}={text} says neither true nor false.")
        return text in TRUE

    def number(self, name: str, *, default: int, least: int = 0, most: int | None = None) -> int:
        text = self.text(name) or str(default)
        if not re.fullmatch(r"-?\d+", text, re.ASCII):
            raise ImproperlyConfigured(f"{name}={text} is no whole number, such as {default}.")
        number = int(text)
        if number < least:
            raise ImproperlyConfigured(f"{name}={text} is less than {least}.")
        if most is not None and number > most:
            raise ImproperlyConfigured(f"{name}={text} is more than {most}.")
        return number

    def share(self, name: str, *, default: float) -> float:
        """A part of the whole, from 0 to 1."""
        text = self.text(name) or str(default)
        try:
            number = float(text)
        except ValueError:
            number = -1.0
        if not 0 <= number <= 1:
            raise ImproperlyConfigured(f"{name}={text} is no number from 0 to 1, such as {default}.")
        return number

    def choice(self, name: str, values: tuple[str, ...], *, default: str) -> str:
        text = self.text(name, default=default)
        found = {value.lower(): value for value in values}.get(text.lower())
        if found is None:
            raise ImproperlyConfigured(f"{name}={text} is none of {', '.join(values)}.")
        return found

    def numbers(self, name: str) -> dict[str, int]:
        """`a=1;b=2`."""
        found: dict[str, int] = {}
        for part in filter(None, self.text(name).split(";")):
            key, _equals, number = part.partition("=")
            if not re.fullmatch(r"\d{1,9}", number.strip(), re.ASCII):
                raise ImproperlyConfigured(
                    f"{name}: {part} is no name and number, such as checkout-network=60;contact-network=10."
                )
            found[key.strip()] = int(number)
        return found

    def address(self, name: str, *, example: str) -> str:
        """The address of a server by http or https; "" where there is none."""
        text = self.text(name)
        if text and not self._is_address(text, ("http", "https")):
            raise ImproperlyConfigured(f"{name} is no address such as {example}")
        return text

    def redis(self, name: str) -> str:
        text = self.text(name)
        if text and not self._is_address(text, ("redis", "rediss")):
            raise ImproperlyConfigured(f"{name} is no address such as redis://redis.example:6379/0")
        return text

    def sentry(self, name: str) -> str:
        text = self.address(name, example=(example := "https://KEY@sentry.example/7"))
        parts = urlsplit(text)
        if text and not (parts.username and parts.path.rpartition("/")[2].isdecimal()):
            raise ImproperlyConfigured(f"{name} is no address such as {example}")
        return text

    def database(self, name: str) -> dict[str, Any]:
        """The database that an address names; {} where there is none."""
        text = self.text(name)
        return read_database(name, text) if text else {}

    def mail_server(self, name: str) -> dict[str, Any]:
        """Django's settings of a mail server; {} where there is none."""
        text = self.text(name)
        if not text:
            return {}
        wrong = ImproperlyConfigured(
            f"{name} is no address of a mail server such as smtp+tls://user:password@mail.example:587 "
            "(in a password / is written %2F, @ %40, : %3A)."
        )
        try:
            found = dict(environ.Env.email_url_config(text))
        except (ImproperlyConfigured, ValueError, KeyError) as error:
            raise wrong from error
        if text.partition("://")[0] in MAIL_SERVERS and not found.get("EMAIL_HOST"):
            raise wrong
        return found

    def mailbox(self, name: str, *, default: str) -> str:
        """An e-mail address, with a name before it or without."""
        text = self.text(name, default=default)
        self._refuse_no_mailbox(name, text)
        return text

    def mailboxes(self, name: str) -> list[str]:
        found = self.texts(name)
        for text in found:
            self._refuse_no_mailbox(name, text)
        return found

    @staticmethod
    def _refuse_no_mailbox(name: str, text: str) -> None:
        # Of several without a comma the library reads the first and drops the others.
        if text.count("@") != 1 or not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s.]+", parseaddr(text)[1]):
            raise ImproperlyConfigured(f"{name}={text} is no e-mail address.")

    @staticmethod
    def _is_address(text: str, schemes: tuple[str, ...]) -> bool:
        try:
            parts = urlsplit(text)
            _ = parts.port
        except ValueError:
            return False
        return parts.scheme in schemes and bool(parts.hostname)
