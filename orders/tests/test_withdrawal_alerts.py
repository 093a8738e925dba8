"""The mails that remind staff of open declarations."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from orders.services.withdrawals import cases
from orders.tests.withdrawing import NOON, declare, paid_order, refund
from shop.core.jobs import registered_jobs
from shop.core.mail_delivery import render
from shop.core.models import OutgoingMail

pytestmark = [pytest.mark.postgres, pytest.mark.django_db, pytest.mark.usefixtures("monday_noon", "provider")]


def test_l221_24_staff_are_alerted_on_the_tenth_and_fourteenth_day_once_each():
    case = declare(paid_order())
    job = registered_jobs()["withdrawal-alerts"].run
    alerts = []
    for day in (0, 9, 10, 10, 11, 13, 14, 14, 20):
        moment = NOON + timedelta(days=day)
        with time_machine.travel(moment, tick=False):
            job(timezone.now())
        alerts.append(OutgoingMail.objects.filter(kind="withdrawal_alert").count())

    assert alerts == [0, 0, 1, 1, 1, 1, 2, 2, 2]
    case.refresh_from_db()
    assert case.alerted_day == 14
    first, last = OutgoingMail.objects.filter(kind="withdrawal_alert").order_by("pk")
    assert render(first).subject == f"Rétractation {case.withdrawal.reference}\u00a0: jour 10"
    assert "Le remboursement est dû au plus tard le 7 décembre 2026" in render(last).text


def test_a_job_that_did_not_run_for_weeks_writes_one_alert():
    declare(paid_order())

    assert cases.alert_open_cases(NOON + timedelta(days=30)) == 1
    assert OutgoingMail.objects.get(kind="withdrawal_alert").context["day"] == 14


def test_closed_cases_alert_nobody():
    refund(declare(paid_order()))

    assert cases.alert_open_cases(NOON + timedelta(days=14)) == 0


def test_a_case_that_fails_keeps_no_other_waiting(fail_first):
    for _ in range(2):
        declare(paid_order())
    fail_first(cases, "mail_alert")
    with pytest.raises(RuntimeError, match="unforeseen"):
        cases.alert_open_cases(NOON + timedelta(days=30))
    assert OutgoingMail.objects.filter(kind="withdrawal_alert").count() == 1
    assert cases.alert_open_cases(NOON + timedelta(days=30)) == 1
