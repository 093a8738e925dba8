"""Secrets that the shop has to read again, stored so that a copy of the database alone gives none of them away."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


def encrypt(text: str, *, purpose: str) -> str:
    """Return the text encrypted with a key made from SECRET_KEY; each `purpose` has a key of its own."""
    return _fernet(purpose).encrypt(text.encode()).decode()


def decrypt(encrypted: str, *, purpose: str) -> str:
    """Return the text; "" where SECRET_KEY was replaced without a fallback."""
    try:
        return _fernet(purpose).decrypt(encrypted.encode()).decode()
    except InvalidToken:
        return ""


def _fernet(purpose: str) -> MultiFernet:
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet(
        [
            Fernet(base64.urlsafe_b64encode(hashlib.sha256(f"{purpose}:{key}".encode()).digest()))
            for key in keys
        ]
    )
