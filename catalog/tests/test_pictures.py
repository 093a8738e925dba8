"""Pictures of products and categories: rows, background work, files that go when they should."""

import errno
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import transaction
from django.utils import timezone

from catalog import tasks
from catalog.models import CategoryPicture, PictureImport, ProductImage, RetiredPicture
from catalog.selectors import shown_files
from catalog.selectors.pictures import best_image, image_info, images_of
from catalog.services import media
from catalog.services.products import delete_product
from catalog.tests.factories import make_category, make_image, make_product, make_variation, picture
from shop.core.image_drawing import draw
from shop.core.images import StoredImage, store_image
from shop.core.jobs import note_pulse

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]


def enqueued(queued_tasks) -> list[tuple]:
    """What was enqueued, once the transaction was committed."""
    return [(task.name, *args) for task, args, _options in queued_tasks.calls]


def files(folder: str = "products") -> list[str]:
    return sorted(default_storage.listdir(folder)[1])


def stored(size: tuple[int, int] = (60, 40), folder: str = media.PHOTOS) -> StoredImage:
    return store_image(image=draw(picture(size=size).read(), "JPEG"), folder=folder)


def test_photos_are_added_after_each_other(queued_tasks, run_on_commit):
    product = make_product()
    with run_on_commit():
        first = media.add_product_image(product=product, image=stored())
        second = media.add_product_image(product=product, image=stored(), finish="painted")
    assert (first.position, second.position) == (1, 2)
    assert (first.width, first.height, first.derivatives) == (60, 40, {})
    assert enqueued(queued_tasks) == [
        (media.DERIVE_TASK, "product", first.pk),
        (media.DERIVE_TASK, "product", second.pk),
    ]
    assert len(files()) == 2


def test_the_task_of_that_name_exists():
    assert tasks.derive_image_files.name == media.DERIVE_TASK


def test_the_worker_makes_the_smaller_files_once():
    row = media.add_product_image(product=make_product(), image=stored((500, 400)))
    tasks.derive_image_files("product", row.pk)
    row.refresh_from_db()
    assert row.derivatives == {"widths": [360, 500]}
    assert len(files()) == 1 + 2 * 3
    assert media.derive_files(kind="product", pk=row.pk) is False
    assert media.derive_files(kind="product", pk=row.pk + 1) is False


def test_a_lost_file_is_not_asked_for_again_and_again(caplog):
    row = make_image(make_product(), file="products/gone.jpg", derivatives={})
    assert media.derive_files(kind="product", pk=row.pk) is False
    assert "products/gone.jpg" in caplog.text
    assert media.enqueue_missing(limit=10) == 0


class Killed(BaseException):
    """What the system does to a worker that takes too much memory: nothing after it is run."""


@pytest.mark.both_engines
def test_a_picture_that_kills_its_worker_is_tried_five_times(monkeypatch, caplog):
    row = media.add_product_image(product=make_product(), image=stored((500, 400)))
    fails: list[BaseException] = [Killed(), OSError(errno.EIO, "away"), OSError("broken"), *[Killed()] * 3]
    tries = iter(fails)

    def fail(name: str) -> None:
        raise next(tries)

    monkeypatch.setattr(media.images, "derive_files", fail)
    monkeypatch.setattr(media.images, "TRY_TAKES", timedelta())
    for failure in fails:
        assert media.missing_pictures(limit=1) == [("product", row.pk)]
        with pytest.raises(type(failure)):
            media.derive_files(kind="product", pk=row.pk)
    assert media.derive_files(kind="product", pk=row.pk) is False
    assert f"The picture {row.file.name} stays without smaller files after 5 tries" in caplog.text
    assert media.missing_pictures(limit=1) == []
    row.refresh_from_db()
    assert image_info(row, "").srcset == f"/media/{row.file.name} 500w"


@pytest.mark.both_engines
def test_of_two_workers_one_makes_the_files_and_a_killed_one_holds_them_for_six_minutes(monkeypatch):
    row = media.add_product_image(product=make_product(), image=stored((500, 400)))
    derive, at_once, begun = media.images.derive_files, [], []

    def meanwhile(name: str) -> dict:
        begun.append(name)
        at_once.append(media.derive_files(kind="product", pk=row.pk))
        if len(begun) == 1:
            raise Killed
        return derive(name)

    monkeypatch.setattr(media.images, "derive_files", meanwhile)
    with pytest.raises(Killed):
        media.derive_files(kind="product", pk=row.pk)
    start = timezone.now()
    made = []
    for minutes in (5, 7):
        monkeypatch.setattr(
            media.images.timezone, "now", lambda minutes=minutes: start + timedelta(minutes=minutes)
        )
        made.append(media.derive_files(kind="product", pk=row.pk))
    assert (made, at_once, len(begun)) == ([False, True], [False, False], 2)
    assert len(files()) == 7


@pytest.mark.both_engines
def test_a_worker_that_read_the_row_before_another_took_it_leaves_it():
    row = media.add_product_image(product=make_product(), image=stored((500, 400)))
    rows = ProductImage.objects.filter(pk=row.pk)
    rows.update(derivatives={"tries": 1, "until": 0})
    assert media.images.derive_for(rows, row.file.name, {}) is None
    ahead = int(timezone.now().timestamp()) + 3600
    rows.update(derivatives={"tries": 1, "until": ahead})
    # A clock was ahead when it was begun.
    assert media.derive_files(kind="product", pk=row.pk) is True


def test_the_sweep_finds_what_was_never_made(queued_tasks, run_on_commit):
    product = make_product()
    category_picture = CategoryPicture.objects.create(
        category=make_category("bust"), file="categories/a.jpg", width=10, height=10
    )
    forgotten = [make_image(product, position, derivatives={}) for position in (1, 2, 3)]
    make_image(product, 4)
    # However many can't be drawn, another one has its turn.
    assert {pk for _ in range(60) for _kind, pk in media.missing_pictures(limit=1)} >= {
        row.pk for row in forgotten
    }
    now = datetime(2026, 11, 20, tzinfo=UTC)
    PictureImport.objects.create(product=product, url="https://example.com/a.jpg")
    with run_on_commit():
        # Nobody takes from the queue: what was put into it still waits there.
        tasks.sweep_images(now)
        tasks.sweep_picture_imports(timezone.now())
    assert enqueued(queued_tasks) == []
    note_pulse("queue-images")
    with run_on_commit():
        tasks.sweep_picture_imports(timezone.now())
    assert [name for name, _key in enqueued(queued_tasks)] == ["catalog.tasks.fetch_picture"]
    queued_tasks.calls.clear()
    with run_on_commit():
        tasks.sweep_images(now)
    assert sorted(enqueued(queued_tasks)) == sorted(
        [(media.DERIVE_TASK, "product", row.pk) for row in forgotten]
        + [(media.DERIVE_TASK, "category", category_picture.pk)]
    )


def test_files_of_a_deleted_photo_go_a_day_later():
    row = media.add_product_image(product=make_product(), image=stored((500, 400)))
    media.derive_files(kind="product", pk=row.pk)
    row.refresh_from_db()
    now = timezone.now()
    media.delete_product_image(image=row)
    assert not ProductImage.objects.exists()
    assert media.remove_retired_files(now=now + timedelta(hours=23)) == 0
    assert len(files()) == 7
    assert media.remove_retired_files(now=now + timedelta(hours=25)) == 1
    assert files() == []
    assert media.remove_retired_files(now=now + timedelta(hours=25)) == 0


def test_a_file_that_can_t_be_deleted_keeps_no_other_on_the_disk(fail_first):
    RetiredPicture.objects.bulk_create(RetiredPicture(file=f"products/{number}.jpg") for number in (1, 2))
    fail_first(media.images, "delete_files")
    with pytest.raises(RuntimeError, match="unforeseen"):
        media.remove_retired_files(now=timezone.now() + timedelta(days=2))
    assert RetiredPicture.objects.get().file.name == "products/1.jpg"


def test_files_of_a_deleted_product_go_a_day_later():
    product = make_product()
    media.add_product_image(product=product, image=stored())
    delete_product(product=product)
    assert len(files()) == 1
    tasks.remove_retired_files(timezone.now() + timedelta(days=2))
    assert files() == []


def test_files_that_somebody_shows_stay(monkeypatch):
    product = make_product()
    rows = [media.add_product_image(product=product, image=stored()) for _ in range(2)]
    names = {row.file.name for row in rows}
    delete_product(product=product)
    later = timezone.now() + timedelta(days=2)
    monkeypatch.setattr(shown_files, "_finders", [lambda asked: {rows[0].file.name} & set(asked)])
    assert media.remove_retired_files(now=later) == 1
    assert {f"products/{name}" for name in files()} == {rows[0].file.name} < names
    monkeypatch.setattr(shown_files, "_finders", [lambda asked: set()])
    assert media.remove_retired_files(now=later) == 1
    assert files() == []


def test_many_removed_pictures_are_asked_for_in_few_queries(django_assert_num_queries):
    """One for the rows; for each hundred one to ask `orders`, `blog` and other products; one for each row that goes."""
    RetiredPicture.objects.bulk_create(
        RetiredPicture(file=f"products/{number}.jpg", derivatives={"widths": [360]}) for number in range(101)
    )
    with django_assert_num_queries(1 + 2 * 3 + 101):
        assert media.remove_retired_files(now=timezone.now() + timedelta(days=2)) == 101


def test_smaller_files_made_while_their_photo_was_deleted_go_with_it(monkeypatch):
    row = media.add_product_image(product=make_product(), image=stored((500, 400)))

    def derive_and_lose(name: str) -> dict[str, Any]:
        made = derive_files(name)
        media.delete_product_image(image=ProductImage.objects.get())
        return made

    derive_files = media.images.derive_files
    monkeypatch.setattr(media.images, "derive_files", derive_and_lose)
    assert media.derive_files(kind="product", pk=row.pk) is False
    assert len(files()) == 7
    media.remove_retired_files(now=timezone.now() + timedelta(days=2))
    assert files() == []


def test_files_stay_when_the_transaction_fails():
    row = media.add_product_image(product=make_product(), image=stored())
    with pytest.raises(RuntimeError):
        _delete_and_fail(row)
    assert ProductImage.objects.count() == 1
    assert len(files()) == 1


@transaction.atomic
def _delete_and_fail(row: ProductImage) -> None:
    media.delete_product_image(image=row)
    raise RuntimeError


def test_a_category_has_one_picture(queued_tasks, run_on_commit):
    category = make_category("bust")
    with run_on_commit():
        media.set_category_picture(category=category, image=stored(folder="categories"))
    with run_on_commit():
        second = media.set_category_picture(category=category, image=stored(folder="categories"))
    assert CategoryPicture.objects.get() == second
    assert len(files("categories")) == 2
    media.remove_retired_files(now=timezone.now() + timedelta(days=2))
    assert [f"categories/{name}" for name in files("categories")] == [second.file.name]
    media.set_category_picture(category=category, image=None)
    assert not CategoryPicture.objects.exists()
    media.remove_retired_files(now=timezone.now() + timedelta(days=2))
    assert files("categories") == []
    assert [call[1] for call in enqueued(queued_tasks)] == ["category", "category"]


def test_the_photo_that_shows_a_choice_best():
    product = make_product()
    small, large = make_variation(product, "Petite"), make_variation(product, "Grande")
    anything = make_image(product, 1)
    painted = make_image(product, 2, finish="painted")
    small_grey = make_image(product, 3, finish="unpainted", variation=small)
    rows = images_of([product.pk])[product.pk]
    assert rows == [anything, painted, small_grey]
    assert best_image(rows, variation_id=None, finish="painted") == painted
    assert best_image(rows, variation_id=small.pk, finish="unpainted") == small_grey
    assert best_image(rows, variation_id=large.pk, finish="unpainted") == anything
    assert best_image(rows, variation_id=None, finish="") == anything
    assert best_image([small_grey], variation_id=large.pk, finish="painted") == small_grey
    assert best_image([], variation_id=None, finish="") is None


@pytest.mark.both_engines
def test_photos_of_many_products_are_one_query(django_assert_num_queries):
    products = [make_product(f"Pièce {number}") for number in range(3)]
    make_image(products[0])
    with django_assert_num_queries(1):
        assert [len(rows) for rows in images_of([product.pk for product in products]).values()] == [1, 0, 0]
    with django_assert_num_queries(0):
        assert images_of([]) == {}
