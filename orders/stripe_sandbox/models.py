"""Rows of the sandbox. Stripe's objects are kept as the JSON they are answered with.

The generics are spelled out because the type checker knows the shop's settings, where this app is not installed.
"""

from __future__ import annotations

from typing import Any, ClassVar

from django.db import models


class StoredObject(models.Model):
    """One object of the API. The columns beside `body` are what lists filter by, copied from it by the store."""

    number: models.BigAutoField[int, int] = models.BigAutoField(primary_key=True)
    id: models.CharField[str, str] = models.CharField(max_length=255, unique=True)
    kind: models.CharField[str, str] = models.CharField(max_length=40)
    created: models.BigIntegerField[int, int] = models.BigIntegerField()
    customer: models.CharField[str, str] = models.CharField(max_length=255, default="")
    payment_intent: models.CharField[str, str] = models.CharField(max_length=255, default="")
    charge: models.CharField[str, str] = models.CharField(max_length=255, default="")
    status: models.CharField[str, str] = models.CharField(max_length=40, default="")
    email: models.CharField[str, str] = models.CharField(max_length=512, default="")
    type: models.CharField[str, str] = models.CharField(max_length=80, default="")
    expires_at: models.BigIntegerField[int | None, int | None] = models.BigIntegerField(null=True)
    body: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    # What the API never shows: the behaviour of a test card, the lines of a session.
    private: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)

    objects: ClassVar[models.Manager[StoredObject]] = models.Manager()

    class Meta:
        app_label = "stripe_sandbox"
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["kind", "number"], name="object_kind"),
            models.Index(fields=["kind", "payment_intent"], name="object_intent"),
            models.Index(fields=["kind", "customer"], name="object_customer"),
            models.Index(fields=["kind", "status", "expires_at"], name="object_expiry"),
        ]

    def __str__(self) -> str:
        return self.id


class Delivery(models.Model):
    """The way of one event to the shop. `state` is pending, delivered, failed, or unasked where the endpoint
    does not ask for this kind; `due` is sandbox time."""

    id: models.BigAutoField[int, int] = models.BigAutoField(primary_key=True)
    event: models.CharField[str, str] = models.CharField(max_length=255, unique=True)
    due: models.FloatField[float, float] = models.FloatField()
    tries: models.PositiveIntegerField[int, int] = models.PositiveIntegerField(default=0)
    state: models.CharField[str, str] = models.CharField(max_length=10, default="pending")
    last_answer: models.CharField[str, str] = models.CharField(max_length=200, default="")

    objects: ClassVar[models.Manager[Delivery]] = models.Manager()

    class Meta:
        app_label = "stripe_sandbox"
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["state", "due"], name="delivery_due")]

    def __str__(self) -> str:
        return f"{self.event} {self.state}"


class Job(models.Model):
    """Something that happens by itself later: a balance line, the end of a bank debit or of a refund."""

    id: models.BigAutoField[int, int] = models.BigAutoField(primary_key=True)
    kind: models.CharField[str, str] = models.CharField(max_length=40)
    target: models.CharField[str, str] = models.CharField(max_length=255)
    due: models.FloatField[float, float] = models.FloatField(db_index=True)
    data: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)

    objects: ClassVar[models.Manager[Job]] = models.Manager()

    class Meta:
        app_label = "stripe_sandbox"

    def __str__(self) -> str:
        return f"{self.kind} {self.target}"


class IdempotentAnswer(models.Model):
    """What was answered under an idempotency key. `status` is null while the call is still running."""

    key: models.CharField[str, str] = models.CharField(max_length=255, primary_key=True)
    fingerprint: models.CharField[str, str] = models.CharField(max_length=64)
    request_id: models.CharField[str, str] = models.CharField(max_length=40)
    created: models.BigIntegerField[int, int] = models.BigIntegerField()
    status: models.PositiveIntegerField[int | None, int | None] = models.PositiveIntegerField(null=True)
    body: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)

    objects: ClassVar[models.Manager[IdempotentAnswer]] = models.Manager()

    class Meta:
        app_label = "stripe_sandbox"

    def __str__(self) -> str:
        return self.key


class Fault(models.Model):
    """A fault ordered through the control surface, used up by the requests that it fits."""

    id: models.BigAutoField[int, int] = models.BigAutoField(primary_key=True)
    kind: models.CharField[str, str] = models.CharField(max_length=10)
    method: models.CharField[str, str] = models.CharField(max_length=10, default="")
    path: models.CharField[str, str] = models.CharField(max_length=255, default="")
    skip: models.PositiveIntegerField[int, int] = models.PositiveIntegerField(default=0)
    times: models.PositiveIntegerField[int, int] = models.PositiveIntegerField(default=1)
    status: models.PositiveIntegerField[int, int] = models.PositiveIntegerField(default=500)
    seconds: models.FloatField[float, float] = models.FloatField(default=0)
    after: models.BooleanField[bool, bool] = models.BooleanField(default=False)

    objects: ClassVar[models.Manager[Fault]] = models.Manager()

    class Meta:
        app_label = "stripe_sandbox"

    def __str__(self) -> str:
        return f"{self.kind} x{self.times}"


class RecordedRequest(models.Model):
    """A call of the API as it came and as it was answered. `status` 0: the answer was dropped."""

    id: models.BigAutoField[int, int] = models.BigAutoField(primary_key=True)
    created: models.FloatField[float, float] = models.FloatField()
    method: models.CharField[str, str] = models.CharField(max_length=10)
    path: models.CharField[str, str] = models.CharField(max_length=255)
    params: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
    idempotency_key: models.CharField[str, str] = models.CharField(max_length=255, default="")
    request_id: models.CharField[str, str] = models.CharField(max_length=40)
    status: models.PositiveIntegerField[int, int] = models.PositiveIntegerField()
    replayed: models.BooleanField[bool, bool] = models.BooleanField(default=False)
    error: models.CharField[str, str] = models.CharField(max_length=500, default="")

    objects: ClassVar[models.Manager[RecordedRequest]] = models.Manager()

    class Meta:
        app_label = "stripe_sandbox"

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.status}"


class Setting(models.Model):
    """A value that outlives a restart: the clock's offset, the switches of the control surface."""

    name: models.CharField[str, str] = models.CharField(max_length=40, primary_key=True)
    value: models.JSONField[Any, Any] = models.JSONField()

    objects: ClassVar[models.Manager[Setting]] = models.Manager()

    class Meta:
        app_label = "stripe_sandbox"

    def __str__(self) -> str:
        return self.name
