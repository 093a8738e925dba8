"""The one limiter: what it counts, by what, and what the operator reads about it."""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone, translation

from shop.core import limits
from shop.core.client_address import client_address, network_of
from shop.core.limits import LIMITS, VISITOR_NOTICE_NETWORK, Limit, Subject
from shop.core.models import AttemptCounter
from shop.core.problems import Problem
from shop.core.tasks import purge_attempt_counters

pytestmark = pytest.mark.both_engines

TWO = Limit("test", 2, timedelta(minutes=5), Subject.NETWORK, "Trop.")
OPERATOR_GUIDE = Path(__file__).parents[3] / "docs" / "operator.md"


@pytest.fixture
def clock(time_machine):
    now = timezone.now().timestamp()
    time_machine.move_to(now, tick=False)
    return lambda seconds: time_machine.move_to(now + seconds, tick=False)


@pytest.mark.django_db
def test_limit_consumed_restored_and_reset_counts_each_subject():
    assert [limits.consume(TWO, "192.0.2.1") for _ in range(4)] == [True, True, False, False]
    assert limits.consume(TWO, "192.0.2.2") is True
    limits.restore(TWO, "192.0.2.1")
    assert [limits.consume(TWO, "192.0.2.1") for _ in range(2)] == [True, False]
    limits.reset(TWO, "192.0.2.1")
    assert limits.consume(TWO, "192.0.2.1") is True


@pytest.mark.django_db
def test_limit_reached_ends_with_its_window(clock):
    assert [limits.consume(TWO, "192.0.2.1") for _ in range(3)] == [True, True, False]
    clock(299)
    assert limits.consume(TWO, "192.0.2.1") is False
    clock(300)
    assert [limits.consume(TWO, "192.0.2.1") for _ in range(3)] == [True, True, False]
    assert AttemptCounter.objects.get().expires_at == timezone.now() + timedelta(minutes=5)


@pytest.mark.django_db
def test_limit_enforced_beyond_it_answers_429_with_words_and_wait(clock):
    limits.enforce(TWO, "192.0.2.1")
    limits.enforce(TWO, "192.0.2.1")
    clock(100)

    with pytest.raises(Problem) as refusal:
        limits.enforce(TWO, "192.0.2.1")

    assert (refusal.value.code, refusal.value.status, refusal.value.detail) == ("throttled", 429, "Trop.")
    assert refusal.value.headers == {"Retry-After": "200"}


@pytest.mark.django_db
def test_limit_reached_writes_nothing(django_assert_num_queries, django_capture_on_commit_callbacks):
    with django_assert_num_queries(2):
        limits.consume(TWO, "192.0.2.1")
    limits.consume(TWO, "192.0.2.1")
    with django_assert_num_queries(1) as asked:
        limits.consume(TWO, "192.0.2.1")

    assert asked.captured_queries[0]["sql"].startswith("SELECT")


@pytest.mark.django_db
def test_limit_of_settings_replaces_the_attempts(settings):
    settings.LIMITS = {"test": 3}

    assert [limits.consume(TWO, "192.0.2.1") for _ in range(4)] == [True, True, True, False]


@pytest.mark.django_db
def test_limit_holds_while_the_cache_is_away(settings):
    nothing_kept = {"BACKEND": "django.core.cache.backends.dummy.DummyCache"}
    settings.CACHES = {"default": nothing_kept, "shared": nothing_kept}

    assert [limits.consume(TWO, "192.0.2.1") for _ in range(3)] == [True, True, False]


@pytest.mark.django_db
def test_counters_name_nobody_and_are_purged(clock):
    limits.consume(limits.SIGN_IN_ACCOUNT, "client@example.com")
    counter = AttemptCounter.objects.get()
    assert re.fullmatch(r"[0-9a-f]{64}", counter.key)

    purge_attempt_counters(timezone.now())
    assert AttemptCounter.objects.count() == 1
    purge_attempt_counters(counter.expires_at)
    assert AttemptCounter.objects.count() == 0


@pytest.mark.django_db
def test_counters_of_a_clock_that_was_ahead_refuse_no_longer_than_a_night(clock):
    clock(86_400 * 365)
    assert [limits.consume(TWO, "192.0.2.1") for _ in range(3)] == [True, True, False]
    clock(0)
    assert limits.consume(TWO, "192.0.2.1") is False
    limits.consume(limits.CONTACT_MAIL, "zoe@example.com")
    purge_attempt_counters(timezone.now())
    assert limits.consume(TWO, "192.0.2.1") is True
    # What this clock counted stays.
    assert AttemptCounter.objects.get(expires_at__gt=timezone.now() + timedelta(hours=1)).count == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("subject", "one", "other", "same"),
    [
        (Subject.RECIPIENT, "zoe@example.com", "Zoe+spam@EXAMPLE.com", True),
        (Subject.RECIPIENT, "zoe@example.com", " ｚoe+a+b@example.com", True),
        (Subject.RECIPIENT, "zoe@example.com", "zoe@exam\u00adple.com", True),
        (Subject.RECIPIENT, "zoe@épi.fr", "zoe@xn--pi-9ia.fr", True),
        (Subject.RECIPIENT, "zoe@example.com", '"zo\\e+x"@example.com', True),
        (Subject.RECIPIENT, "zoe@example.com", "zo.e@example.com", False),
        (Subject.RECIPIENT, "zoe@example.com", "zoe@example.org", False),
        (Subject.ACCOUNT, "zoe@example.com", "ZOE@example.com", True),
        (Subject.ACCOUNT, "zoe@example.com", "zoe+b@example.com", False),
        (Subject.NETWORK, "192.0.2.1", "::ffff:192.0.2.1", True),
        (Subject.NETWORK, "2001:db8:1:2::1", "2001:db8:1:2:ffff::9", True),
        (Subject.NETWORK, "2001:db8:1:2::1", "2001:db8:1:3::1", False),
        (Subject.DEVICE, "a", "A", False),
    ],
)
def test_limit_counts_one_subject_however_it_is_written(subject, one, other, same):
    limit = Limit("test", 1, timedelta(minutes=5), subject)
    limits.consume(limit, one)

    assert limits.consume(limit, other) is not same


@pytest.mark.django_db
def test_mails_of_all_kinds_to_one_recipient_are_ten_a_day(caplog, clock):
    kinds = [Limit(f"test-{number}", 5, timedelta(days=1), Subject.RECIPIENT) for number in range(3)]

    sent = [limits.consume_mail(kind, "zoe@example.com") for kind in kinds for _ in range(5)]

    assert sent == [True] * 10 + [False] * 5
    assert limits.consume_mail(kinds[0], "lea@example.com") is True
    assert (
        caplog.record_tuples
        == [
            (
                "shop.security",
                logging.WARNING,
                "mail not sent: the recipient's limit stranger-mail is reached",
            )
        ]
        * 5
    )
    clock(86400)
    assert limits.consume_mail(kinds[2], "zoe@example.com") is True


@pytest.mark.parametrize(
    ("proxies", "socket", "forwarded", "address"),
    [
        (0, "192.0.2.1", "198.51.100.7", "192.0.2.1"),
        (0, "::ffff:192.0.2.1", None, "192.0.2.1"),
        (0, "2001:DB8:0:0::1", None, "2001:db8::1"),
        (0, "", None, ""),
        (1, "10.0.0.1", "198.51.100.7", "198.51.100.7"),
        (1, "10.0.0.1", "1.1.1.1, 198.51.100.7", "198.51.100.7"),
        (1, "10.0.0.1", "garbage, <script>,,198.51.100.7", "198.51.100.7"),
        (1, "10.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
        (1, "10.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        (1, "10.0.0.1", "2001:db8::7", "2001:db8::7"),
        (1, "10.0.0.1", "fe80::7%eth0", "fe80::7"),
        (1, "10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
        (2, "10.0.0.1", "1.1.1.1, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        # Not what so many proxies write: the socket's address.
        (2, "10.0.0.1", "198.51.100.7", "10.0.0.1"),
        (1, "10.0.0.1", None, "10.0.0.1"),
        (1, "10.0.0.1", "", "10.0.0.1"),
        (1, "10.0.0.1", "198.51.100.7,", "10.0.0.1"),
        (1, "10.0.0.1", "unknown", "10.0.0.1"),
        (1, "10.0.0.1", "198.51.100.777", "10.0.0.1"),
        (1, "10.0.0.1", "198.51.100.7 198.51.100.8", "10.0.0.1"),
        (1, "10.0.0.1", "１９８.51.100.7", "10.0.0.1"),
        (1, "10.0.0.1", "9" * 5000, "10.0.0.1"),
    ],
)
def test_client_address_of_sockets_and_proxies(settings, proxies, socket, forwarded, address):
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR=socket)
    if forwarded is not None:
        request.META["HTTP_X_FORWARDED_FOR"] = forwarded

    assert client_address(request) == address


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("", ""),
    ],
)
def test_network_of_an_address_is_its_64_bits_of_ipv6(address, network):
    assert network_of(address) == network


@pytest.mark.django_db
def test_client_errors_beyond_the_limit_answer_a_problem_with_its_wait():
    answers = [
        Client(REMOTE_ADDR=f"2001:db8:1:2::{number:x}").post("/api/client-errors", b"{}", "text/plain")
        for number in range(21)
    ]

    assert [answer.status_code for answer in answers] == [204] * 20 + [429]
    assert answers[-1]["Content-Type"] == "application/problem+json"
    assert answers[-1].json()["code"] == "throttled"
    assert answers[-1].json()["detail"] == "Trop de demandes. Réessayez dans un instant."
    assert 0 < int(answers[-1]["Retry-After"]) <= 60


def test_every_limit_is_in_the_table_once():
    declared = [value for value in vars(limits).values() if isinstance(value, Limit)]

    assert sorted(limit.name for limit in declared) == sorted(limit.name for limit in LIMITS)
    assert len({limit.name for limit in LIMITS}) == len(LIMITS)
    # Mails and notices are left out without a word, everything else is refused with one.
    assert {limit.name for limit in LIMITS if not limit.refusal} == {
        VISITOR_NOTICE_NETWORK.name,
        *(limit.name for limit in LIMITS if limit.subject == Subject.RECIPIENT),
    }


def test_operator_guide_shows_every_limit():
    guide = OPERATOR_GUIDE.read_text(encoding="utf-8")
    left_out = {Subject.RECIPIENT: "mail is not sent", Subject.NETWORK: "notice is not kept"}

    with translation.override("fr"):
        rows = [
            f"| `{limit.name}` | {limit.attempts} in {_words(limit.window)} | {limit.subject} "
            f"| {f'« {limit.refusal} »' if limit.refusal else f'nothing: the {left_out[limit.subject]}'} |"
            for limit in LIMITS
        ]
    assert "\n".join(rows) in guide


def _words(window: timedelta) -> str:
    minutes = int(window.total_seconds()) // 60
    for unit, size in (("day", 1440), ("hour", 60), ("minute", 1)):
        if minutes % size == 0:
            return f"{minutes // size} {unit}s" if minutes > size else f"1 {unit}"
    raise AssertionError(window)


def test_what_is_said_of_a_limit_is_as_long_as_its_window():
    minute, hour, day = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
    words = {
        minute: "dans un instant",
        5 * minute: "dans quelques minutes",
        10 * minute: "dans quelques minutes",
    }
    words |= {hour: "dans une heure", day: "demain"}

    # A code that was used isn't tried again, whenever it is.
    said = [limit for limit in LIMITS if limit.refusal and limit != limits.USED_CODE]
    assert [limit.name for limit in said if words[limit.window] not in str(limit.refusal)] == []
