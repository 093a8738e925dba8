"""Invoices and credit notes: read, downloaded, corrected; never changed. The draft of one that is still to come."""

from __future__ import annotations

import uuid
from typing import cast

from django import forms
from django.contrib import messages
from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render

from accounts.models import User
from orders.downloads import pdf_response
from orders.models import Invoice, InvoiceDraft, InvoiceKind, Order
from orders.selectors.company_numbers import clean_company_number
from orders.selectors.invoices import documents_of, find_document
from orders.services.invoicing.correcting import DraftValues, edit_invoice
from orders.staff.base import ask_page, order_url
from shop.core.dates import end_of_day, start_of_day
from shop.core.problems import Problem
from shop.core.staff_actions import StaffAction, may, require
from shop.core.staff_lists import Part, staff_list
from shop.core.staff_pages import WRITE, staff_page

PARTS = (
    Part("tout", "Tout"),
    Part("factures", "Factures", lambda rows: rows.filter(kind=InvoiceKind.INVOICE)),
    Part("avoirs", "Avoirs", lambda rows: rows.filter(kind=InvoiceKind.CREDIT_NOTE)),
)
DRAFT_LABEL = "Brouillon de la facture"
CORRECTION_LABEL = "Rectifier la facture"
SEARCHED = ("number", "order__reference", "order__email", "order__last_name", "order__first_name")


def has_uncredited_invoice(order: Order) -> bool:
    """Return whether an invoice of the order may still be corrected."""
    return order.invoices.filter(kind=InvoiceKind.INVOICE, credit_notes=None).exists()


class DaysForm(forms.Form):
    """From which day to which; a day that can't be read narrows nothing."""

    du = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    au = forms.DateField(required=False, input_formats=["%Y-%m-%d"])


@staff_page(StaffAction.SEE_INVOICES)
def invoices_page(request: HttpRequest) -> HttpResponseBase:
    """The series, newest first, with the totals of everything that is listed. Two queries."""
    form = DaysForm(request.GET)
    form.is_valid()
    rows = Invoice.objects.select_related("document", "order").defer("document__pdf")
    rows, days = _between(rows, form)
    listed = staff_list(request, rows, PARTS, searched=SEARCHED, moment="issued_at", kept=days)
    sums = listed.matching.order_by().aggregate(count=Count("pk"), total=Sum("total"), vat=Sum("vat"))
    return render(request, "staff/invoices/list.html", {"list": listed, "sums": sums, "days": days})


def _between(rows: QuerySet[Invoice], form: DaysForm) -> tuple[QuerySet[Invoice], dict[str, str]]:
    days = {name: form.cleaned_data.get(name) for name in ("du", "au")}
    if days["du"]:
        rows = rows.filter(issued_at__gte=start_of_day(days["du"]))
    if days["au"]:
        rows = rows.filter(issued_at__lte=end_of_day(days["au"]))
    return rows, {name: day.isoformat() if day else "" for name, day in days.items()}


@staff_page(StaffAction.SEE_INVOICES)
def invoice_pdf(request: HttpRequest, invoice_id: int) -> HttpResponseBase:
    """The stored PDF."""
    invoice = get_object_or_404(Invoice, pk=invoice_id)
    try:
        return pdf_response(request, invoice)
    except Problem as problem:
        messages.warning(request, problem.detail)
        return redirect("staff-invoices")


class InvoiceForm(forms.Form):
    """The parts of an invoice that may be edited."""

    customer_name = forms.CharField(label="Nom du client", max_length=200, required=False)
    customer_address = forms.CharField(
        label="Adresse du client",
        max_length=500,
        required=False,
        widget=forms.Textarea({"rows": 4}),
        help_text="Vide\u00a0: le nom et l'adresse de la commande.",
    )
    customer_number = forms.CharField(
        label="SIREN, SIRET ou n° de TVA", max_length=30, required=False, help_text="D'une entreprise."
    )
    notes = forms.CharField(
        label="Notes", max_length=1000, required=False, widget=forms.Textarea({"rows": 3})
    )

    def clean_customer_number(self) -> str:
        try:
            return clean_company_number(self.cleaned_data["customer_number"])
        except ValueError:
            raise forms.ValidationError(
                "Indiquez un SIREN (9 chiffres), un SIRET (14 chiffres) ou un numéro de TVA de l'Union."
            ) from None


class CorrectionForm(InvoiceForm):
    """The same once the invoice is issued: with the reason that both new documents print."""

    explanation = forms.CharField(
        label="Explication de la rectification",
        max_length=500,
        help_text="Imprimée sur l'avoir et sur la nouvelle facture, et envoyée au client.",
    )


@staff_page(StaffAction.SEE_INVOICES, WRITE)
def order_invoice_page(request: HttpRequest, order_id: uuid.UUID) -> HttpResponseBase:
    """The order's documents, and the form of the invoice to come or of a correction."""
    order = get_object_or_404(Order, pk=order_id)
    issued = find_document(order.pk)
    draft = InvoiceDraft.objects.filter(order=order).first() or InvoiceDraft()
    initial = {name: getattr(draft, name) for name in InvoiceForm.base_fields}
    form_class = CorrectionForm if issued else InvoiceForm
    form = form_class(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST":
        require(request.user, StaffAction.CORRECT_INVOICE)
        if form.is_valid() and _save(request, order, form.cleaned_data):
            return redirect("staff-order-invoice", order.pk)
    credited = issued is not None and not has_uncredited_invoice(order)
    edits = may(request.user, StaffAction.CORRECT_INVOICE) and not credited
    submit = "Émettre l'avoir et la nouvelle facture" if issued else "Enregistrer le brouillon"
    return ask_page(
        request,
        title=f"Facture de la commande {order.reference}",
        back=order_url(order.pk),
        submit=submit if edits else "",
        form=form,
        template="staff/invoices/of_order.html",
        issued=issued,
        credited=credited,
        form_title=CORRECTION_LABEL if issued else DRAFT_LABEL,
        documents=[entry for entry in documents_of(order) if not entry.is_contract],
    )


def _save(request: HttpRequest, order: Order, values: dict[str, str]) -> bool:
    try:
        invoice = edit_invoice(
            order_id=order.pk,
            values=DraftValues(**{name: values[name] for name in InvoiceForm.base_fields}),
            explanation=values.get("explanation", ""),
            seen=request.POST.get("seen"),
            actor=cast(User, request.user),
        )
    except Problem as problem:
        messages.error(request, problem.detail)
        return False
    if invoice is None:
        messages.success(request, "Brouillon enregistré\u00a0: la facture l'utilisera.")
    elif invoice.number == request.POST.get("seen"):
        messages.warning(
            request,
            f"Rien n'est émis\u00a0: la facture {invoice.number} porte déjà ces valeurs. Écrivez le nom, l'adresse, le "
            "numéro ou les notes qu'elle doit porter.",
        )
        return False
    else:
        messages.success(request, f"Facture {invoice.number} émise.")
    return True
