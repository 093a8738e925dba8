"""What staff do about a third that was not paid: ask for it again, or give it up."""

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from orders.journal import record_event
from orders.models import LIVE_ATTEMPTS, OPEN_PAYMENTS, Attempt, Order, Payment
from orders.selectors.installments import open_pause
from orders.services.installments.mails import mail_link
from orders.services.installments.scheduled_payments import write_off
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User


def send_link(*, payment_id: int, actor: "User | None") -> None:
    """Mail the customer the page where the third is paid. Raises Problem 409 when it isn't owed, or while the
    payments are suspended."""
    with transaction.atomic():
        order, payment = _locked(payment_id)
        if open_pause(order) is not None:
            raise Problem(
                "installments_paused", _("Les échéances sont suspendues : reprenez-les d'abord."), 409
            )
        event = record_event(order, "installment.link_sent", actor=actor, position=payment.position)
        mail_link(order, payment, once=str(event.pk))


def write_off_payment(*, payment_id: int, actor: "User | None", reason: str) -> None:
    """Give a third up. Raises Problem 409 when it isn't owed, or while somebody is paying it."""
    with transaction.atomic():
        order, payment = _locked(payment_id)
        if Attempt.objects.filter(payment__order=order, state__in=LIVE_ATTEMPTS).exists():
            raise Problem("payment_in_progress", _("Un paiement de cette commande est en cours."), 409)
        write_off(order=order, payment=payment, actor=actor, reason=reason)


def _locked(payment_id: int) -> tuple[Order, Payment]:
    order = Order.objects.select_for_update(of=("self",)).get(payments=payment_id)
    payment = Payment.objects.select_for_update(of=("self",)).get(pk=payment_id)
    if payment.state not in OPEN_PAYMENTS or payment.position == 1:
        raise Problem("not_owed", _("Cette échéance n'est plus à payer."), 409)
    return order, payment
