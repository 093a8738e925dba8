"""Where a second factor is set up and asked for, and what is stored of it."""

from __future__ import annotations

from allauth.mfa.models import Authenticator

from shop.core.models import AuditEntry

STEP = "/auth/seconde-etape"
SECURITY = "/espace-membre/securite"
APP = f"{SECURITY}/application"
WRONG = "Code incorrect ou déjà utilisé"


def held(user):
    return Authenticator.objects.filter(user=user)


def audit(subject):
    return list(
        AuditEntry.objects.filter(subject_id=str(subject.pk)).values_list("action", "before", "after")
    )
