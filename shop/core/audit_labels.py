"""What the entries of the audit trail are called: each action and each field as people read it."""

from __future__ import annotations

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

ACTIONS: dict[str, str | Promise] = {
    "role.changed": gettext_lazy("Rôle changé"),
    "user.blocked": gettext_lazy("Compte bloqué"),
    "user.unblocked": gettext_lazy("Compte débloqué"),
    "email.change_requested": gettext_lazy("Changement d'adresse demandé"),
    "email.change_refused": gettext_lazy("Changement d'adresse refusé"),
    "email.changed": gettext_lazy("Adresse e-mail changée"),
    "erasure.requested": gettext_lazy("Effacement demandé"),
    "erasure.cancelled": gettext_lazy("Effacement annulé"),
    "erasure.done": gettext_lazy("Effacement terminé"),
    "second_factor.added": gettext_lazy("Seconde étape ajoutée"),
    "second_factor.removed": gettext_lazy("Seconde étape retirée"),
    "second_factor.reset": gettext_lazy("Seconde étape réinitialisée"),
    "second_factor.codes_replaced": gettext_lazy("Codes de secours remplacés"),
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
    "discrepancy.resolved": gettext_lazy("Écart réglé"),
    "mail.resent": gettext_lazy("E-mail renvoyé"),
    "contact.answered": gettext_lazy("Demande de contact marquée"),
    "product.published": gettext_lazy("Produit publié ou retiré"),
    "product.archived": gettext_lazy("Produit archivé"),
    "product.unarchived": gettext_lazy("Produit sorti des archives"),
    "product.trashed": gettext_lazy("Produit mis à la corbeille"),
    "product.restored": gettext_lazy("Produit restauré"),
    "product.variants_changed": gettext_lazy("Déclinaisons modifiées"),
    "promotion.ended": gettext_lazy("Promotion terminée"),
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


def noun(subject_type: str) -> str:
    """Return what a row of the model `app.model` is called; the type itself for a model that is no more."""
    model = _model(subject_type)
    return subject_type if model is None else capfirst(str(model._meta.verbose_name))


def field_label(subject_type: str, name: str) -> str:
    """Return what a column of the model is called, else its name."""
    model = _model(subject_type)
    try:
        return str(getattr(model._meta.get_field(name), "verbose_name", name)) if model else name
    except FieldDoesNotExist:
        return _WORDS[name]() if name in _WORDS else name


def _model(subject_type: str) -> type[Model] | None:
    try:
        return apps.get_model(subject_type)
    except (LookupError, ValueError):
        return None


_WORDS = {
    "role": lambda: _("rôle"),
    "amount": lambda: _("montant"),
    "voided": lambda: _("à ne plus débiter"),
    "position": lambda: _("échéance"),
    "positions": lambda: _("échéances"),
    "number": lambda: _("numéro"),
    "reference": lambda: _("référence"),
}
