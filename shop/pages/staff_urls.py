"""Addresses of the pages in the staff area, below `/admin/`."""

from django.urls import path

from shop.pages.staff import (
    api_keys,
    audit,
    mails,
    messages,
    personal_data,
    settings,
    state,
    statistics,
    terms,
    texts,
    users,
    webhooks,
)
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
    path("messages", messages.message_list, name="staff-messages"),
    path("messages/<int:contact_id>", messages.message, name="staff-message"),
    path("messages/<int:contact_id>/marquer", messages.mark, name="staff-message-mark"),
    path("messages/<int:contact_id>/supprimer", messages.delete, name="staff-message-delete"),
    path("messages/images/<int:pk>", messages.picture, name="staff-message-picture"),
    path("utilisateurs", users.user_list, name="staff-users"),
    path("utilisateurs/<int:user_id>", users.user_detail, name="staff-user"),
    path("utilisateurs/<int:user_id>/role", users.change_role, name="staff-user-role"),
    path("utilisateurs/<int:user_id>/acces", users.block, name="staff-user-block"),
    path("reglages", settings.settings_index, name="staff-settings"),
    *(pattern for part in settings.SETTINGS for pattern in part.urls()),
    path("conditions", terms.terms_index, name="staff-terms"),
    path("conditions/<str:number>", terms.terms_version, name="staff-terms-version"),
    path("textes", texts.texts_index, name="staff-texts"),
    *(pattern for screen in texts.SCREENS for pattern in screen.urls()),
    path("e-mails", mails.mail_index, name="staff-mails"),
    path("e-mails/envoyes", mails.outbox, name="staff-outbox"),
    path("e-mails/envoyes/<int:mail_id>", mails.sent_mail, name="staff-sent-mail"),
    path("e-mails/<slug:kind>", mails.mail_preview, name="staff-mail"),
    path("e-mails/<slug:kind>/contenu", mails.mail_html, name="staff-mail-html"),
    path("e-mails/<slug:kind>/essai", mails.mail_test, name="staff-mail-test"),
    path("statistiques", statistics.statistics_page, name="staff-statistics"),
    path("statistiques/fichier", statistics.statistics_csv, name="staff-statistics-csv"),
    path("donnees-personnelles", personal_data.register, name="staff-register"),
    path("donnees-personnelles/effacements", personal_data.erasures, name="staff-erasures"),
    path("donnees-personnelles/nuits", personal_data.nights, name="staff-nights"),
    path("etat", state.state, name="staff-state"),
    path("taches", personal_data.jobs, name="staff-jobs"),
    path("journal", audit.audit_trail, name="staff-audit"),
]
