"""Every column of every installed app: personal and registered, or not personal and why."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import models

from accounts.models import User
from shop.core.personal_data import activities, not_personal, register_activity, retention_rules

# A word of a name, or of a list of names, that makes a column look personal.
WORDS = re.compile(
    r"(^|_)(e?mails?|names?|phone|mobile|address(es)?|street|city|postal|postcode|zip|ip|network|mailbox|host|agent|"
    r"device|birth\w*|iban|bic|card|last4|customer|person|people|user|actor|author|member|recipient|gift|token|"
    r"message|texts?|title|subject|comment|notes?|reason|decision|statement|reply|answer|budget|language|locale|"
    r"password|secret|session|fingerprint|digest|login|siret|signature|picture|photo|avatar|goods|file)(_|$)"
)
LOOKS_PERSONAL = (models.EmailField, models.TextField, models.JSONField, models.GenericIPAddressField)


def personal_looking(model: type[models.Model]) -> Iterator[str]:
    """Columns by name, by kind, and keys of people."""
    for field in model._meta.local_concrete_fields:
        if isinstance(field, models.BooleanField):
            continue
        is_key_of_person = field.is_relation and issubclass(field.related_model, User)
        named = not field.is_relation and WORDS.search(field.name)
        if is_key_of_person or named or isinstance(field, LOOKS_PERSONAL):
            yield field.name


def registered() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {label: set(names) for label, names in not_personal().items()}
    for activity in activities():
        for label, names in activity.columns.items():
            found.setdefault(label, set()).update(names)
    return found


def all_models() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]


def test_every_column_that_looks_personal_is_registered_or_said_not_to_be():
    known = registered()
    missing = sorted(
        f"{model._meta.label}.{name}"
        for model in all_models()
        for name in personal_looking(model)
        if not {name, "*"} & known.get(model._meta.label, set())
    )
    assert missing == [], (
        "Register them in the app's personal_data.py: register_activity(columns=…), or register_not_personal(reason, …)"
    )


def test_what_is_registered_exists():
    columns = {
        model._meta.label: {field.name for field in model._meta.get_fields()} for model in all_models()
    }
    gone = sorted(
        f"{label}.{name}"
        for label, names in registered().items()
        for name in names - {"*"}
        if name not in columns.get(label, set())
    )
    assert gone == []


def test_no_column_is_both_personal_and_not():
    personal = {
        (label, name)
        for activity in activities()
        for label, names in activity.columns.items()
        for name in names
    }
    not_so = {(label, name) for label, names in not_personal().items() for name in names}
    assert personal & not_so == set()


def test_the_walk_finds_a_column_that_nobody_registered():
    class Guest(models.Model):
        phone_number = models.CharField(max_length=20)
        remarks = models.TextField()
        visits = models.IntegerField()
        host = models.ForeignKey(User, models.CASCADE)

        class Meta:
            app_label = "tests"
            managed = False

        def __str__(self) -> str:
            return self.phone_number

    del apps.all_models["tests"]["guest"]
    apps.clear_cache()
    assert list(personal_looking(Guest)) == ["phone_number", "remarks", "host"]


def test_every_activity_can_be_exported_or_holds_no_more_than_keys():
    assert [activity.name for activity in activities() if activity.export is None] == [
        "security",
        "statistics",
        "consent",
    ]


def test_every_activity_is_erased_or_says_what_stays():
    silent = [activity.name for activity in activities() if activity.erase is None and not activity.kept]
    assert silent == []


def test_an_activity_is_registered_once_and_with_periods_that_exist():
    with pytest.raises(ValueError, match="'orders'"):
        register_activity(next(activity for activity in activities() if activity.name == "orders"))
    assert len({rule.name for rule in retention_rules()}) == len(retention_rules())


def test_what_stays_after_an_erasure_says_what_it_is_without_its_title():
    # The page that asks before an erasure lists it so.
    kept = [str(activity.kept) for activity in activities() if activity.kept]
    assert kept
    assert [words for words in kept if re.match(r"(tout|rien|tous|aucun)\b", words)] == []
