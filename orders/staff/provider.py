"""What Stripe reported and what it says now: events that failed are processed again, payments are asked about."""

from __future__ import annotations

import uuid
from typing import cast

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from orders.models import Order, StripeEvent
from orders.selectors.provider_events import askable_attempts
from orders.services.payments.reviews import settle_order
from orders.services.reconciliation.webhook_events import replay_events, set_aside_events
from orders.staff.base import PROVIDER_AWAY, ask_page, order_url, row_number
from orders.stripe import gateway
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import PAGE_SIZE, Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

PARTS = (
    Part("a-traiter", "À traiter", lambda rows: rows.filter(processed_at=None)),
    Part("traites", "Traités", lambda rows: rows.exclude(processed_at=None)),
    Part("tous", "Tous"),
)
SEARCHED = ("event_id", "kind")
ASK_LABEL = "Demander l'état du paiement à Stripe"


@staff_page(StaffAction.SEE_PAYMENTS, WRITE)
def events_page(request: HttpRequest) -> HttpResponseBase:
    """Events as they were received, newest first; a POST has a worker process those that are ticked (`evenement`), or
    sets them aside (`action`)."""
    if request.method == "POST":
        require(request.user, StaffAction.REPLAY_EVENT)
        if request.POST.get("action") == "mettre-de-cote":
            _set_aside(request)
        else:
            _replay(request)
        return redirect(request.get_full_path())
    rows = StripeEvent.objects.defer("body")
    context = {
        "list": staff_list(request, rows, PARTS, searched=SEARCHED, moment="received_at"),
        "replays": may(request.user, StaffAction.REPLAY_EVENT),
    }
    return render(request, "staff/payments/events.html", context)


def _replay(request: HttpRequest) -> None:
    asked = replay_events(_ticked(request))
    if not asked:
        messages.warning(request, "Aucun des évènements choisis n'est à traiter.")
        return
    what = f"{asked} évènements sont traités" if asked > 1 else "Un évènement est traité"
    messages.success(request, f"{what} à nouveau\u00a0: rechargez la page pour voir ce qu'il en est.")


def _set_aside(request: HttpRequest) -> None:
    count = set_aside_events(_ticked(request), actor=cast(User, request.user))
    if not count:
        messages.warning(request, "Aucun des évènements choisis n'a échoué.")
        return
    what = f"{count} évènements sont mis de côté" if count > 1 else "Un évènement est mis de côté"
    messages.success(
        request, f"{what}\u00a0: la comparaison de nuit avec Stripe dit s'il manque quelque chose."
    )


def _ticked(request: HttpRequest) -> list[int]:
    return [row_number(key) for key in request.POST.getlist("evenement")[:PAGE_SIZE]]


@staff_page(StaffAction.ASK_PROVIDER, WRITE)
def ask_provider_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """Settle the order's attempts from what Stripe says now, those to be looked at too; stop when it is away."""
    order = get_object_or_404(Order, pk=order_id)
    if request.method == "POST":
        _ask(request, order)
        return redirect(order_url(order.pk))
    has_begun = askable_attempts(order).exists()
    return ask_page(
        request,
        title=ASK_LABEL,
        back=order_url(order.pk),
        submit="Demander" if has_begun else "",
        sentences=[
            f"La boutique demande à Stripe où en est chaque paiement de la commande {order.reference} et note sa "
            "réponse, comme si Stripe venait de l'envoyer. Rien n'est débité."
            if has_begun
            else "Aucun paiement de cette commande n'a commencé chez Stripe."
        ],
    )


def _ask(request: HttpRequest, order: Order) -> None:
    try:
        asked = settle_order(order_id=order.pk, actor=cast(User, request.user))
    except gateway.GatewayError:
        messages.error(request, PROVIDER_AWAY)
        return
    count = asked.count
    messages.success(request, f"{count} paiements vérifiés." if count > 1 else f"{count} paiement vérifié.")
    if asked.in_doubt:
        messages.warning(
            request,
            "Un paiement ne correspond toujours pas à la commande\u00a0: remboursez-le chez Stripe, puis demandez à "
            "nouveau.",
        )
    elif asked.uncollected:
        messages.warning(
            request,
            "Une échéance n'a jamais été débitée\u00a0: débitez-la, envoyez le lien ou abandonnez-la dans "
            "«\u00a0Échéances\u00a0», puis demandez à nouveau.",
        )
