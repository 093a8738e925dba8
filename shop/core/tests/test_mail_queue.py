"""Writing mails: once, with the caller's transaction, to one plain address."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from shop.core.mail import enqueue_delivery, purge_account_mails, queue_mail
from shop.core.mail_samples import sample_context
from shop.core.models import MailState, OutgoingMail
from shop.core.personal_data import kept_until

pytestmark = pytest.mark.both_engines

DELIVER = "shop.core.tasks.deliver_mail"


def queue(**changes):
    values = {
        "kind": "account_exists",
        "to": "client@example.com",
        "language": "fr",
        "context": sample_context("account_exists"),
    }
    return queue_mail(**{**values, **changes})


@pytest.mark.django_db
def test_a_mail_is_a_row_and_a_task_after_commit(run_on_commit, queued_tasks):
    with run_on_commit() as callbacks:
        mail = queue(reference="7C9BE001")
        assert queued_tasks.calls == []

    assert len(callbacks) == 1
    assert [(task.name, args) for task, args, _ in queued_tasks.calls] == [(DELIVER, (mail.pk,))]
    mail.refresh_from_db()
    assert (mail.state, mail.attempts, mail.reference, mail.subject) == (MailState.QUEUED, 0, "7C9BE001", "")
    assert mail.message_id.startswith("<")
    assert mail.message_id.endswith("@localhost>")


@pytest.mark.django_db
def test_the_same_key_writes_one_mail(run_on_commit, queued_tasks):
    with run_on_commit():
        first = queue(dedupe_key="order_confirmation:1")
        again = queue(dedupe_key="order_confirmation:1", to="other@example.com")

    assert again.pk == first.pk
    assert OutgoingMail.objects.get().to == "client@example.com"
    assert queued_tasks.names == [DELIVER]


@pytest.mark.django_db
def test_mails_without_a_key_are_never_merged():
    assert queue().pk != queue().pk


@pytest.mark.django_db(transaction=True)
def test_half_of_the_orders_rolled_back_means_half_of_the_mails(queued_tasks):
    """200 orders write a mail each, every other one is rolled back: mails = committed orders, exactly."""

    class RefusedError(Exception):
        pass

    for number in range(200):
        try:
            with transaction.atomic():
                queue(dedupe_key=f"order_confirmation:{number}")
                if number % 2:
                    raise RefusedError
        except RefusedError:
            pass

    keys = set(OutgoingMail.objects.values_list("dedupe_key", flat=True))
    assert keys == {f"order_confirmation:{number}" for number in range(0, 200, 2)}
    assert queued_tasks.names == [DELIVER] * 100


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "victim@example.com\nBcc: other@example.com",
        "victim@example.com\r\nSubject: x",
        "a@example.com, b@example.com",
        "Name <a@example.com>",
        "not an address",
        "a@example.com\x00",
    ],
)
def test_only_one_plain_address_is_written_to(address):
    with pytest.raises(ValidationError):
        queue(to=address)
    assert OutgoingMail.objects.count() == 0


@pytest.mark.django_db
def test_nobody_to_write_to_is_no_mail():
    assert queue(to="  ") is None
    assert OutgoingMail.objects.count() == 0


@pytest.mark.django_db
def test_loi_toubon_an_unknown_language_is_french():
    assert queue(language="it").language == "fr"


@pytest.mark.django_db
def test_a_broker_that_is_away_costs_nothing(run_on_commit, monkeypatch):
    def refuse(*args, **kwargs):
        raise ConnectionError("no broker")

    monkeypatch.setattr("celery.Task.apply_async", refuse)
    with run_on_commit():
        mail = queue()
    enqueue_delivery(mail.pk)

    mail.refresh_from_db()
    assert mail.state == MailState.QUEUED


@pytest.mark.django_db
def test_account_mails_are_forgotten_after_thirty_days_and_contracts_are_not():
    now = timezone.now()
    old, recent = now - timedelta(days=31), now - timedelta(days=29)
    for kind, created in (
        ("account_password_reset", old),
        ("account_password_reset", recent),
        ("order_confirmation", old),
    ):
        OutgoingMail.objects.create(kind=kind, to="a@example.com", created_at=created)

    assert purge_account_mails(kept_until("account_mail_days", now), 100) == 1

    assert list(OutgoingMail.objects.order_by("pk").values_list("kind", "created_at")) == [
        ("account_password_reset", recent),
        ("order_confirmation", old),
    ]
