from django.urls import path

from orders.views.webhook import stripe_webhook

urlpatterns = [path("stripe", stripe_webhook, name="stripe-webhook")]
