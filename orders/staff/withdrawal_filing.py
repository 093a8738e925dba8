"""A withdrawal that came by letter or e-mail, filed by staff: from its order's page, or from the list without one."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Any, cast

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from orders.forms import LIMITS, PART, WHOLE, LineField, WordsField
from orders.models import Order, WithdrawalCase, WithdrawalChannel
from orders.selectors.refund_rules import ReturnedLine
from orders.selectors.withdrawals import ReturnableLine, cases_of, returnable_lines
from orders.services.withdrawals.declarations import Declaration, Receipt
from orders.services.withdrawals.staff_filing import file_received
from orders.staff.base import DayField, ask_page, order_url
from shop.core.email_addresses import EmailAddressField
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction
from shop.core.staff_pages import WRITE, staff_page
from shop.integrations.repeated_calls import make_once_for_staff

LABEL = "Enregistrer une rétractation reçue"


class ReceivedForm(forms.Form):
    """What staff read in a letter; the service judges it."""

    channel = forms.ChoiceField(
        label="Comment est-elle arrivée ?",
        choices=[choice for choice in WithdrawalChannel.choices if choice[0] != WithdrawalChannel.SITE],
    )
    sent_on = DayField(
        label="Envoyée le",
        help_text="Cachet de la poste ou date de l'e-mail : ce jour décide si le client est dans les délais.",
    )
    received_on = DayField(
        label="Reçue le",
        initial=timezone.localdate,
        help_text="Les quatorze jours pour rembourser partent de ce jour (article L221-24).",
    )
    name = LineField(label="Nom du client", max_length=LIMITS["name"])
    email = EmailAddressField(label="E-mail du client", max_length=LIMITS["email"])
    words = WordsField(
        label="Texte reçu, tel qu'il est écrit",
        required=False,
        max_length=LIMITS["words"],
        widget=forms.Textarea({"rows": 8, "cols": 80}),
    )
    acknowledged = forms.BooleanField(
        label="Envoyer l'accusé de réception par e-mail", required=False, initial=True
    )

    def receipt(self, actor: User) -> Receipt:
        """Return how and when the declaration was received."""
        data = self.cleaned_data
        return Receipt(
            channel=WithdrawalChannel(data["channel"]),
            sent_on=cast(date, data["sent_on"]),
            received_on=cast(date, data["received_on"]),
            filed_by=actor,
            words=data["words"],
            acknowledged=data["acknowledged"],
        )

    def show(self, problem: Problem) -> None:
        """What the service refused, beside the fields that it names."""
        named = {name: texts for name, texts in problem.errors.items() if name in self.fields}
        for name, texts in named.items():
            self.add_error(name, texts)
        if not named:
            self.add_error(None, problem.detail)


class OrderReceivedForm(ReceivedForm):
    """For a known order: its lines to choose from, its customer's name and address at hand."""

    def __init__(self, *args: Any, order: Order, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order = order
        self.lines: list[ReturnableLine] = returnable_lines(order)
        self.fields["name"].initial = order.customer_name
        self.fields["email"].required = False
        self.fields["email"].help_text = f"Vide\u00a0: celui de la commande, {order.email}."
        units = {
            _units(line): forms.IntegerField(
                label=f"{line.left} × {line.item.staff_label}",
                min_value=0,
                max_value=line.left,
                initial=line.left,
                help_text="0 : le client le garde.",
            )
            for line in self.lines
        }
        words = {name: self.fields.pop(name) for name in ("words", "acknowledged")}
        self.fields = {**self.fields, **units, **words}

    def declaration(self, actor: User) -> Declaration:
        """What a valid form declares."""
        data = self.cleaned_data
        wanted = {line.item.pk: data[_units(line)] for line in self.lines}
        return Declaration(
            name=data["name"],
            email=data["email"],
            order_text=self.order.reference,
            language=self.order.language,
            order=self.order,
            lines=tuple(ReturnedLine(item, units) for item, units in sorted(wanted.items())),
            receipt=self.receipt(actor),
        )


class UnknownOrderForm(ReceivedForm):
    """Without an order: what the customer wrote of it, to be attached later."""

    order_text = LineField(
        label="Commande, comme le client la nomme",
        max_length=LIMITS["order"],
        help_text="Sa référence si vous l'avez : avec l'e-mail de la commande, elle est retrouvée toute seule.",
    )
    scope = forms.ChoiceField(
        label="Elle porte sur",
        choices=[(WHOLE, "toute la commande"), (PART, "une partie de la commande")],
    )
    goods = WordsField(
        label="Articles rendus, si c'est une partie",
        required=False,
        max_length=LIMITS["goods"],
        widget=forms.Textarea({"rows": 3, "cols": 80}),
    )
    language = forms.ChoiceField(label="Langue du client", choices=settings.LANGUAGES)

    field_order = (
        "channel", "sent_on", "received_on", "name", "email", "order_text", "scope", "goods", "language", "words",
    )  # fmt: skip

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("scope") == WHOLE:
            cleaned["goods"] = ""
        elif cleaned.get("scope") == PART and not cleaned.get("goods"):
            self.add_error("goods", "Dites quels articles il rend.")
        return cleaned

    def declaration(self, actor: User) -> Declaration:
        """What a valid form declares."""
        data = self.cleaned_data
        return Declaration(
            name=data["name"],
            email=data["email"],
            order_text=data["order_text"],
            language=data["language"],
            goods=data["goods"],
            receipt=self.receipt(actor),
        )


@staff_page(StaffAction.FILE_WITHDRAWAL, WRITE)
def filing_page(request: HttpRequest, order_id: uuid.UUID | None = None) -> HttpResponseBase:
    """Show the form, with an order its lines; posted, file the declaration and show its case."""
    order = None if order_id is None else get_object_or_404(Order, pk=order_id)
    data = request.POST if request.method == "POST" else None
    form = UnknownOrderForm(data) if order is None else OrderReceivedForm(data, order=order)
    if form.is_valid():
        try:
            declaration = form.declaration(cast(User, request.user))
            made = make_once_for_staff(
                request,
                body={name: str(value) for name, value in form.cleaned_data.items()},
                make=lambda: file_received(declaration=declaration, key=str(uuid.uuid4())).case.pk,
            )
        except Problem as problem:
            form.show(problem)
        else:
            case = WithdrawalCase.objects.select_related("withdrawal").get(pk=made.subject_id)
            messages.success(request, f"Rétractation {case.withdrawal.reference} enregistrée.")
            return redirect("staff-withdrawal", case.pk)
    return ask_page(
        request,
        title=LABEL,
        back=reverse("staff-withdrawals") if order is None else order_url(order.pk),
        form=form,
        template="staff/withdrawals/received.html",
        order=order,
        cases=[] if order is None else cases_of(order),
    )


def _units(line: ReturnableLine) -> str:
    return f"units_{line.item.pk}"
