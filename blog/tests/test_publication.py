"""When the public sees an article; the trash; what is deleted in the end."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.utils import timezone

from blog.models import Article, ArticlePicture, ArticleState
from blog.selectors.articles import next_publication, published_articles
from blog.services import publication
from blog.services.articles import save_article
from blog.services.pictures import remove_unused_pictures
from blog.services.publication import (
    publish_article,
    purge_trash,
    restore_articles,
    trash_articles,
    unpublish_article,
)
from blog.tests.articles import make_article, make_draft, make_picture
from catalog.models import RetiredPicture
from shop.core.models import AuditEntry
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 11, 27, 8, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def actions() -> list[str]:
    return list(AuditEntry.objects.order_by("pk").values_list("action", flat=True))


def test_publish_article_shows_it_from_now_on():
    draft = make_draft()
    with time_machine.travel(NOW, tick=False):
        article = publish_article(article_id=draft.pk, actor=None)
        assert list(published_articles()) == [article]
    assert article.publish_at == NOW
    assert actions() == ["article.created", "article.published"]


def test_publish_article_of_an_unfinished_one_is_refused_with_a_line_for_each_text():
    draft = make_draft(excerpt_fr="", content_fr=" ")
    with pytest.raises(Problem) as caught:
        publish_article(article_id=draft.pk, actor=None)
    line = ["À remplir avant la publication."]
    assert caught.value.errors == {"excerpt_fr": line, "content_fr": line}
    assert (Article.objects.get().is_published, actions()) == (False, ["article.created"])


def test_a_scheduled_article_appears_when_its_moment_comes():
    draft = make_draft()
    with time_machine.travel(NOW, tick=False):
        article = publish_article(article_id=draft.pk, actor=None, publish_at=NOW + HOUR)
        assert article.state_at(NOW) == ArticleState.SCHEDULED
        assert (list(published_articles()), next_publication(NOW)) == ([], NOW + HOUR)
    with time_machine.travel(NOW + HOUR, tick=False):
        assert list(published_articles()) == [article]
        assert (article.state_at(NOW + HOUR), next_publication(NOW + HOUR)) == (ArticleState.PUBLISHED, None)
    assert actions()[-1] == "article.scheduled"


def test_published_again_it_keeps_the_day_of_its_first_publication():
    with time_machine.travel(NOW, tick=False):
        article = make_article(at=NOW - 9 * HOUR)
        draft = unpublish_article(article_id=article.pk, actor=None)
        assert (draft.state_at(NOW), list(published_articles())) == (ArticleState.DRAFT, [])
        assert publish_article(article_id=article.pk, actor=None).publish_at == NOW - 9 * HOUR


def test_a_moment_that_came_while_the_article_was_withdrawn_is_not_the_day_of_its_publication():
    with time_machine.travel(NOW, tick=False) as clock:
        withdrawn, thrown_away, kept = (make_article(at=NOW + HOUR) for _number in range(3))
        assert unpublish_article(article_id=withdrawn.pk, actor=None).publish_at is None
        trash_articles(article_ids=[thrown_away.pk, kept.pk], actor=None)
        restore_articles(article_ids=[kept.pk], actor=None)
        clock.move_to(NOW + 9 * HOUR, tick=False)
        restore_articles(article_ids=[thrown_away.pk], actor=None)
        # Nobody decided to show them now.
        assert list(published_articles()) == [kept]
        for article in (withdrawn, thrown_away):
            assert publish_article(article_id=article.pk, actor=None).publish_at == NOW + 9 * HOUR


def test_the_trash_hides_an_article_and_gives_it_back_as_it_was():
    article, draft = make_article(), make_draft("Brouillon")
    assert trash_articles(article_ids=[article.pk, draft.pk], actor=None) == 2
    assert not published_articles().exists()
    with pytest.raises(Problem, match="à la corbeille"):
        save_article(article_id=article.pk, values={}, actor=None, expected_updated_at=None)
    assert trash_articles(article_ids=[article.pk], actor=None) == 0
    assert restore_articles(article_ids=[article.pk, draft.pk], actor=None) == 2
    assert [row.pk for row in published_articles()] == [article.pk]
    assert actions()[-4:] == ["article.trashed"] * 2 + ["article.restored"] * 2


def test_purge_trash_deletes_after_thirty_days_and_not_before():
    article = make_article()
    with time_machine.travel(NOW, tick=False):
        trash_articles(article_ids=[article.pk], actor=None)
    assert purge_trash(now=NOW + timedelta(days=29)) == 0
    assert purge_trash(now=NOW + timedelta(days=30)) == 1
    assert not Article.objects.exists()
    assert actions()[-1] == "article.deleted"


def test_pictures_stay_while_an_article_a_revision_or_a_cover_shows_them():
    cover, inside, former, unused = (make_picture(name) for name in ("a", "b", "c", "d"))
    article = make_draft(cover=cover.pk, content_de="![x](/media/blog/c.jpg)")
    save_article(
        article_id=article.pk,
        values={"content_de": "![Un atelier](/media/blog/b.jpg)"},
        actor=None,
        expected_updated_at=None,
    )
    now = unused.created_at
    # A browser keeps what is typed into a new article for a week after the last word.
    assert remove_unused_pictures(now=now + timedelta(days=29)) == 0
    assert remove_unused_pictures(now=now + timedelta(days=30)) == 1
    assert set(ArticlePicture.objects.all()) == {cover, inside, former}
    assert RetiredPicture.objects.get().file.name == "blog/d.jpg"


def test_an_article_that_can_t_be_deleted_keeps_no_other_in_the_trash(fail_first):
    stays, goes = make_article(), make_article()
    trash_articles(article_ids=[stays.pk, goes.pk], actor=None)
    fail_first(publication, "record_audit")
    with pytest.raises(RuntimeError, match="unforeseen"):
        purge_trash(now=timezone.now() + timedelta(days=30))
    assert Article.objects.get() == stays
