"""The PDF of an invoice: typeset to PDF/A-3a and PDF/UA-1 with its Factur-X data inside, stored once, sent by mail.

A mail carries a reference to it: the worker that sends the mail typesets it, and it is only read from then on. What no
mail carries, or a dead worker left, is typeset by `make_missing_documents`, and at once when somebody asks for it.
"""

import hashlib
import json
import re
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from orders.invoices import content
from orders.invoices.facturx import FILE_NAME, factur_x
from orders.invoices.page_texts import page_texts
from orders.models import Invoice, InvoiceDocument, InvoiceKind
from shop.core import limits
from shop.core.clocks import is_due
from shop.core.each_row import each_row
from shop.core.letters import drawable
from shop.core.mail_content import Attachment

if TYPE_CHECKING:
    import typst

SWEEP_AFTER = timedelta(minutes=2)
SWEEP_AT_ONCE = 200
TRIES = limits.Limit("typesetting", 5, timedelta(days=1), limits.Subject.KEY)

ORDER_INVOICE = "order-invoice"
CREDIT_NOTE = "credit-note"
DOCUMENT = "invoice"
PAID_COPY = "paid-invoice"

_HERE = Path(__file__).parent
# The data is written into each compilation: given as the typesetter's input, nothing of an earlier one could be used.
_MAIN = '#import "invoice.typ": typeset\n#typeset(json(bytes("%s")))\n'
_STANDARDS: list["typst.PDFStandard"] = ["a-3a", "ua-1"]

_FACTUR_X_NAMESPACE = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
_FACTUR_X_PROPERTIES = {
    "ConformanceLevel": ("EN 16931", "The conformance level of the embedded XML document"),
    "DocumentFileName": (FILE_NAME, "The name of the embedded XML document"),
    "DocumentType": ("INVOICE", "The type of the hybrid document in capital letters"),
    "Version": ("1.0", "The version of the standard that the embedded XML document follows"),
}


def typeset(data: dict[str, Any]) -> bytes:
    """Return the PDF of an invoice's frozen content. The same content always gives the same bytes.

    A few ms of one core, and ten times that for the first; the typesetter stays in memory, so call it in workers.
    """
    return with_factur_x_metadata(typeset_page(page_texts(data), xml=factur_x(data).decode()))


def typeset_page(texts: dict[str, Any], *, xml: str = "") -> bytes:
    """Return the PDF of texts that are ready to print, as `invoice.typ` reads them, with `xml` inside if there is any.

    On the same terms as `typeset`.
    """
    issued = datetime.fromisoformat(texts["day"]).replace(tzinfo=UTC)
    view = json.dumps({**drawable(texts), "xml": xml}, ensure_ascii=False)
    # Two signs are all that mean something in a text of Typst's.
    main = _MAIN % view.replace("\\", "\\\\").replace('"', '\\"')
    pdf = _compiler().compile(main.encode(), pdf_standards=_STANDARDS, timestamp=issued)
    assert isinstance(pdf, bytes)
    return pdf


@cache
def _compiler() -> "typst.Compiler":
    """One for the life of the process: fonts and template are read once, and what was laid out before is kept."""
    import typst  # 30 MB that web processes never need

    return typst.Compiler(root=_HERE, font_paths=[_HERE / "fonts"], ignore_system_fonts=True)


def with_factur_x_metadata(pdf: bytes) -> bytes:
    """Return the PDF with the four Factur-X properties in its XMP metadata, described as PDF/A wants it.

    The typesetter embeds the file and can't write properties of others. They are added as an incremental update
    (ISO 32000-1, 7.5.6): a second copy of the metadata object after the end, and a table that points to it.
    """
    found = re.search(
        rb"(\d+) 0 obj\n<</Length \d+/Type/Metadata/Subtype/XML>>\nstream\n(.*?)\nendstream", pdf, re.S
    )
    trailer = re.search(rb"trailer\n(<<.*>>)\nstartxref\n(\d+)\n%%EOF\s*$", pdf, re.S)
    if found is None or trailer is None:
        raise ValueError("The PDF has no metadata that can be completed.")
    number, xmp = int(found[1]), _completed_xmp(found[2])
    body = b"%d 0 obj\n<</Length %d/Type/Metadata/Subtype/XML>>\nstream\n%b\nendstream\nendobj\n" % (
        number,
        len(xmp),
        xmp,
    )
    if not pdf.endswith(b"\n"):
        pdf += b"\n"
    start = len(pdf)
    table = b"xref\n%d 1\n%010d 00000 n\r\n" % (number, start)
    entries = trailer[1].removesuffix(b">>") + b"/Prev %d>>" % int(trailer[2])
    return b"%b%b%btrailer\n%b\nstartxref\n%d\n%%%%EOF\n" % (pdf, body, table, entries, start + len(body))


def _completed_xmp(xmp: bytes) -> bytes:
    schema = "".join(
        '<rdf:li rdf:parseType="Resource"><pdfaProperty:category>external</pdfaProperty:category>'
        f"<pdfaProperty:description>{description}</pdfaProperty:description>"
        f"<pdfaProperty:name>{name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType></rdf:li>"
        for name, (_value, description) in _FACTUR_X_PROPERTIES.items()
    )
    schema = (
        '<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>'
        f"<pdfaSchema:namespaceURI>{_FACTUR_X_NAMESPACE}</pdfaSchema:namespaceURI>"
        f"<pdfaSchema:prefix>fx</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>{schema}</rdf:Seq>"
        "</pdfaSchema:property></rdf:li>"
    )
    values = "".join(
        f"<fx:{name}>{value}</fx:{name}>" for name, (value, _text) in _FACTUR_X_PROPERTIES.items()
    )
    values = f'<rdf:Description rdf:about="" xmlns:fx="{_FACTUR_X_NAMESPACE}">{values}</rdf:Description>'
    completed = xmp.replace(
        b"<pdfaExtension:schemas><rdf:Bag>", b"<pdfaExtension:schemas><rdf:Bag>" + schema.encode(), 1
    ).replace(b"</rdf:RDF>", values.encode() + b"</rdf:RDF>", 1)
    if completed.count(_FACTUR_X_NAMESPACE.encode()) != 2:
        raise ValueError("The PDF's metadata describe no extension schemas.")
    return completed


def ensure_document(invoice: Invoice) -> InvoiceDocument:
    """Return the document of an invoice, typeset now if nobody did yet.

    Two workers that typeset at once make the same bytes; the database keeps the first row, and both return it.
    """
    known = InvoiceDocument.objects.filter(invoice=invoice).first()
    if known is not None:
        return known
    pdf = typeset(invoice.data)
    try:
        with transaction.atomic():
            return InvoiceDocument.objects.create(
                invoice=invoice, pdf=pdf, sha256=hashlib.sha256(pdf).hexdigest()
            )
    except IntegrityError:
        return InvoiceDocument.objects.get(invoice=invoice)


def paid_copy(invoice: Invoice) -> bytes | None:
    """Return the PDF of an invoice with every payment that came since and the day of the last; None while something is
    still due. The Factur-X data inside are those that were issued.

    The same payments always give the same bytes, so none is stored.
    """
    data = content.paid_copy_data(invoice)
    if data is None:
        return None
    return with_factur_x_metadata(typeset_page(page_texts(data), xml=factur_x(invoice.data).decode()))


def file_name(invoice: Invoice) -> str:
    """Return `facture-F-2026-00001.pdf`, `avoir-F-2026-00002.pdf`."""
    word = "avoir" if invoice.kind == InvoiceKind.CREDIT_NOTE else "facture"
    return f"{word}-{invoice.number}.pdf"


def make_missing_documents(now: datetime) -> int:
    """Typeset what a lost message or a dead worker left without a document; returns how many were made."""
    lost = Invoice.objects.filter(is_due("issued_at", now, after=SWEEP_AFTER), document=None).order_by("pk")
    return make_lost(lost, ensure_document)


def make_lost(rows: QuerySet[Any], ensure: Callable[[Any], object]) -> int:
    """Have `ensure` typeset the document of each of these rows; returns how many were made.

    A try is counted before it is made: one that ends its worker five times is left until the next day, the job fails
    by it, and the others have their turn.
    """

    def make(row: Any) -> bool:
        counted = f"{row._meta.label} {row.pk}"
        if not limits.consume(TRIES, counted):
            raise RuntimeError(f"{counted}: its PDF ended the worker {TRIES.attempts} times today")
        try:
            ensure(row)
        finally:
            # A worker that dies does not come here.
            limits.restore(TRIES, counted)
        return True

    return each_row(rows, make, most=SWEEP_AT_ONCE)


def order_invoice_attachment(order_id: uuid.UUID) -> Attachment:
    """Return a reference to the invoice of an order. A mail that leaves without it is followed by one with it."""
    return Attachment(ORDER_INVOICE, str(order_id), required=False)


def paid_copy_attachment(order_id: uuid.UUID) -> Attachment:
    """Return a reference to the paid copy of an order's invoice, for a mail whose payment was the last."""
    return Attachment(PAID_COPY, str(order_id), required=True)


def credit_note_attachment(request_id: uuid.UUID) -> Attachment:
    """Return a reference to the credit note of a refund decision, on the same terms."""
    return Attachment(CREDIT_NOTE, str(request_id), required=False)


def document_attachment(invoice_id: int) -> Attachment:
    """Return a reference to one document, for a mail that has no sense without it."""
    return Attachment(DOCUMENT, str(invoice_id), required=True)
