"""Saving articles: what is refused, what each save keeps, conflicts, and what is typed and not saved."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.exceptions import NotAuthenticated

from accounts.models import User
from accounts.tests.people import make_admin
from blog.models import Article, ArticleAutosave, ArticleRevision, Tag
from blog.personal_data import _erase_articles
from blog.services.articles import (
    autosave_article,
    create_article,
    default_author_name,
    restore_revision,
    save_article,
    values_of,
)
from blog.services.authors import forget_author
from blog.services.editing import store_article
from blog.tests.articles import make_article, make_draft, make_picture
from catalog.tests.factories import make_product
from shop.core.models import AuditEntry
from shop.core.personal_data import Person
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db


def save(article: Article, **values) -> Article:
    return save_article(
        article_id=article.pk, values=values, actor=None, expected_updated_at=article.updated_at
    )


def refusal(call, *args, **kwargs) -> Problem:
    with pytest.raises(Problem) as caught:
        call(*args, **kwargs)
    return caught.value


def test_letters_written_as_one_are_spelled_out_in_an_address():
    draft = make_draft("Mettre du cœur à l'œuvre", title_de="Häkeln für Anfänger")
    assert (draft.slug_fr, draft.slug_de) == ("mettre-du-coeur-a-loeuvre", "haekeln-fuer-anfaenger")


def test_create_article_makes_a_draft_with_its_address_words_and_first_revision():
    admin = make_admin()
    article = create_article(
        values={
            "title_fr": "Poncer la résine",
            "title_de": "Harz schleifen",
            "content_fr": "## Un grain\n\nTrois mots ici, [un lien](/faq).",
            "tags": ["Résine", " resine ", "Ponçage"],
        },
        actor=admin,
    )
    assert (article.slug_fr, article.slug_de, article.slug_en) == ("poncer-la-resine", "harz-schleifen", None)
    assert article.word_counts == {"fr": 7}
    assert (article.is_published, article.publish_at, article.author_id) == (False, None, admin.pk)
    assert [tag.name for tag in article.tags.order_by("slug")] == ["Ponçage", "Résine"]
    assert [(row.number, row.values, row.created_by_id) for row in article.revisions.all()] == [
        (1, values_of(article), admin.pk)
    ]
    assert AuditEntry.objects.get(action="article.created").after == {"title": "Poncer la résine"}


def test_create_article_without_a_title_is_refused_and_stores_nothing():
    problem = refusal(create_article, values={"content_fr": "Texte."}, actor=None)
    assert (problem.code, list(problem.errors)) == ("invalid", ["title_fr"])
    assert not Article.objects.exists()


@pytest.mark.parametrize(
    ("values", "field", "message"),
    [
        ({"author_name": "alix@example.com"}, "author_name", "Indiquez un nom, pas une adresse e-mail."),
        ({"tags": ["!!!"]}, "tags", "«\u00a0!!!\u00a0» n'a ni lettre ni chiffre."),
        ({"tags": ["x" * 41]}, "tags", "Une étiquette a 40 signes au plus."),
        ({"tags": [f"mot {number}" for number in range(13)]}, "tags", "Un article a 12 étiquettes au plus."),
        ({"products": [999]}, "products", "Un des produits choisis n'existe plus."),
        ({"cover": 999}, "cover", "Cette image n'existe plus."),
        ({"category": "cuisine"}, "category", "La valeur «\u00a0'cuisine'\u00a0» n’est pas un choix valide."),
        ({"content_de": "x" * 60_001}, "content_de", None),
    ],
)
def test_save_article_refuses_with_a_line_by_field_and_changes_nothing(values, field, message):
    article = make_draft()
    before = values_of(article)
    problem = refusal(save, article, title_fr="Autre titre", **values)
    assert (problem.status, list(problem.errors)) == (400, [field])
    assert message is None or problem.errors[field] == [message]
    stored = Article.objects.get()
    assert (values_of(stored), stored.updated_at) == (before, article.updated_at)
    assert (ArticleRevision.objects.count(), Tag.objects.count()) == (1, 0)


def test_save_article_of_another_version_is_a_conflict():
    article = make_draft()
    save(article, title_fr="Le premier")
    problem = refusal(save, article, title_fr="Le second")
    assert (problem.code, problem.status) == ("conflict", 409)
    assert Article.objects.get().title_fr == "Le premier"


def test_save_article_that_changes_nothing_keeps_its_version():
    article = make_draft(tags=["Résine"])
    again = save(article, title_fr="Poncer la résine", tags=["résine"])
    assert (again.updated_at, again.revisions.count()) == (article.updated_at, 1)


def test_save_article_of_tags_alone_is_a_new_version():
    article = make_draft()
    again = save(article, tags=["Résine"])
    assert (again.updated_at > article.updated_at, again.revisions.count()) == (True, 2)


def test_the_address_follows_the_title_until_the_article_is_published():
    draft = save(make_draft("Premier titre"), title_fr="Second titre")
    assert draft.slug_fr == "second-titre"
    article = save(make_article("Titre publié"), title_fr="Autre titre")
    assert article.slug_fr == "titre-publie"
    typed = save(make_draft("Titre", slug_fr="adresse-choisie"), title_fr="Autre")
    assert typed.slug_fr == "adresse-choisie"


def test_a_published_article_may_not_lose_what_the_public_reads():
    article = make_article()
    problem = refusal(save, article, content_fr=" ")
    assert problem.errors == {"content_fr": ["À remplir avant la publication."]}
    assert Article.objects.get().content_fr == "Commencez par le grain 400."


def test_restore_revision_brings_back_what_still_exists_as_a_new_revision():
    admin, piece, cover = make_admin(), make_product(), make_picture()
    article = make_draft(tags=["Résine"], products=[piece.pk], cover=cover.pk)
    article = save(article, title_fr="Autre titre", tags=[], products=[], cover=None)
    cover.delete()
    restored = restore_revision(
        article_id=article.pk, number=1, actor=admin, expected_updated_at=article.updated_at
    )
    assert restored.title_fr == "Poncer la résine"
    assert values_of(restored)["tags"] == ["Résine"]
    assert (values_of(restored)["products"], restored.cover_id) == ([piece.pk], None)
    assert [(row.number, row.created_by_id) for row in restored.revisions.all()] == [
        (3, admin.pk),
        (2, None),
        (1, None),
    ]


def test_autosave_article_keeps_the_last_text_of_each_person_and_leaves_the_article():
    admin, article = make_admin(), make_article()
    for title in ("Un", "Deux"):
        autosave_article(
            article_id=article.pk,
            values={"title_fr": title, "is_published": False},
            user=admin,
            base_updated_at=article.updated_at,
        )
    assert ArticleAutosave.objects.get().values == {"title_fr": "Deux"}
    stored = Article.objects.get()
    assert (stored.title_fr, stored.updated_at, stored.is_published) == (
        "Poncer la résine",
        article.updated_at,
        True,
    )
    save_article(article_id=article.pk, values={}, actor=admin, expected_updated_at=article.updated_at)
    assert not ArticleAutosave.objects.exists()


def test_autosave_article_on_an_older_version_is_a_conflict_and_keeps_what_was_typed_before():
    admin, article = make_admin(), make_draft()
    autosave_article(
        article_id=article.pk, values={"title_fr": "Un"}, user=admin, base_updated_at=article.updated_at
    )
    problem = refusal(
        autosave_article,
        article_id=article.pk,
        values={"title_fr": "Deux"},
        user=admin,
        base_updated_at=article.updated_at - timedelta(seconds=1),
    )
    assert problem.code == "conflict"
    assert ArticleAutosave.objects.get().values == {"title_fr": "Un"}


def test_a_person_signs_by_their_first_name_and_never_by_their_address():
    admin = make_admin()
    admin.first_name = "Alix"
    assert default_author_name(admin) == "Alix"
    admin.first_name = "alix@example.com"
    assert "@" not in default_author_name(admin)
    assert default_author_name(None) == default_author_name(admin)


def test_forget_author_leaves_the_shop_as_author_in_every_version():
    admin = make_admin()
    article = create_article(values={"title_fr": "Titre", "author_name": "Alix"}, actor=admin)
    autosave_article(article_id=article.pk, values={}, user=admin, base_updated_at=article.updated_at)
    forget_author(user_id=admin.pk)
    stored, revision, shop_name = (
        Article.objects.get(),
        ArticleRevision.objects.get(),
        default_author_name(None),
    )
    assert (stored.author_id, stored.author_name, stored.updated_at) == (None, shop_name, article.updated_at)
    assert (revision.created_by_id, revision.values["author_name"]) == (None, shop_name)
    assert not ArticleAutosave.objects.exists()


def test_the_erasure_of_a_guest_leaves_the_pages_of_everybody_in_the_cache(
    django_capture_on_commit_callbacks,
):
    for key, dropped in ((0, 0), (make_admin().pk, 1)):
        with django_capture_on_commit_callbacks() as callbacks:
            assert _erase_articles(Person(key, ("zoe@example.com",)))
        assert len(callbacks) == dropped


def test_forget_author_leaves_no_name_in_what_others_are_typing():
    admin, other = make_admin(), make_admin("autre@example.com")
    article = create_article(values={"title_fr": "Titre", "author_name": "Alix"}, actor=admin)
    autosave_article(
        article_id=article.pk,
        values={"title_fr": "Autre titre", "author_name": "Alix"},
        user=other,
        base_updated_at=article.updated_at,
    )
    forget_author(user_id=admin.pk)
    kept = ArticleAutosave.objects.get()
    assert kept.values == {"title_fr": "Autre titre", "author_name": default_author_name(None)}


def test_who_was_erased_meanwhile_leaves_nothing_in_the_editor():
    admin, article = make_admin(), make_draft()
    User.objects.filter(pk=admin.pk).update(is_active=False)
    seen = {"article_id": article.pk, "values": {"author_name": "Alix"}}
    with pytest.raises(NotAuthenticated):
        autosave_article(**seen, user=admin, base_updated_at=article.updated_at)
    with pytest.raises(NotAuthenticated):
        store_article(**seen, actor=admin, publication=None, expected_updated_at=None, confirmed_texts=())
    with pytest.raises(NotAuthenticated):
        restore_revision(article_id=article.pk, number=1, actor=admin, expected_updated_at=None)
    assert ArticleRevision.objects.filter(created_by=admin).count() == ArticleAutosave.objects.count() == 0


@pytest.mark.both_engines
def test_forget_author_leaves_no_name_that_the_article_had_before():
    admin = make_admin()
    article = create_article(values={"title_fr": "Titre", "author_name": "Alix Martin"}, actor=admin)
    save(article, author_name="L'atelier")
    forget_author(user_id=admin.pk)
    names = [row.values["author_name"] for row in ArticleRevision.objects.order_by("number")]
    assert names == [default_author_name(None)] * 2


def test_tags_named_again_cost_one_query():
    make_draft("Un", tags=["Résine", "Ponçage"])
    article = make_draft("Deux")
    with CaptureQueriesContext(
        connection,
    ) as queries:
        save(article, tags=["Résine", "Ponçage"])
    assert sum('FROM "blog_tag" ' in query["sql"] and "JOIN" not in query["sql"] for query in queries) == 1
