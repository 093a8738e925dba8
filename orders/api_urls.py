"""Addresses of the API, below `/api/`."""

from django.urls import path

from orders.api import (
    admin_orders,
    board,
    fulfilment,
    invoices,
    piece_photos,
    refunds,
    saved_carts,
    views,
    withdrawals,
)

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
    path("admin/board", board.BoardView.as_view(), name="api-admin-board"),
    path("admin/pieces/<int:piece_id>/move", board.PieceMoveView.as_view(), name="api-admin-piece-move"),
    path(
        "admin/pieces/<int:piece_id>/photos",
        piece_photos.PiecePhotosView.as_view(),
        name="api-admin-piece-photos",
    ),
    path("admin/photos/<int:photo_id>", piece_photos.PiecePhotoView.as_view(), name="api-admin-piece-photo"),
    path(
        "admin/photos/<int:photo_id>/send",
        piece_photos.SentPhotoView.as_view(),
        name="api-admin-piece-photo-send",
    ),
    path("photos/<str:token>", piece_photos.PhotoFileView.as_view(), name="api-piece-photo"),
    path("admin/dispatch", board.DispatchView.as_view(), name="api-admin-dispatch"),
    path("admin/orders/counts", fulfilment.OrderCountsView.as_view(), name="api-admin-order-counts"),
    path("admin/orders/labels.pdf", fulfilment.AddressLabelsView.as_view(), name="api-admin-order-labels"),
    path(
        "admin/orders/<uuid:order_id>/shipments",
        fulfilment.ShipmentsView.as_view(),
        name="api-admin-order-shipments",
    ),
    path(
        "admin/orders/<uuid:order_id>/shipments/<int:shipment_id>/undo",
        fulfilment.UndoneShipmentView.as_view(),
        name="api-admin-order-shipment-undo",
    ),
    path(
        "admin/orders/<uuid:order_id>/notes",
        fulfilment.OrderNotesView.as_view(),
        name="api-admin-order-notes",
    ),
    path(
        "admin/orders/<uuid:order_id>/address",
        fulfilment.OrderAddressView.as_view(),
        name="api-admin-order-address",
    ),
    path(
        "admin/orders/<uuid:order_id>/restore",
        fulfilment.RestoredOrderView.as_view(),
        name="api-admin-order-restore",
    ),
    path(
        "admin/orders/<uuid:order_id>/slip.pdf",
        fulfilment.PackingSlipView.as_view(),
        name="api-admin-order-slip",
    ),
    path(
        "orders/<uuid:order_id>/contract.pdf", invoices.OrderContractView.as_view(), name="api-order-contract"
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
    path(
        "admin/orders/<uuid:order_id>/refund/preview",
        refunds.RefundPreviewView.as_view(),
        name="api-admin-order-refund-preview",
    ),
    path("admin/refunds/<uuid:request_id>", refunds.RefundView.as_view(), name="api-admin-refund"),
    path(
        "admin/refunds/<uuid:request_id>/lines/<int:line_id>/restock",
        refunds.RestockedLineView.as_view(),
        name="api-admin-refund-restock",
    ),
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
