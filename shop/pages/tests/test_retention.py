"""What is deleted once its period is over, and the report of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.conf import settings
from django.utils import timezone, translation

from accounts.models import SignUp
from accounts.tests.people import make_admin, sign_up
from catalog.models import Notice, Review
from orders.models import Attempt, Discrepancy, Order, StripeEvent
from orders.services.fulfilment import erasing
from orders.services.fulfilment.status_changes import update_status
from orders.tests.factories import make_order, make_product, pay_order
from shop.core import personal_data
from shop.core.dates import shop_day
from shop.core.jobs import Outcome, run_job
from shop.core.models import OutgoingMail
from shop.core.personal_data import RetentionRule, kept_until, period_text, retention_rules
from shop.pages.models import ContactImage, ContactRequest, RetentionRun
from shop.pages.services.retention import apply_rules

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


def ago(**period: float) -> datetime:
    return timezone.now() - timedelta(**period)


@pytest.mark.parametrize(
    ("name", "value", "before"),
    [
        ("x_days", 30, datetime(2026, 10, 31, 3, 0, tzinfo=UTC)),
        ("x_months", 9, datetime(2026, 2, 28, 3, 0, tzinfo=UTC)),
        ("x_months", 12, datetime(2025, 11, 30, 3, 0, tzinfo=UTC)),
        ("x_years", 10, datetime(2016, 11, 30, 3, 0, tzinfo=UTC)),
    ],
)
def test_a_period_ends_on_the_day_of_the_calendar(settings, name, value, before):
    settings.RETENTION = {name: value}
    assert kept_until(name, NOW) == before


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("fr", ("10 ans", "90 jours", "12 mois")),
        ("en", ("10 years", "90 days", "12 months")),
        ("es", ("10 años", "90 días", "12 meses")),
        ("de", ("10 Jahre", "90 Tage", "12 Monate")),
    ],
)
def test_a_period_in_words(language, texts):
    with translation.override(language):
        found = tuple(period_text(name) for name in ("invoices_years", "unpaid_days", "log_months"))
    assert found == texts


def test_every_rule_of_the_shop():
    assert [(rule.name, rule.period) for rule in retention_rules()] == [
        ("account-mails", "account_mail_days"),
        ("mails", "mail_years"),
        ("webhook-events", "webhook_days"),
        ("repeated-calls", "webhook_days"),
        ("visits", "visit_days"),
        ("statistics", "statistics_months"),
        ("consent-proofs", "consent_years"),
        ("sign-ups", "sign_up_days"),
        ("email-changes", "email_change_days"),
        ("sessions", "session_days"),
        ("notices", "notice_days"),
        ("waiting-notices", "inactive_years"),
        ("reviews", "review_years"),
        ("unpaid-orders", "unpaid_days"),
        ("provider-events", "provider_event_days"),
        ("piece-photos", "piece_photo_years"),
        ("closed-years", "invoices_years"),
        ("newsletter", "newsletter_days"),
        ("newsletter-mails", "newsletter_days"),
        ("unsubscribed", "consent_proof_years"),
        ("contact", "contact_years"),
        ("quote-pictures", "quote_picture_months"),
        ("exports", "export_days"),
        ("inactive-warned", "inactive_years"),
        ("inactive-erased", "inactive_notice_days"),
    ]


def test_a_night_deletes_what_is_old_and_says_how_many(run_on_commit):
    sign_up("old@example.com")
    SignUp.objects.update(created_at=ago(days=settings.RETENTION["sign_up_days"], minutes=1))
    sign_up("new@example.com")
    OutgoingMail.objects.all().delete()
    for kind, age in (
        ("order_status", 3 * 366),
        ("order_confirmation", 3 * 366),
        ("order_status", 3 * 365 - 2),
    ):
        OutgoingMail.objects.create(kind=kind, to="a@example.com", created_at=ago(days=age))

    found = apply_rules(timezone.now())

    assert [row.email for row in SignUp.objects.all()] == ["new@example.com"]
    assert sorted(OutgoingMail.objects.values_list("kind", flat=True)) == [
        "order_confirmation",
        "order_status",
    ]
    assert (found["sign-ups"], found["mails"]) == (1, 1)
    assert {row.rule: row.count for row in RetentionRun.objects.filter(count__gt=0)} == {
        "sign-ups": 1,
        "mails": 1,
    }
    assert RetentionRun.objects.count() == len(retention_rules())


def test_a_clock_that_is_years_ahead_for_less_than_a_day_deletes_nothing(caplog):
    sign_up("new@example.com")
    now = timezone.now()
    with time_machine.travel(now - timedelta(days=1), tick=False):
        assert run_job("retention") == Outcome.DONE
    RetentionRun.objects.all().delete()
    with time_machine.travel(now + timedelta(days=4000), tick=False) as clock:
        caplog.clear()
        assert run_job("retention") == Outcome.DONE
        assert SignUp.objects.count() == 1
        assert not RetentionRun.objects.exists()
        assert [record.message for record in caplog.records] == [
            f"retention waits a day: it last ran on {shop_day(now - timedelta(days=1))}, which a wrong clock would "
            "say, too"
        ]
        # One that stays so is right.
        clock.shift(timedelta(days=1, hours=1))
        assert run_job("retention") == Outcome.DONE
    assert not SignUp.objects.exists()


def test_a_second_run_of_a_day_adds_to_its_row():
    for _ in range(2):
        sign_up("old@example.com")
        SignUp.objects.update(created_at=ago(days=30))
        apply_rules(timezone.now())
    assert RetentionRun.objects.get(rule="sign-ups").count == 2


def test_a_rule_that_fails_is_reported_and_keeps_the_others_from_nothing(monkeypatch, caplog):
    def fail(_before, _limit):
        raise OSError("disk full")

    rules = [RetentionRule("broken", "Cassée", "log_months", fail), *retention_rules()]
    monkeypatch.setattr("shop.pages.services.retention.retention_rules", lambda: rules)
    sign_up("old@example.com")
    SignUp.objects.update(created_at=ago(days=30))
    apply_rules(timezone.now())
    assert RetentionRun.objects.get(rule="broken").fault == "OSError: disk full"
    assert not SignUp.objects.exists()


def test_batches_go_on_until_nothing_is_left(monkeypatch):
    monkeypatch.setattr("shop.pages.services.retention.BATCH", 2)
    for number in range(5):
        Notice.objects.create(
            email=f"{number}@example.com",
            token=str(number) * 43,
            product=make_product(f"P{number}"),
            asked_at=ago(days=31),
        )
    assert apply_rules(timezone.now())["notices"] == 5


def test_mails_that_invite_to_the_shop_go_after_thirty_days_however_many(monkeypatch):
    monkeypatch.setattr("shop.pages.services.retention.BATCH", 2)
    kinds = ["newsletter_letter"] * 5 + ["cart_reminder"] * 3 + ["favourite_available", "notice_available"]
    for kind in kinds:
        for days in (31, 29):
            OutgoingMail.objects.create(kind=kind, to="a@example.com", created_at=ago(days=days))

    counts = apply_rules(timezone.now())

    assert list(OutgoingMail.objects.order_by("pk").values_list("kind", flat=True)) == kinds
    assert counts["newsletter-mails"] == 8


@pytest.mark.both_engines
def test_orders_never_paid_go_after_ninety_days_and_paid_ones_stay(monkeypatch, fail_first):
    monkeypatch.setattr("shop.pages.services.retention.BATCH", 1)
    doubtful, old, new, paid = (
        make_order(email="doubtful@example.com"),
        make_order(),
        make_order(email="new@example.com"),
        pay_order(make_order(email="paid@example.com")),
    )
    for order in (doubtful, old, new):
        update_status(order_id=order.pk, status="cancelled", actor=None)
    Attempt.objects.filter(payment__order__in=(doubtful, old, new)).update(state="expired")
    Order.objects.filter(pk__in=(old.pk, paid.pk)).update(created_at=ago(days=91))
    # What staff have still to look at stays, and keeps nothing behind it from going.
    Order.objects.filter(pk=doubtful.pk).update(created_at=ago(days=92))
    Discrepancy.objects.create(kind="payment_unmatched", provider_id="pi_1", order=doubtful, amount=60)
    Order.objects.filter(pk=paid.pk).update(status="cancelled", retention_decision="Acompte gardé.")
    # Nor does what fails unforeseen.
    fail_first(erasing, "remove_order")
    apply_rules(timezone.now())
    assert RetentionRun.objects.get(rule="unpaid-orders").fault == "RuntimeError: unforeseen"
    # Nor does the night archive what was paid.
    left = {(order.pk, None) for order in (doubtful, new, paid)}
    assert set(Order.objects.values_list("pk", "archived_at")) == left


@pytest.mark.both_engines
def test_bodies_of_processed_events_are_emptied():
    for name, processed in (("evt_1", timezone.now()), ("evt_2", None)):
        StripeEvent.objects.create(
            event_id=name,
            kind="x",
            body={"email": "a@example.com"},
            received_at=ago(days=91),
            processed_at=processed,
        )
    assert apply_rules(timezone.now())["provider-events"] == 1
    assert dict(StripeEvent.objects.values_list("event_id", "body")) == {
        "evt_1": {},
        "evt_2": {"email": "a@example.com"},
    }
    assert apply_rules(timezone.now())["provider-events"] == 0


def test_names_of_old_reviews_go_and_their_words_stay():
    values = {
        "rating": 5,
        "title": "Beau",
        "text": "Beau.",
        "experience_date": timezone.localdate(),
        "author_name": "Léa",
    }
    for days in (3 * 366, 30):
        Review.objects.create(
            product=make_product(f"P{days}"), state="published", published_at=ago(days=days), **values
        )
        # Refused and never published; with the address of an author without an account.
        Review.objects.create(
            product=make_product(f"R{days}"), state="refused", moderation_reason="Insultes",
            moderated_at=ago(days=days), guest_email="lea@example.com", **values,
        )  # fmt: skip
    assert apply_rules(timezone.now())["reviews"] == 2
    assert list(Review.objects.order_by("pk").values_list("author_name", "guest_email", "text")) == [
        ("", "", "Beau."),
        ("", "", "Beau."),
        ("Léa", "", "Beau."),
        ("Léa", "lea@example.com", "Beau."),
    ]


def test_pictures_of_messages_go_after_a_year():
    for reference, days in (("OLD", 400), ("NEW", 300)):
        request = ContactRequest.objects.create(
            reference=reference, fingerprint=reference, kind="quote", first_name="Léa", last_name="M", subject="s",
            email="lea@example.com", message="m", language="fr", created_at=ago(days=days),
        )  # fmt: skip
        ContactImage.objects.create(request=request, file=f"{reference}.jpg", width=1, height=1)
    assert apply_rules(timezone.now())["quote-pictures"] == 1
    assert [image.file for image in ContactImage.objects.all()] == ["NEW.jpg"]


def test_the_last_use_is_the_latest_that_any_app_knows_of(monkeypatch):
    first, second = ago(days=2), ago(days=1)
    monkeypatch.setattr(
        personal_data, "_last_uses", {"a": lambda _keys: {1: first}, "b": lambda _keys: {1: second, 2: first}}
    )
    assert personal_data.last_use([1, 2]) == {1: second, 2: first}


def test_the_register_names_every_activity_with_the_periods_of_the_settings(client):
    client.force_login(make_admin())
    page = client.get("/admin/donnees-personnelles").content.decode().replace("&#x27;", "'")
    for activity in personal_data.activities():
        assert str(activity.label) in page
        assert str(activity.purpose) in page
        for period in activity.periods:
            assert f"{period_text(period.name)} {period.since}" in page
    assert "<code>orders.StoredCard</code> (customer_id, payment_method_id, brand, last4)" in page


def test_the_report_names_what_was_deleted_and_after_how_long(client):
    sign_up("old@example.com")
    SignUp.objects.update(created_at=ago(days=30))
    apply_rules(timezone.now())
    client.force_login(make_admin())
    page = client.get("/gestion/pages/retentionrun/").content.decode()
    assert "Inscriptions jamais confirmées" in page
    assert "5 jours" in page
