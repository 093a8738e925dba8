"""Notes of staff on an order: written, and corrected by another note, never changed."""

import uuid
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from orders.models import Order, OrderNote
from shop.core.problems import Problem

if TYPE_CHECKING:
    from accounts.models import User

_SENT_AGAIN_WITHIN = timedelta(hours=1)
"""Later, the same words are another note: what happened, happened again."""


def write_note(*, order_id: uuid.UUID, text: str, author: "User", corrects: int | None = None) -> OrderNote:
    """Write a note, or the correction of one. The last note of the order, sent once more by its author within
    an hour, is that note: its answer was lost.

    Raises Problem 400 `note_empty`, 404 `not_found` for a note of another order, 409 `note_corrected` for one that was
    corrected before, and Order.DoesNotExist.
    """
    text = text.strip()[:2000]
    if not text:
        refusal = _("Écrivez la note.")
        raise Problem("note_empty", refusal, 400, errors={"text": [refusal]})
    with transaction.atomic():
        order = Order.objects.select_for_update(no_key=True).get(pk=order_id)
        last = order.staff_notes.filter(created_at__gt=timezone.now() - _SENT_AGAIN_WITHIN).last()
        if last and (last.text, last.author_id, last.corrects_id) == (text, author.pk, corrects):
            return last
        corrected = None
        if corrects is not None:
            corrected = order.staff_notes.filter(pk=corrects).first()
            if corrected is None:
                raise Problem("not_found", _("Note introuvable."), 404)
            if OrderNote.objects.filter(corrects=corrected).exists():
                raise Problem(
                    "note_corrected", _("Cette note a déjà été corrigée : corrigez la dernière."), 409
                )
        return OrderNote.objects.create(order=order, text=text, author=author, corrects=corrected)
