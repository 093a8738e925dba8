"""A mail server made of a folder: one file for every mail that it accepted, whoever sent it."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

# Before and after the server takes a mail: long enough for a kill to land on either side of it.
SECONDS = float(os.environ.get("MAIL_SECONDS", "0.02"))


class FolderBackend(BaseEmailBackend):
    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        folder = Path(settings.MAIL_FOLDER)
        for message in email_messages:
            time.sleep(SECONDS)
            identity = message.extra_headers["Message-ID"].strip("<>").split("@")[0]
            part = folder / f"{uuid.uuid4().hex}.part"
            part.write_bytes(message.message().as_bytes())
            os.replace(part, folder / f"{identity}.{uuid.uuid4().hex}.eml")
            time.sleep(SECONDS)
        return len(email_messages)
