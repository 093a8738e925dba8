"""Filing a withdrawal that came by letter, by e-mail or otherwise: the law takes any unambiguous statement (L221-21).

Staff write down what they read. From there on it is a declaration like any other: acknowledged, judged by the day on
which it was sent, stopping what it ends.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.models import Order, Withdrawal
from orders.selectors.withdrawals import find_withdrawal, returnable_lines
from orders.services.withdrawals.declarations import Declaration, Receipt, choose_lines, file_declaration
from shop.core.dates import shop_day
from shop.core.problems import Problem

_HALF = 32
"""A submission's key is half its author's key and half a digest of what was demanded under it."""


def file_received(*, declaration: Declaration, key: str) -> Withdrawal:
    """File a declaration that has a `receipt`. Its `lines` are those that the letter names, none for the whole order.

    `key` makes it repeatable: with the same demand it gives the first one back, with another it is refused. An order's
    own address replaces an empty one.

    Raises Problem 422 `idempotency_key_reused`, 409 `order_not_paid` and 400 `invalid_withdrawal` or `invalid_lines`,
    with what is wrong by field (`sent_on`, `received_on`, `email`, `items`); nothing is written then.
    """
    assert declaration.receipt is not None
    first = _digest(str(declaration.order.pk if declaration.order else ""), key)
    whole = first + _digest(_demand(declaration, declaration.receipt))
    try:
        with transaction.atomic():
            order = declaration.order
            if order is not None:
                order = Order.objects.select_for_update(no_key=True).get(pk=order.pk)
            known = Withdrawal.objects.filter(submission_key__startswith=first).first()
            if known is not None:
                return _repeated(known, whole)
            return file_declaration(declaration=_checked(declaration, order), key=whole)
    except IntegrityError:
        # The other half of a double click was quicker.
        known = find_withdrawal(whole)
        if known is None:
            raise
        return known


def _checked(declaration: Declaration, order: Order | None) -> Declaration:
    """The declaration with its order's address and its own lines, when nothing is wrong with it."""
    assert declaration.receipt is not None
    if order is not None and order.paid_at is None:
        raise Problem("order_not_paid", _("Cette commande n'est pas payée : annulez-la."), 409)
    errors = _wrong_days(declaration.receipt, order)
    email = declaration.email or ("" if order is None else order.email)
    if not email:
        errors["email"] = [_("Sans commande, l'adresse du client est nécessaire.")]
    if errors:
        raise Problem("invalid_withdrawal", _("Vérifiez les champs signalés."), errors=errors)
    lines = declaration.lines
    if order is not None and lines:
        lines = choose_lines(order, declaration.units)
    elif order is not None and not returnable_lines(order):
        refusal = _("Tous les articles de cette commande sont déjà remboursés.")
        raise Problem("invalid_lines", refusal, errors={"items": [refusal]})
    return replace(declaration, order=order, email=email, lines=lines)


def _wrong_days(receipt: Receipt, order: Order | None) -> dict[str, list[str]]:
    today = timezone.localdate()
    errors = {}
    if receipt.sent_on > today:
        errors["sent_on"] = [_("Cette date est à venir.")]
    elif order is not None and receipt.sent_on < shop_day(order.created_at):
        errors["sent_on"] = [_("La commande n'existait pas encore ce jour-là.")]
    if receipt.received_on > today:
        errors["received_on"] = [_("Cette date est à venir.")]
    elif receipt.received_on < receipt.sent_on:
        errors["received_on"] = [_("Elle ne peut pas être reçue avant d'être envoyée.")]
    return errors


def _repeated(known: Withdrawal, submission_key: str) -> Withdrawal:
    if known.submission_key != submission_key:
        raise Problem(
            "idempotency_key_reused", _("Cette clé a déjà servi pour une autre demande."), status=422
        )
    return known


def _demand(declaration: Declaration, receipt: Receipt) -> str:
    return json.dumps(
        [
            declaration.name, declaration.email.lower(), declaration.order_text, declaration.goods,
            declaration.language, sorted(declaration.units.items()), receipt.channel, receipt.sent_on.isoformat(),
            receipt.received_on.isoformat(), receipt.words,
        ]
    )  # fmt: skip


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_HALF]
