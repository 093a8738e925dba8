import gc

# What is loaded stays: looking through it over and over takes a seventh of a start. `shop.core`, ready, turns it on.
gc.disable()

from shop.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
