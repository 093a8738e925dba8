from django.urls import path

from orders.views import guests, orders, payments, withdrawals

app_name = "orders"

urlpatterns = [
    path("panier", orders.cart_page, name="cart"),
    path("checkout", orders.checkout_page, name="checkout"),
    path("payment-success", orders.payment_result_page, name="payment-result"),
    path("commande/<uuid:order_id>", orders.order_page, name="order"),
    path("commande/<uuid:order_id>/compte", guests.request_account, name="order-account"),
    path("commande/<uuid:order_id>/rejoindre", guests.join_account, name="order-join"),
    path("suivi-commande", guests.tracking_page, name="tracking"),
    path("suivi-commande/demande", guests.tracking_requested, name="tracking-requested"),
    path("paiement/<str:token>", payments.payment_page, name="pay"),
    path("retractation", withdrawals.withdrawal_page, name="withdrawal"),
    path("retractation/confirmation", withdrawals.withdrawal_confirmed, name="withdrawal-confirmed"),
    path("retractation/recue", withdrawals.withdrawal_received, name="withdrawal-received"),
]
