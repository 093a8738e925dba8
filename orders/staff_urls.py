"""Addresses of orders in the staff area, below `/admin/`."""

from django.urls import path

from orders.staff import books, discrepancies, invoices, withdrawal_filing, withdrawals

urlpatterns = [
    path("comptes", books.books_page, name="staff-books"),
    path("comptes/recettes", books.receipts_page, name="staff-receipts"),
    path("comptes/recettes.csv", books.receipts_csv, name="staff-receipts-csv"),
    path("comptes/e-reporting.csv", books.reporting_csv, name="staff-reporting-csv"),
    path("ecarts", discrepancies.discrepancies_page, name="staff-discrepancies"),
    path("ecarts/regler", discrepancies.resolve_page, name="staff-discrepancy-resolve"),
    path("factures", invoices.invoices_page, name="staff-invoices"),
    path("factures/<int:invoice_id>.pdf", invoices.invoice_pdf, name="staff-invoice-pdf"),
    path("commandes/<uuid:order_id>/facture", invoices.order_invoice_page, name="staff-order-invoice"),
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
]
