"""What staff do with articles through the API: who may, what each call answers, conflicts with both versions."""

from datetime import timedelta
from io import BytesIO
from urllib.parse import urlencode

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from PIL import Image

from accounts.models import User
from accounts.services import grant_role
from accounts.tests.people import make_admin, make_member
from blog.models import Article, ArticleAutosave, ArticlePicture
from blog.tests.articles import make_article, make_draft, make_picture
from catalog.tests.factories import make_product
from shop.core.models import AuditEntry
from shop.core.outbound import Answer

pytestmark = pytest.mark.django_db
POSTS = "/api/admin/posts"
WHOLE = {"title": "Poncer la résine", "excerpt": "Trois grains.", "content": "## Un grain\n\nDe l'eau."}


@pytest.fixture
def admin(client: Client) -> Client:
    client.force_login(make_admin())
    return client


def make_packer() -> User:
    person = make_member("equipe@example.com")
    grant_role(user=person, role="staff")
    return User.objects.get(pk=person.pk)


def write(client: Client, method: str, path: str, headers: dict[str, str] | None = None, **body):
    return getattr(client, method)(path, body, content_type="application/json", headers=headers)


def patch(client: Client, article: Article, **body):
    seen = client.get(f"{POSTS}/{article.pk}").json()["updated_at"]
    return write(client, "patch", f"{POSTS}/{article.pk}", **{"expected_updated_at": seen, **body})


def photo() -> SimpleUploadedFile:
    data = BytesIO()
    Image.new("RGB", (64, 40), "#446655").save(data, "JPEG")
    return SimpleUploadedFile("atelier.jpg", data.getvalue(), "image/jpeg")


@pytest.mark.parametrize(("make", "status"), [(None, 401), (make_member, 403), (make_packer, 403)])
def test_post_by_whoever_is_no_admin_creates_nothing(client, make, status):
    if make is not None:
        client.force_login(make())
    assert write(client, "post", POSTS, **WHOLE, published=True).status_code == status
    assert Article.objects.count() == 0


def test_post_published_creates_an_article_that_the_public_sees(admin):
    product = make_product(name="Golem")
    key = {"idempotency-key": "form"}
    sent = {
        **WHOLE,
        "title_de": "Harz schleifen",
        "category": "techniques",
        "tags": ["Ponçage", " ponçage "],
        "products": [product.pk],
        "published": True,
        "publish_at": None,
    }
    answer = write(admin, "post", POSTS, **sent, headers=key)
    assert answer.status_code == 201
    body = answer.json()
    article = Article.objects.get()
    assert (article.title_fr, article.title_de, article.slug_fr) == (
        "Poncer la résine",
        "Harz schleifen",
        "poncer-la-resine",
    )
    assert (body["id"], body["state"], body["url"]) == (
        article.pk,
        "published",
        f"/blog/{article.pk}-poncer-la-resine",
    )
    assert body["tags"] == ["Ponçage"]
    assert body["products"] == [{"id": product.pk, "name": "Golem"}]
    assert admin.get(body["url"]).status_code == 200
    # The answer was lost: the same form is sent again.
    assert write(admin, "post", POSTS, **sent, headers=key).json()["id"] == article.pk
    assert Article.objects.count() == 1
    assert list(
        AuditEntry.objects.filter(action__startswith="article")
        .order_by("pk")
        .values_list("action", flat=True)
    ) == [
        "article.created",
        "article.published",
    ]


def test_post_published_without_a_text_stores_nothing_and_names_the_fields(admin):
    answer = write(admin, "post", POSTS, title="Poncer", published=True)
    assert answer.status_code == 400
    assert answer.json()["errors"] == {
        "excerpt": ["À remplir avant la publication."],
        "content": ["À remplir avant la publication."],
    }
    assert Article.objects.count() == 0


def test_post_draft_needs_its_title_alone_and_signs_with_no_address(admin):
    answer = write(admin, "post", POSTS, title="Une idée")
    assert (answer.status_code, answer.json()["state"], answer.json()["url"]) == (201, "draft", None)
    refused = write(admin, "post", POSTS, title="Une autre", author_name="moi@example.com")
    assert refused.json()["errors"] == {"author_name": ["Indiquez un nom, pas une adresse e-mail."]}
    refused = write(admin, "post", POSTS, title="\u200b", author_name="Léa\x07", content="\u3164")
    assert {name: len(lines) for name, lines in refused.json()["errors"].items()} == {
        "title": 1, "author_name": 1, "content": 1,
    }  # fmt: skip
    assert Article.objects.count() == 1


def test_patch_to_a_later_moment_schedules_in_the_time_of_the_shop(admin):
    article = make_article()
    answer = patch(admin, article, published=True, publish_at="2199-12-24T09:00")
    assert (answer.json()["state"], answer.json()["publish_at"]) == ("scheduled", "2199-12-24T09:00:00+01:00")
    assert admin.get(f"/blog/{article.pk}").status_code == 404
    misspelt = patch(admin, article, published=True, publishAt="2199-12-25T09:00")
    assert (misspelt.status_code, misspelt.json()["errors"]) == (
        400,
        {"publishAt": ["Ce champ n'existe pas."]},
    )
    article.refresh_from_db()
    assert article.publish_at.year == 2199


def test_patch_that_makes_a_draft_may_take_a_needed_text_away(admin):
    article = make_article()
    assert patch(admin, article, excerpt="", published=False).json()["state"] == "draft"
    assert patch(admin, article, published=True).json()["errors"] == {
        "excerpt": ["À remplir avant la publication."]
    }


def test_patch_of_an_old_version_answers_409_with_the_fresh_article_and_changes_nothing(admin):
    article = make_draft()
    seen = admin.get(f"{POSTS}/{article.pk}").json()["updated_at"]
    assert patch(admin, article, title="De l'autre").status_code == 200
    late = write(admin, "patch", f"{POSTS}/{article.pk}", title="La mienne", expected_updated_at=seen)
    assert (late.status_code, late.json()["code"]) == (409, "conflict")
    assert late.json()["current"]["title"] == "De l'autre"
    assert Article.objects.get().title_fr == "De l'autre"


def test_patch_of_the_french_marks_translations_until_they_change_or_are_confirmed(admin):
    article = make_draft(title_en="Sanding resin", title_de="Harz schleifen", excerpt_en="Three grits.")
    assert patch(admin, article, title="Poncer à l'eau").json()["stale_texts"] == ["title_en", "title_de"]
    assert patch(admin, article, title_de="Nass schleifen").json()["stale_texts"] == ["title_en"]
    assert patch(admin, article, confirmed_texts=["title_en"]).json()["stale_texts"] == []
    # Confirming changes no text: it is no version of its own.
    assert article.revisions.count() == 3


def test_list_names_the_address_of_its_next_page(admin):
    for title in ("Poncer", "Peindre"):
        write(admin, "post", POSTS, title=title)
    first = admin.get(f"{POSTS}?state=draft&page_size=1&utm=x").json()
    assert first["next"] == f"{POSTS}?state=draft&page_size=1&{urlencode({'cursor': first['next_cursor']})}"
    second = admin.get(first["next"]).json()
    assert [row["title"] for row in (*first["results"], *second["results"])] == ["Peindre", "Poncer"]
    assert (second["next"], second["next_cursor"]) == (None, None)


def test_autosave_is_its_writers_alone_and_goes_with_the_next_save(admin):
    article = make_draft()
    seen = admin.get(f"{POSTS}/{article.pk}").json()["updated_at"]
    product = make_product(name="Golem")
    kept = write(
        admin,
        "put",
        f"{POSTS}/{article.pk}/autosave",
        title="En cours",
        products=[product.pk],
        base_updated_at=seen,
    )
    assert kept.status_code == 204
    shown = admin.get(f"{POSTS}/{article.pk}").json()
    assert shown["title"] == "Poncer la résine"
    assert shown["autosave"]["values"] == {
        "title": "En cours",
        "products": [{"id": product.pk, "name": "Golem"}],
    }
    assert shown["autosave"]["base_updated_at"] == seen
    other = Client()
    other.force_login(make_admin("deux@example.com"))
    assert other.get(f"{POSTS}/{article.pk}").json()["autosave"] is None
    assert patch(other, article, excerpt="Autre.").status_code == 200
    late = write(admin, "put", f"{POSTS}/{article.pk}/autosave", title="Plus tard", base_updated_at=seen)
    assert (late.status_code, late.json()["current"]["excerpt"]) == (409, "Autre.")
    assert ArticleAutosave.objects.get().values["title_fr"] == "En cours"
    assert patch(admin, article, title="En cours").json()["autosave"] is None


def test_preview_is_what_the_page_shows(admin):
    picture = make_picture()
    text = f'## Un grain\n\n![Le papier](/media/{picture.file.name} "Grain 400")\n\n<script>alert(1)</script>'
    shown = write(admin, "post", f"{POSTS}/preview", content=text, language="fr").json()
    article = make_article(content_fr=text)
    page = admin.get(f"/blog/{article.pk}-poncer-la-resine").content.decode()
    assert shown["html"].strip() in page
    assert "<figcaption>Grain 400</figcaption>" in shown["html"]
    assert "<script>" not in shown["html"]
    assert (shown["words"], shown["minutes"]) == (article.word_counts["fr"], 1)


def test_picture_is_stored_as_any_upload_and_becomes_the_cover(admin):
    answer = admin.post(f"{POSTS}/pictures", {"file": photo()})
    assert answer.status_code == 201
    body = answer.json()
    assert (body["width"], body["height"], body["id"]) == (64, 40, ArticlePicture.objects.get().pk)
    article = make_draft()
    assert patch(admin, article, cover=body["id"]).json()["cover"]["url"] == body["url"]
    refused = admin.post(f"{POSTS}/pictures", {"file": SimpleUploadedFile("a.jpg", b"<svg>", "image/jpeg")})
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_image")
    assert ArticlePicture.objects.count() == 1


def test_picture_that_is_sent_again_after_a_lost_answer_is_stored_once(admin, monkeypatch):
    def send(key):
        return admin.post(f"{POSTS}/pictures", {"file": photo()}, headers={"Idempotency-Key": key})

    first = send("a")
    assert (send("a").json(), ArticlePicture.objects.count()) == (first.json(), 1)
    monkeypatch.setattr(
        "shop.core.remote_images.fetch", lambda url, **_options: Answer(200, {}, photo().read())
    )

    def fetch(address):
        sent = {"url": f"https://example.com/{address}"}
        return write(admin, "post", f"{POSTS}/pictures", {"Idempotency-Key": "b"}, **sent)

    stored = fetch("pot.jpg")
    assert (fetch("pot.jpg").json(), ArticlePicture.objects.count()) == (stored.json(), 2)
    assert (fetch("autre.jpg").json()["code"], ArticlePicture.objects.count()) == ("idempotency_mismatch", 2)
    ArticlePicture.objects.all().delete()
    gone = send("a")
    assert (gone.status_code, gone.json()["detail"]) == (404, "Cette photo n'existe plus.")
    assert not ArticlePicture.objects.exists()


def test_revisions_are_listed_compared_and_taken_back(admin):
    article = make_draft(content_fr="Un.\nDeux.\nTrois.\nQuatre.\nCinq.", category="techniques")
    patch(admin, article, content="Un.\nDeux.\nTrois.\nQuatre.\nSix.", category="Collection")
    rows = admin.get(f"{POSTS}/{article.pk}/revisions").json()
    assert [(row["number"], row["changed"]) for row in rows] == [(2, ["content", "category"]), (1, [])]
    path = f"{POSTS}/{article.pk}/revisions/1"
    assert admin.get(f"{path}/comparison?to=2").json() == [
        {
            "field": "content",
            "lines": [
                {"kind": "gap", "text": "2"},
                {"kind": "same", "text": "Trois."},
                {"kind": "same", "text": "Quatre."},
                {"kind": "removed", "text": "Cinq."},
                {"kind": "added", "text": "Six."},
            ],
        },
        {
            "field": "category",
            "lines": [{"kind": "removed", "text": "Techniques"}, {"kind": "added", "text": "Collection"}],
        },
    ]
    assert admin.get(f"{path}/comparison?to=9").status_code == 404
    seen = admin.get(f"{POSTS}/{article.pk}").json()["updated_at"]
    restored = write(admin, "post", f"{path}/restore", expected_updated_at=seen).json()
    assert (restored["content"].splitlines()[-1], restored["category"]) == ("Cinq.", "techniques")
    late = write(admin, "post", f"{path}/restore", expected_updated_at=seen)
    assert (late.status_code, late.json()["current"]["category"]) == (409, "techniques")


def test_delete_moves_to_the_trash_and_restore_brings_it_back_published(admin):
    article = make_article()
    assert admin.delete(f"{POSTS}/{article.pk}").status_code == 204
    assert (admin.get(f"/blog/{article.pk}").status_code, admin.get(POSTS).json()["results"]) == (404, [])
    assert [row["id"] for row in admin.get(f"{POSTS}?state=trashed").json()["results"]] == [article.pk]
    refused = write(admin, "patch", f"{POSTS}/{article.pk}", title="Encore")
    assert (refused.status_code, refused.json()["code"]) == (409, "trashed")
    assert write(admin, "post", f"{POSTS}/{article.pk}/restore").json()["state"] == "published"


def test_list_finds_by_word_state_and_category_in_two_queries(admin):
    make_article("Poncer", category="techniques", tags=["Ponçage"])
    make_article("Plus tard", at=timezone.now() + timedelta(days=2))
    make_draft("Brouillon")
    with CaptureQueriesContext(connection) as queries:
        rows = admin.get(f"{POSTS}?search=ponc").json()["results"]
    assert len([query for query in queries if "blog_" in query["sql"]]) == 2
    assert [(row["title"], row["tags"]) for row in rows] == [("Poncer", ["Ponçage"])]
    titles = lambda query: [row["title"] for row in admin.get(f"{POSTS}?{query}").json()["results"]]  # noqa: E731
    assert titles("state=scheduled") == ["Plus tard"]
    assert titles("state=draft") == ["Brouillon"]
    assert titles("category=techniques") == ["Poncer"]
    refused = admin.get(f"{POSTS}?cursor=rien")
    assert (refused.status_code, refused.json()["code"]) == (400, "invalid")
    assert refused.json()["errors"] == {"cursor": ["Cette page n'existe pas."]}
