"""A mail server for tests: it keeps what it takes, and fails as a test asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

BACKEND = "shop.core.tests.scripted_mail.ScriptedBackend"


class Server:
    """What the backend took (``sent``), what it does before taking the next one (``script``), and before it is shown
    one at all (``greetings``)."""

    def __init__(self) -> None:
        self.sent: list[EmailMessage] = []
        self.script: list[Exception | Callable[[], None] | None] = []
        self.greetings: list[Exception] = []


SERVER = Server()


class ScriptedBackend(BaseEmailBackend):
    def open(self) -> None:
        if SERVER.greetings:
            raise SERVER.greetings.pop(0)

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            step = SERVER.script.pop(0) if SERVER.script else None
            if isinstance(step, Exception):
                raise step
            if step is not None:
                step()
            message.message()  # builds the headers: a forbidden one raises here, as with a real server
            SERVER.sent.append(message)
        return len(email_messages)
