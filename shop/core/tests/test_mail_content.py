"""Files that go with a mail: read at delivery, waited for when they are required, sent after when they are not."""

from __future__ import annotations

import pytest
from django.core import mail as django_mail
from django.db import OperationalError
from django.utils import timezone

from shop.core import mail_content
from shop.core.mail import queue_mail
from shop.core.mail_content import Attachment, MailFile, register_attachments
from shop.core.mail_delivery import deliver
from shop.core.mail_samples import sample_context
from shop.core.models import MailState, OutgoingMail

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(monkeypatch):
    """The files of a provider, by id, and the ids that it learnt were missed."""
    monkeypatch.setattr(mail_content, "_providers", {})
    files: dict[str, MailFile] = {}
    missed: list[str] = []
    register_attachments("files", files.get, missed=missed.append)
    return files, missed


def write(*attachments: Attachment) -> OutgoingMail:
    mail = queue_mail(
        kind="order_status",
        to="lea@example.com",
        language="fr",
        context=sample_context("order_status"),
        attachments=attachments,
    )
    assert mail is not None
    return mail


def test_a_file_is_attached_as_it_is_at_delivery_and_not_kept_in_the_row(provider):
    files, missed = provider
    mail = write(Attachment("files", "7"))
    assert mail.attachments == [{"provider": "files", "id": "7", "required": True}]
    files["7"] = MailFile("facture.pdf", b"%PDF-1.7 x", "application/pdf")
    assert deliver(mail.pk) == MailState.SENT
    assert [tuple(part) for part in django_mail.outbox[0].attachments] == [
        ("facture.pdf", b"%PDF-1.7 x", "application/pdf")
    ]
    assert missed == []


def test_a_mail_waits_for_a_required_file(provider):
    files, missed = provider
    mail = write(Attachment("files", "7"))
    assert deliver(mail.pk) == MailState.QUEUED
    assert django_mail.outbox == []
    mail.refresh_from_db()
    assert mail.last_error == "AttachmentNotReadyError: files 7"
    files["7"] = MailFile("facture.pdf", b"x", "application/pdf")
    assert deliver(mail.pk, now=mail.next_attempt_at) == MailState.SENT
    assert len(django_mail.outbox) == 1
    assert missed == []


def test_a_mail_leaves_without_an_optional_file_and_its_provider_is_notified(provider):
    _files, missed = provider
    mail = write(Attachment("files", "7", required=False))
    assert deliver(mail.pk, now=timezone.now()) == MailState.SENT
    assert django_mail.outbox[0].attachments == []
    assert missed == ["7"]


def test_an_optional_file_that_breaks_does_not_hold_the_mail(provider):
    _files, missed = provider

    def broken(_key: str) -> MailFile | None:
        raise OSError("disk")

    register_attachments("broken", broken, missed=missed.append)
    mail = write(Attachment("broken", "9", required=False))
    assert deliver(mail.pk) == MailState.SENT
    assert missed == ["9"]


def test_a_mail_waits_while_the_database_that_knows_its_file_is_away(provider):
    _files, missed = provider

    def cut(_key: str) -> MailFile | None:
        raise OperationalError("the connection is closed")

    register_attachments("cut", cut, missed=missed.append)
    mail = write(Attachment("cut", "9", required=False))
    assert deliver(mail.pk) == MailState.QUEUED
    assert (django_mail.outbox, missed) == ([], [])
