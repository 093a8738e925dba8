"""The mails kept instead of sent, on a machine without a mail server."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
