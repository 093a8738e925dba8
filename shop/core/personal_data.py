"""What the shop holds of people: each app registers its part in `AppConfig.ready()`, the kernel knows none of them.

From here come the archive that a person asks for (GDPR art. 15, 20), the erasure (art. 17), the register of processing
activities (art. 30), the tables of the privacy page (art. 13) and what the nightly job deletes (art. 5). A test walks
every model: a column that looks personal is named by an activity, or by `register_not_personal` with its reason.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

Text = str | Promise


class Basis(models.TextChoices):
    """Why the law allows it (GDPR art. 6(1))."""

    CONTRACT = "contract", _("exécution du contrat")
    LEGAL_OBLIGATION = "legal_obligation", _("obligation légale")
    LEGITIMATE_INTEREST = "legitimate_interest", _("intérêt légitime")
    CONSENT = "consent", _("consentement")


@dataclass(frozen=True, slots=True)
class Person:
    """Who is meant: the key of an account, 0 for somebody without one, and the addresses that are proven to be theirs,
    in their stored form. What was written under an address after `until` is not theirs. `by_inactivity`: nobody asked
    for the erasure, so that what they agreed to beside the account stays (GDPR art. 7(3))."""

    key: int
    emails: tuple[str, ...]
    until: datetime | None = None
    by_inactivity: bool = False

    def has_address(self, column: str = "email") -> Q:
        """Return the condition that `column` holds one of the person's addresses, in any case; false without any."""
        found = Q(pk__in=())
        for email in self.emails:
            found |= Q(**{f"{column}__iexact": email})
        return found if self.until is None else found & Q(created_at__lte=self.until)


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of the archive; `name` is unique in its part, and `read` gives its bytes, None when it is gone."""

    name: str
    read: Callable[[], bytes | None]


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a record: a stable English key, a label in the active language, and what JSON can hold, a date or an
    amount."""

    key: str
    label: str
    value: Any


@dataclass(frozen=True, slots=True)
class Record:
    """One row as its person reads it."""

    values: Sequence[Value]
    files: Sequence[ExportedFile] = ()


@dataclass(frozen=True, slots=True)
class Period:
    """How long: a name in `settings.RETENTION`, and from what on."""

    name: str
    since: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessingActivity:
    """What one app holds for one purpose, as the register names it (GDPR art. 30), and what it does for a person.

    `columns` are the personal ones by model label, `"accounts.User": ("email",)`; a model of one person's rows alone
    may name `"*"`. `export` reads everything about a person. `erase` deletes or anonymises it in a transaction of its
    caller, may be repeated, and returns False while something must wait; without one there is nothing to erase.
    `kept` says what stays after an erasure, and why. `open_matters` are sentences for the person: what has to end
    before everything can be erased.
    """

    name: str
    label: Text
    purpose: Text
    data: Text
    basis: Basis
    periods: tuple[Period, ...]
    recipients: Text = ""
    kept: Text = ""
    columns: Mapping[str, tuple[str, ...]]
    export: Callable[[Person], Sequence[Record]] | None = None
    erase: Callable[[Person], bool] | None = None
    open_matters: Callable[[Person], list[str]] | None = None


@dataclass(frozen=True, slots=True)
class RetentionRule:
    """What the nightly job deletes or anonymises.

    `purge(before, limit)` does so with at most `limit` things older than `before`, and returns how many it did: fewer
    than `limit` means that it is done.
    """

    name: str
    label: Text
    period: str
    purge: Callable[[datetime, int], int]


_activities: dict[str, ProcessingActivity] = {}
_rules: dict[str, RetentionRule] = {}
_not_personal: dict[str, dict[str, str]] = {}
_last_uses: dict[str, Callable[[Collection[int]], Mapping[int, datetime]]] = {}


def register_activity(activity: ProcessingActivity) -> None:
    """Add an activity. Raises ValueError for a period that the settings do not have, or a name that is taken."""
    unknown = [period.name for period in activity.periods if period.name not in settings.RETENTION]
    if unknown or activity.name in _activities:
        raise ValueError(f"Activity {activity.name!r}: taken, or without a period {unknown}.")
    _activities[activity.name] = activity


def register_retention(rule: RetentionRule) -> None:
    """Add a rule of the nightly job. Raises ValueError for a period that the settings do not have, or a taken name."""
    if rule.period not in settings.RETENTION or rule.name in _rules:
        raise ValueError(f"Rule {rule.name!r}: taken, or of the unknown period {rule.period!r}.")
    _rules[rule.name] = rule


def register_not_personal(reason: str, columns: Mapping[str, Sequence[str]]) -> None:
    """Say of columns that look personal why they are not; `"*"` names all of a model."""
    for label, names in columns.items():
        _not_personal.setdefault(label, {}).update(dict.fromkeys(names, reason))


def register_last_use(name: str, read: Callable[[Collection[int]], Mapping[int, datetime]]) -> None:
    """Add a reader of when members last did something, by key: an account that is used is not erased."""
    _last_uses[name] = read


def activities() -> list[ProcessingActivity]:
    """Return every activity, in the order of registration."""
    return list(_activities.values())


def retention_rules() -> list[RetentionRule]:
    """Return every rule, in the order of registration."""
    return list(_rules.values())


def not_personal() -> Mapping[str, Mapping[str, str]]:
    """Return the reasons of columns that look personal and are not, by model label and column."""
    return _not_personal


def last_use(keys: Collection[int]) -> dict[int, datetime]:
    """Return when members last did something that any app knows of."""
    found: dict[int, datetime] = {}
    for read in _last_uses.values():
        for key, moment in read(keys).items():
            found[key] = max(moment, found.get(key, moment))
    return found


def record_of(row: models.Model, *names: str, files: Sequence[ExportedFile] = (), **more: Any) -> Record:
    """Return the named columns of a row under their labels; `more` are values by label key that no column has."""
    values = []
    for name in names:
        field: Any = row._meta.get_field(name)
        value = field.value_from_object(row)
        if field.choices and value:
            value = str(getattr(row, f"get_{name}_display")())
        elif name == "language":
            value = dict(settings.LANGUAGES).get(value, value)
        values.append(Value(name, str(capfirst(field.verbose_name)), value))
    values += [Value(key, label, value) for key, (label, value) in more.items()]
    return Record(values, files)


def kept_until(name: str, now: datetime) -> datetime:
    """Return the moment before which a period, counted back from `now`, is over."""
    number, unit = settings.RETENTION[name], name.rpartition("_")[2]
    if unit == "days":
        return now - timedelta(days=number)
    months = number * 12 if unit == "years" else number
    year, month = divmod(now.year * 12 + now.month - 1 - months, 12)
    # The 31st of a month that has none is its last day, and never the first of the next.
    last = monthrange(year, month + 1)[1]
    return now.replace(year=year, month=month + 1, day=min(now.day, last))


def period_text(name: str) -> str:
    """Return a period in words, « 3 ans »."""
    number, unit = settings.RETENTION[name], name.rpartition("_")[2]
    texts = {
        "years": ngettext("%(count)d an", "%(count)d ans", number),
        "months": ngettext("%(count)d mois", "%(count)d mois", number),
        "days": ngettext("%(count)d jour", "%(count)d jours", number),
    }
    return texts[unit] % {"count": number}
