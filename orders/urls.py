from django.urls import path

from orders.views import addresses, documents, guests, orders, payments, reorders, reviews, withdrawals
from shop.core.page_slugs import localized

app_name = "orders"

urlpatterns = [
    path(localized("%(cart)s"), orders.cart_page, name="cart"),
    path(localized("%(checkout)s"), orders.checkout_page, name="checkout"),
    path(localized("%(payment_result)s"), orders.payment_result_page, name="payment-result"),
    path(localized("%(order)s/<uuid:order_id>"), orders.order_page, name="order"),
    path(localized("%(order)s/<uuid:order_id>/%(address)s"), addresses.address_page, name="address"),
    path(localized("%(order)s/<uuid:order_id>/%(account)s"), guests.request_account, name="order-account"),
    path(localized("%(order)s/<uuid:order_id>/%(join)s"), guests.join_account, name="order-join"),
    path(localized("%(order)s/<uuid:order_id>/%(again)s"), reorders.again_page, name="again"),
    path(localized("%(order)s/<uuid:order_id>/%(paid_copy)s"), documents.paid_copy, name="paid-copy"),
    path(
        localized("%(order)s/<uuid:order_id>/%(reviews)s/<int:product_id>"),
        reviews.review_page,
        name="review",
    ),
    path(localized("%(tracking)s"), guests.tracking_page, name="tracking"),
    path(localized("%(tracking)s/%(asked)s"), guests.tracking_requested, name="tracking-requested"),
    path(localized("%(payment)s/<str:token>"), payments.payment_page, name="pay"),
    path(localized("%(withdrawal)s"), withdrawals.withdrawal_page, name="withdrawal"),
    path(
        localized("%(withdrawal)s/%(confirmation)s"),
        withdrawals.withdrawal_confirmed,
        name="withdrawal-confirmed",
    ),
    path(
        localized("%(withdrawal)s/%(received)s"), withdrawals.withdrawal_received, name="withdrawal-received"
    ),
]
