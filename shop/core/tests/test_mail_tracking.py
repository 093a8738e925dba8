"""Mails tell nobody that they were opened or which link was followed (CNIL, délibération 2026-042): every kind of mail,
in four languages."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.conf import settings

from shop.core.mail_content import is_marketing
from shop.core.mail_delivery import deliver, render
from shop.core.mail_samples import KINDS, sample_context
from shop.core.models import MailState, OutgoingMail

pytestmark = pytest.mark.django_db

SHOP = urlsplit(settings.SITE_URL).netloc
# Where a link of a mail may lead beside the shop: carriers (orders.models.carrier), Stripe's own pages, who mediates,
# and the server of a webhook, which staff entered themselves.
ELSEWHERE = {
    *(
        "www.laposte.fr",
        "www.chronopost.fr",
        "www.mondialrelay.fr",
        "trace.dpd.fr",
        "www.ups.com",
        "www.dhl.com",
    ),
    *("checkout.stripe.com", "dashboard.stripe.com", "stripe.com"),
    *("mediateur.example.com", "stock.example.com"),
}
TRACKING = re.compile(
    r"(?i)^(utm_\w+|gclid|fbclid|mc_[ce]id|_hs\w+|trk|track|redirect|redirect_url|url|goto|dest)$"
)
COUNTED_PATHS = re.compile(r"(?i)/(track|click|open|pixel|redirect|redir|r|l|c)(/|$|\.)")
LANGUAGES = ("fr", "en", "es", "de")


def breaches(kind: str, language: str) -> list[str]:
    context = sample_context(kind)
    html = render(OutgoingMail(kind=kind, to="a@example.com", language=language, context=context)).html
    found = []
    for image in re.findall(r"<img\b[^>]*>", html):
        address = re.search(r'src="([^"]*)"', image)
        source = urlsplit(address[1] if address else "")
        # Everybody is sent the same address: without a query, under the shop's media.
        if source.scheme != "cid" and (
            source.netloc != SHOP or source.query or not source.path.startswith("/media/")
        ):
            found.append(f"picture {image}")
        if re.search(r'\b(width|height)="?[01]"?(?![0-9])', image):
            found.append(f"pixel {image}")
    if re.search(
        r"(?i)<(link|script|iframe|object|embed|video|audio|form|svg|bgsound)\b|url\(|@import", html
    ):
        found.append("loads something")
    for link in re.findall(r'href="([^"]*)"', html):
        target = urlsplit(link.replace("&amp;", "&"))
        if target.scheme in ("mailto", "tel"):
            continue
        if target.netloc not in {SHOP, *ELSEWHERE}:
            found.append(f"leads to {link}")
        elif any(TRACKING.match(name) for name, _value in parse_qsl(target.query)):
            found.append(f"tracked {link}")
        elif target.netloc == SHOP and COUNTED_PATHS.search(target.path):
            found.append(f"counted {link}")
    return [f"{kind} {language}: {each}" for each in found]


def test_cnil_2026_042_no_mail_counts_who_opens_it_or_follows_a_link():
    assert [each for kind in KINDS for language in LANGUAGES for each in breaches(kind, language)] == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if is_marketing(kind)])
def test_a_marketing_mail_can_be_ended_by_one_button_and_by_its_link_l34_5_cpce(kind, mailoutbox):
    context = sample_context(kind)
    row = OutgoingMail.objects.create(kind=kind, to="a@example.com", context=context)
    assert deliver(row.pk) == MailState.SENT
    [mail] = mailoutbox
    assert mail.extra_headers["List-Unsubscribe"] == f"<{context['unsubscribe_url']}>"
    assert mail.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert context["unsubscribe_url"] in mail.body
    assert urlsplit(context["unsubscribe_url"]).netloc == SHOP


def test_a_marketing_mail_without_its_end_is_not_sent(mailoutbox):
    context = sample_context("notice_available") | {"unsubscribe_url": ""}
    row = OutgoingMail.objects.create(kind="notice_available", to="a@example.com", context=context)
    assert deliver(row.pk) == MailState.FAILED
    row.refresh_from_db()
    assert row.last_error.endswith("notice_available: a marketing mail without unsubscribe_url")
    assert mailoutbox == []


def test_mails_that_can_be_ended_are_marketing_or_named_here():
    """A new kind with an unsubscribe link is registered, or said not to speak of what can be bought."""
    ended = {kind for kind in KINDS if sample_context(kind).get("unsubscribe_url")}
    assert {kind for kind in ended if not is_marketing(kind)} == {
        "notice_confirm",
        "newsletter_confirm",
        "newsletter_preferences",
    }
