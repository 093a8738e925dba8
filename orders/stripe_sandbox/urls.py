"""Addresses of the sandbox: the API, the payment page, the control surface, the developer's overview."""

from django.urls import path, re_path

from orders.stripe_sandbox import control, gate, overview, page

urlpatterns = [
    path("", overview.overview),
    re_path(r"^v1/", gate.api),
    path("c/pay/<str:session_id>", page.pay),
    path("c/pay/<str:session_id>/banque", page.bank),
    path("_files/<str:name>", page.page_file),
    path("_control/<path:action>", control.control),
]
