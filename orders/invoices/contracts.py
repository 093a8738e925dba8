"""The contract as one PDF (L221-13, L213-1): the order, its payment, who sells, the right of withdrawal with its form,
the guarantees, the mediator and the terms that were accepted.

Frozen with the payment, in its transaction; the worker that sends it with the confirmation typesets it, and it is only
read from then on.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import translation
from django.utils.translation import gettext as _

from orders.invoices.documents import SWEEP_AFTER, make_lost, typeset_page
from orders.invoices.markdown_blocks import Block, markdown_blocks
from orders.invoices.page_texts import page_texts
from orders.models import Contract, ContractDocument, Invoice, Order
from orders.selectors.addresses import delivery_address
from orders.selectors.mail_contexts import withdrawal_notice
from shop.core.clocks import is_due
from shop.core.dates import day_in_words, shop_day
from shop.core.mail_content import Attachment
from shop.core.models import ShopSettings
from shop.terms.models import TermsText
from shop.terms.versions import OFFICIAL_PLACE, find_terms

CONTRACT = "contract"


def freeze_contract(*, order: Order, invoice: Invoice) -> Contract:
    """Write what was agreed, as it is now. The second call returns the first one's row.

    Runs in the caller's transaction with the order locked, after the invoice was issued.
    """
    known = Contract.objects.filter(order=order).first()
    if known is not None:
        return known
    return Contract.objects.create(
        order=order,
        terms_version=order.terms_version,
        language=order.language,
        data=_contract_data(order, invoice),
    )


def _contract_data(order: Order, invoice: Invoice) -> dict[str, Any]:
    delivery, shop = delivery_address(order), ShopSettings.load()
    return {
        **invoice.data,
        "kind": "contract",
        "number": order.reference,
        "invoice": invoice.number,
        "delivery_address": [delivery.name, *delivery.lines],
        "phone": order.phone,
        "order_notes": order.notes,
        "terms_accepted_on": shop_day(order.terms_accepted_at).isoformat(),
        "mandate": order.mandate_text,
        "withdrawal_notice": withdrawal_notice(order.language),
        "mediator": [
            line.strip()
            for text in (shop.mediator_name, shop.mediator_address, shop.mediator_url)
            for line in text.splitlines()
            if line.strip()
        ],
    }


def contract_texts(contract: Contract) -> dict[str, Any]:
    """Return what `invoice.typ` reads of a contract. One query."""
    data, version = contract.data, find_terms(contract.terms_version)
    with translation.override(contract.language):
        view = page_texts(data)
        view["sections"] = _sections(data, version.text(contract.language) if version else None, contract)
    return view


def _sections(data: dict[str, Any], terms: TermsText | None, contract: Contract) -> list[dict[str, Any]]:
    found = []
    if data["mandate"]:
        found.append(_section(_("Autorisation de débit"), [_paragraph(data["mandate"])]))
    guarantees = _(
        "Nos pièces sont couvertes par la garantie légale de conformité pendant deux ans à compter de leur livraison "
        "(articles L217-3 et suivants du Code de la consommation) et par la garantie des vices cachés pendant deux "
        "ans à compter de leur découverte (articles 1641 et suivants du Code civil)."
    )
    official = _official(terms)
    found.append(_section(_("Garanties"), [_paragraph(guarantees), *official]))
    if data["mediator"]:
        sentence = _(
            "Si un différend ne se règle pas avec nous, vous pouvez saisir gratuitement le médiateur\u00a0:"
        )
        # One paragraph, so that no page ends between the two.
        text = "\n".join([sentence, *data["mediator"]])
        found.append(_section(_("Médiateur de la consommation"), [_paragraph(text)]))
    found.append(_section(_("Se rétracter"), markdown_blocks(data["withdrawal_notice"])))
    accepted = _("Version %(number)s, acceptée le %(day)s.") % {
        "number": contract.terms_version,
        "day": day_in_words(datetime.fromisoformat(data["terms_accepted_on"]).date()),
    }
    blocks = [_paragraph(accepted)]
    if terms is not None:
        blocks += [block for part in terms["body"].split(OFFICIAL_PLACE) for block in markdown_blocks(part)]
    title = terms["title"] if terms else _("Conditions générales de vente")
    found.append(_section(title, blocks, new_page=True))
    return found


def _official(terms: TermsText | None) -> list[Block]:
    """The official texts in words, which say all that their pictures say."""
    return [
        {"kind": "box", "language": text["language"], "text": text["text"]}
        for text in (terms["official"] if terms else [])
        if text["text"]
    ]


def _section(title: str, blocks: Sequence[Block], *, new_page: bool = False) -> dict[str, Any]:
    return {"title": title, "blocks": blocks, "new_page": new_page}


def _paragraph(text: str) -> Block:
    return {
        "kind": "paragraph",
        "runs": [{"text": text, "bold": False, "italic": False, "url": ""}],
    }


def ensure_contract_document(contract: Contract) -> ContractDocument:
    """Return the document of a contract, typeset now if nobody did yet.

    Two workers that typeset at once make the same bytes; the database keeps the first row, and both return it.
    """
    known = ContractDocument.objects.filter(contract=contract).first()
    if known is not None:
        return known
    pdf = typeset_page(contract_texts(contract))
    try:
        with transaction.atomic():
            return ContractDocument.objects.create(
                contract=contract, pdf=pdf, sha256=hashlib.sha256(pdf).hexdigest()
            )
    except IntegrityError:
        return ContractDocument.objects.get(contract=contract)


def contract_file_name(contract: Contract) -> str:
    """Return `contrat-A1B2C3D4.pdf`."""
    return f"contrat-{contract.data['order']['reference']}.pdf"


def make_missing_contracts(now: datetime) -> int:
    """Typeset what a lost message or a dead worker left without a document; returns how many were made."""
    lost = Contract.objects.filter(is_due("created_at", now, after=SWEEP_AFTER), document=None).order_by("pk")
    return make_lost(lost, ensure_contract_document)


def contract_attachment(contract: Contract) -> Attachment:
    """Return a reference to a contract, for a mail that waits until it is there."""
    return Attachment(CONTRACT, str(contract.pk), required=True)
