"""What the proofs of consent hold: nothing that names a person, kept as long as the choice may be disputed."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from shop.consent.services import purge_proofs
from shop.core.personal_data import (
    Basis,
    Period,
    ProcessingActivity,
    RetentionRule,
    register_activity,
    register_not_personal,
    register_retention,
)


def register() -> None:
    """Register the activity and the rule of the proofs."""
    register_activity(
        ProcessingActivity(
            name="consent",
            label=_("Prouver votre choix sur les cookies"),
            purpose=_("Montrer ce que vous avez accepté ou refusé, et quand"),
            data=_("choix, date, langue et un numéro tiré au hasard que seul votre navigateur connaît"),
            basis=Basis.LEGAL_OBLIGATION,
            periods=(Period("consent_years", _("après le choix")),),
            recipients=_("hébergeur"),
            kept=_("les choix sur les cookies\u00a0: rien n'y relie un choix à une personne"),
            columns={"consent.ConsentProof": ("browser_id", "choices", "language")},
        )
    )
    register_not_personal(
        "What the shop asked every visitor.",
        {"consent.ConsentVersion": ("*",)},
    )
    register_retention(
        RetentionRule("consent-proofs", _("Preuves de consentement"), "consent_years", purge_proofs)
    )
