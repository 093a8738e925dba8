"""What the entries of the audit trail are called: each action and each field as people read it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db.models import DecimalField, Model
from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from shop.core.dates import day_in_words

ACTIONS: dict[str, str | Promise] = {
    "role.changed": gettext_lazy("Rôle changé"),
    "user.blocked": gettext_lazy("Compte bloqué"),
    "user.unblocked": gettext_lazy("Compte débloqué"),
    "email.change_requested": gettext_lazy("Changement d'adresse demandé"),
    "email.change_refused": gettext_lazy("Changement d'adresse refusé"),
    "email.changed": gettext_lazy("Adresse e-mail changée"),
    "erasure.link_sent": gettext_lazy("Lien d'effacement envoyé"),
    "erasure.requested": gettext_lazy("Effacement demandé"),
    "erasure.cancelled": gettext_lazy("Effacement annulé"),
    "erasure.done": gettext_lazy("Effacement terminé"),
    "second_factor.added": gettext_lazy("Seconde étape ajoutée"),
    "second_factor.removed": gettext_lazy("Seconde étape retirée"),
    "second_factor.reset": gettext_lazy("Seconde étape réinitialisée"),
    "second_factor.codes_replaced": gettext_lazy("Codes de secours remplacés"),
    "books.year_purged": gettext_lazy("Année de comptes effacée, sa durée légale passée"),
    "order.deleted": gettext_lazy("Commande supprimée"),
    "order.retention_decided": gettext_lazy("Argent gardé\u00a0: décision"),
    "refund.decided": gettext_lazy("Remboursement décidé"),
    "refund.retried": gettext_lazy("Remboursement relancé"),
    "refund.transferred": gettext_lazy("Virement enregistré"),
    "refund.transfer_taken_back": gettext_lazy("Virement non abouti enregistré"),
    "installment.written_off": gettext_lazy("Échéance abandonnée"),
    "installments.paused": gettext_lazy("Échéances suspendues"),
    "installments.unpaused": gettext_lazy("Échéances reprises"),
    "installments.restored": gettext_lazy("Échéances rétablies"),
    "invoice.corrected": gettext_lazy("Facture rectifiée"),
    "invoice_series.skipped": gettext_lazy("Numéros perdus, sautés après une restauration"),
    "bank.imported": gettext_lazy("Relevé de banque lu"),
    "payout.closed": gettext_lazy("Écart de versement clos"),
    "return.filed": gettext_lazy("Déclaration notée comme déposée"),
    "return.unfiled": gettext_lazy("Déclaration à déposer de nouveau"),
    "discrepancy.resolved": gettext_lazy("Écart réglé"),
    "stripe_event.set_aside": gettext_lazy("Évènement Stripe mis de côté"),
    "terms.published": gettext_lazy("Conditions de vente publiées"),
    "mail.resent": gettext_lazy("E-mail renvoyé"),
    "contact.answered": gettext_lazy("Demande de contact marquée"),
    "campaign.started": gettext_lazy("Envoi d'une lettre décidé"),
    "campaign.unscheduled": gettext_lazy("Lettre retirée du calendrier"),
    "campaign.paused": gettext_lazy("Envoi d'une lettre mis en pause"),
    "campaign.resumed": gettext_lazy("Envoi d'une lettre repris"),
    "campaign.cancelled": gettext_lazy("Envoi d'une lettre arrêté"),
    "subscriber.suspended": gettext_lazy("Abonné suspendu"),
    "subscriber.restored": gettext_lazy("Abonné de nouveau servi"),
    "product.published": gettext_lazy("Produit publié ou retiré"),
    "product.model_changed": gettext_lazy("Modèle 3D changé"),
    "product.photos_arranged": gettext_lazy("Photos mises dans un autre ordre"),
    "product.archived": gettext_lazy("Produit archivé"),
    "product.unarchived": gettext_lazy("Produit sorti des archives"),
    "product.trashed": gettext_lazy("Produit mis à la corbeille"),
    "product.restored": gettext_lazy("Produit restauré"),
    "product.variants_changed": gettext_lazy("Déclinaisons modifiées"),
    "article.created": gettext_lazy("Article créé"),
    "article.published": gettext_lazy("Article publié"),
    "article.scheduled": gettext_lazy("Article programmé"),
    "article.unpublished": gettext_lazy("Article retiré"),
    "article.trashed": gettext_lazy("Article mis à la corbeille"),
    "article.restored": gettext_lazy("Article restauré"),
    "promotion.ended": gettext_lazy("Promotion terminée"),
    "product.created_by_key": gettext_lazy("Produit créé par un programme"),
    "product.changed_by_key": gettext_lazy("Produit modifié par un programme"),
    "api_key.created": gettext_lazy("Clé d'API créée"),
    "api_key.revoked": gettext_lazy("Clé d'API révoquée"),
    "webhook.created": gettext_lazy("Webhook créé"),
    "webhook.changed": gettext_lazy("Webhook modifié"),
    "webhook.switched": gettext_lazy("Webhook mis en marche ou arrêté"),
    "webhook.secret_replaced": gettext_lazy("Secret d'un webhook remplacé"),
    "webhook.deleted": gettext_lazy("Webhook supprimé"),
}
# What Django's administration does to any row.
VERBS: dict[str, str | Promise] = {
    "added": gettext_lazy("ajout"),
    "changed": gettext_lazy("modification"),
    "deleted": gettext_lazy("suppression"),
}


def action_label(action: str, subject_type: str) -> str:
    """Return the words for an action, its code when it has none."""
    if action in ACTIONS:
        return str(ACTIONS[action])
    verb = VERBS.get(action.rpartition(".")[2])
    return (
        action if verb is None else _("%(noun)s\u00a0: %(verb)s") % {"noun": noun(subject_type), "verb": verb}
    )


def is_kind_of_row(subject_type: str) -> bool:
    """Return whether it names a model that there is."""
    return _model(subject_type) is not None


def noun(subject_type: str) -> str:
    """Return what a row of the model `app.model` is called; the type itself for a model that is no more."""
    model = _model(subject_type)
    return subject_type if model is None else capfirst(str(model._meta.verbose_name))


def field_label(subject_type: str, name: str) -> str:
    """Return what a column of the model is called, else its name."""
    field = _field(subject_type, name)
    if field is None:
        return capfirst(_WORDS[name]() if name in _WORDS else name)
    labelled = _columns.get(subject_type)
    return capfirst(labelled[1](name) if labelled else str(getattr(field, "verbose_name", name)))


def value_label(subject_type: str, name: str, value: Any) -> str:
    """Return a value as people read it: one of a few choices by its label, a moment by the shop's clock, a number with
    its comma."""
    if value in (None, "", []):
        return "–"
    if isinstance(value, bool):
        return _("oui") if value else _("non")
    if isinstance(value, list):
        return ", ".join(value_label(subject_type, name, each) for each in value)
    field = _field(subject_type, name)
    choices = _choices.get((subject_type, name), getattr(field, "flatchoices", None) or ())
    if isinstance(value, str) and _MOMENT.fullmatch(value):
        return day_in_words(localtime(datetime.fromisoformat(value)), "DATETIME_FORMAT")
    if isinstance(value, str) and isinstance(field, DecimalField | None) and _DECIMAL.fullmatch(value):
        return number_format(Decimal(value))
    return str(dict(choices).get(value, value))


def register_choices(subject_type: str, name: str, choices: Sequence[tuple[Any, Any]]) -> None:
    """Say what the values mean where `name` is no column of the model. Call it in an `AppConfig.ready()`."""
    _choices[subject_type, name] = choices


def register_columns(subject_type: str, column: Callable[[str], Any], label: Callable[[str], str]) -> None:
    """Say which column a name is of, and what it is called, where entries of the model name those of other models, too.
    `column` raises FieldDoesNotExist. Call it in an `AppConfig.ready()`."""
    _columns[subject_type] = column, label


def _field(subject_type: str, name: str) -> Any:
    """The column of the model; None for a value that is none, and of a model that is no more."""
    model = _model(subject_type)
    try:
        if subject_type in _columns:
            return _columns[subject_type][0](name)
        return model._meta.get_field(name) if model else None
    except FieldDoesNotExist:
        return None


def _model(subject_type: str) -> type[Model] | None:
    try:
        return apps.get_model(subject_type)
    except (LookupError, ValueError):
        return None


# As services and Django's JSON write one.
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3,6})?(?:Z|[+-]\d\d:\d\d)")
_DECIMAL = re.compile(r"-?\d{1,20}\.\d{1,20}")
_choices: dict[tuple[str, str], Sequence[tuple[Any, Any]]] = {}
_columns: dict[str, tuple[Callable[[str], Any], Callable[[str], str]]] = {}
_WORDS = {
    "role": lambda: _("rôle"),
    "amount": lambda: _("montant"),
    "voided": lambda: _("à ne plus débiter"),
    "position": lambda: _("échéance"),
    "positions": lambda: _("échéances"),
    "api_key": lambda: _("clé d'API"),
    "number": lambda: _("numéro"),
    "languages": lambda: _("langues"),
    "at": lambda: _("moment"),
    "reference": lambda: _("référence"),
    "due_by": lambda: _("au plus tard le"),
    "by_inactivity": lambda: _("compte inactif"),
}
