"""WSGI entry point for gunicorn."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")

try:
    application = get_wsgi_application()

    # gunicorn runs no system check of its own: a server with contradictory settings must not start.
    from shop.core.checks import refuse_debug_server, refuse_unsafe_settings

    refuse_debug_server()
    refuse_unsafe_settings()
except ImproperlyConfigured as error:
    # One sentence: systemd starts it again every two seconds, and each would write a page of traceback.
    sys.exit(str(error))
