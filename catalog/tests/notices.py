"""What is said to those who ask for a notice, and the mails they get."""

from __future__ import annotations

from shop.core.models import OutgoingMail

CHECK = "Vérifiez votre boîte de réception\u00a0: un message vous demande de confirmer."


def mails():
    return list(OutgoingMail.objects.order_by("pk").values_list("kind", "to"))
