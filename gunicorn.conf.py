"""What gunicorn reads by itself when it is started in this folder."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit
from wsgiref.util import setup_testing_defaults

logger = logging.getLogger(__name__)

# Longer than nginx keeps a connection to it (deploy/nginx/shop.conf): who closes it first must not be who is asked.
keepalive = 75


def post_worker_init(worker: Any) -> None:
    """Make the first pages before the first visitor asks: addresses, templates, translations and the connection to the
    database are then there. A shop that can't answer yet starts all the same."""
    from django.conf import settings

    site = urlsplit(getattr(settings, "SITE_URL", ""))
    if not site.netloc:
        return
    from django.urls import reverse
    from django.utils import translation

    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            paths = [reverse("home"), reverse("catalog:list")]
        for path in paths:
            status = _ask(worker.app.callable, site.scheme, site.netloc, path)
            if not status.startswith("200"):
                logger.warning("before the first visitor %s answers %s", path, status)
                return


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
