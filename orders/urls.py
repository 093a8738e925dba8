from django.urls import path

from orders.views import addresses, orders, payments, withdrawals

app_name = "orders"

urlpatterns = [
    path("panier", orders.cart_page, name="cart"),
    path("checkout", orders.checkout_page, name="checkout"),
    path("payment-success", orders.payment_result_page, name="payment-result"),
    path("commande/<uuid:order_id>", orders.order_page, name="order"),
    path("commande/<uuid:order_id>/adresse", addresses.address_page, name="address"),
    path("paiement/<str:token>", payments.payment_page, name="pay"),
    path("retractation", withdrawals.withdrawal_page, name="withdrawal"),
    path("retractation/confirmation", withdrawals.withdrawal_confirmed, name="withdrawal-confirmed"),
    path("retractation/recue", withdrawals.withdrawal_received, name="withdrawal-received"),
]
