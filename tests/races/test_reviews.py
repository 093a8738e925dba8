"""Reviews of one piece at one moment: an address writes one, and each decision is taken once and counted."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.models import User
from catalog.models import Product, Review, ReviewDecision, ReviewState
from catalog.personal_data import _erase_reviews
from catalog.selectors import purchases
from catalog.selectors.purchases import Purchase
from catalog.services import reviews
from catalog.services.products import delete_product, delete_variation
from catalog.services.reviews import moderate_review, submit_guest_review, submit_review
from orders.tests.factories import make_product, make_variation
from shop.core.personal_data import Person
from shop.core.problems import Problem
from tests.races.concurrency import Rendezvous, Started, run_concurrently, values, wait_until_blocked

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
WORDS = {"author_name": "Léa", "rating": 5, "title": "Superbe", "text": "Très fine.", "language": "fr"}


def written(product: Product, rating: int) -> Review:
    return Review.objects.create(
        product=product,
        guest_email=f"{rating}@example.com",
        rating=rating,
        title="Superbe",
        text="Très fine.",
        experience_date=date(2026, 11, 2),
    )


def publish(review: Review) -> Review:
    return moderate_review(
        review_id=review.pk,
        seen=ReviewState.PENDING,
        state=ReviewState.PUBLISHED,
        reason="",
        moderator_id=None,
        moderator="#1",
    )


def erase(review: Review) -> None:
    with transaction.atomic():
        _erase_reviews(Person(0, (review.guest_email,)))


def test_a_review_that_is_published_while_its_author_is_erased_stays_and_counts() -> None:
    product = make_product()
    review = written(product, 5)
    with transaction.atomic():
        publish(review)
        erasing = Started(partial(erase, review))
        wait_until_blocked()
    erasing.value()
    review.refresh_from_db()
    product.refresh_from_db()
    assert (review.state, review.guest_email) == (ReviewState.PUBLISHED, "")
    assert (product.rating_count, product.rating_average) == (1, Decimal(5))


def test_a_review_that_goes_with_its_author_is_not_published_any_more() -> None:
    product = make_product()
    review = written(product, 5)
    with transaction.atomic():
        _erase_reviews(Person(0, (review.guest_email,)))
        publishing = Started(partial(publish, review))
        wait_until_blocked()
    assert type(publishing.outcome().error) is Review.DoesNotExist
    product.refresh_from_db()
    assert (ReviewDecision.objects.count(), product.rating_count) == (0, 0)


@pytest.mark.parametrize(
    ("locked", "same", "decisions", "count", "average"),
    [
        (True, False, 2, 2, "3.50"),
        (True, True, 1, 1, "5.00"),
        (False, False, 2, 1, None),
        (False, True, 2, 1, "5.00"),
    ],
    ids=["two reviews", "one review", "control of two reviews", "control of one review"],
)
def test_two_decisions_at_once(
    monkeypatch: pytest.MonkeyPatch,
    locked: bool,
    same: bool,
    decisions: int,
    count: int,
    average: str | None,
) -> None:
    product = make_product()
    first, second = written(product, 5), written(product, 2)
    # Both have counted before either has stored; where there is a lock, or one row, the first waits in vain.
    inside = Rendezvous(0.5 if locked or same else 30.0)
    refresh = reviews.refresh_rating

    def meet(execute: Any, sql: str, *query: Any) -> Any:
        found = execute(sql, *query)
        if "AVG(" in sql:
            inside.enter()
        return found

    def refresh_together(*, product_id: int) -> None:
        with connection.execute_wrapper(meet):
            refresh(product_id=product_id)

    monkeypatch.setattr(reviews, "refresh_rating", refresh_together)
    if not locked:
        monkeypatch.setattr(reviews, "lock_products", lambda product_ids: None)
    chosen = (first, first) if same else (first, second)
    values(run_concurrently([partial(publish, review) for review in chosen]))
    product.refresh_from_db()
    assert (ReviewDecision.objects.count(), product.rating_count) == (decisions, count)
    # Of the two that count one review, either may be the last.
    assert average is None or product.rating_average == Decimal(average)


@pytest.mark.parametrize(("locked", "kept"), [(True, 1), (False, 2)], ids=["locked", "control"])
def test_who_writes_with_an_account_and_without_at_once_writes_once(
    monkeypatch: pytest.MonkeyPatch, locked: bool, kept: int
) -> None:
    bought = Purchase("ABCD1234", date(2026, 11, 2), None)
    monkeypatch.setattr(purchases, "_finders", [lambda user, product: bought])
    member = User.objects.create_user("lea@example.com", "un-renard-de-bois")
    inside, look = Rendezvous(0.5 if locked else 30.0), reviews.review_of_address

    def look_together(**of: object) -> Review | None:
        found = look(**of)
        inside.enter()
        return found

    monkeypatch.setattr(reviews, "review_of_address", look_together)
    if not locked:
        monkeypatch.setattr(reviews, "lock_products", lambda product_ids: None)
    words = {"product_id": make_product().pk, **WORDS}
    outcomes = run_concurrently(
        [
            partial(submit_review, user_id=member.pk, **words),
            partial(submit_guest_review, email=member.email, purchase=bought, **words),
        ]
    )
    refused = [each.error.code for each in outcomes if isinstance(each.error, Problem)]
    assert (Review.objects.count(), refused) == (kept, ["already_reviewed"] * (2 - kept))


@pytest.mark.parametrize("what", ["format", "product"])
def test_what_was_bought_is_deleted_while_its_review_is_written(what: str) -> None:
    product = make_product()
    variation = make_variation(product, "18 cm", is_default=True)
    make_variation(product, "30 cm")
    bought = Purchase("ABCD1234", date(2026, 11, 2), variation.variants.get().pk)
    write = partial(
        submit_guest_review, email="lea@example.com", purchase=bought, product_id=product.pk, **WORDS
    )
    with transaction.atomic():
        Product.objects.select_for_update().get()
        writing = Started(write)
        wait_until_blocked()
        if what == "format":
            delete_variation(variation=variation)
        else:
            delete_product(product=product)
    if what == "format":
        assert (writing.value().variant, Review.objects.count()) == (None, 1)
    else:
        refused = writing.outcome().error
        assert isinstance(refused, Problem)
        assert (refused.code, refused.status, Review.objects.count()) == ("not_found", 404, 0)
