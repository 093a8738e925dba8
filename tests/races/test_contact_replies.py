"""An answer to a message is pressed twice at the same moment: real threads on PostgreSQL."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from django.db import transaction
from django.db.models import QuerySet

from accounts.tests.people import make_admin
from shop.core.models import OutgoingMail
from shop.pages.models import ContactKind, ContactReply, ContactRequest
from shop.pages.services import contact
from tests.races.concurrency import Meeting, Started, run_concurrently, values, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def press() -> partial[bool]:
    request = ContactRequest.objects.create(
        reference="0A1B2C3D", fingerprint="one", kind=ContactKind.QUESTION, first_name="Léa",
        email="lea@example.com", subject="Un golem", message="Bonjour", language="fr",
    )  # fmt: skip
    return partial(contact.reply, request=request, text="Oui, en mai.", actor=make_admin())


def counts() -> tuple[int, int]:
    return ContactReply.objects.count(), OutgoingMail.objects.filter(kind="contact_reply").count()


def test_two_presses_send_one_mail(press):
    with transaction.atomic():
        ContactRequest.objects.select_for_update().get()
        pressed = [Started(press), Started(press)]
        wait_until_blocked(2)
    assert sorted(each.value() for each in pressed) == [False, True]
    assert counts() == (1, 1)


def test_control_without_the_lock_two_presses_send_two(press, monkeypatch):
    meeting, queue = Meeting(2), contact.queue_mail

    def together(**values: Any) -> None:
        meeting.wait()
        queue(**values)

    monkeypatch.setattr(contact, "queue_mail", together)
    monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **_: rows)
    assert values(run_concurrently([press, press])) == [True, True]
    assert counts() == (2, 2)
