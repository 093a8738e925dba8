"""The archive of all that is held about a person (GDPR art. 15, 20), a member, a blocked one too, or somebody without
an account: asked for, made by a worker, deleted in a week."""

from __future__ import annotations

import logging
import re
import tempfile
import uuid
import zipfile
from datetime import datetime
from typing import Any

from django.core.files.base import File
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.db.models import F, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from rest_framework.exceptions import NotAuthenticated

from accounts.models import User
from shop.core import limits
from shop.core.clocks import is_due, is_free
from shop.core.each_row import each_row
from shop.core.enqueue import enqueue_after_commit
from shop.core.errors import is_outage
from shop.core.file_storage import discard_files, private_storage
from shop.core.jobs import LEASE
from shop.core.mail import queue_mail
from shop.core.members import hold_account
from shop.core.models import ShopSettings
from shop.core.personal_data import Person, ProcessingActivity, Record, activities, kept_until
from shop.core.site import absolute_url
from shop.pages.models import EXPORTS_UNDER_WAY, DataExport, ExportState
from shop.pages.selectors.personal_data import current_export, person_of
from shop.pages.services.erasures import refuse_member

logger = logging.getLogger(__name__)

TASK = "shop.pages.tasks.make_data_export"
MAX_TRIES = 3
"""One that an outage of the database or the storage ended is none: it may last as long as it will."""
_FOLDER = "exports"


def request_export(*, user: User | None, language: str, email: str = "") -> DataExport:
    """Return the export that is under way, or start one. The caller knows who asks: signed in, by the link of a blocked
    member, or by that of an `email` without an account. Raises `Problem` (429 `throttled`) for a fourth in a day, 409
    `has_account`, and `NotAuthenticated` for an account that was erased meanwhile."""
    key = 0 if user is None else user.pk
    known = DataExport.objects.filter(user_key=key, email=email, state__in=EXPORTS_UNDER_WAY).first()
    if known is not None:
        return known
    if user is None:
        refuse_member(email)
    limits.enforce(limits.DATA_EXPORT, email or str(key))
    try:
        with transaction.atomic():
            if user is not None and hold_account(key) is None:
                raise NotAuthenticated
            asked = DataExport.objects.create(user_key=key, email=email, language=language)
            enqueue_after_commit(TASK, str(asked.pk))
    except IntegrityError:
        # The other half of a double click was quicker.
        found = current_export(key, email)
        assert found is not None
        return found
    return asked


def make_export(export_id: uuid.UUID) -> bool:
    """Write the archive and the mail; False when another worker has it or it is done. A worker that dies is followed by
    another once its lease is over, which begins again."""
    now = timezone.now()
    claimed = DataExport.objects.filter(_waiting(now), pk=export_id).update(
        state=ExportState.RUNNING, lease_until=now + LEASE, tries=F("tries") + 1, done=0
    )
    if not claimed:
        return False
    export = DataExport.objects.get(pk=export_id)
    user = User.objects.filter(pk=export.user_key).first()
    if export.user_key and (user is None or user.is_closed):
        delete_exports(DataExport.objects.filter(pk=export.pk))
        return False
    try:
        if export.file:
            # A worker that died has left it: all about a person.
            private_storage().delete(export.file)
        name, size = _write_archive(export, user)
    except Exception as error:
        if is_outage(error):
            logger.error("data export %s waits: %s", export.pk, error)
            _ours(export).update(lease_until=None, state=ExportState.REQUESTED, tries=F("tries") - 1)
            return False
        logger.exception("data export %s failed", export.pk)
        _ours(export).update(lease_until=None, state=_after_failure(export))
        return False
    if not _finish(export, name, size):
        private_storage().delete(name)
        return False
    return True


def make_waiting_exports(now: datetime) -> int:
    """Make what a lost message or a dead worker left; return how many are done."""
    waiting = DataExport.objects.filter(_waiting(now)).order_by("requested_at").values_list("pk", flat=True)
    left = DataExport.objects.filter(is_due("lease_until", now, within=LEASE), state=ExportState.RUNNING)
    left.filter(tries__gte=MAX_TRIES).update(state=ExportState.FAILED, lease_until=None)
    return each_row(waiting[:20], make_export)


def purge_exports(before: datetime, limit: int) -> int:
    """Delete archives whose time is over, and exports that failed before, at most `limit`; return how many."""
    old = Q(expires_at__lte=timezone.now()) | Q(state=ExportState.FAILED, requested_at__lt=before)
    return delete_exports(DataExport.objects.filter(old).order_by("pk")[:limit])


def delete_exports(exports: QuerySet[DataExport]) -> int:
    """Delete exports, and discard their files; return how many."""
    files = dict(exports.values_list("pk", "file"))
    with transaction.atomic():
        discard_files(filter(None, files.values()), "private")
        DataExport.objects.filter(pk__in=files).delete()
    return len(files)


def _waiting(now: datetime) -> Q:
    free = is_free("lease_until", now, within=LEASE)
    return free & Q(state__in=EXPORTS_UNDER_WAY, tries__lt=MAX_TRIES)


def _after_failure(export: DataExport) -> ExportState:
    return ExportState.FAILED if export.tries >= MAX_TRIES else ExportState.REQUESTED


def _ours(export: DataExport) -> QuerySet[DataExport]:
    """The row, unless another worker took it over after our lease ended."""
    return DataExport.objects.filter(pk=export.pk, state=ExportState.RUNNING, tries=export.tries)


def _finish(export: DataExport, name: str, size: int) -> bool:
    """The archive is ready and its mail is written together, to the address of now; not for an account that was erased
    meanwhile."""
    now = timezone.now()
    expires = now + (now - kept_until("export_days", now))
    with transaction.atomic():
        member = hold_account(export.user_key)
        if member is None and export.user_key:
            delete_exports(_ours(export))
            return False
        ready = _ours(export).update(
            state=ExportState.READY, lease_until=None, file=name, size=size, ready_at=now, expires_at=expires
        )
        # Who is blocked, or has no account, waits on the page of their link.
        if ready and member is not None and member.is_active:
            with translation.override(export.language):
                url = absolute_url(reverse("members-data"))
            queue_mail(
                kind="account_data_ready",
                to=member.email,
                language=export.language,
                context={"url": url, "expires_at": expires.isoformat()},
                dedupe_key=f"data-export:{export.pk}",
            )
    return bool(ready)


def _write_archive(export: DataExport, user: User | None) -> tuple[str, int]:
    person = Person(0, (export.email,)) if user is None else person_of(user)
    parts = [activity for activity in activities() if activity.export is not None]
    _ours(export).update(total=len(parts))
    with (
        translation.override(export.language),
        tempfile.TemporaryFile() as stream,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        sections = []
        for number, activity in enumerate(parts, start=1):
            sections.append(_write_part(archive, activity, person))
            _ours(export).update(done=number, lease_until=timezone.now() + LEASE)
        archive.writestr("data.json", _as_json(sections, export))
        archive.writestr("index.html", _as_page(sections, person.emails[0], export))
        archive.close()
        size = stream.tell()
        stream.seek(0)
        name = f"{_FOLDER}/{uuid.uuid4().hex}.zip"
        # Before there is a file: one that no row names would stay for good.
        _ours(export).update(file=name)
        return private_storage().save(name, File(stream)), size


def _write_part(archive: zipfile.ZipFile, activity: ProcessingActivity, person: Person) -> dict[str, Any]:
    assert activity.export is not None
    records = []
    for record in activity.export(person):
        paths = [
            path for file in record.files if (path := _write_file(archive, activity, file.name, file.read()))
        ]
        records.append({"record": record, "files": paths})
    return {"activity": activity, "records": records}


def _write_file(
    archive: zipfile.ZipFile, activity: ProcessingActivity, name: str, content: bytes | None
) -> str:
    """Return the path in the archive, "" for a file that is gone. Names that people gave lead nowhere else."""
    if content is None:
        return ""
    path = f"{activity.name}/{re.sub(r'[^A-Za-z0-9._-]', '_', name).lstrip('.')}"
    archive.writestr(path, content)
    return path


def _as_json(sections: list[dict[str, Any]], export: DataExport) -> str:
    content = {
        "made_at": timezone.now(),
        "language": export.language,
        **{
            section["activity"].name: [
                {**_values(part["record"]), "files": part["files"]} for part in section["records"]
            ]
            for section in sections
        },
    }
    return DjangoJSONEncoder(indent=2, ensure_ascii=False).encode(content)


def _values(record: Record) -> dict[str, Any]:
    return {value.key: value.value for value in record.values}


def _as_page(sections: list[dict[str, Any]], email: str, export: DataExport) -> str:
    return render_to_string(
        "pages/data_export.html",
        {
            "sections": sections,
            "email": email,
            "language": export.language,
            "made_at": timezone.now(),
            "shop": ShopSettings.load(),
        },
    )
