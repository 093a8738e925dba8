"""Addresses of orders in the staff area, below `/admin/`."""

from django.urls import path

from orders.staff import (
    books,
    discrepancies,
    installments,
    invoices,
    orders,
    refunds,
    transfers,
    withdrawal_filing,
    withdrawals,
    workshop,
)
from orders.staff.settings import SCREENS

urlpatterns = [
    path("commandes", orders.order_list, name="staff-orders"),
    path("commandes/<uuid:order_id>", orders.order_detail, name="staff-order"),
    *(pattern for screen in SCREENS for pattern in screen.urls()),
    path("comptes", books.books_page, name="staff-books"),
    path("comptes/recettes", books.receipts_page, name="staff-receipts"),
    path("comptes/recettes.csv", books.receipts_csv, name="staff-receipts-csv"),
    path("comptes/e-reporting.csv", books.reporting_csv, name="staff-reporting-csv"),
    path("ecarts", discrepancies.discrepancies_page, name="staff-discrepancies"),
    path("ecarts/regler", discrepancies.resolve_page, name="staff-discrepancy-resolve"),
    path("factures", invoices.invoices_page, name="staff-invoices"),
    path("factures/<int:invoice_id>.pdf", invoices.invoice_pdf, name="staff-invoice-pdf"),
    path("commandes/<uuid:order_id>/facture", invoices.order_invoice_page, name="staff-order-invoice"),
    path("virements", refunds.refunds_page, name="staff-refunds"),
    path("virements/<uuid:refund_id>/reessayer", refunds.retry_page, name="staff-refund-retry"),
    path("litiges", refunds.disputes_page, name="staff-disputes"),
    path("echeances", installments.payments_page, name="staff-payments"),
    path(
        "commandes/<uuid:order_id>/echeances",
        installments.order_installments_page,
        name="staff-order-installments",
    ),
    path(
        "commandes/<uuid:order_id>/echeances/<int:payment_id>/<slug:step>",
        installments.installment_step_page,
        name="staff-order-installment",
    ),
    path("commandes/<uuid:order_id>/suspension", installments.pause_page, name="staff-order-pause"),
    path("commandes/<uuid:order_id>/virement", transfers.transfer_page, name="staff-order-transfer"),
    path(
        "commandes/<uuid:order_id>/virement-non-abouti",
        transfers.transfer_returned_page,
        name="staff-order-transfer-returned",
    ),
    path("retractations", withdrawals.withdrawals_page, name="staff-withdrawals"),
    path("retractations/enregistrer", withdrawal_filing.filing_page, name="staff-withdrawal-file"),
    path("retractations/<int:case_id>", withdrawals.withdrawal_page, name="staff-withdrawal"),
    path(
        "retractations/<int:case_id>/remboursement",
        withdrawals.withdrawal_refund_page,
        name="staff-withdrawal-refund",
    ),
    path(
        "retractations/<int:case_id>/<slug:step>",
        withdrawals.withdrawal_step_page,
        name="staff-withdrawal-step",
    ),
    path(
        "commandes/<uuid:order_id>/retractations",
        withdrawals.order_withdrawals_page,
        name="staff-order-withdrawals",
    ),
    path(
        "commandes/<uuid:order_id>/retractation-recue",
        withdrawal_filing.filing_page,
        name="staff-order-withdrawal-file",
    ),
    path("atelier", workshop.board, name="staff-board"),
    path("expedition", workshop.dispatch, name="staff-dispatch"),
]
