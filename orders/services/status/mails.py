"""The mail about a step of an order: what happened, what comes next and when, what becomes of the money."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from orders.journal import written_message
from orders.mails import mail_customer
from orders.models import CLOSED_STATUSES, Order, OrderStatus, OrderTracking, Shipment
from orders.selectors.money import money_outcome
from orders.selectors.withdrawal_period import withdrawal_deadline
from orders.selectors.withdrawals import all_withdrawn, cases_of, rest_follows
from orders.selectors.workshop import is_awaited
from shop.core.amounts import localised_amount
from shop.core.dates import day_in_words
from shop.core.mail import withdraw_mails
from shop.core.models import OutgoingMail

STATUS_PAUSE = timedelta(minutes=1)
"""How long the mail of a status waits, so that staff can correct themselves."""


@dataclass(frozen=True, slots=True)
class StatusNews:
    """What a mail about a step says, in the order's language."""

    heading: str
    paragraphs: Sequence[str]


def mail_status(
    order: Order,
    entry: OrderTracking,
    *,
    once: str = "",
    parcel: Shipment | None = None,
    is_untold: bool = False,
) -> None:
    """Mail the customer what `entry` says, once an entry, to be sent a minute later. `parcel` is the one whose number
    it adds. `is_untold`: of the departure that it undoes its customer has not heard.

    Staff who correct themselves within that minute write the only mail: see `withdraw_status_mails`, which leaves alone
    those that have a key of their own, `once`. Call it in the transaction that writes the entry.
    """
    with translation.override(order.language):
        news = status_news(order, entry, is_untold=is_untold)
        money = money_sentences(order) if entry.status in CLOSED_STATUSES else []
        pieces = _parcel(parcel or entry.shipment)
    mail_customer(
        order,
        "order_status",
        {
            "heading": news.heading,
            "paragraphs": list(news.paragraphs),
            "money": money,
            "message": written_message(order, entry),
            "tracking_number": entry.tracking_number,
            "carrier": entry.get_carrier_display() if entry.carrier else "",
            "tracking_url": entry.parcel_url,
            "signature": entry.actor.first_name if entry.actor else "",
            "parcel": pieces,
        },
        once=once or f"{order.pk}:{_of_parcel(entry.shipment_id)}{entry.pk}",
        not_before=timezone.now() + STATUS_PAUSE,
    )


def withdraw_status_mails(order: Order) -> None:
    """Delete the mails of earlier statuses that wait for their minute: the order has another one now."""
    withdraw_mails(f"order_status:{order.pk}:")


def status_news(order: Order, entry: OrderTracking, *, is_untold: bool) -> StatusNews:
    """Return the sentences for `entry`, in the active language, after what the entry before it told; where `is_untold`,
    nobody has heard of what was undone. Some ten queries at most."""
    before = _step_before(order, entry, is_untold=is_untold)
    name = {"reference": order.reference}
    if (
        not is_untold
        and entry.shipment is not None
        and (news := _parcel_news(order, entry.shipment)) is not None
    ):
        return news
    # Nothing moves an order to `pending`: an entry about it is always an addition.
    if entry.status == OrderStatus.PENDING or (before is not None and before.status == entry.status):
        said = _("Votre commande est toujours «\u00a0%(status)s\u00a0».") % {
            "status": entry.get_status_display()
        }
        return StatusNews(_("Des nouvelles de votre commande %(reference)s") % name, [said, *_promise(order)])
    if before is not None and before.status == OrderStatus.SHIPPED and not order.all_goods_have_left:
        return StatusNews(
            _("Votre commande %(reference)s n'est pas encore partie") % name,
            [
                _(
                    "Nous vous avions annoncé son départ trop tôt\u00a0: elle est encore à l'atelier. "
                    "Toutes nos excuses."
                ),
                *_dispatch_to_come(order),
            ],
        )
    headings = {
        OrderStatus.CONFIRMED: _("Votre commande %(reference)s est confirmée"),
        OrderStatus.PROCESSING: _("Nous préparons votre commande %(reference)s"),
        OrderStatus.SHIPPED: _("Votre commande %(reference)s est partie"),
        OrderStatus.DELIVERED: _("Votre commande %(reference)s est livrée"),
        OrderStatus.CANCELLED: _("Votre commande %(reference)s est annulée"),
        OrderStatus.REFUNDED: _("Votre commande %(reference)s est remboursée"),
    }
    return StatusNews(
        headings[OrderStatus(entry.status)] % name, _paragraphs(order, OrderStatus(entry.status))
    )


def mail_undone(order: Order, entry: OrderTracking, parcel: Shipment | None) -> None:
    """Mail the customer that the order is still here. Who has not heard that it left, for that mail waited for its
    minute, reads of no mistake: that it is being prepared, where that is news to somebody who waits for it, or what
    staff write."""
    is_untold = parcel is not None and withdraw_parcel_mail(parcel)
    # That an earlier one had not left was perhaps still to be told, in a mail that this one took the place of.
    is_untold = is_untold and order.shipments.filter(undone_at__isnull=False).count() == 1
    withdraw_status_mails(order)
    if is_untold and not written_message(order, entry):
        before = _step_before(order, entry, is_untold=True)
        is_no_news = order.goods_have_left or (before is not None and before.status == entry.status)
        if is_no_news or not is_awaited(order):
            return
    mail_status(order, entry, is_untold=is_untold)


def _step_before(order: Order, entry: OrderTracking, *, is_untold: bool) -> OrderTracking | None:
    steps = order.tracking.filter(pk__lt=entry.pk).order_by("-created_at", "-pk")
    return (steps.filter(undone=False) if is_untold else steps).first()


def mail_parcel(order: Order, entry: OrderTracking) -> None:
    """Mail the customer about a parcel that is not the last, a minute later. No later status withdraws it: only undoing
    the parcel does (`withdraw_parcel_mail`)."""
    mail_status(order, entry, once=f"{order.pk}/{_of_parcel(entry.shipment_id)}{entry.pk}")


def mail_number(order: Order, entry: OrderTracking, parcel: Shipment) -> None:
    """Mail the customer the number of a parcel, a minute later, in place of an earlier one that still waits for it.
    While a part is still here its dispatch does not withdraw it, as that tells another number: only undoing the parcel
    does (`withdraw_parcel_mail`).
    """
    message = written_message(order, entry)
    if retell_departure(order, parcel, message):
        return
    news = copy(entry)
    news.message = _messages(withdraw_number_mails(parcel), message)
    _mail_number(order, news, parcel)


def mail_number_taken_back(
    order: Order, entry: OrderTracking, parcel: Shipment, *, waited: Sequence[OutgoingMail], message: str
) -> None:
    """Mail the customer that a parcel has no number, with the messages of mails that `waited` and were withdrawn and
    `message`; `entry` is the last one."""
    news = copy(entry)
    news.tracking_number, news.message = "", _messages(waited, message)
    _mail_number(order, news, parcel)


def _mail_number(order: Order, news: OrderTracking, parcel: Shipment) -> None:
    if parcel.tracking_number:
        # What was taken back within the minute is right after all.
        with translation.override(order.language):
            wrong = not_the_number(parcel.tracking_number)
        news.message = "\n".join(line for line in news.message.split("\n") if line != wrong)
    sign = ":" if order.all_goods_have_left else "/"
    mail_status(order, news, once=f"{order.pk}{sign}{_of_number(parcel)}{news.pk}", parcel=parcel)


def not_the_number(number: str) -> str:
    """Return the sentence that takes a number back, in the active language."""
    return _("Le numéro de suivi %(number)s n'est pas celui de votre colis\u00a0: n'en tenez pas compte.") % {
        "number": number
    }


def reported_number(parcel: Shipment) -> str:
    """Return the number of a parcel that its customer was told last; "" for none. Call it once its mails that wait for
    their minute are withdrawn."""
    keys = Q()
    for sign in "/:":
        for about in (_of_parcel(parcel.pk), _of_number(parcel)):
            keys |= Q(dedupe_key__startswith=f"order_status:{parcel.order_id}{sign}{about}")
    told = (
        OutgoingMail.objects.filter(keys).order_by("-pk").values_list("context__tracking_number", flat=True)
    )
    return next(filter(None, told), "")


def retell_departure(order: Order, parcel: Shipment, message: str = "") -> bool:
    """Write the mail of a departure, where it still waits for its minute and tells another number, with the number of
    now and the messages of all, `message` last; False where it does not."""
    departures = order.tracking.filter(shipment=parcel, status=order.status).exclude(tracking_number="")
    departure = departures.order_by("pk").first()
    if departure is None or not (waiting := _withdraw_departure_mails(parcel)):
        return False
    departure.tracking_number, departure.carrier = parcel.tracking_number, parcel.carrier
    departure.message = _messages(waiting, message)
    (mail_status if order.all_goods_have_left else mail_parcel)(order, departure)
    return True


def withdraw_parcel_mail(shipment: Shipment) -> bool:
    """Delete the mails about a parcel and its number that wait for their minute; False when the former has been sent,
    or there was none."""
    withdraw_number_mails(shipment)
    return bool(_withdraw_departure_mails(shipment))


def withdraw_number_mails(shipment: Shipment) -> list[OutgoingMail]:
    """Delete the mails about a parcel's number that wait for their minute; return them as they were."""
    return _withdraw_mails(shipment, _of_number(shipment))


def _withdraw_departure_mails(shipment: Shipment) -> list[OutgoingMail]:
    return _withdraw_mails(shipment, _of_parcel(shipment.pk))


def _withdraw_mails(shipment: Shipment, about: str) -> list[OutgoingMail]:
    prefixes = (f"order_status:{shipment.order_id}{sign}{about}" for sign in "/:")
    return [mail for prefix in prefixes for mail in withdraw_mails(prefix)]


def _messages(withdrawn: Sequence[OutgoingMail], message: str) -> str:
    return "\n".join(filter(None, (*(mail.context["message"] for mail in withdrawn), message)))


def _of_number(shipment: Shipment) -> str:
    return f"number:{shipment.pk}:"


def _of_parcel(shipment_id: int | None) -> str:
    return "" if shipment_id is None else f"parcel:{shipment_id}:"


def _parcel_news(order: Order, shipment: Shipment) -> StatusNews | None:
    """What is said of one parcel among several; None for the only one."""
    name = {"reference": order.reference}
    if shipment.undone_at is not None:
        return StatusNews(
            _("Un colis de votre commande %(reference)s n'est pas encore parti") % name,
            [
                _(
                    "Nous vous avions annoncé son départ trop tôt\u00a0: il est encore à l'atelier. "
                    "Toutes nos excuses."
                ),
                *_dispatch_to_come(order),
            ],
        )
    if not order.all_goods_have_left:
        said = [
            _("Il a quitté l'atelier le %(day)s.")
            % {"day": day_in_words(timezone.localdate(shipment.sent_at))}
        ]
        if rest_follows(order):
            said.append(
                _(
                    "Le reste de votre commande suit dans un autre colis\u00a0: vous recevrez un e-mail le jour "
                    "de son départ."
                )
            )
        return StatusNews(
            _("Un colis de votre commande %(reference)s est parti") % name, [*said, _promised_day(order)]
        )
    others = order.shipments.filter(undone_at=None).exclude(pk=shipment.pk)
    if order.status != OrderStatus.SHIPPED or not others.exists():
        return None
    return StatusNews(
        _("Le dernier colis de votre commande %(reference)s est parti") % name, _dispatched(order)
    )


def _parcel(shipment: Shipment | None) -> list[dict[str, object]]:
    """The pieces of one parcel among several; none for the only one, which holds them all."""
    if shipment is None or shipment.undone_at is not None:
        return []
    lines = list(shipment.lines.select_related("item"))
    if sum(line.quantity for line in lines) == sum(item.quantity for item in shipment.order.items.all()):
        return []
    return [
        {"quantity": line.quantity, "name": line.item.product_name, "detail": line.item.detail}
        for line in lines
    ]


def _paragraphs(order: Order, status: OrderStatus) -> list[str]:
    match status:
        case OrderStatus.CONFIRMED:
            said = _("L'atelier l'a bien reçue. Nous vous écrivons quand nous commençons à la préparer.")
            return [said, *_promise(order)]
        case OrderStatus.PROCESSING:
            return [_("L'atelier a commencé à préparer vos pièces."), *_dispatch_to_come(order)]
        case OrderStatus.SHIPPED:
            return _dispatched(order)
        case OrderStatus.DELIVERED:
            return _delivered(order)
        case OrderStatus.CANCELLED if not order.goods_have_left:
            return [_("Rien ne sera expédié.")]
        case _:
            return []


def _dispatch_to_come(order: Order) -> list[str]:
    if not rest_follows(order):
        return []
    said = _(
        "Prochaine étape\u00a0: l'expédition. Vous recevrez ce jour-là un e-mail avec le suivi du colis."
    )
    return [said, _promised_day(order)]


def _dispatched(order: Order) -> list[str]:
    sent = []
    if order.shipped_at is not None:
        day = day_in_words(timezone.localdate(order.shipped_at))
        sent = [_("Votre colis a quitté l'atelier le %(day)s.") % {"day": day}]
    late = _(
        "S'il n'est pas arrivé ce jour-là, répondez à ce message\u00a0: nous le cherchons avec le transporteur."
    )
    return [*sent, " ".join([*_promise(order), late])]


def _delivered(order: Order) -> list[str]:
    sentences = []
    if order.delivered_at is not None:
        day = day_in_words(timezone.localdate(order.delivered_at))
        sentences = [_("Votre colis est arrivé le %(day)s.") % {"day": day}]
    sentences.append(
        _(
            "Une pièce est abîmée, ou il manque quelque chose\u00a0? Répondez à ce message avec une photo\u00a0: "
            "nous réparons."
        )
    )
    deadline = withdrawal_deadline(order)
    if deadline is None or deadline < timezone.localdate():
        return sentences
    if not all_withdrawn(order, cases_of(order)):
        sentences.append(
            _("Vous pouvez vous rétracter jusqu'au %(day)s inclus.") % {"day": day_in_words(deadline)}
        )
    return sentences


def money_sentences(order: Order) -> list[str]:
    """Return what becomes of the money of a closed order, in the active language: all of it is named."""
    money = money_outcome(order)
    if not money.charged:
        return [_("Vous n'avez rien payé\u00a0: rien ne vous sera demandé.")]
    outcomes = (
        (money.refunded, _("%(amount)s vous ont été rendus.")),
        (
            money.under_way,
            _(
                "%(amount)s vous sont rendus sur le moyen de paiement que vous aviez utilisé\u00a0: comptez cinq à "
                "dix jours ouvrés, selon votre banque."
            ),
        ),
        (
            money.failed,
            _(
                "%(amount)s n'ont pas pu vous être rendus par la banque\u00a0: nous vous écrivons pour le faire "
                "autrement."
            ),
        ),
        (money.disputed, _("Votre banque a repris %(amount)s à votre demande.")),
        (money.voided, _("%(amount)s qui restaient à payer ne vous seront pas prélevés.")),
    )
    sentences = [text % {"amount": localised_amount(amount)} for amount, text in outcomes if amount]
    if money.retained:
        values = {"amount": localised_amount(money.retained), "reason": money.retention_reason}
        sentences.append(
            _("%(amount)s ne sont pas rendus. Motif\u00a0: %(reason)s") % values
            if money.retention_reason
            else _("%(amount)s ne sont pas encore rendus\u00a0: nous vous écrivons dès que c'est décidé.")
            % values
        )
    return sentences


def _promise(order: Order) -> list[str]:
    if order.status != OrderStatus.SHIPPED and not rest_follows(order):
        return []
    return [_promised_day(order)]


def _promised_day(order: Order) -> str:
    return _("Livraison au plus tard le %(date)s.") % {"date": day_in_words(order.promised_by)}
