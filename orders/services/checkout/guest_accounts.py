"""Orders and the account of their address: a guest's that becomes a member's or was mistyped, a member's that follow to
another one."""

from __future__ import annotations

import uuid

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.services.signing_up import prepare_sign_up, request_sign_up
from catalog.services.reviews import adopt_reviews
from orders.access import payment_page_url
from orders.journal import record_event
from orders.models import Contract, Invoice, InvoiceKind, Order, OrderEvent, Withdrawal, WithdrawalCase
from orders.search_index import index_order
from orders.selectors.mail_contexts import order_context
from orders.selectors.personal_data import declared_by
from orders.services.checkout.placement import join_orders
from orders.services.payments.mails import mail_confirmation
from shop.core import limits
from shop.core.email_addresses import clean_email
from shop.core.models import MailState, OutgoingMail
from shop.core.personal_data import Person
from shop.core.problems import Problem


def request_order_account(*, order: Order, caller: str, language: str, earlier_id: str | None) -> uuid.UUID:
    """Ask for an account of a guest order's address; return the key of the sign-up.

    Nothing exists before the link in the mail is opened, which asks for a password; the order joins the account then.
    The same is done for an address that has an account: its owner is told so by mail, nobody else. `earlier_id` is the
    sign-up that the same browser asked for before. Raises Problem: 409 `has_account` when the order is a member's
    already, 429 `throttled`.
    """
    if order.user_id is not None:
        raise Problem("has_account", _("Cette commande est déjà dans un compte."), 409)
    limits.enforce(limits.SIGN_UP_NETWORK, caller)
    sign_up = prepare_sign_up(
        email=order.email,
        password=None,
        language=language,
        first_name=order.first_name,
        last_name=order.last_name,
    )
    return request_sign_up(sign_up, earlier_id=earlier_id, order=(order.pk, order.reference))


def may_join(order: Order, member: User) -> bool:
    """Return whether a guest's order was placed with the member's own address, which signing in has proved."""
    return order.user_id is None and order.email == member.email


def join_member(*, order: Order, member: User) -> None:
    """Put a guest's order into the account of its address. Raises Problem 409 `not_joined` for any other order."""
    if not may_join(order, member):
        raise Problem("not_joined", _("Cette commande a été passée avec une autre adresse."), 409)
    with transaction.atomic():
        join_orders(member, [order.pk])


def move_orders(old: str, new: str) -> None:
    """A member proved another address: their orders, and those that were placed as a guest with the old one, are
    written about to that one, and found by it; reviews without an account become theirs. Invoices and contracts stay as
    they were issued, and so do orders of theirs that were placed with a third address. Declarations of withdrawal stay
    in their words: their cases know the address.

    Runs in the caller's transaction; locks the orders, oldest key first.
    """
    member = User.objects.get(email=new)
    theirs = Order.objects.filter(Q(user=member) | Q(user=None), email=old)
    for order in theirs.select_for_update(no_key=True).order_by("pk"):
        _write_to(order, new, member)
    declared = Withdrawal.objects.filter(declared_by(Person(member.pk, (old,)).has_address))
    WithdrawalCase.objects.filter(withdrawal__in=declared.order_by()).update(email=new)
    adopt_reviews(user_id=member.pk, email=old)


def may_correct_email(order: Order) -> bool:
    """Return whether staff may correct the address of an order: a guest's, whose customer was not erased."""
    return order.user_id is None and order.personal_data_erased_at is None


def correct_email(*, order_id: uuid.UUID, email: str, actor: User) -> None:
    """Write to another address about an order whose customer mistyped theirs (GDPR art. 16). What waits goes there, and
    so does the confirmation with the contract (L221-13). Links that were mailed before open the order no longer:
    whoever has the wrong address could withdraw from it, or have it sent elsewhere. The same address again does
    nothing.

    Raises Problem: 400 `invalid` for an address that is none, 409 `email_final` unless `may_correct_email`.
    """
    address = clean_email(email)
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        if not may_correct_email(order):
            raise Problem("email_final", _("L'adresse e-mail de cette commande ne se corrige plus ici."), 409)
        if order.email == address:
            return
        mails = OutgoingMail.objects.filter(reference=order.reference, to=order.email, state=MailState.QUEUED)
        waiting = list(mails.select_for_update(no_key=True))
        order.link_version += 1
        event = _write_to(order, address, actor)
        for mail in waiting:
            # Rendered anew, where it was: with the links of now.
            mail.to, mail.text, mail.html = address, "", ""
            if "order" in mail.context:
                mail.context["order"] = order_context(order, mail.language)
            if mail.context.get("pay_url"):
                mail.context["pay_url"] = payment_page_url(order)
            mail.save(update_fields=["to", "text", "html", "context"])
        if order.is_paid and not any(mail.kind == "order_confirmation" for mail in waiting):
            invoice = Invoice.objects.filter(order=order, kind=InvoiceKind.INVOICE).latest("version")
            mail_confirmation(order, Contract.objects.get(order=order), invoice, once=event.pk)


def _write_to(order: Order, email: str, actor: User) -> OrderEvent:
    order.email = email
    order.save(update_fields=["email", "link_version", "updated_at"])
    index_order(order)
    return record_event(order, "order.email_changed", actor=actor)
