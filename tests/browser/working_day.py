"""Sixteen tasks of a working day, each begun on the home page of the staff area, by whatever hands."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone
from playwright.sync_api import Locator, Page, expect

from tests.browser.hands import Hands

Morning = dict[str, Any]
"""What `tests.browser.day_data` printed; `photo` is a file."""


@dataclass(frozen=True, slots=True)
class Task:
    """`do` works from the home page on, and makes sure of what came of it."""

    name: str
    do: Callable[[Hands, Morning], None]


def home(hands: Hands) -> None:
    hands.page.goto("/admin")
    expect(hands.page.get_by_role("heading", level=1)).to_be_visible()


def button(where: Page | Locator, name: str | re.Pattern[str]) -> Locator:
    # A chooser of files calls itself a button, too.
    return where.get_by_role("button", name=name).and_(where.locator("button")).first


def find_order(hands: Hands, name: str, reference: str) -> None:
    """Through the list, as one who was called by a customer."""
    hands.open_screen("Commandes")
    hands.write(hands.page.get_by_role("searchbox").first, reference)
    hands.press(hands.page.locator(".order-row", has_text=reference).first)
    expect(hands.page.get_by_role("heading", name=re.compile(reference))).to_be_visible()


def new_piece(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Produits")
    hands.press(page.get_by_role("link", name="Nouveau Produit"))
    hands.write(page.get_by_label("Nom", exact=False).first, f"Hibou {morning['way']}")
    hands.choose(page.get_by_label(re.compile("^Catégorie")), morning["category"])
    hands.write(page.get_by_label(re.compile(r"^Prix \(€\)")), "45")
    hands.press(button(page, "Créer le produit"))
    add = button(page, re.compile("^Ajouter des photos"))
    expect(add).to_be_visible()
    hands.attach(add, [morning["photo"], morning["photo"]])
    photos = page.get_by_role("list", name="Photos du produit, dans l'ordre").get_by_role("listitem")
    expect(photos).to_have_count(2, timeout=60_000)
    published = page.get_by_label("Publié dans la boutique")
    if not published.is_checked():
        hands.press(published)
        hands.press(button(page, "Enregistrer"))
    expect(page.get_by_text("La fiche est enregistrée")).to_be_visible()
    assert page.request.get(f"/produit/{page.url.rsplit('/', 1)[1].partition('#')[0]}").ok


def weekend_promotion(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Promotions")
    hands.press(page.get_by_role("link", name="Nouvelle promotion"))
    hands.write(page.get_by_label(re.compile("^Nom interne")), f"Week-end {morning['way']}")
    hands.choose(page.get_by_label("Type"), "Réduction en pourcentage")
    hands.write(page.get_by_label(re.compile("^Réduction \\(%\\)")), "10")
    today = timezone.localdate()
    saturday = today + timedelta(days=(5 - today.weekday()) % 7 or 7)
    hands.set_moment(page.get_by_label(re.compile("^Début")), f"{saturday}T00:00:00")
    hands.set_moment(page.get_by_label(re.compile("^Fin")), f"{saturday + timedelta(days=2)}T00:00:00")
    hands.press(page.get_by_label(morning["category"], exact=True).first)
    hands.press(button(page, "Enregistrer"))
    expect(page.get_by_role("heading", name="Ce qu'elle fait aux prix")).to_be_visible()
    expect(page.get_by_text(re.compile("au lieu de")).first).to_be_visible()


def ship_ten(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Expédition")
    hands.press(page.locator("summary", has_text="Coller le fichier du transporteur"))
    lines = [f"{reference};6A{place:011d}" for place, reference in enumerate(morning["ready"], start=1)]
    hands.write(page.get_by_role("textbox", name=re.compile("^Coller le fichier")), "\n".join(lines))
    hands.press(button(page, "Reprendre ces numéros"))
    hands.press(button(page, "Relire avant d'expédier"))
    hands.press(button(page, "Expédier 10 commandes"))
    expect(page.get_by_role("region", name="Résultat").or_(page.locator(".dispatch-results"))).to_be_visible()
    expect(page.locator(".dispatch-results li")).to_have_count(10)


def refund_one(hands: Hands, morning: Morning) -> None:
    page = hands.page
    find_order(hands, "Trois", morning["orders"]["three"][1])
    hands.press(button(page, "Rembourser"))
    dialog = page.get_by_role("dialog")
    hands.press(button(dialog, "Une de plus"))
    hands.press(button(dialog, "Voir ce que cela fait"))
    hands.press(button(dialog, re.compile("^Rembourser ")))
    expect(page.get_by_text(re.compile("^Remboursement de")).first).to_be_attached(timeout=30_000)


def correct_address(hands: Hands, morning: Morning) -> None:
    page = hands.page
    find_order(hands, "Adresse", morning["orders"]["address"][1])
    hands.press(button(page, "Corriger l'adresse"))
    dialog = page.get_by_role("dialog")
    hands.write(dialog.get_by_label("Adresse", exact=True), "5 rue des Carmes")
    hands.press(button(dialog, "Voir l'e-mail"))
    hands.press(button(dialog, "Confirmer"))
    expect(page.locator("address", has_text="5 rue des Carmes").first).to_be_visible()


def undo_dispatch(hands: Hands, morning: Morning) -> None:
    page = hands.page
    find_order(hands, "Erreur", morning["orders"]["wrong"][1])
    hands.press(button(page, "Ce colis n'est pas parti"))
    dialog = page.get_by_role("dialog")
    hands.write(dialog.get_by_label("Motif, gardé au journal"), "Resté sur l'étagère")
    hands.press(button(dialog, "Voir l'e-mail"))
    hands.press(button(dialog, "Confirmer"))
    expect(page.locator(".order-sheet__head").get_by_text("En préparation", exact=True)).to_be_visible()


def make_staff(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Utilisateurs")
    hands.send(page.get_by_role("searchbox").first, morning["member"])
    hands.press(page.locator("a.staff-rows__row", has_text=morning["member"]))
    hands.pick(page.locator("input[name=role][value=staff]"))
    hands.press(button(page, "Changer le rôle"))
    hands.press(button(page, re.compile("^Donner le rôle")))
    _prove(hands, morning)
    expect(
        page.get_by_role("heading", name=re.compile("^Rôle : (Atelier|Équipe|Staff|Personnel)"))
    ).to_be_visible()


def answer_question(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Messages")
    hands.press(page.locator("a.staff-rows__row", has_text=morning["question"]))
    hands.write(page.get_by_label("Votre réponse"), "Elle mesure dix-huit centimètres.")
    hands.press(button(page, "Envoyer la réponse"))
    expect(page.get_by_text("Réponse envoyée à")).to_be_visible()


def moderate_review(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Avis")
    hands.press(button(page, re.compile(f"^Publier.*{morning['review']}")))
    expect(page.get_by_role("heading", name=morning["review"])).to_have_count(0)


def close_a_week(hands: Hands, _morning: Morning) -> None:
    page = hands.page
    hands.press(page.get_by_role("link", name="Fermer l'atelier…"))
    hands.press(button(page, "Enregistrer"))
    expect(page.get_by_text("La fermeture est enregistrée.")).to_be_visible()


def _card(page: Page, morning: Morning) -> Locator:
    return page.locator(f"[data-card='{morning['board_piece']}']")


def move_on_board(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Atelier")
    stage = button(page, re.compile("^À peindre"))
    if hands.width < 1000:
        hands.press(stage)
    hands.press(button(_card(page, morning), re.compile("^Étape suivante")))
    # On a phone the column that took it is not shown.
    moved = page.locator("[aria-label='À photographier']").locator(_card(page, morning))
    expect(moved).to_be_attached()
    expect(page.get_by_role("button", name="Annuler")).to_be_visible()


def photograph(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Atelier")
    if hands.width < 1000:
        hands.press(button(page, re.compile("^À photographier")))
    hands.press(button(_card(page, morning), re.compile("^Photos")))
    dialog = page.get_by_role("dialog")
    hands.attach(button(dialog, "Prendre ou choisir une photo"), [morning["photo"]])
    hands.press(button(dialog, "Voir l'e-mail"))
    expect(page.get_by_text(re.compile("Votre pièce est finie")).first).to_be_visible()
    hands.press(button(page.get_by_role("dialog"), "Envoyer au client"))
    expect(page.get_by_text("Photo envoyée", exact=True)).to_be_visible()


def answer_withdrawal(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Rétractations")
    hands.press(page.locator(f"a[href='/admin/retractations/{morning['case']}']"))
    hands.press(page.locator("main .button--primary").first)
    hands.press(page.locator("main form .button--primary").first)
    expect(page.locator(".alert--success, [role=status].alert").first).to_be_visible()


def change_price(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Produits")
    hands.write(page.get_by_role("searchbox").first, morning["product_name"])
    hands.press(page.get_by_role("link", name=f"Modifier {morning['product_name']}").first)
    row = page.locator(".variant").last
    hands.write(row.get_by_label("Prix propre (€)"), "42")
    hands.press(button(page, "Enregistrer les déclinaisons"))
    expect(row).to_contain_text("42,00")


def make_key(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.open_screen("Clés d'API")
    hands.write(page.get_by_label("Nom du programme"), f"Import {morning['way']}")
    hands.press(button(page, "Créer la clé"))
    _prove(hands, morning)
    expect(page.get_by_text("Copiez-la maintenant")).to_be_visible()


def find_by_tracking(hands: Hands, morning: Morning) -> None:
    page = hands.page
    hands.find(morning["number"], morning["tracked"])
    expect(page.get_by_role("heading", name=re.compile(morning["tracked"]))).to_be_visible()


def _prove(hands: Hands, morning: Morning) -> None:
    """Who they are, where the shop asks again."""
    page = hands.page
    field = page.locator("input[type=password]")
    if field.count():
        hands.write(field.first, morning["password"])
        hands.press(page.locator("main form button[type=submit]").first)


TASKS = (
    Task("une pièce neuve, de ses photos à la boutique", new_piece),
    Task("une promotion pour le week-end", weekend_promotion),
    Task("dix commandes expédiées", ship_ten),
    Task("une pièce de trois remboursée", refund_one),
    Task("une adresse corrigée", correct_address),
    Task("une expédition annulée", undo_dispatch),
    Task("un membre devient collègue", make_staff),
    Task("une question répondue", answer_question),
    Task("un avis publié", moderate_review),
    Task("la boutique fermée une semaine", close_a_week),
    Task("une pièce déplacée à l'atelier", move_on_board),
    Task("une photo envoyée au client", photograph),
    Task("une rétractation traitée", answer_withdrawal),
    Task("un prix changé dans la grille", change_price),
    Task("une clé d'API créée", make_key),
    Task("une commande trouvée par son numéro de suivi", find_by_tracking),
)
"""In their order of the day: the photograph is of the piece that was moved before."""


def photo_file(folder: Path) -> Path:
    """A photo of a phone, small enough to be quick."""
    from PIL import Image

    path = folder / "IMG_0001.jpg"
    Image.effect_noise((1600, 1200), 60).convert("RGB").save(path, "JPEG", quality=90)
    return path
