"""What the statistics hold of people: for one day a hash, and then sums."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from shop.core.personal_data import (
    Basis,
    Period,
    ProcessingActivity,
    RetentionRule,
    register_activity,
    register_not_personal,
    register_retention,
)
from shop.statistics.days import close_days_before, purge_sums


def register() -> None:
    """Register the activity and the rules of the statistics."""
    register_activity(
        ProcessingActivity(
            name="statistics",
            label=_("Mesure d'audience de la boutique"),
            purpose=_(
                "Savoir combien de visites la boutique reçoit, d'où elles viennent et si ses pages vont vite"
            ),
            data=_(
                "pages vues, langue, type d'appareil, site de provenance, mots recherchés et vitesse d'affichage, "
                "comptés par jour\u00a0; le temps d'un jour, une empreinte non réversible de votre adresse IP et de "
                "votre navigateur, sans cookie"
            ),
            basis=Basis.LEGITIMATE_INTEREST,
            periods=(
                Period("visit_days", _("pour l'empreinte du jour, sans identification possible ensuite")),
                Period("statistics_months", _("pour les totaux, qui ne concernent plus personne")),
            ),
            recipients=_("hébergeur"),
            kept=_("les totaux de la mesure d'audience, où personne n'apparaît"),
            columns={"statistics.Visit": ("key", "language", "device", "source", "campaign")},
        )
    )
    register_not_personal(
        "The secret of a day, which says nothing of anybody.", {"statistics.DailySalt": ("salt",)}
    )
    register_not_personal(
        "Sums of a day.",
        {"statistics.DailyCount": ("*",), "statistics.DailyVital": ("*",)},
    )
    register_retention(
        RetentionRule("visits", _("Empreintes des visites d'un jour"), "visit_days", close_days_before)
    )
    register_retention(
        RetentionRule("statistics", _("Totaux de la mesure d'audience"), "statistics_months", purge_sums)
    )
