"""Rows of the kernel: mails to send, the shop's own settings, scheduled jobs, the audit trail, files to delete."""

from shop.core.models.audit import AuditEntry
from shop.core.models.files import DiscardedFile
from shop.core.models.jobs import AttemptCounter, ScheduledJob
from shop.core.models.mail import EMAIL_MAX_LENGTH, MailState, OutgoingMail
from shop.core.models.seasonal import Seasonal
from shop.core.models.settings import MEASUREMENT_IDS, ShopSettings

__all__ = [
    "EMAIL_MAX_LENGTH",
    "MEASUREMENT_IDS",
    "AttemptCounter",
    "AuditEntry",
    "DiscardedFile",
    "MailState",
    "OutgoingMail",
    "ScheduledJob",
    "Seasonal",
    "ShopSettings",
]
