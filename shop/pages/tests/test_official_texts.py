"""The owner's official texts: word for word and byte for byte in terms, checkout and confirmation, or not at all."""

from __future__ import annotations

from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from PIL import Image

from accounts.models import User
from shop.core.file_storage import STAYS, delete_discarded_files
from shop.core.mail_delivery import render
from shop.core.mail_samples import sample_context
from shop.core.models import OutgoingMail
from shop.core.problems import Problem
from shop.pages.checks import check_official_texts
from shop.pages.models import OfficialText
from shop.pages.selectors.official import official_texts
from shop.pages.services.official import (
    delete_official_text,
    remove_official_picture,
    save_official_text,
    set_official_picture,
    store_official_picture,
)

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]

# What a rendering of Markdown, an escape or a tidy-up would change.
WORDS = "Garantie légale\n\n  *deux ans*   <b>& plus</b>\n- {{ shop }} « à l'identique »\n1. fin."
BOX, NOTICE = "guarantee-box", "guarantee-notice"


def write(kind: str = BOX, language: str = "fr", text: str = WORDS) -> OfficialText:
    row = OfficialText(kind=kind, language=language, text=text)
    save_official_text(row=row)
    return row


def sheet(kind: str = "PNG") -> bytes:
    """A picture with data of its own beside the pixels, which a new drawing would lose."""
    written = BytesIO()
    Image.new("RGB", (80, 40), (0, 51, 153)).save(written, kind, dpi=(300, 300))
    return written.getvalue()


def mail(language: str = "fr") -> Any:
    return render(
        OutgoingMail(kind="order_confirmation", to="lea@example.com", language=language,
                     context=sample_context("order_confirmation"))
    )  # fmt: skip


def test_without_them_nothing_is_shown(client: Client) -> None:
    for path in ("/cgv", "/checkout"):
        html = client.get(path).content.decode()
        assert 'class="official"' not in html
        assert "official-texts-place" not in html
    assert "----------" not in mail().text


def test_d211_2_the_words_are_shown_as_they_are_everywhere(client: Client) -> None:
    write()
    for path in ("/cgv", "/checkout"):
        html = client.get(path).content.decode()
        shown = html.split('<div class="official__text" lang="fr">')[1].split("</div>")[0]
        assert unescape(shown) == WORDS, path
        assert "<b>" not in shown
    sent = mail()
    assert unescape(sent.html.split("white-space:pre-wrap")[1].split(">", 1)[1].split("</div>")[0]) == WORDS
    assert f"----------\n{WORDS}\n----------" in sent.text


def test_each_language_has_its_own_and_else_the_french_one(client: Client) -> None:
    write(text="Texte français")
    write(NOTICE, text="Notice française")
    write(BOX, "de", text="Deutscher Text")
    german = client.get("/de/agb").content.decode()
    # The notice comes before the box, whatever was written first.
    assert german.index('lang="fr">Notice française') < german.index('lang="de">Deutscher Text')
    assert "Texte français" not in german
    assert 'lang="fr">Texte français' in client.get("/en/checkout").content.decode()
    assert "Deutscher Text" in mail("de").text


def test_a_picture_stays_byte_for_byte_and_says_its_words(client: Client) -> None:
    row = write(NOTICE)
    content = sheet()
    set_official_picture(row=row, picture=store_official_picture(file=BytesIO(content), name="notice.png"))
    assert Path(row.file.path).read_bytes() == content
    assert (row.width, row.height) == (80, 40)
    html = client.get("/cgv").content.decode()
    shown = html.split('class="official__picture"')[1].split(">")[0]
    assert f'src="http://localhost:8000/media/{row.file.name}"' in shown
    assert 'width="80" height="40"' in shown
    assert unescape(shown.split('alt="')[1].split('"')[0]) == WORDS
    assert row.file.name in mail().html
    assert WORDS.splitlines()[0] in mail().text
    served = client.get(f"/media/{row.file.name}")
    assert served.getvalue() == content
    assert served["Content-Type"] == "image/png"


@pytest.mark.django_db(transaction=True)
def test_a_picture_that_is_replaced_or_removed_leaves_no_file(settings: Any) -> None:
    row = write()
    set_official_picture(row=row, picture=store_official_picture(file=BytesIO(sheet()), name="a.png"))
    first = Path(row.file.path)
    set_official_picture(row=row, picture=store_official_picture(file=BytesIO(sheet("JPEG")), name="b.jpg"))
    second = Path(row.file.path)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert (first.exists(), second.exists()) == (False, True)
    remove_official_picture(row=row)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert not second.exists()
    assert official_texts()[0].url == ""
    set_official_picture(row=row, picture=store_official_picture(file=BytesIO(sheet()), name="c.png"))
    third = Path(row.file.path)
    delete_official_text(row=row)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert (third.exists(), official_texts()) == (False, [])


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.webp", sheet("WEBP")), ("a.png", b"<svg/>"), ("a.svg", b"<svg/>"), ("a.pdf", b"%PDF-1.7")],
)
def test_other_files_are_refused(name: str, content: bytes) -> None:
    with pytest.raises(Problem) as refusal:
        store_official_picture(file=BytesIO(content), name=name)
    assert refusal.value.code == "invalid_image"


def test_the_check_names_what_is_missing(settings: Any) -> None:
    settings.DEBUG = False
    [warning] = check_official_texts()
    assert warning.id == "shop.W021"
    assert "D211-2" in warning.msg
    assert "2025/1960" in warning.msg
    write(BOX)
    write(NOTICE, "de")
    [warning] = check_official_texts()
    assert "D211-2" not in warning.msg
    write(NOTICE)
    assert check_official_texts() == []
    settings.DEBUG = True
    OfficialText.objects.all().delete()
    assert check_official_texts() == []


def test_the_owner_supplies_them(client: Client, settings: Any) -> None:
    client.force_login(User.objects.create_superuser("chef@example.com", "secret"))
    base = "/admin/textes/officiels"
    assert "Textes officiels manquants en français" in client.get(base).content.decode()
    upload = SimpleUploadedFile("notice.png", sheet())
    values = {"kind": NOTICE, "language": "fr", "text": WORDS, "new_picture": upload}
    assert client.post(f"{base}/nouveau", values).status_code == 302
    row = OfficialText.objects.get()
    # A form sends line breaks its own way.
    assert row.text.replace("\r\n", "\n") == WORDS
    assert row.file.name.startswith("official/")
    values["seen"] = client.get(f"{base}/{row.pk}").context["seen"]
    refused = client.post(
        f"{base}/{row.pk}",
        {**values, "new_picture": SimpleUploadedFile("notice.svg", b"<svg/>")},
    )
    assert "Type de fichier non supporté" in refused.content.decode()
    kept = {**values, "new_picture": "", "remove_picture": "on"}
    assert client.post(f"{base}/{row.pk}", kept).status_code == 302
    assert OfficialText.objects.get().file.name == ""
    assert client.post(f"{base}/{row.pk}/supprimer").status_code == 302
    assert not OfficialText.objects.exists()
