"""What gunicorn reads by itself when it is started in this folder."""

from __future__ import annotations

import gc
import logging
from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

logger = logging.getLogger(__name__)

# Longer than nginx keeps a connection to it (deploy/nginx/shop.conf): who closes it first must not be who is asked.
keepalive = 75
# The shop is loaded once and its workers share that memory: a node with two takes two thirds of what it took when each
# loaded its own. New code is served after a restart, never by SIGHUP; visitors wait in the socket meanwhile.
preload_app = True
# Whom to believe is said by TRUSTED_PROXIES alone. gunicorn would take from any program of this machine, a proxy that
# hands on what visitors send among them, the folder that the shop stands in: a page whose links lead nowhere would be
# cached for everybody.
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""


def when_ready(arbiter: Any) -> None:
    """Make the first pages before the first worker is there: addresses, templates, translations and much else are then
    in memory that all workers share. A shop that can't answer yet starts all the same."""
    _make_first_pages(arbiter.app.wsgi())
    _close_connections()
    # What is not looked at again when memory is tidied up stays shared.
    gc.collect()
    gc.freeze()


def _make_first_pages(application: Any) -> None:
    from django.conf import settings
    from django.urls import reverse
    from django.utils import translation

    site = urlsplit(getattr(settings, "SITE_URL", ""))
    if not site.netloc:
        return
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            paths = [reverse("home"), reverse("catalog:list")]
        for path in paths:
            status = _ask(application, site.scheme, site.netloc, path)
            if not status.startswith("200"):
                logger.warning("before the first visitor %s answers %s", path, status)
                return


def _close_connections() -> None:
    """Leave no connection of this process to its workers: two that write to one would read each other's answers.

    Redis's client opens its own in each process.
    """
    from django.db import connections

    connections.close_all()
    for connection in connections.all(initialized_only=True):
        # Of PostgreSQL alone.
        getattr(connection, "close_pool", lambda: None)()


def _ask(application: Any, scheme: str, host: str, path: str) -> str:
    """Return the status of the answer; errors of the shop are one, too."""
    environ: dict[str, Any] = {
        "PATH_INFO": path,
        "HTTP_HOST": host,
        "HTTP_ACCEPT_ENCODING": "br",
        "HTTP_X_FORWARDED_PROTO": scheme,
        "wsgi.url_scheme": scheme,
    }
    setup_testing_defaults(environ)
    statuses: list[str] = []
    answer = application(environ, lambda status, headers: statuses.append(status))
    try:
        list(answer)
    finally:
        answer.close()
    return statuses[0]
