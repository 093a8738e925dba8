"""A mail server that does as it is told."""

from __future__ import annotations

import pytest

from shop.core.tests import scripted_mail


@pytest.fixture
def server(settings, monkeypatch):
    settings.EMAIL_BACKEND = scripted_mail.BACKEND
    server = scripted_mail.Server()
    monkeypatch.setattr(scripted_mail, "SERVER", server)
    return server
