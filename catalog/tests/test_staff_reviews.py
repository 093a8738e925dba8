"""Reviews in the staff area: read, published, refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from catalog.models import Review, ReviewDecision
from catalog.selectors.moderation import review_with_decisions
from catalog.tests.factories import make_product, make_user
from shop.core.models import OutgoingMail
from shop.core.tests.reading import text

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin() -> Any:
    admin = make_user("admin@example.com")
    admin.is_staff = admin.is_superuser = True
    admin.save()
    return admin


@pytest.fixture
def browser(admin: Any) -> Client:
    client = Client()
    client.force_login(admin)
    return client


def make_review(**changes: Any) -> Review:
    values = {"rating": 2, "title": "Décevant", "text": "Trop petite.", "author_name": "Léa",
              "experience_date": timezone.localdate()}  # fmt: skip
    if "user" not in changes:
        changes["user"] = make_user(f"m{Review.objects.count()}@example.com")
    return Review.objects.create(product=make_product(), **{**values, **changes})


def test_reviews_that_wait_are_shown_first_and_published_with_one_tap(browser: Client, admin: Any) -> None:
    review = make_review(language="de")
    page = text(browser.get("/admin/avis"))
    assert 'lang="de">Décevant</a>' in page
    assert 'lang="de">Trop petite.</p>' in page
    assert 'lang="de">Décevant</h2>' in text(browser.get(f"/admin/avis/{review.pk}"))
    answer = browser.post(f"/admin/avis/{review.pk}", {"decision": "published", "seen": "pending"})
    assert answer["Location"] == "/admin/avis"
    review.refresh_from_db()
    assert (review.state, review.title, review.text) == ("published", "Décevant", "Trop petite.")
    decision = ReviewDecision.objects.get()
    assert (decision.state_before, decision.state_after, decision.actor) == (
        "pending",
        "published",
        f"#{admin.pk}",
    )
    assert f"À relire → Publié ({admin.email})" in text(browser.get(f"/admin/avis/{review.pk}"))
    assert "Trop petite." not in text(browser.get("/admin/avis"))
    assert "Trop petite." in text(browser.get("/admin/avis?liste=publies"))


def test_refusal_without_a_reason_changes_nothing(browser: Client) -> None:
    review = make_review()
    answer = browser.post(
        f"/admin/avis/{review.pk}", {"decision": "refused", "seen": "pending", "reason": " "}
    )
    assert "Indiquez le motif : l'auteur le recevra." in text(answer).replace("\u00a0", " ")
    assert Review.objects.get().state == "pending"
    assert not ReviewDecision.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_refusal_is_logged_and_sent_to_the_author(browser: Client) -> None:
    review = make_review()
    browser.post(
        f"/admin/avis/{review.pk}", {"decision": "refused", "seen": "pending", "reason": "Insultes."}
    )
    assert Review.objects.get().state == "refused"
    assert ReviewDecision.objects.get().reason == "Insultes."
    assert OutgoingMail.objects.get(kind="review_decision").to == review.user.email
    assert "« Insultes. »" in text(browser.get(f"/admin/avis/{review.pk}"))


@pytest.mark.parametrize(
    ("decision", "reason", "status"),
    [("refused", "Insultes.", 409), ("published", "", 302)],
    ids=["otherwise", "the same"],
)
def test_decision_about_what_somebody_else_decides_at_that_moment_changes_nothing(
    browser: Client, monkeypatch: pytest.MonkeyPatch, decision: str, reason: str, status: int
) -> None:
    review = make_review()

    def read_before(review_id: int) -> Review | None:
        row = review_with_decisions(review_id)
        Review.objects.filter(pk=review_id).update(state="published", published_at=timezone.now())
        return row

    monkeypatch.setattr("catalog.staff.reviews.review_with_decisions", read_before)
    sent = {"decision": decision, "seen": "pending", "reason": reason}
    answer = browser.post(f"/admin/avis/{review.pk}", sent)
    assert answer.status_code == status
    if status == 409:
        assert "Quelqu'un d'autre a décidé entre-temps" in text(answer)
        assert "Insultes." in text(answer)
        # Leaving asks, and the words stay a draft of this browser.
        assert " data-staff-form data-unsaved>" in text(answer)
        assert " data-staff-form>" in text(browser.get(f"/admin/avis/{review.pk}"))
    assert Review.objects.get().state == "published"
    assert not ReviewDecision.objects.exists()
    assert not OutgoingMail.objects.exists()


def test_review_list_takes_few_queries_however_many_there_are(
    browser: Client, django_assert_num_queries: Any
) -> None:
    member = make_user("client@example.com")
    for _number in range(55):
        make_review(user=None if Review.objects.exists() else member)
    first = browser.get("/admin/avis")
    assert len(first.context["list"].rows) == 50
    # Session and person 2, the rows with their products 1.
    with django_assert_num_queries(3):
        browser.get(f"/admin/avis{first.context['list'].next_url}")
