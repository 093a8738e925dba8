"""The second factor: authenticator app, passkeys and recovery codes, on allauth's rows and checks.

Two changes of one person's second factors wait for each other at the account's row.
"""

from __future__ import annotations

import logging
import struct
from typing import Any

from allauth.core.internal.cryptokit import normalize_user_code
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, validate_totp_code
from allauth.mfa.utils import decrypt
from allauth.mfa.webauthn.internal import auth as webauthn
from cryptography.exceptions import InvalidSignature
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import mails
from accounts.models import User
from accounts.sessions import end_all_sessions
from shop.core import limits
from shop.core.audit import record_audit
from shop.core.members import lock_member
from shop.core.problems import Problem

logger = logging.getLogger("shop.security")

LONGEST_NAME = 60
MOST_PASSKEYS = 10
Type = Authenticator.Type
# What the library raises for answers that no browser gives.
UNREADABLE = (
    ValidationError,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    struct.error,
    InvalidSignature,
)


def check_code(user: User, code: str) -> Authenticator:
    """Return whose code it is: the authenticator app's, or a recovery code, which is used up by it.

    Each code counts once. Wrong ones are counted, so call this outside any transaction. Raises ``Problem``:
    ``incorrect_code`` (400), ``too_many_attempts`` (429).
    """
    limits.enforce(limits.SECOND_FACTOR_ACCOUNT, user.email)
    code = normalize_user_code(code)
    for factor in Authenticator.objects.filter(user_id=user.pk, type__in=(Type.TOTP, Type.RECOVERY_CODES)):
        if _is_good(factor, code):
            limits.restore(limits.SECOND_FACTOR_ACCOUNT, user.email)
            return factor
    logger.warning("second factor refused for user %s", user.pk)
    raise _incorrect()


def check_passkey(user: User, credential: Any) -> Authenticator:
    """Return the passkey of this person that signed the challenge of this session. Raises ``Problem`` (400).

    Nothing is counted: a signature can't be guessed, and the owner of a passkey gets in while codes are limited.
    """
    try:
        webauthn.parse_authentication_response(credential)
        return webauthn.complete_authentication(user, credential)
    except UNREADABLE:
        logger.warning("passkey refused for user %s", user.pk)
        raise _incorrect_passkey() from None


def check_unnamed_passkey(credential: Any) -> tuple[User, Authenticator]:
    """Return who signs in with a passkey alone, and the passkey. Raises ``Problem`` (400, ``incorrect_passkey``)."""
    try:
        webauthn.parse_authentication_response(credential)
        user = webauthn.extract_user_from_response(credential)
    except UNREADABLE:
        raise _incorrect_passkey() from None
    if not isinstance(user, User) or not user.is_active:
        raise _incorrect_passkey()
    return user, check_passkey(user, credential)


def activate_totp(user: User, *, secret: str, code: str) -> bool:
    """Add the authenticator app that shows this code for this secret; whether recovery codes came with it, as they do
    with the first second factor.

    Raises ``Problem``: ``incorrect_code`` (400), ``too_many_attempts`` (429), ``already_added`` (409);
    and ``NotAuthenticated`` (see ``lock_member``).
    """
    limits.enforce(limits.SECOND_FACTOR_ACCOUNT, user.email)
    code = normalize_user_code(code)
    if not validate_totp_code(secret, code) or not limits.consume(limits.USED_CODE, f"{user.pk}:{code}"):
        raise _incorrect()
    limits.restore(limits.SECOND_FACTOR_ACCOUNT, user.email)
    with transaction.atomic():
        lock_member(user.pk)
        if Authenticator.objects.filter(user_id=user.pk, type=Type.TOTP).exists():
            raise Problem("already_added", _("Une application est déjà ajoutée à ce compte."), 409)
        TOTP.activate(user, secret)
        return _note_added(user, Type.TOTP)


def add_passkey(user: User, *, name: str, credential: Any) -> bool:
    """Add the passkey that this browser just made for the challenge of this session; whether recovery codes came too.

    Raises ``Problem``: ``incorrect_passkey`` (400), ``too_many_passkeys`` (409); and ``NotAuthenticated`` (see
    ``lock_member``).
    """
    try:
        webauthn.parse_registration_response(credential)
        made = webauthn.complete_registration(credential)
    except UNREADABLE:
        raise _incorrect_passkey() from None
    if not made.is_user_verified():
        raise _incorrect_passkey()
    with transaction.atomic():
        lock_member(user.pk)
        held = Authenticator.objects.filter(user_id=user.pk, type=Type.WEBAUTHN).count()
        if held >= MOST_PASSKEYS:
            raise Problem("too_many_passkeys", _("Ce compte a déjà dix clés d'accès."), 409)
        webauthn.WebAuthn.add(user, clean_name(name) or default_name(user), credential)
        return _note_added(user, Type.WEBAUTHN)


def rename_passkey(user: User, passkey_id: int, name: str) -> None:
    """Give a passkey another name; an empty one changes nothing. Raises ``Problem`` (404)."""
    with transaction.atomic():
        passkey = _find(user, Type.WEBAUTHN, passkey_id)
        if cleaned := clean_name(name):
            passkey.data["name"] = cleaned
            passkey.save(update_fields=["data"])


def remove_factor(user: User, factor_type: str, factor_id: int | None = None) -> None:
    """Remove the authenticator app or a passkey; the recovery codes go with the last of them.

    Raises ``Problem`` (404), and ``NotAuthenticated`` (see ``lock_member``).
    """
    with transaction.atomic():
        lock_member(user.pk)
        _find(user, factor_type, factor_id).delete()
        rest = Authenticator.objects.filter(user_id=user.pk)
        if not rest.exclude(type=Type.RECOVERY_CODES).exists():
            rest.delete()
        _forget_cached(user)
        record_audit("second_factor.removed", user, actor=user, before={"type": factor_type})
        mails.send_second_factor_changed(user, change=f"removed_{factor_type}")


def make_recovery_codes(user: User) -> None:
    """Replace the recovery codes by new ones. Raises ``Problem`` (409) for an account without a second factor, and
    ``NotAuthenticated`` (see ``lock_member``)."""
    with transaction.atomic():
        lock_member(user.pk)
        _forget_cached(user)
        if not user.has_second_factor:
            raise Problem(
                "second_factor_missing", _("Ajoutez d'abord une application ou une clé d'accès."), 409
            )
        Authenticator.objects.filter(user_id=user.pk, type=Type.RECOVERY_CODES).delete()
        RecoveryCodes.activate(user)
        record_audit("second_factor.codes_replaced", user, actor=user)
        mails.send_second_factor_changed(user, change="new_codes")


def reset_second_factor(user: User) -> int:
    """Take every second factor of a person who lost theirs; return how many. Their sessions end: the device that was
    lost may be signed in. Only a command of the server does it."""
    with transaction.atomic():
        # Of a blocked account, too.
        User.objects.select_for_update(no_key=True).get(pk=user.pk)
        held = sorted(Authenticator.objects.filter(user_id=user.pk).values_list("type", flat=True))
        if held:
            Authenticator.objects.filter(user_id=user.pk).delete()
            end_all_sessions(user)
            record_audit("second_factor.reset", user, actor=None, before={"types": held})
            mails.send_second_factor_changed(user, change="reset")
        _forget_cached(user)
    return len(held)


def unused_recovery_codes(user: User) -> list[str]:
    """Return the codes that are still good, for the page that shows them once."""
    codes = Authenticator.objects.filter(user_id=user.pk, type=Type.RECOVERY_CODES).first()
    if codes is None or not decrypt(codes.data["seed"]):
        return []
    return list(codes.wrap().get_unused_codes())


def default_name(user: User) -> str:
    """Return the name of a passkey that nobody named."""
    held = Authenticator.objects.filter(user_id=user.pk, type=Type.WEBAUTHN).count()
    return _("Clé d'accès %(number)d") % {"number": held + 1}


def clean_name(name: str) -> str:
    """Return a passkey's name without what can't be printed, at most 60 characters."""
    return "".join(letter for letter in name if letter.isprintable()).strip()[:LONGEST_NAME]


def _is_good(factor: Authenticator, code: str) -> bool:
    if factor.type == Type.RECOVERY_CODES:
        # Locks the row: of two requests with one code, the second finds it used.
        return bool(decrypt(factor.data["seed"])) and bool(factor.wrap().validate_code(code))
    # allauth notes a used code in the cache, which each process may have for itself.
    secret = decrypt(factor.data["secret"])
    return (
        bool(secret)
        and validate_totp_code(secret, code)
        and limits.consume(limits.USED_CODE, f"{factor.user_id}:{code}")
    )


def _note_added(user: User, factor_type: str) -> bool:
    is_first = not Authenticator.objects.filter(user_id=user.pk, type=Type.RECOVERY_CODES).exists()
    if is_first:
        RecoveryCodes.activate(user)
    _forget_cached(user)
    record_audit("second_factor.added", user, actor=user, after={"type": factor_type})
    mails.send_second_factor_changed(user, change=f"added_{factor_type}")
    return is_first


def _find(user: User, factor_type: str, factor_id: int | None) -> Authenticator:
    rows = Authenticator.objects.select_for_update().filter(user_id=user.pk, type=factor_type)
    found = (rows if factor_id is None else rows.filter(pk=factor_id)).first()
    if found is None:
        raise Problem("not_found", _("Cette protection n'est plus sur votre compte."), 404)
    return found


def _forget_cached(user: User) -> None:
    user.__dict__.pop("has_second_factor", None)


def _incorrect() -> Problem:
    return Problem(limits.USED_CODE.code, str(limits.USED_CODE.refusal), 400)


def _incorrect_passkey() -> Problem:
    return Problem("incorrect_passkey", _("Cette clé d'accès n'a pas pu être vérifiée. Réessayez."), 400)
