"""Addresses of the pages in the staff area, below `/admin/`."""

from django.urls import path

from shop.pages.staff import api_keys, webhooks
from shop.pages.staff.search import staff_search

_ONE = "webhooks/<int:endpoint_id>"

urlpatterns = [
    path("recherche", staff_search, name="staff-search"),
    path("cles-api", api_keys.api_keys, name="staff-api-keys"),
    path("cles-api/<int:key_id>/revoquer", api_keys.api_key_revoke, name="staff-api-key-revoke"),
    path("webhooks", webhooks.webhooks, name="staff-webhooks"),
    path("webhooks/nouveau", webhooks.webhook_new, name="staff-webhook-new"),
    path(_ONE, webhooks.webhook, name="staff-webhook"),
    path(f"{_ONE}/modifier", webhooks.webhook_edit, name="staff-webhook-edit"),
    path(f"{_ONE}/secret", webhooks.webhook_secret, name="staff-webhook-secret"),
    path(f"{_ONE}/marche", webhooks.webhook_switch, name="staff-webhook-switch"),
    path(f"{_ONE}/essai", webhooks.webhook_test, name="staff-webhook-test"),
    path(f"{_ONE}/supprimer", webhooks.webhook_delete, name="staff-webhook-delete"),
    path(
        f"{_ONE}/envois/<int:delivery_id>/renvoyer",
        webhooks.webhook_redeliver,
        name="staff-webhook-redeliver",
    ),
]
