"""Addresses of the API, below `/api/`."""

from django.urls import path

from orders.api import admin_orders, invoices, refunds, saved_carts, views, withdrawals

urlpatterns = [
    path("cart/quote", views.QuoteView.as_view(), name="api-quote"),
    path("cart/saved", saved_carts.SavedCartView.as_view(), name="api-saved-cart"),
    path("checkout", views.CheckoutView.as_view(), name="api-checkout"),
    path("checkout/verify", views.VerifyView.as_view(), name="api-verify"),
    path("orders", views.OrderListView.as_view(), name="api-orders"),
    path("orders/<uuid:order_id>", views.OrderView.as_view(), name="api-order"),
    path("orders/<uuid:order_id>/withdrawal", withdrawals.WithdrawalView.as_view(), name="api-withdrawal"),
    path("admin/orders", admin_orders.AdminOrderListView.as_view(), name="api-admin-orders"),
    path("admin/orders/<uuid:order_id>", admin_orders.AdminOrderView.as_view(), name="api-admin-order"),
    path(
        "admin/orders/<uuid:order_id>/status",
        admin_orders.OrderStatusView.as_view(),
        name="api-admin-order-status",
    ),
    path("orders/<uuid:order_id>/invoice.pdf", invoices.OrderInvoiceView.as_view(), name="api-order-invoice"),
    path(
        "admin/orders/<uuid:order_id>/invoice.pdf",
        invoices.AdminInvoicePdfView.as_view(),
        name="api-admin-order-invoice-pdf",
    ),
    path(
        "admin/orders/<uuid:order_id>/invoice",
        invoices.AdminInvoiceView.as_view(),
        name="api-admin-order-invoice",
    ),
    path(
        "admin/orders/<uuid:order_id>/refund",
        refunds.OrderRefundView.as_view(),
        name="api-admin-order-refund",
    ),
    path("admin/refunds/<uuid:request_id>", refunds.RefundView.as_view(), name="api-admin-refund"),
    path(
        "admin/refunds/<uuid:request_id>/transfer",
        refunds.RefundTransferView.as_view(),
        name="api-admin-refund-transfer",
    ),
    path(
        "admin/refunds/<uuid:request_id>/transfer/returned",
        refunds.TransferReturnView.as_view(),
        name="api-admin-refund-transfer-returned",
    ),
    path(
        "admin/orders/<uuid:order_id>/withdrawals",
        withdrawals.OrderWithdrawalsView.as_view(),
        name="api-admin-order-withdrawals",
    ),
]
