"""Addresses of orders in the staff area, below `/admin/`."""

from django.urls import path

from orders.staff import withdrawal_filing, withdrawals

urlpatterns = [
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
