"""Erasure, and the archive of their data, for somebody who can't sign in, without an account or with a blocked one:
staff send a link to the address that they wrote from, and who opens it has proved that it is theirs."""

from __future__ import annotations

from datetime import timedelta

from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils import translation

from accounts.models import User
from shop.core.audit import record_audit
from shop.core.email_addresses import normalise_email
from shop.core.mail import queue_mail
from shop.core.mail_content import MailContent
from shop.core.models import OutgoingMail
from shop.core.shop_settings import link_salt
from shop.core.site import absolute_url
from shop.pages.services.erasures import refuse_member

LINK_LIFETIME = timedelta(days=7)
MAIL = "account_erasure_link_request"
_SALT = "pages.guest-erasure"


def send_erasure_link(*, email: str, language: str, actor: User) -> None:
    """Queue the mail whose link gives the archive of an address, or registers its erasure. Raises `Problem` (409
    `has_account`)."""
    address = normalise_email(email)
    with transaction.atomic():
        refuse_member(address)
        queue_mail(kind=MAIL, to=address, language=language, context={})
        record_audit("erasure.link_sent", actor, actor=actor)


def erasure_link_content(mail: OutgoingMail) -> MailContent:
    """Return the mail with its link, made at delivery: the outbox holds no key before."""
    with translation.override(mail.language):
        path = reverse("erasure-link")
    key = signing.dumps([mail.to, mail.language], salt=link_salt(_SALT))
    return MailContent("account_erasure_link", {"url": f"{absolute_url(path)}?cle={key}"})


def address_of_link(key: str) -> tuple[str, str] | None:
    """Return the address and the language of a link; None for one that the shop did not make, or a week ago."""
    try:
        email, language = signing.loads(key, salt=link_salt(_SALT), max_age=LINK_LIFETIME)
    except signing.BadSignature:
        return None
    return email, language
