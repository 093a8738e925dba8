"""How often something may be tried, and how many mails a stranger may cause: every limit of the shop.

Each attempt is counted in the database by one guarded statement, so that a limit holds across processes and machines,
against parallel attempts, and while the cache is away. An attempt beyond the limit writes nothing.

Count attempts outside a transaction that may be rolled back: the count would be rolled back with it. Mails are the
other way round: `consume_mail` belongs into the transaction that writes the mail.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.db import connection
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from shop.core.client_address import network_of
from shop.core.clocks import is_due
from shop.core.email_addresses import normalise_email
from shop.core.models import AttemptCounter
from shop.core.problems import Problem

logger = logging.getLogger("shop.security")


class Subject(StrEnum):
    """What the attempts are counted by."""

    NETWORK = "network address"
    ACCOUNT = "account"
    DEVICE = "device and account"
    RECIPIENT = "recipient"
    KEY = "API key"
    ORDER = "order"


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `attempts` in each `window`, which begins with the first of them.

    `refusal` is what the visitor reads, with the stable `code`; a limit without one is never shown: the answer is the
    same, and the mail is not sent or the notice not kept. `LIMITS` of the settings replaces `attempts` by name.
    """

    name: str
    attempts: int
    window: timedelta
    subject: Subject
    refusal: str | Promise = ""
    code: str = "throttled"

    @property
    def allowed(self) -> int:
        """The attempts of a window, as this server is set up."""
        return int(settings.LIMITS.get(self.name, self.attempts))


_TOO_MANY = _("Trop de demandes. Réessayez dans un instant.")
_TOO_MANY_FOR_MINUTES = _("Trop de demandes. Réessayez dans quelques minutes.")
_TOO_MANY_TODAY = _("Trop de demandes aujourd'hui. Réessayez demain.")
_TOO_MANY_SIGN_INS = _("Trop de tentatives de connexion. Réessayez dans quelques minutes.")
_MINUTE, _HOUR, _DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

# Failures only: a sign-in that succeeds is given back. However many addresses a guesser uses, five attempts an account.
# Its owner is not locked out by them: a device that signed in before has attempts of its own (accounts.devices).
SIGN_IN_ACCOUNT = Limit(
    "sign-in-account", 5, 5 * _MINUTE, Subject.ACCOUNT, _TOO_MANY_SIGN_INS, "too_many_attempts"
)
SIGN_IN_DEVICE = Limit(
    "sign-in-device", 5, 5 * _MINUTE, Subject.DEVICE, _TOO_MANY_SIGN_INS, "too_many_attempts"
)
# Wrong passwords typed by who is signed in; strangers can't use these up.
OWN_PASSWORD_ACCOUNT = Limit(
    "own-password", 5, 5 * _MINUTE, Subject.ACCOUNT, _TOO_MANY_SIGN_INS, "too_many_attempts"
)
# Codes of a second factor: asked for after the right password, or of who is signed in.
SECOND_FACTOR_ACCOUNT = Limit(
    "second-factor", 5, 5 * _MINUTE, Subject.ACCOUNT, _TOO_MANY_SIGN_INS, "too_many_attempts"
)
# A code of an authenticator app counts once: it stays good for a minute and a half.
USED_CODE = Limit(
    "used-code", 1, 2 * _MINUTE, Subject.DEVICE, _("Code incorrect ou déjà utilisé"), "incorrect_code"
)
# Each writes to two mailboxes.
EMAIL_CHANGE_ACCOUNT = Limit("email-change-account", 5, _DAY, Subject.ACCOUNT, _TOO_MANY_TODAY)
# Wide enough for a company or a school behind one address.
SIGN_IN_NETWORK = Limit(
    "sign-in-network", 100, 5 * _MINUTE, Subject.NETWORK, _TOO_MANY_SIGN_INS, "too_many_attempts"
)
SIGN_UP_NETWORK = Limit("sign-up-network", 20, 10 * _MINUTE, Subject.NETWORK, _TOO_MANY_FOR_MINUTES)
PASSWORD_RESET_NETWORK = Limit(
    "password-reset-network", 20, 10 * _MINUTE, Subject.NETWORK, _TOO_MANY_FOR_MINUTES
)
CHECKOUT_NETWORK = Limit("checkout-network", 30, _MINUTE, Subject.NETWORK, _TOO_MANY)
VERIFY_NETWORK = Limit("verify-network", 120, _MINUTE, Subject.NETWORK, _TOO_MANY)
# One for each pause while typing.
SUGGESTION_NETWORK = Limit("suggestion-network", 240, _MINUTE, Subject.NETWORK, _TOO_MANY)
# A person answers once or twice; a school or a company behind one address more often.
CONSENT_NETWORK = Limit("consent-network", 60, _MINUTE, Subject.NETWORK, _TOO_MANY)
CLIENT_ERROR_NETWORK = Limit("client-error-network", 20, _MINUTE, Subject.NETWORK, _TOO_MANY)
# Pages and their measurements, of everybody behind one address. Counted in memory, by `shop.statistics.network_limit`.
STATISTICS_NETWORK = Limit("statistics-network", 600, _MINUTE, Subject.NETWORK, _TOO_MANY)
CONTACT_NETWORK = Limit(
    "contact-network", 5, _HOUR, Subject.NETWORK, _("Trop de messages. Réessayez dans une heure.")
)
WITHDRAWAL_NETWORK = Limit(
    "withdrawal-network",
    10,
    _HOUR,
    Subject.NETWORK,
    _("Trop de déclarations. Réessayez dans une heure, ou écrivez-nous : un e-mail suffit à vous rétracter."),
)
# Each writes to the customer and to the workshop, in words of whoever holds the order's link.
ADDRESS_CORRECTION = Limit("address-correction", 10, _DAY, Subject.ORDER, _TOO_MANY_TODAY)
TRACKING_NETWORK = Limit("tracking-network", 20, 10 * _MINUTE, Subject.NETWORK, _TOO_MANY_FOR_MINUTES)
# Forms of members whose session ended, each a row of the sessions' table.
KEPT_FORM_NETWORK = Limit("kept-form-network", 20, 10 * _MINUTE, Subject.NETWORK, _TOO_MANY_FOR_MINUTES)
# Notices for who has no session yet: opening a dead link is enough for one, and each is such a row, too.
VISITOR_NOTICE_NETWORK = Limit("visitor-notice-network", 60, 10 * _MINUTE, Subject.NETWORK)
DATA_EXPORT = Limit("data-export", 3, _DAY, Subject.ACCOUNT, _TOO_MANY_TODAY)
NOTICE_NETWORK = Limit("notice-network", 20, 10 * _MINUTE, Subject.NETWORK, _TOO_MANY_FOR_MINUTES)
NEWSLETTER_NETWORK = Limit("newsletter-network", 20, 10 * _MINUTE, Subject.NETWORK, _TOO_MANY_FOR_MINUTES)
# Calls of programs, with a right key or a wrong one.
API_NETWORK = Limit("api-network", 600, _MINUTE, Subject.NETWORK, _TOO_MANY)
API_KEY = Limit("api-key", 300, _MINUTE, Subject.KEY, _TOO_MANY)

# Mails to an address that nobody has proven to be theirs. Each kind has its limit, and all of them together one more.
STRANGER_MAIL = Limit("stranger-mail", 10, _DAY, Subject.RECIPIENT)
CONTACT_MAIL = Limit("contact-mail", 3, _DAY, Subject.RECIPIENT)
WITHDRAWAL_MAIL = Limit("withdrawal-mail", 3, _DAY, Subject.RECIPIENT)
# To the customer of an order whose number and address were typed: the acknowledgement that the law asks for.
WITHDRAWAL_ORDER_MAIL = Limit("withdrawal-order-mail", 6, _DAY, Subject.RECIPIENT)
# Sent only when reference and address belong together: guesses use none up.
TRACKING_MAIL = Limit("tracking-mail", 3, _HOUR, Subject.RECIPIENT)
NOTICE_MAIL = Limit("notice-mail", 5, _HOUR, Subject.RECIPIENT)
NEWSLETTER_MAIL = Limit("newsletter-mail", 3, _HOUR, Subject.RECIPIENT)
ACCOUNT_EXISTS_MAIL = Limit("account-exists-mail", 1, 15 * _MINUTE, Subject.RECIPIENT)
NEW_DEVICE_MAIL = Limit("new-device-mail", 10, _DAY, Subject.RECIPIENT)
EMAIL_CHANGE_MAIL = Limit("email-change-mail", 5, _HOUR, Subject.RECIPIENT)
CONFIRMATION_MAIL = Limit("confirmation-mail", 1, 3 * _MINUTE, Subject.RECIPIENT)
# Not among the ten a day: a stranger who used them up would keep the owner out. At this pace the mailbox always holds a
# link that is still good (an hour), whoever asked for it.
PASSWORD_RESET_MAIL = Limit("password-reset-mail", 1, 15 * _MINUTE, Subject.RECIPIENT)

LIMITS = tuple(value for value in tuple(vars().values()) if isinstance(value, Limit))


def consume(limit: Limit, subject: str) -> bool:
    """Count one attempt of `subject` (an address, an e-mail, a device) if it is within the limit; whether it was.

    Queries: a read, and one write for an attempt within the limit.
    """
    return _consume(limit, subject) is None


def enforce(limit: Limit, subject: str) -> None:
    """Count one attempt as `consume` does. Raises Problem 429 with the limit's words and `Retry-After`."""
    ends = _consume(limit, subject)
    if ends is not None:
        seconds = max(1, round((ends - timezone.now()).total_seconds()))
        raise Problem(limit.code, str(limit.refusal), 429, retry_after=seconds)


def consume_mail(limit: Limit, recipient: str) -> bool:
    """Count one mail that anybody can make the shop send to `recipient`; False, and a log line, when it is not sent.

    It counts for its own limit and among all such mails together (`STRANGER_MAIL`).
    """
    for each in (limit, STRANGER_MAIL):
        if not consume(each, recipient):
            logger.warning("mail not sent: the recipient's limit %s is reached", each.name)
            return False
    return True


def restore(limit: Limit, subject: str) -> None:
    """Take back one counted attempt that turned out to be honest."""
    AttemptCounter.objects.filter(key=_key(limit, subject), count__gt=0).update(count=F("count") - 1)


def reset(limit: Limit, subject: str) -> None:
    """Begin the count of `subject` anew."""
    AttemptCounter.objects.filter(key=_key(limit, subject)).delete()


def purge_expired(now: datetime) -> int:
    """Delete the counters whose window is over; returns how many. No window is longer than a day: those that end later
    are of a clock that was ahead, and would refuse until its date."""
    return AttemptCounter.objects.filter(is_due("expires_at", now, within=_DAY)).delete()[0]


def _consume(limit: Limit, subject: str) -> datetime | None:
    """None for an attempt that was counted, else when the window ends."""
    now = timezone.now()
    key = _key(limit, subject)
    spent = AttemptCounter.objects.filter(key=key, expires_at__gt=now, count__gte=limit.allowed)
    # Asked first: a flood beyond the limit reads and takes no lock.
    ends = spent.values_list("expires_at", flat=True).first()
    if ends is not None or _count(key, limit, now):
        return ends
    # Others took the last attempts between the two statements.
    return now + limit.window


def _count(key: str, limit: Limit, now: datetime) -> bool:
    """One statement for a new key, a window that ended and one more attempt: whether it wrote.

    The ORM has no conditional upsert. The guard is evaluated on the row as the last writer left it, on both engines.
    """
    moment = connection.ops.adapt_datetimefield_value(now)
    end = connection.ops.adapt_datetimefield_value(now + limit.window)
    table = connection.ops.quote_name(AttemptCounter._meta.db_table)
    statement = f"""
        INSERT INTO {table} (key, count, expires_at) VALUES (%s, 1, %s)
        ON CONFLICT (key) DO UPDATE SET
            count = CASE WHEN {table}.expires_at <= %s THEN 1 ELSE {table}.count + 1 END,
            expires_at = CASE WHEN {table}.expires_at <= %s THEN excluded.expires_at ELSE {table}.expires_at END
        WHERE {table}.expires_at <= %s OR {table}.count < %s
    """  # noqa: S608 (the table's own name)
    with connection.cursor() as cursor:
        cursor.execute(statement, [key, end, moment, moment, moment, limit.allowed])
        return bool(cursor.rowcount == 1)


def _key(limit: Limit, subject: str) -> str:
    """Return a hash, so that the table lists neither addresses nor people."""
    match limit.subject:
        case Subject.NETWORK:
            subject = network_of(subject)
        case Subject.ACCOUNT:
            subject = normalise_email(subject)
        case Subject.RECIPIENT:
            # `me+shop@example.com` is the mailbox of `me@example.com`.
            name, _at, host = normalise_email(subject).rpartition("@")
            subject = f"{name.partition('+')[0]}@{host}"
    return salted_hmac("shop.core.limits", f"{limit.name}\n{subject}", algorithm="sha256").hexdigest()
