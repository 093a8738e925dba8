"""The Celery application: mail, payments and every scheduled job run here."""

import os

from celery import Celery

from shop.core import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")

broker.register()

app = Celery("shop")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
