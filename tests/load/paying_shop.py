"""The shop with the sandbox for payments, which only a development machine may have, and without what DEBUG costs."""

import os

os.environ |= {"DEBUG": "true", "DJANGO_SETTINGS_MODULE": "shop.settings"}

from django.core.wsgi import get_wsgi_application
from django.db.backends.base.base import BaseDatabaseWrapper

application = get_wsgi_application()
# Django notes down every statement of a development machine.
BaseDatabaseWrapper.queries_logged = False  # type: ignore[assignment, method-assign]
