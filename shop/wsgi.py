"""WSGI entry point for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")

application = get_wsgi_application()

# gunicorn runs no system check of its own: a server with contradictory settings must not start.
from shop.core.checks import refuse_debug_server, refuse_unsafe_settings  # noqa: E402

refuse_debug_server()
refuse_unsafe_settings()
