from django.urls import path

from orders import payment_views, views, withdrawal_views

app_name = "orders"

urlpatterns = [
    path("panier", views.cart_page, name="cart"),
    path("checkout", views.checkout_page, name="checkout"),
    path("payment-success", views.payment_result_page, name="payment-result"),
    path("commande/<uuid:order_id>", views.order_page, name="order"),
    path("paiement/<str:token>", payment_views.payment_page, name="pay"),
    path("retractation", withdrawal_views.withdrawal_page, name="withdrawal"),
    path("retractation/confirmation", withdrawal_views.withdrawal_confirmed, name="withdrawal-confirmed"),
    path("retractation/recue", withdrawal_views.withdrawal_received, name="withdrawal-received"),
]
