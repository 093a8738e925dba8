"""Taking in what a visitor writes: stored once, mailed to the workshop, acknowledged to the sender."""

from __future__ import annotations

import hashlib
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import IO, Any, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from catalog.models import Product
from shop.core import images, limits
from shop.core.audit import record_audit
from shop.core.audit_rows import record_row
from shop.core.file_storage import discard_files, keep_files
from shop.core.languages import SOURCE_LANGUAGE
from shop.core.mail import queue_mail
from shop.core.models import OutgoingMail, ShopSettings
from shop.core.problems import Problem
from shop.core.site import absolute_url
from shop.pages.models import ContactImage, ContactKind, ContactReply, ContactRequest, ContactState

MAX_IMAGES = 3
_FOLDER = "contact"


@dataclass(frozen=True, slots=True)
class Message:
    """What a visitor wrote, already checked field by field. `email` is one plain address."""

    kind: ContactKind
    first_name: str
    last_name: str
    email: str
    subject: str
    message: str
    language: str
    budget: str = ""
    deadline: date | None = None
    product: Product | None = None


def send_message(*, message: Message, pictures: Sequence[UploadedFile[Any]], address: str) -> ContactRequest:
    """Store the message with its pictures and write both mails; the same words on the same day are stored once.

    `address` is the sender's network address; a try with pictures that turn out to be broken counts, because it is
    counted before they are decoded. The acknowledgement quotes nothing, and is left out when its recipient had enough
    of them today. Raises `Problem`: `throttled` (429), `invalid_image` or `too_many_images` (400), `busy` (503);
    nothing is stored then.
    """
    if len(pictures) > MAX_IMAGES:
        refusal = _("Trois images au plus.")
        raise Problem("too_many_images", refusal, errors={"images": [refusal]})
    fingerprint = _fingerprint(message, pictures)
    known = ContactRequest.objects.filter(fingerprint=fingerprint).first()
    if known is not None:
        return known
    limits.enforce(limits.CONTACT_NETWORK, address)
    stored = _store(pictures)
    try:
        return _write(message, fingerprint, stored)
    except IntegrityError:
        # The other half of a double click was quicker.
        known = ContactRequest.objects.filter(fingerprint=fingerprint).first()
        if known is None:
            raise
        return known


def set_answered(*, request: ContactRequest, answered: bool) -> None:
    """Mark a request as answered, or as new again."""
    request.state = ContactState.ANSWERED if answered else ContactState.NEW
    request.answered_at = timezone.now() if answered else None
    request.save(update_fields=["state", "answered_at"])


def mark_by(*, request_id: int, answered: bool, actor: User) -> None:
    """Mark a request for a person and write it to the audit trail; one that is already so stays as it is. Raises
    ContactRequest.DoesNotExist."""
    with transaction.atomic():
        request = ContactRequest.objects.select_for_update(of=("self",)).get(pk=request_id)
        before = request.state
        if (before == ContactState.ANSWERED) == answered:
            return
        set_answered(request=request, answered=answered)
        record_audit(
            "contact.answered", request, actor=actor, before={"state": before}, after={"state": request.state}
        )


def reply(*, request: ContactRequest, text: str, actor: User, seen: int | None = None) -> bool:
    """Answer a request by mail and mark it as answered; False for words that answered it before, which are not sent
    again: two clicks, a lost answer, a page that one went back to.

    The mail is written in the visitor's language around `text`, quotes what they wrote, and takes answers at the
    shop's address. `seen` is how many answers were on screen: raises `Problem` 409 `conflict` where there are more, and
    ContactRequest.DoesNotExist.
    """
    with transaction.atomic():
        # Its author may have another address since it was read.
        request = ContactRequest.objects.select_for_update().get(pk=request.pk)
        if request.replies.filter(text=text).exists():
            return False
        if seen is not None and ContactReply.objects.filter(request=request).count() > seen:
            raise Problem(
                "conflict",
                _("Quelqu'un d'autre a répondu entre-temps\u00a0: lisez d'abord sa réponse."),
                409,
            )
        written = ContactReply.objects.create(request=request, key=uuid.uuid4(), text=text, actor=actor)
        queue_mail(
            kind="contact_reply",
            to=request.email,
            language=request.language,
            context={
                "reference": request.reference,
                "first_name": request.first_name,
                "subject": request.subject,
                "message": request.message,
                "asked_at": request.created_at.isoformat(),
                "text": text,
                "signature": actor.first_name,
            },
            dedupe_key=f"contact-reply:{written.key}",
            reference=request.reference,
        )
        set_answered(request=request, answered=True)
    return True


def move_messages(old: str, new: str) -> None:
    """A member proved another address: what they wrote is answered there, and goes with their account. Runs in the
    caller's transaction."""
    ContactRequest.objects.filter(email=old).update(email=new)


def delete_request(*, request: ContactRequest) -> None:
    """Delete a request with its pictures."""
    with transaction.atomic():
        discard_files(request.images.values_list("file", flat=True), "private")
        request.delete()


def delete_by(*, request: ContactRequest, actor: User) -> None:
    """Delete a request for a person, and write to the audit trail that there was one."""
    before = {"kind": request.kind, "state": request.state}
    with transaction.atomic():
        record_row("deleted", request, actor=actor, before=before)
        delete_request(request=request)


def purge_requests(before: datetime, limit: int) -> int:
    """Delete requests of before, at most `limit`, with their pictures and mails; return how many."""
    old = list(ContactRequest.objects.filter(created_at__lt=before).order_by("pk")[:limit])
    for request in old:
        delete_request(request=request)
    OutgoingMail.objects.filter(kind__startswith="contact_", created_at__lt=before).delete()
    return len(old)


def purge_pictures(before: datetime, limit: int) -> int:
    """Delete the pictures of requests of before, at most `limit`; return how many."""
    old = ContactImage.objects.filter(request__created_at__lt=before).order_by("pk")
    names = dict(old.values_list("pk", "file")[:limit])
    with transaction.atomic():
        discard_files(names.values(), "private")
        ContactImage.objects.filter(pk__in=names).delete()
    return len(names)


def _write(message: Message, fingerprint: str, stored: Sequence[images.StoredImage]) -> ContactRequest:
    with transaction.atomic():
        # Drawing the pictures takes seconds: the product may be gone by now.
        asked = [message.product.pk] if message.product else []
        product = Product.objects.select_for_update(no_key=True).filter(pk__in=asked).first()
        request = ContactRequest.objects.create(
            reference=secrets.token_hex(4).upper(),
            fingerprint=fingerprint,
            kind=message.kind,
            first_name=message.first_name,
            last_name=message.last_name,
            email=message.email,
            subject=message.subject,
            message=message.message,
            budget=message.budget,
            deadline=message.deadline,
            product=product,
            language=message.language,
        )
        keep_files([picture.name for picture in stored], "private")
        ContactImage.objects.bulk_create(
            ContactImage(request=request, file=picture.name, width=picture.width, height=picture.height)
            for picture in stored
        )
        _write_mails(request, message.product.name if message.product else "", len(stored))
    return request


def _write_mails(request: ContactRequest, product: str, picture_count: int) -> None:
    context = {
        "reference": request.reference,
        "kind": request.kind,
        "first_name": request.first_name,
        "last_name": request.last_name,
        "email": request.email,
        "subject": request.subject,
        "message": request.message,
        "budget": request.budget,
        "deadline": request.deadline.isoformat() if request.deadline else "",
        "product": product,
        "picture_count": picture_count,
    }
    admin_url = absolute_url(reverse("staff-message", args=[request.pk]))
    queue_mail(
        kind="contact_workshop",
        to=ShopSettings.load().alert_address,
        language=SOURCE_LANGUAGE,
        context={**context, "admin_url": admin_url, "reply_to": request.email},
        dedupe_key=f"contact-workshop:{request.pk}",
        reference=request.reference,
    )
    # Anybody may have typed this address: its owner reads no word of theirs, and few such mails a day.
    if limits.consume_mail(limits.CONTACT_MAIL, request.email):
        queue_mail(
            kind="contact_acknowledgement",
            to=request.email,
            language=request.language,
            context={
                "reference": request.reference,
                "kind": request.kind,
                "received_at": request.created_at.isoformat(),
            },
            dedupe_key=f"contact-acknowledgement:{request.pk}",
            reference=request.reference,
        )


def _store(pictures: Sequence[UploadedFile[Any]]) -> list[images.StoredImage]:
    if not pictures:
        return []
    try:
        drawn = images.draw_images([(cast(IO[bytes], picture), picture.name or "") for picture in pictures])
    except Problem as problem:
        raise Problem(
            problem.code,
            problem.detail,
            problem.status,
            errors={"images": [problem.detail]},
            retry_after=problem.retry_after,
        ) from None
    return [images.store_image(image=image, folder=_FOLDER, storage="private") for image in drawn]


def _fingerprint(message: Message, pictures: Sequence[UploadedFile[Any]]) -> str:
    parts = [
        timezone.localdate().isoformat(),
        message.kind,
        message.email.lower(),
        message.first_name,
        message.last_name,
        message.subject,
        message.message,
        message.budget,
        message.deadline.isoformat() if message.deadline else "",
        str(message.product.pk if message.product else ""),
    ]
    digest = hashlib.sha256("\0".join(parts).encode())
    for picture in pictures:
        digest.update(hashlib.sha256(picture.read(images.MAX_BYTES + 1)).digest())
        picture.seek(0)
    return digest.hexdigest()
