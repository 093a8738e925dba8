"""Why a row of the table of statuses does not hold for an order, as the refusal to raise."""

from collections.abc import Callable

from django.db.models import Q
from django.utils.translation import gettext as _

from orders.models import Order, OrderStatus, PaymentState, WithdrawalCase, WithdrawalLine
from orders.models.states import ActorKind, Transition
from orders.selectors.money import taken_back
from orders.selectors.refund_rules import held_amount, open_dispute
from orders.selectors.shipments import units_to_send
from orders.selectors.withdrawals import keeping_from_leaving, units_that_follow
from shop.core.problems import Problem


def returned_problem(order: Order) -> Problem | None:
    """Return why no parcel of the order can be taken back: its customer sent pieces back, or proved it. One query."""
    returned = Q(goods_received_at__isnull=False) | Q(shipping_proof_at__isnull=False)
    if not WithdrawalCase.objects.filter(returned, order=order).exists():
        return None
    return Problem("goods_returned", _("Le client a renvoyé des pièces : la commande est bien partie."), 409)


def status_after_return(order: Order) -> str:
    """Return the status of a refunded order once its money comes back to the shop."""
    return OrderStatus.CANCELLED if order.cancelled_at is not None else order.status_before_closing


def not_paid() -> Problem:
    """Return the refusal for an order that nobody paid."""
    return Problem("order_not_paid", _("Seule une commande payée peut changer d'étape."), 409)


def _never_paid(order: Order, row: Transition) -> Problem | None:
    if order.paid_at is None:
        return None
    return Problem("order_paid", _("Cette commande est payée."), 409)


def _was_paid(order: Order, row: Transition) -> Problem | None:
    if order.paid_at is not None:
        return None
    return Problem("order_not_paid", _("Personne n'a payé cette commande : il n'y a rien à rendre."), 409)


def bank_problem(order: Order) -> Problem | None:
    """Return why nothing of the order is sent or promised: a bank looks at its money, or took all of it back."""
    if open_dispute(order) is not None:
        detail = _(
            "La banque du client conteste ce paiement : n'expédiez rien tant que le litige est ouvert."
        )
    elif taken_back([order.pk]):
        detail = _(
            "La banque du client a repris tout l'argent de cette commande : ne l'expédiez pas, "
            "passez-la à « Remboursée »."
        )
    else:
        return None
    return Problem("order_disputed", detail, 409)


def _money_not_taken_back(order: Order, row: Transition) -> Problem | None:
    return bank_problem(order)


def _not_withdrawn(order: Order, row: Transition) -> Problem | None:
    if not keeping_from_leaving([order.pk]).exists():
        return None
    return Problem(
        "withdrawal_open",
        _(
            "Le client a déclaré sa rétractation : permettez l'expédition du reste depuis sa déclaration, "
            "ou remboursez."
        ),
        409,
    )


def withdrawn_problem(order: Order) -> Problem | None:
    """Return why not all that is at the workshop is said to leave: its customer withdrew from a part of it, which was
    not refunded yet. Four queries, one where they withdrew from no piece."""
    if not WithdrawalLine.objects.filter(item__order=order).exists():
        return None
    here, wanted = units_to_send(order), units_that_follow(order)
    # Where nothing else can have left, what was withdrawn from has.
    if here == wanted or not (order.goods_have_left or any(wanted.values())):
        return None
    return Problem(
        "pieces_withdrawn",
        _(
            "Le client s'est rétracté de pièces qui sont encore à l'atelier\u00a0: expédiez les autres par "
            "«\u00a0Expédier\u00a0», ou remboursez d'abord celles-ci."
        ),
        409,
    )


def _without_withdrawn(order: Order, row: Transition) -> Problem | None:
    return withdrawn_problem(order)


def _something_to_send(order: Order, row: Transition) -> Problem | None:
    if order.goods_have_left or any(units_to_send(order).values()):
        return None
    return Problem(
        "nothing_to_send",
        _(
            "Toutes ses pièces ont été remboursées\u00a0: il ne reste rien à expédier. "
            "Passez-la à «\u00a0Annulée\u00a0» ou «\u00a0Remboursée\u00a0»."
        ),
        409,
    )


def _not_returned(order: Order, row: Transition) -> Problem | None:
    return returned_problem(order)


def _money_held(order: Order, row: Transition) -> Problem | None:
    if order.paid_at is None:
        return not_paid()
    if held_amount(order):
        return None
    return Problem(
        "order_not_paid", _("Son argent est rendu, ou en route vers le client : elle ne se rouvre pas."), 409
    )


def _rest_not_credited(order: Order, row: Transition) -> Problem | None:
    if not order.payments.filter(state=PaymentState.VOID, merged_into=None).exists():
        return None
    return Problem(
        "rest_credited",
        _("Des échéances ont été annulées avec elle, par un avoir : il faut une nouvelle commande."),
        409,
    )


def _where_it_was(order: Order, row: Transition) -> Problem | None:
    by_provider = ActorKind.PROVIDER in row.actors
    back = status_after_return(order) if by_provider else order.status_before_closing
    if row.target == back:
        return None
    return Problem(
        "transition_impossible",
        _("Elle se rouvre là où elle en était : « %(status)s ».") % {"status": _label(back)},
        409,
    )


def _label(status: str) -> str:
    return str(OrderStatus(status).label) if status else "–"


GUARDS: dict[str, Callable[[Order, Transition], Problem | None]] = {
    "never_paid": _never_paid,
    "was_paid": _was_paid,
    "money_not_taken_back": _money_not_taken_back,
    "not_withdrawn": _not_withdrawn,
    "something_to_send": _something_to_send,
    "without_withdrawn": _without_withdrawn,
    "not_returned": _not_returned,
    "money_held": _money_held,
    "rest_not_credited": _rest_not_credited,
    "where_it_was": _where_it_was,
}
