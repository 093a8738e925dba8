"""The invoice as data: the XML of Factur-X 1.0, profile EN 16931 (Cross Industry Invoice D22B).

Written from the same frozen content as the pages, so both say the same. Elements are in the order of the schema;
the codes in comments (BT-…) are the terms of EN 16931.
"""

from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

from orders.invoices.tax import LIABLE, net_lines, tax_rates
from orders.pricing.vat import Treatment
from shop.core.law import HOME_COUNTRY
from shop.core.xml_text import xml_text

FILE_NAME = "factur-x.xml"
PROFILE = "urn:cen.eu:en16931:2017"

_RSM = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
_RAM = "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100"
_UDT = "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100"
_QDT = "urn:un:unece:uncefact:data:standard:QualifiedDataType:100"
_PREFIXES = {"rsm": _RSM, "ram": _RAM, "udt": _UDT, "qdt": _QDT}

# UNTDID 1001, 4461, 5305, 7161 and UN/ECE Recommendation 20.
_TYPE_CODES = {"invoice": "380", "credit_note": "381"}
_PAID_ONLINE = "68"
_EXEMPT, _STANDARD_RATE, _ZERO_RATE, _FREE_EXPORT = "E", "S", "Z", "G"
_FREIGHT = "FC"
_DISCOUNT = "95"
_PIECE = "C62"
_SIREN = "0002"
_EXEMPTIONS = {_EXEMPT: "VATEX-FR-FRANCHISE", _FREE_EXPORT: "VATEX-EU-G"}


def factur_x(data: dict[str, Any]) -> bytes:
    """The XML of an invoice's or a credit note's content, UTF-8. The same content always gives the same bytes."""
    root = ElementTree.Element(f"{{{_RSM}}}CrossIndustryInvoice")
    context = _add(root, "rsm:ExchangedDocumentContext")
    _add(context, "ram:GuidelineSpecifiedDocumentContextParameter/ram:ID", PROFILE)
    _document(_add(root, "rsm:ExchangedDocument"), data)
    trade = _add(root, "rsm:SupplyChainTradeTransaction")
    for number, (line, net) in enumerate(net_lines(data), start=1):
        _line(_add(trade, "ram:IncludedSupplyChainTradeLineItem"), number, line, net, data)
    _agreement(_add(trade, "ram:ApplicableHeaderTradeAgreement"), data)
    _delivery(_add(trade, "ram:ApplicableHeaderTradeDelivery"), data)
    _settlement(_add(trade, "ram:ApplicableHeaderTradeSettlement"), data)
    for prefix, address in _PREFIXES.items():
        ElementTree.register_namespace(prefix, address)
    return bytes(ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True))


def _document(parent: ElementTree.Element, data: dict[str, Any]) -> None:
    _add(parent, "ram:ID", data["number"])
    _add(parent, "ram:TypeCode", _TYPE_CODES[data["kind"]])
    _date(_add(parent, "ram:IssueDateTime"), data["issued_on"])
    notes = [mention["fr"] for mention in data["mentions"]] + [data.get("reason", ""), data["notes"]]
    for note in filter(None, notes):
        _add(parent, "ram:IncludedNote/ram:Content", note)


def _line(
    parent: ElementTree.Element, number: int, line: dict[str, Any], net: Decimal, data: dict[str, Any]
) -> None:
    percent = _line_percents(data)[number - 1]
    discount = (Decimal(line["discount"]) / (1 + percent / 100)).quantize(Decimal("0.01"))
    _add(parent, "ram:AssociatedDocumentLineDocument/ram:LineID", str(number))
    product = _add(parent, "ram:SpecifiedTradeProduct")
    if line["sku"]:
        _add(product, "ram:SellerAssignedID", line["sku"])
    _add(product, "ram:Name", line["name"])
    if line["detail"]:
        _add(product, "ram:Description", line["detail"])
    if line["hs_code"]:
        _add(product, "ram:DesignatedProductClassification/ram:ClassCode", line["hs_code"]).set(
            "listID", "HS"
        )
    if line["origin"]:
        _add(product, "ram:OriginTradeCountry/ram:ID", line["origin"])
    price = ((net + discount) / line["quantity"]).quantize(Decimal("0.0001"))
    _add(
        parent,
        "ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount",
        f"{price:f}",
    )
    quantity = _add(parent, "ram:SpecifiedLineTradeDelivery/ram:BilledQuantity", str(line["quantity"]))
    quantity.set("unitCode", _PIECE)
    settlement = _add(parent, "ram:SpecifiedLineTradeSettlement")
    tax = _add(settlement, "ram:ApplicableTradeTax")
    _add(tax, "ram:TypeCode", "VAT")
    _add(tax, "ram:CategoryCode", _category(data, percent))
    _add(tax, "ram:RateApplicablePercent", f"{percent:.2f}")
    if discount:
        allowance = _add(settlement, "ram:SpecifiedTradeAllowanceCharge")
        _add(allowance, "ram:ChargeIndicator/udt:Indicator", "false")
        _add(allowance, "ram:ActualAmount", f"{discount:.2f}")
        _add(allowance, "ram:ReasonCode", _DISCOUNT)
    _add(
        settlement,
        "ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount",
        f"{net:.2f}",
    )


def _agreement(parent: ElementTree.Element, data: dict[str, Any]) -> None:
    seller = data["seller"]
    party = _add(parent, "ram:SellerTradeParty")
    _add(party, "ram:Name", seller["name"] or seller["shop_name"])
    organisation = _add(party, "ram:SpecifiedLegalOrganization")
    if seller["siren"]:
        _add(organisation, "ram:ID", seller["siren"]).set("schemeID", _SIREN)
    _add(organisation, "ram:TradingBusinessName", seller["shop_name"])
    contact = _add(party, "ram:DefinedTradeContact")
    _add(contact, "ram:PersonName", seller["name"] or seller["shop_name"])
    if seller["phone"]:
        _add(contact, "ram:TelephoneUniversalCommunication/ram:CompleteNumber", seller["phone"])
    if seller["email"]:
        _add(contact, "ram:EmailURIUniversalCommunication/ram:URIID", seller["email"])
    _address(_add(party, "ram:PostalTradeAddress"), seller["address_lines"], HOME_COUNTRY)
    if seller["email"]:
        _add(party, "ram:URIUniversalCommunication/ram:URIID", seller["email"]).set("schemeID", "EM")
    vat_number = seller.get("vat_number") or seller["oss_number"]
    if vat_number and vat_number[:2].isalpha():
        _add(party, "ram:SpecifiedTaxRegistration/ram:ID", vat_number).set("schemeID", "VA")
    if seller["siren"]:
        _add(party, "ram:SpecifiedTaxRegistration/ram:ID", seller["siren"]).set("schemeID", "FC")
    _buyer(parent, data)
    _add(
        parent,
        "ram:BuyerOrderReferencedDocument/ram:IssuerAssignedID",
        data["order"]["invoice_reference"],
    )


def _buyer(parent: ElementTree.Element, data: dict[str, Any]) -> None:
    customer = data["customer"]
    party = _add(parent, "ram:BuyerTradeParty")
    _add(party, "ram:Name", customer["name"])
    if customer.get("siren"):  # BT-47
        _add(party, "ram:SpecifiedLegalOrganization/ram:ID", customer["siren"]).set("schemeID", _SIREN)
    if customer.get("contact"):
        _add(party, "ram:DefinedTradeContact/ram:PersonName", customer["contact"])
    address = _add(party, "ram:PostalTradeAddress")
    # Documents from before billing addresses were of the country of delivery.
    country = customer.get("country_code") or data["delivery"]["country"]
    if customer["is_edited"]:
        _address(address, customer["address_lines"], country)
    else:
        _place(address, customer, country)
    _add(party, "ram:URIUniversalCommunication/ram:URIID", customer["email"]).set("schemeID", "EM")
    if customer.get("vat_id"):  # BT-48
        _add(party, "ram:SpecifiedTaxRegistration/ram:ID", customer["vat_id"]).set("schemeID", "VA")


def _place(address: ElementTree.Element, place: dict[str, Any], country: str) -> None:
    _add(address, "ram:PostcodeCode", place["postal_code"])
    _add(address, "ram:LineOne", place["street"])
    _add(address, "ram:CityName", place["city"])
    _add(address, "ram:CountryID", country)


def _delivery(parent: ElementTree.Element, data: dict[str, Any]) -> None:
    """Where it goes; the day (BT-72) only once it is known."""
    party = _add(parent, "ram:ShipToTradeParty")
    ship_to = data["delivery"].get("ship_to")
    if ship_to:
        _add(party, "ram:Name", ship_to["name"])
        _place(_add(party, "ram:PostalTradeAddress"), ship_to, data["delivery"]["country"])
    else:
        _add(party, "ram:PostalTradeAddress/ram:CountryID", data["delivery"]["country"])
    if data["delivery"]["delivered_on"]:
        event = _add(parent, "ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime")
        _date(event, data["delivery"]["delivered_on"])


def _settlement(parent: ElementTree.Element, data: dict[str, Any]) -> None:
    tax = data["tax"]
    total = Decimal(data["total"])
    shipping = sum((net for _percent, net in _shipping_nets(data)), Decimal("0.00"))
    line_total = sum((net for _line, net in net_lines(data)), Decimal("0.00"))
    _add(parent, "ram:InvoiceCurrencyCode", data["currency"])
    _add(parent, "ram:SpecifiedTradeSettlementPaymentMeans/ram:TypeCode", _PAID_ONLINE)
    for rate in tax_rates(tax):
        category = _category(data, rate.percent)
        trade_tax = _add(parent, "ram:ApplicableTradeTax")
        _add(trade_tax, "ram:CalculatedAmount", f"{rate.vat:.2f}")
        _add(trade_tax, "ram:TypeCode", "VAT")
        if category in _EXEMPTIONS:
            _add(trade_tax, "ram:ExemptionReason", data["mentions"][0]["fr"])
        _add(trade_tax, "ram:BasisAmount", f"{rate.net:.2f}")
        _add(trade_tax, "ram:CategoryCode", category)
        if category in _EXEMPTIONS:
            _add(trade_tax, "ram:ExemptionReasonCode", _EXEMPTIONS[category])
        _add(trade_tax, "ram:RateApplicablePercent", f"{rate.percent:.2f}")
    for percent, net in _shipping_nets(data):
        charge = _add(parent, "ram:SpecifiedTradeAllowanceCharge")
        _add(charge, "ram:ChargeIndicator/udt:Indicator", "true")
        _add(charge, "ram:ActualAmount", f"{net:.2f}")
        _add(charge, "ram:ReasonCode", _FREIGHT)
        charge_tax = _add(charge, "ram:CategoryTradeTax")
        _add(charge_tax, "ram:TypeCode", "VAT")
        _add(charge_tax, "ram:CategoryCode", _category(data, percent))
        _add(charge_tax, "ram:RateApplicablePercent", f"{percent:.2f}")
    paid = total - _due(data)
    if _due(data):
        terms = _add(parent, "ram:SpecifiedTradePaymentTerms")
        calendar = data["payment"]["calendar"]
        _add(
            terms,
            "ram:Description",
            " · ".join(f"{part['due_on']} {part['amount']} EUR" for part in calendar),
        )
        _date(_add(terms, "ram:DueDateDateTime"), calendar[-1]["due_on"])
    sums = _add(parent, "ram:SpecifiedTradeSettlementHeaderMonetarySummation")
    _add(sums, "ram:LineTotalAmount", f"{line_total:.2f}")
    if shipping:
        _add(sums, "ram:ChargeTotalAmount", f"{shipping:.2f}")
    _add(sums, "ram:TaxBasisTotalAmount", tax["net"])
    _add(sums, "ram:TaxTotalAmount", tax["vat"]).set("currencyID", data["currency"])
    _add(sums, "ram:GrandTotalAmount", data["total"])
    _add(sums, "ram:TotalPrepaidAmount", f"{paid:.2f}")
    _add(sums, "ram:DuePayableAmount", f"{_due(data):.2f}")
    before = data.get("credits") or data.get("replaces")
    if before:
        reference = _add(parent, "ram:InvoiceReferencedDocument")
        _add(reference, "ram:IssuerAssignedID", before["number"])
        day = _add(
            reference, "ram:FormattedIssueDateTime/qdt:DateTimeString", before["issued_on"].replace("-", "")
        )
        day.set("format", "102")


def _due(data: dict[str, Any]) -> Decimal:
    """What the customer still owes: installments to come. A credit note is issued when its money is back."""
    return Decimal(data["payment"]["due"]) if "payment" in data else Decimal("0.00")


def _shipping_nets(data: dict[str, Any]) -> list[tuple[Decimal, Decimal]]:
    """What delivery costs without VAT at each rate, (percent, net)."""
    if not Treatment(data["tax"]["treatment"]).is_taxed:
        found = [(Decimal("0.00"), Decimal(data["shipping"]))]
    else:
        found = [(rate.percent, rate.shipping_net) for rate in tax_rates(data["tax"])]
    return [(percent, net) for percent, net in found if net]


def _line_percents(data: dict[str, Any]) -> list[Decimal]:
    tax = data["tax"]
    return [*map(Decimal, tax.get("line_percents") or [tax["percent"]] * len(data["lines"]))]


def _category(data: dict[str, Any], percent: Decimal) -> str:
    """UNTDID 5305. What a small business exports is exempt as everything that it sells."""
    tax = data["tax"]
    if Treatment(tax["treatment"]).is_taxed:
        return _STANDARD_RATE if percent else _ZERO_RATE
    return _FREE_EXPORT if tax.get("regime") == LIABLE else _EXEMPT


def _address(parent: ElementTree.Element, lines: list[str], country: str) -> None:
    kept = [*lines[:2], " · ".join(lines[2:])]
    for name, line in zip(("LineOne", "LineTwo", "LineThree"), kept, strict=False):
        if line:
            _add(parent, f"ram:{name}", line)
    _add(parent, "ram:CountryID", country)


def _date(parent: ElementTree.Element, day: str) -> None:
    _add(parent, "udt:DateTimeString", day.replace("-", "")).set("format", "102")


def _add(parent: ElementTree.Element, path: str, text: str | None = None) -> ElementTree.Element:
    """A new element at `path` below `parent`; returns the innermost."""
    element = parent
    for step in path.split("/"):
        prefix, name = step.split(":")
        element = ElementTree.SubElement(element, f"{{{_PREFIXES[prefix]}}}{name}")
    if text is not None:
        element.text = xml_text(text)
    return element
