from django.urls import path

from orders.api import invoices, views, withdrawals
from orders.api.admin import invoices as admin_invoices
from orders.api.admin import orders, refunds
from orders.api.admin import withdrawals as admin_withdrawals

urlpatterns = [
    path("cart/quote", views.QuoteView.as_view(), name="api-quote"),
    path("checkout", views.CheckoutView.as_view(), name="api-checkout"),
    path("checkout/verify", views.VerifyView.as_view(), name="api-verify"),
    path("orders", views.OrderListView.as_view(), name="api-orders"),
    path("orders/<uuid:order_id>", views.OrderView.as_view(), name="api-order"),
    *withdrawals.urlpatterns,
    *orders.urlpatterns,
    *invoices.urlpatterns,
    *admin_invoices.urlpatterns,
    *refunds.urlpatterns,
    *admin_withdrawals.urlpatterns,
]
