"""What the buttons of the list of articles do, and what they say."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.test import Client
from django.utils import timezone
from django.utils.html import escape

from accounts.models import Role
from accounts.services.roles import grant_role
from accounts.tests.people import make_member
from blog.models import Article, ArticleState
from blog.tests.articles import make_article, make_draft
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db
LIST = "/admin/blog"


def press(client: Client, article: Article, action: str) -> tuple[str, list[str], str]:
    """Where a button leads, what it says, and what the article is then."""
    client.cookies.pop("messages", None)
    answer = client.post(f"{LIST}/{article.pk}/{action}")
    said = [str(message) for message in get_messages(answer.wsgi_request)]
    article.refresh_from_db()
    return answer["Location"], said, article.state_at(timezone.now())


def test_an_article_is_published_taken_back_trashed_and_restored(admin_client: Client) -> None:
    article = make_draft()
    assert press(admin_client, article, "publier") == (LIST, ["Article publié."], ArticleState.PUBLISHED)
    assert press(admin_client, article, "corbeille") == (
        f"{LIST}?retire={article.pk}",
        [],
        ArticleState.TRASHED,
    )
    page = admin_client.get(f"{LIST}?retire={article.pk}").content.decode()
    assert f'action="{LIST}/{article.pk}/restaurer"' in page
    assert press(admin_client, article, "restaurer") == (LIST, ["Article restauré."], ArticleState.PUBLISHED)
    assert press(admin_client, article, "depublier") == (
        LIST,
        ["Article remis en brouillon."],
        ArticleState.DRAFT,
    )


def test_an_unfinished_article_is_not_published_and_its_editor_says_what_is_missing(
    admin_client: Client,
) -> None:
    article = make_draft(excerpt_fr="", content_fr="")
    place, said, state = press(admin_client, article, "publier")
    assert (place, state) == (f"{LIST}/{article.pk}", ArticleState.DRAFT)
    assert said == [
        "L'article n'est pas publié. À remplir d'abord\u00a0: Extrait (français), Contenu (français)."
    ]
    assert not AuditEntry.objects.filter(action="article.published").exists()


def test_an_article_in_the_trash_is_not_published(admin_client: Client) -> None:
    article = make_article()
    press(admin_client, article, "corbeille")
    assert press(admin_client, article, "publier") == (
        LIST,
        ["Cet article est à la corbeille. Restaurez-le d'abord."],
        ArticleState.TRASHED,
    )


def test_a_look_at_the_address_and_an_unknown_article_do_nothing(admin_client: Client) -> None:
    article = make_article()
    assert admin_client.get(f"{LIST}/{article.pk}/depublier").status_code == 404
    assert admin_client.post(f"{LIST}/{article.pk + 1}/depublier").status_code == 404
    article.refresh_from_db()
    assert article.state_at(timezone.now()) == ArticleState.PUBLISHED


def test_a_button_of_the_list_leads_back_to_the_list_as_it_was(admin_client: Client) -> None:
    article = make_article()
    left = f"?etat=publies&categorie={article.category}"
    page = admin_client.get(f"{LIST}{left}&cree={article.pk}").content.decode()
    action = f"{LIST}/{article.pk}/corbeille{left}"
    assert f'action="{escape(action)}"' in page
    assert admin_client.post(action)["Location"] == f"{LIST}{left}&retire={article.pk}"


def test_who_is_no_administrator_is_sent_home_from_a_new_article(admin_client: Client) -> None:
    assert admin_client.get(f"{LIST}/new").status_code == 200
    packer = make_member("atelier@example.com")
    grant_role(user=packer, role=Role.STAFF)
    for user in (make_member(), packer):
        client = Client()
        client.force_login(user)
        answer = client.get(f"{LIST}/new")
        assert (answer.status_code, answer["Location"]) == (302, "/")
        # Elsewhere they read why.
        assert client.get(LIST).status_code == 403
