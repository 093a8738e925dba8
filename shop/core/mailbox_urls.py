"""Addresses of the mails that are stored instead of sent, on a machine without a mail server (in DEBUG only)."""

from django.urls import path

from shop.core import mailbox

urlpatterns = [
    path("", mailbox.mail_list, name="mailbox"),
    path("/<int:mail_id>", mailbox.mail_detail, name="mailbox-mail"),
    path("/<int:mail_id>/html", mailbox.mail_html, name="mailbox-html"),
    path("/<int:mail_id>/files/<int:position>", mailbox.mail_file, name="mailbox-file"),
]
