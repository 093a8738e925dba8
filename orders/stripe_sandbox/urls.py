"""Addresses of the sandbox: the API, the payment page, the control surface, the developer's overview."""

from django.urls import path, re_path

from orders.stripe_sandbox import api, control, pages

urlpatterns = [
    path("", pages.overview),
    re_path(r"^v1/", api.api_view),
    path("c/pay/<str:session_id>", pages.pay),
    path("c/pay/<str:session_id>/banque", pages.confirm_with_bank),
    path("_files/<str:name>", pages.page_file),
    path("_control/<path:action>", control.control),
]
