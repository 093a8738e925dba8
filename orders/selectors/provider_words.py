"""What the bank's and the provider's codes mean, in the words of the people who run the shop.

The codes themselves stay in the rows, where a search at Stripe finds them. A code that is not known here is shown as
it came: better a strange word than none.
"""

import re

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from orders.models import DisputeState
from shop.core.languages import active_language
from shop.core.money import format_amount, from_cents

_DECLINES: dict[str, Promise] = {
    "authentication_required": gettext_lazy("la banque veut que le client confirme lui-même"),
    "card_declined": gettext_lazy("carte refusée, sans autre explication"),
    "card_not_supported": gettext_lazy("cette carte ne permet pas ce paiement"),
    "card_velocity_exceeded": gettext_lazy("plafond de la carte atteint"),
    "do_not_honor": gettext_lazy("carte refusée, sans autre explication"),
    "expired_card": gettext_lazy("carte expirée"),
    "fraudulent": gettext_lazy("la banque soupçonne une fraude"),
    "generic_decline": gettext_lazy("carte refusée, sans autre explication"),
    "incorrect_cvc": gettext_lazy("code de sécurité de la carte faux"),
    "insufficient_funds": gettext_lazy("provision insuffisante"),
    "invalid_account": gettext_lazy("le compte de la carte n'existe plus"),
    "lost_card": gettext_lazy("carte déclarée perdue"),
    "pickup_card": gettext_lazy("carte bloquée par la banque"),
    "processing_error": gettext_lazy("incident à la banque"),
    "restricted_card": gettext_lazy("carte bloquée par la banque"),
    "stolen_card": gettext_lazy("carte déclarée volée"),
    "transaction_not_allowed": gettext_lazy("cette carte ne permet pas ce paiement"),
    "withdrawal_count_limit_exceeded": gettext_lazy("plafond de la carte atteint"),
}
_DISPUTES: dict[str, Promise] = {
    "bank_cannot_process": gettext_lazy("la banque ne peut pas traiter ce paiement"),
    "credit_not_processed": gettext_lazy("le client dit attendre un remboursement"),
    "customer_initiated": gettext_lazy("demande du client"),
    "debit_not_authorized": gettext_lazy("le client dit ne pas avoir autorisé ce débit"),
    "duplicate": gettext_lazy("le client dit avoir payé deux fois"),
    "fraudulent": gettext_lazy("le client dit ne pas avoir fait ce paiement"),
    "general": gettext_lazy("sans motif précis"),
    "insufficient_funds": gettext_lazy("provision insuffisante"),
    "noncompliant": gettext_lazy("règles du réseau de cartes non respectées"),
    "product_not_received": gettext_lazy("le client dit n'avoir rien reçu"),
    "product_unacceptable": gettext_lazy("le client dit que la pièce est abîmée ou différente"),
    "subscription_canceled": gettext_lazy("le client dit avoir annulé"),
    "unrecognized": gettext_lazy("le client ne reconnaît pas ce paiement"),
}
_REFUNDS: dict[str, Promise] = {
    "charge_for_pending_refund_disputed": gettext_lazy("le client a contesté le paiement entre-temps"),
    "declined": gettext_lazy("la banque du client le refuse"),
    "expired_or_canceled_card": gettext_lazy("la carte du client n'existe plus"),
    "insufficient_funds": gettext_lazy("pas assez d'argent sur le compte Stripe de la boutique"),
    "lost_or_stolen_card": gettext_lazy("la carte du client est déclarée perdue ou volée"),
    "merchant_request": gettext_lazy("arrêté à la demande de la boutique"),
    "unknown": gettext_lazy("sans explication"),
}


def decline_in_words(code: str) -> str:
    """Return why a bank refused a charge."""
    return str(_DECLINES.get(code, code))


def dispute_in_words(code: str) -> str:
    """Return why a customer's bank takes a payment back."""
    return str(_DISPUTES.get(code, code))


def refund_failure_in_words(code: str) -> str:
    """Return why a refund did not reach the customer."""
    return str(_REFUNDS.get(code, code))


def review_in_words(reason: str) -> str:
    """Return why an order is held, from the reason that `settlement` and `disputes` write for the journal."""
    if reason.startswith("dispute: "):
        labels = dict(DisputeState.choices)
        states = [str(labels.get(state, state)) for state in reason.removeprefix("dispute: ").split(", ")]
        return _("Litige bancaire : %(states)s") % {"states": ", ".join(states).lower()}
    amounts = re.fullmatch(r"(?:event )?(?:amount|charge): (\d+)(?: eur)? instead of (\d+)(?: eur)?", reason)
    if amounts:
        language = active_language()
        paid, due = (format_amount(from_cents(int(cents)), language) for cents in amounts.groups())
        return _("Stripe parle de %(paid)s au lieu de %(due)s") % {"paid": paid, "due": due}
    if reason == "paid without a charge":
        return _("Stripe dit « payé » sans montrer de débit")
    if reason.startswith("charge not accepted: "):
        code = reason.removeprefix("charge not accepted: ")
        return _("Stripe n'accepte pas de débiter une échéance (%(code)s)") % {"code": code}
    if reason.startswith("cards refused: "):
        return _(
            "Cartes refusées sur la page de paiement : %(count)s. La boutique la ferme : quelqu'un essaie peut-être "
            "des cartes volées."
        ) % {"count": reason.removeprefix("cards refused: ")}
    if " instead of " in reason:
        return _("Le paiement ne correspond pas à la commande (%(detail)s)") % {"detail": reason}
    return reason
