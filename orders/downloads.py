"""The answers that carry the PDF of an invoice or a contract."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from django.utils.translation import gettext as _

from orders.invoices.contracts import contract_file_name
from orders.invoices.documents import file_name
from orders.models import Contract, ContractDocument, Invoice, InvoiceDocument
from shop.core.enqueue import enqueue_after_commit
from shop.core.problems import Problem


def pdf_response(request: HttpRequest, invoice: Invoice) -> HttpResponseBase:
    """Return the stored PDF, for this caller alone; 304 when the browser holds it.

    Raises Problem 503 while a worker still typesets it, and asks for that again: the web processes never do it
    themselves.
    """
    document = InvoiceDocument.objects.filter(invoice=invoice).first()
    if document is None:
        enqueue_after_commit("orders.tasks.make_invoice_document", invoice.pk)
        raise _not_ready()
    return _file_response(request, document, file_name(invoice))


def contract_response(request: HttpRequest, contract: Contract) -> HttpResponseBase:
    """Return the stored PDF of a contract, on the same terms."""
    document = ContractDocument.objects.filter(contract=contract).first()
    if document is None:
        enqueue_after_commit("orders.tasks.make_contract_document", contract.pk)
        raise _not_ready()
    return _file_response(request, document, contract_file_name(contract))


def _not_ready() -> Problem:
    return Problem(
        "document_not_ready",
        _("Le document est en préparation : réessayez dans quelques secondes."),
        503,
    )


def _file_response(
    request: HttpRequest, document: InvoiceDocument | ContractDocument, name: str
) -> HttpResponseBase:
    etag = f'"{document.sha256}"'
    response: HttpResponseBase
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = HttpResponseNotModified()
    else:
        response = HttpResponse(bytes(document.pdf), content_type="application/pdf")
        way = "attachment" if "download" in request.GET else "inline"
        response["Content-Disposition"] = f'{way}; filename="{name}"'
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-store"
    response["X-Robots-Tag"] = "noindex"
    response["Referrer-Policy"] = "no-referrer"
    return response
