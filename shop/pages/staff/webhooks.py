"""`/admin/webhooks`: what the shop reports to programs of others, and what they answered."""

from __future__ import annotations

from typing import Any, cast

from django.contrib import messages
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.recent_authentication import ask_again
from shop.core.keyset import BadCursor
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may
from shop.core.staff_pages import WRITE, staff_page
from shop.integrations import endpoints
from shop.integrations.delivery import redeliver
from shop.integrations.models import CHOSEN_KINDS, WebhookAttempt, WebhookEndpoint
from shop.integrations.repeated_calls import make_once_for_staff
from shop.integrations.selectors import all_endpoints, find_deliveries

FAILURES = {
    "unresolved": "ce nom de serveur n'existe pas",
    "unreachable": "le serveur refuse la connexion",
    "timeout": "le serveur est trop lent",
    "private": "l'adresse n'est pas sur l'internet public",
    "secret_lost": "le secret est illisible\u00a0: remplacez-le",
    "unforeseen": "une erreur de la boutique, que le journal du serveur montre",
}
MADE_BEFORE = (
    "Ce webhook est déjà créé, et son secret n'est plus affiché. Si vous ne l'avez pas copié, remplacez-le."
)
REPLACED_BEFORE = (
    "Le secret est déjà remplacé, et n'est plus affiché. Si vous ne l'avez pas copié, remplacez-le encore."
)
KINDS = [(kind.value, str(kind.label)) for kind in CHOSEN_KINDS]


@staff_page(StaffAction.SEE_AUTOMATION)
def webhooks(request: HttpRequest) -> HttpResponseBase:
    """Lists the endpoints, with how they fare. One query."""
    return render(
        request,
        "staff/webhooks.html",
        {"endpoints": all_endpoints(), "may_edit": may(request.user, StaffAction.EDIT_AUTOMATION)},
    )


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
@sensitive_variables("made")
def webhook_new(request: HttpRequest) -> HttpResponseBase:
    """The form of a new endpoint; its secret is on the answer's page alone."""
    refusal: Problem | None = None
    if request.method == "POST":
        if (asked := ask_again(request)) is not None:
            return asked
        made: endpoints.NewSecret | None = None

        def make() -> int:
            nonlocal made
            made = endpoints.create_endpoint(**_typed(request), actor=cast(User, request.user))
            return made.row.pk

        try:
            call = make_once_for_staff(request, body=_typed(request), make=make)
        except Problem as problem:
            refusal = problem
        else:
            if made is not None:
                return _secret_page(request, made, "Le webhook est en place.")
            messages.info(request, MADE_BEFORE)
            return _back(call.subject_id)
    context = {
        "refusal": refusal,
        "kinds": KINDS,
        "chosen": [value for value, _label in KINDS],
        **_given(request),
    }
    return render(request, "staff/webhook_new.html", context, status=refusal.status if refusal else 200)


@staff_page(StaffAction.SEE_AUTOMATION)
def webhook(request: HttpRequest, endpoint_id: int) -> HttpResponseBase:
    """One endpoint with its form, its buttons and its log, page by page."""
    return _page(request, _found(endpoint_id))


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
def webhook_edit(request: HttpRequest, endpoint_id: int) -> HttpResponseBase:
    row = _found(endpoint_id)
    if request.method != "POST":
        return _back(endpoint_id)
    try:
        endpoints.update_endpoint(endpoint_id=endpoint_id, **_typed(request), actor=cast(User, request.user))
    except Problem as problem:
        return _page(request, row, problem)
    messages.success(request, "Le webhook est enregistré.")
    return _back(endpoint_id)


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
@sensitive_variables("made")
def webhook_secret(request: HttpRequest, endpoint_id: int) -> HttpResponseBase:
    _found(endpoint_id)
    if request.method != "POST":
        return _back(endpoint_id)
    if (asked := ask_again(request)) is not None:
        return asked
    made: endpoints.NewSecret | None = None

    def replace() -> int:
        nonlocal made
        made = endpoints.rotate_secret(endpoint_id=endpoint_id, actor=cast(User, request.user))
        return endpoint_id

    # Replaced twice, the one that the receiver knows would count no more.
    make_once_for_staff(request, body={"secret": endpoint_id}, make=replace)
    if made is None:
        messages.info(request, REPLACED_BEFORE)
        return _back(endpoint_id)
    return _secret_page(
        request, made, "Le secret est remplacé. Les appels portent les deux signatures pendant 24 heures."
    )


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
def webhook_switch(request: HttpRequest, endpoint_id: int) -> HttpResponseBase:
    row = _found(endpoint_id)
    if request.method == "POST":
        on = request.POST.get("on") == "1"
        endpoints.switch_endpoint(endpoint_id=row.pk, on=on, actor=cast(User, request.user))
        messages.success(
            request,
            "Le webhook est en marche\u00a0: ce qui attendait part maintenant."
            if on
            else "Le webhook est arrêté.",
        )
    return _back(endpoint_id)


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
def webhook_test(request: HttpRequest, endpoint_id: int) -> HttpResponseBase:
    _found(endpoint_id)
    if request.method == "POST":
        try:
            endpoints.send_test(endpoint_id=endpoint_id)
        except Problem as problem:
            messages.error(request, problem.detail)
        else:
            messages.success(
                request, "L'essai part dans un instant\u00a0: actualisez cette page pour voir la réponse."
            )
    return _back(endpoint_id)


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
def webhook_redeliver(request: HttpRequest, endpoint_id: int, delivery_id: int) -> HttpResponseBase:
    row = _found(endpoint_id)
    if not row.deliveries.filter(pk=delivery_id).exists():
        raise Http404
    if request.method == "POST":
        try:
            endpoints.refuse_stopped(row)
        except Problem as problem:
            messages.error(request, problem.detail)
            return _back(endpoint_id)
        if redeliver(delivery_id=delivery_id):
            messages.success(request, "L'évènement part de nouveau, sous le même numéro.")
        else:
            messages.error(request, "Cet évènement est en cours d'envoi\u00a0: attendez la réponse.")
    return _back(endpoint_id)


@staff_page(StaffAction.EDIT_AUTOMATION, WRITE)
def webhook_delete(request: HttpRequest, endpoint_id: int) -> HttpResponseBase:
    _found(endpoint_id)
    if request.method != "POST":
        return _back(endpoint_id)
    endpoints.delete_endpoint(endpoint_id=endpoint_id, actor=cast(User, request.user))
    messages.success(request, "Le webhook et son journal sont supprimés.")
    return redirect("staff-webhooks")


def _found(endpoint_id: int) -> WebhookEndpoint:
    row = WebhookEndpoint.objects.filter(pk=endpoint_id).first()
    if row is None:
        raise Http404
    return row


def _back(endpoint_id: int) -> HttpResponseBase:
    return redirect("staff-webhook", endpoint_id)


def _typed(request: HttpRequest) -> dict[str, Any]:
    return {
        "url": request.POST.get("url", ""),
        "description": request.POST.get("description", ""),
        "kinds": request.POST.getlist("kinds"),
    }


def _given(request: HttpRequest) -> dict[str, Any]:
    """What the form shows again after a refusal."""
    if request.method != "POST":
        return {}
    typed = _typed(request)
    return {"url": typed["url"], "description": typed["description"], "chosen": typed["kinds"]}


def _page(request: HttpRequest, row: WebhookEndpoint, refusal: Problem | None = None) -> HttpResponseBase:
    try:
        page = find_deliveries(row.pk, request.GET.get("cursor", ""))
    except BadCursor as error:
        raise Http404 from error
    context = {
        "endpoint": row,
        "refusal": refusal,
        "kinds": KINDS,
        "url": row.url,
        "description": row.description,
        "chosen": row.kinds,
        **(_given(request) if refusal else {}),
        "deliveries": [(row, [_reported(attempt) for attempt in row.log.all()]) for row in page.rows],
        "cursor": page.next_cursor,
        "may_edit": may(request.user, StaffAction.EDIT_AUTOMATION),
    }
    return render(request, "staff/webhook.html", context, status=refusal.status if refusal else 200)


def _reported(attempt: WebhookAttempt) -> tuple[WebhookAttempt, str]:
    """A try, and in words what came of it."""
    if attempt.status is not None:
        return attempt, f"réponse {attempt.status}"
    return attempt, f"pas de réponse, {FAILURES.get(attempt.failure, attempt.failure)}"


@sensitive_variables("made")
def _secret_page(request: HttpRequest, made: endpoints.NewSecret, done: str) -> HttpResponseBase:
    context = {"made": made, "done": done, "page_url": reverse("staff-webhook", args=[made.row.pk])}
    return render(request, "staff/webhook_secret.html", context)
