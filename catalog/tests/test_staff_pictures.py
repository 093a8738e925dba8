"""Photos of a product by calls: added, arranged, changed, removed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from catalog.models import ProductImage, RetiredPicture
from catalog.selectors.product_documents import image_address
from catalog.services import gallery, media
from catalog.services.gallery import MOST_PICTURES
from catalog.services.product_removal import trash_products
from catalog.tests.factories import make_image, make_product, make_user, make_variation, picture
from catalog.tests.photos import halves, upload
from catalog.tests.staff import PRODUCTS, send, staff_browser
from shop.core.content_version import content_version
from shop.core.models import AuditEntry
from shop.core.outbound import AddressRefused, Answer, CallFailed
from shop.core.staff_actions import StaffAction
from shop.integrations.endpoints import create_endpoint
from shop.integrations.models import WebhookEvent

pytestmark = pytest.mark.django_db


def order(product) -> list[int]:
    return list(product.images.order_by("position", "pk").values_list("pk", flat=True))


def test_upload_stores_a_photo_behind_the_others(admin):
    product = make_product()
    make_image(product)
    format_ = make_variation(product, "Grand")
    sent = upload(
        admin, product, picture(size=(60, 40)).getvalue(), alt="Un ours", finish="painted",
        variation_id=str(format_.pk),
    )  # fmt: skip
    assert sent.status_code == 201, sent.json()
    body = sent.json()
    row = ProductImage.objects.get(pk=body["id"])
    assert (row.position, row.alt_fr, row.finish, row.variation_id) == (2, "Un ours", "painted", format_.pk)
    assert (body["width"], body["height"], body["alt"]) == (60, 40, "Un ours")
    assert (body["crop"], body["focus"], body["whole"]["url"]) == (None, None, body["url"])


def test_photo_that_is_sent_again_after_a_lost_answer_is_stored_once(admin):
    product, content = make_product(), picture().getvalue()
    first = upload(admin, product, content, key="a")
    again = upload(admin, product, content, key="a")
    assert (again.status_code, again.json()) == (201, first.json())
    assert order(product) == [first.json()["id"]]
    assert upload(admin, product, content, key="b").status_code == 201
    assert product.images.count() == 2
    gallery.remove_picture(product_id=product.pk, image_id=first.json()["id"], actor=None)
    assert upload(admin, product, content, key="a").status_code == 404
    assert product.images.count() == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ours.gif", b"GIF89a", "Type de fichier non supporté"),
        ("ours.jpg", b"\xff\xd8\xff" + b"0" * (5 * 1024 * 1024), "Fichier trop volumineux"),
        ("o" * 97 + ".jpg", b"\xff\xd8\xff", "Nom de fichier trop long"),
        ("ours.png", picture("JPEG").getvalue(), "Fichier invalide"),
    ],
)
def test_upload_of_no_picture_is_refused_and_stores_nothing(admin, name, content, message):
    product = make_product()
    answer = upload(admin, product, content, name)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_image")
    assert answer.json()["errors"] == {"file": [message]}
    assert not ProductImage.objects.exists()


def test_address_is_fetched_and_copied(admin, monkeypatch):
    product = make_product()
    asked = []

    def fetch(url, **_options):
        asked.append(url)
        return Answer(200, {}, picture("WEBP", size=(30, 20)).getvalue())

    monkeypatch.setattr("shop.core.remote_images.fetch", fetch)
    answer = send(admin, "post", f"/{product.pk}/images", {"url": " https://example.com/ours "})
    assert answer.status_code == 201, answer.json()
    assert asked == ["https://example.com/ours"]
    assert answer.json()["width"] == 30


@pytest.mark.parametrize(
    ("outcome", "message"),
    [
        (AddressRefused("private"), "Cette adresse ne peut pas être utilisée."),
        (CallFailed("timeout"), "Cette adresse ne répond pas."),
        (CallFailed("too_large"), "Fichier trop volumineux"),
        (Answer(404, {}, b""), "Aucune image à cette adresse."),
        (Answer(200, {}, b"<html>"), "Type de fichier non supporté"),
    ],
)
def test_address_without_a_picture_is_refused(admin, monkeypatch, outcome, message):
    def fetch(url, **_options):
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    monkeypatch.setattr("shop.core.remote_images.fetch", fetch)
    product = make_product()
    answer = send(admin, "post", f"/{product.pk}/images", {"url": "https://example.com/ours.jpg"})
    assert (answer.status_code, answer.json()["errors"]) == (400, {"url": [message]})
    assert not ProductImage.objects.exists()


def test_address_of_the_own_network_is_refused(admin):
    product = make_product()
    answer = send(admin, "post", f"/{product.pk}/images", {"url": "http://127.0.0.1/a.jpg"})
    assert answer.json()["errors"] == {"url": ["Cette adresse ne peut pas être utilisée."]}


def test_blank_address_is_asked_for(admin):
    product = make_product()
    answer = send(admin, "post", f"/{product.pk}/images", {"url": "  "})
    assert (answer.status_code, answer.json()["detail"]) == (400, "URL manquante")
    assert answer.json()["errors"] == {"url": ["Veuillez entrer une URL d'image"]}


def test_product_has_so_many_photos_at_most(admin):
    product = make_product()
    for position in range(MOST_PICTURES):
        make_image(product, position)
    answer = upload(admin, product, picture().getvalue())
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_pictures")
    assert product.images.count() == MOST_PICTURES


def test_photos_that_a_program_gave_to_formats_are_arranged(admin):
    product = make_product()
    keys = [make_image(product, position).pk for position in range(MOST_PICTURES * 2 + 1)]
    asked = {"ids": keys[:0:-1], "removed_ids": keys[:1], "seen_ids": keys}
    answer = send(admin, "put", f"/{product.pk}/images/order", asked)
    assert [row["id"] for row in answer.json()["images"]] == keys[:0:-1]


def test_what_staff_do_to_photos_is_in_the_audit_trail(admin):
    product = make_product("Ours")
    format_ = make_variation(product, "Grand")
    for _twice in range(2):
        assert upload(admin, product, halves().getvalue(), finish="painted").status_code == 201
    first, second = product.images.order_by("position")
    one = f"/{product.pk}/images/{first.pk}"
    values = {
        "alt": "Un ours", "variation_id": format_.pk, "crop": {"x": 0, "y": 0, "width": 50, "height": 100},
    }  # fmt: skip
    for method, path, body in (
        ("patch", one, values),
        ("patch", one, values),
        ("put", f"/{product.pk}/images/main", {"id": second.pk}),
        ("put", f"/{product.pk}/images/order", {"ids": [second.pk], "removed_ids": [first.pk]}),
        ("delete", f"/{product.pk}/images/{second.pk}", {}),
    ):
        assert send(admin, method, path, body).status_code in (200, 204)
    whole = {"product": f"Ours ({product.pk})", "finish": "painted"}
    entries = list(AuditEntry.objects.order_by("pk"))
    cut = entries[4].before.pop("file")
    assert [(row.action, row.subject_id, row.before, row.after) for row in entries] == [
        ("productimage.added", str(first.pk), {}, {**whole, "file": first.file.name}),
        ("productimage.added", str(second.pk), {}, {**whole, "file": second.file.name}),
        (
            "productimage.changed",
            str(first.pk),
            {"alt_fr": "", "variation": None, "crop": []},
            {"alt_fr": "Un ours", "variation": f"Grand ({format_.pk})", "crop": [0, 0, 50, 100]},
        ),
        (
            "product.photos_arranged",
            str(product.pk),
            {"photos": [first.pk, second.pk]},
            {"photos": [second.pk, first.pk]},
        ),
        (
            "productimage.deleted",
            str(first.pk),
            {**whole, "alt_fr": "Un ours", "variation": f"Grand ({format_.pk})", "crop": [0, 0, 50, 100]},
            {},
        ),
        ("productimage.deleted", str(second.pk), {**whole, "file": second.file.name}, {}),
    ]
    assert cut not in ("", first.file.name)
    assert {row.actor_id for row in entries} == {get_user_model().objects.get(is_staff=True).pk}
    shown = [(row["what"], row["values"]) for row in admin.get("/admin/journal").context["rows"]]
    assert shown[2] == (
        "Photos mises dans un autre ordre",
        [("Photos", f"{first.pk}, {second.pk}", f"{second.pk}, {first.pk}")],
    )
    assert shown[3] == (
        "Photo\u00a0: modification",
        [
            ("Texte alternatif (français)", "–", "Un ours"),
            ("Variation", "–", f"Grand ({format_.pk})"),
            ("Recadrage", "–", "0.0, 0.0, 50.0, 100.0"),
        ],
    )


def test_order_and_removals_are_saved_at_once(admin):
    product = make_product()
    first, second, third = (make_image(product, position).pk for position in (1, 2, 3))
    answer = send(
        admin, "put", f"/{product.pk}/images/order",
        {"ids": [third, first], "removed_ids": [second], "seen_ids": [first, second, third]},
    )  # fmt: skip
    assert answer.status_code == 200, answer.json()
    assert [row["id"] for row in answer.json()["images"]] == [third, first]
    assert order(product) == [third, first]
    assert RetiredPicture.objects.count() == 1


@pytest.mark.parametrize("change", ["unknown", "missing", "twice", "moved"])
def test_order_of_other_photos_is_a_conflict_and_changes_nothing(admin, change):
    product = make_product()
    first, second = (make_image(product, position).pk for position in (1, 2))
    body = {
        "unknown": {"ids": [second, first, 10**6]},
        "missing": {"ids": [second]},
        "twice": {"ids": [second, second, first]},
        "moved": {"ids": [second, first], "seen_ids": [second, first]},
    }[change]
    answer = send(admin, "put", f"/{product.pk}/images/order", body)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert [row["id"] for row in answer.json()["current"]["images"]] == [first, second]
    assert order(product) == [first, second]


def test_main_photo_comes_first_and_the_others_keep_their_order(admin):
    product = make_product()
    first, second, third = (make_image(product, position).pk for position in (1, 2, 3))
    answer = send(admin, "put", f"/{product.pk}/images/main", {"id": third})
    assert [row["id"] for row in answer.json()["images"]] == [third, first, second]
    assert order(product) == [third, first, second]
    other = make_image(make_product("Autre"))
    refused = send(admin, "put", f"/{product.pk}/images/main", {"id": other.pk})
    assert (refused.status_code, order(product)) == (404, [third, first, second])


def test_visitors_see_at_once_another_order_and_other_words(admin, django_capture_on_commit_callbacks):
    product = make_product()
    first, second = (make_image(product, position).pk for position in (1, 2))
    seen = [content_version()]
    for method, path, body in (
        ("put", "order", {"ids": [second, first]}),
        ("patch", str(first), {"alt": "Un ours"}),
    ):
        with django_capture_on_commit_callbacks(execute=True):
            assert send(admin, method, f"/{product.pk}/images/{path}", body).status_code == 200
        seen.append(content_version())
    assert len(set(seen)) == 3


def test_photo_is_described_in_each_language_and_given_to_a_choice(admin):
    product = make_product()
    row = make_image(product)
    make_variation(product, "Petit")
    format_ = make_variation(product, "Grand")
    version = send(admin, "get", f"/{product.pk}/images").json()["images"][0]["version"]
    body = {
        "alt": "Un ours", "alt_en": "A bear", "alt_es": "Un oso", "alt_de": "Ein Bär",
        "finish": "unpainted", "variation_id": format_.pk, "focus": {"x": 10, "y": 90}, "version": version,
    }  # fmt: skip
    answer = send(admin, "patch", f"/{product.pk}/images/{row.pk}", body)
    assert answer.status_code == 200, answer.json()
    row.refresh_from_db()
    assert (row.alt_fr, row.alt_en, row.alt_es, row.alt_de) == ("Un ours", "A bear", "Un oso", "Ein Bär")
    assert (row.finish, row.variation_id, row.focus_x, row.focus_y) == ("unpainted", format_.pk, 10, 90)
    # Where nothing is cropped the point stays that the photo shows.
    assert send(admin, "patch", f"/{product.pk}/images/{row.pk}", {"crop": None}).json()["focus"]["x"] == 10
    stale = send(admin, "patch", f"/{product.pk}/images/{row.pk}", {"alt": "Autre", "version": version})
    assert (stale.status_code, stale.json()["code"]) == (409, "conflict")
    assert stale.json()["current"]["alt"] == "Un ours"
    row.refresh_from_db()
    assert row.alt_fr == "Un ours"
    body = {"focus": None, "variation_id": None, "finish": ""}
    assert send(admin, "patch", f"/{product.pk}/images/{row.pk}", body).json()["focus"] is None
    row.refresh_from_db()
    assert (row.finish, row.variation_id, row.focus_x, row.focus_y) == ("", None, None, None)


def test_photo_that_somebody_removes_while_it_is_changed_is_not_found(admin, monkeypatch):
    product = make_product()
    row = make_image(product)
    change = gallery.change_picture

    def change_before_another(**asked):
        change(**asked)
        gallery.remove_picture(product_id=product.pk, image_id=row.pk, actor=None)

    monkeypatch.setattr(gallery, "change_picture", change_before_another)
    answer = send(admin, "patch", f"/{product.pk}/images/{row.pk}", {"alt": "Un ours"})
    assert (answer.status_code, answer.json()["detail"]) == (404, "Cette photo n'existe plus.")


def test_format_of_another_product_is_refused(admin):
    product, other = make_product(), make_product("Autre")
    row = make_image(product)
    format_ = make_variation(other, "Grand")
    answer = send(admin, "patch", f"/{product.pk}/images/{row.pk}", {"variation_id": format_.pk})
    assert (answer.status_code, answer.json()["errors"]) == (
        400,
        {"variation_id": ["Ce format n'existe plus."]},
    )


def test_product_in_the_trash_is_left_alone(admin):
    product = make_product()
    row = make_image(product)
    trash_products(product_ids=[product.pk], actor=None)
    assert send(admin, "patch", f"/{product.pk}/images/{row.pk}", {"alt": "x"}).json()["code"] == "trashed"
    assert upload(admin, product, picture().getvalue()).json()["code"] == "trashed"
    assert admin.delete(f"{PRODUCTS}/{product.pk}/images/{row.pk}").status_code == 409


def test_who_keeps_stock_sees_photos_and_changes_none():
    product = make_product()
    row = make_image(product)
    browser = staff_browser(StaffAction.SEE_PRODUCTS, StaffAction.EDIT_STOCK)
    assert browser.get(f"{PRODUCTS}/{product.pk}/images").status_code == 200
    assert upload(browser, product, picture().getvalue()).status_code == 403
    assert send(browser, "patch", f"/{product.pk}/images/{row.pk}", {"alt": "x"}).status_code == 403
    assert browser.post("/api/admin/uploads").status_code == 403


def test_gallery_is_read_with_three_queries_however_many_photos(admin, django_assert_max_num_queries):
    product = make_product()
    for position in range(12):
        make_image(product, position)
    admin.get(f"{PRODUCTS}/{product.pk}/images")
    # Session, user, and three of the gallery.
    with django_assert_max_num_queries(5):
        assert len(admin.get(f"{PRODUCTS}/{product.pk}/images").json()["images"]) == 12


def test_uploaded_picture_is_deleted_a_day_later_unless_it_is_shown(admin, monkeypatch):
    answers = [
        admin.post("/api/admin/uploads", {"file": SimpleUploadedFile("a.jpg", picture(size=(60, 40)).getvalue())})
        for _each in range(2)
    ]  # fmt: skip
    assert [answer.status_code for answer in answers] == [201, 201]
    assert answers[0].json()["width"] == 60
    names = [row.file.name for row in RetiredPicture.objects.order_by("pk")]
    assert answers[0].json()["url"].endswith(names[0])
    monkeypatch.setattr("catalog.services.media.shown_files", lambda found: {names[0]} & set(found))
    media.remove_retired_files(now=timezone.now() + timedelta(days=2))
    assert [default_storage.exists(name) for name in names] == [True, False]


def test_programs_hear_of_photos_in_another_order_of_another_format_or_cropped(admin):
    product = make_product("Golem")
    variation = make_variation(product, "Petit")
    for _twice in range(2):
        upload(admin, product, halves().getvalue())
    first, second = product.images.order_by("position")
    names = [image_address(first), image_address(second)]
    create_endpoint(
        url="https://example.com/hook", description="", kinds=["product.updated"], actor=make_user()
    )

    def told() -> tuple[list[str], list[str]]:
        [event] = WebhookEvent.objects.all()
        event.delete()
        document = event.data["product"]
        return document["gallery_images"], document["variations"][0]["gallery_images"]

    gallery.set_main_picture(product_id=product.pk, image_id=second.pk, actor=None)
    assert told() == (names[::-1], [])
    gallery.change_picture(
        product_id=product.pk, image_id=first.pk, values={"variation_id": variation.pk}, actor=None
    )
    assert told() == (names[1:], names[:1])
    values = {"crop": media.Crop(x=0, y=0, width=50, height=100)}
    part = gallery.change_picture(product_id=product.pk, image_id=second.pk, values=values, actor=None)
    assert image_address(part) != names[1]
    assert told() == ([image_address(part)], names[:1])
