"""Several products at once, and products from files: all or nothing, seen before it is done."""

import csv
import io
from decimal import Decimal

import pytest

from catalog.api.product_files import COLUMNS
from catalog.api.staff_serializers import WRITABLE
from catalog.models import PricePoint, Product
from catalog.tests.factories import change_product, make_category, make_product, make_variation
from catalog.tests.staff import PRODUCTS, send
from shop.core.models import AuditEntry

pytestmark = pytest.mark.django_db


def bulk(admin, *products, **body):
    return send(admin, "post", "/bulk", {"ids": [product.pk for product in products], **body})


def load(admin, text: str, **body):
    return send(admin, "post", "/import", {"csv": text, **body})


def test_bulk_change_is_shown_then_done(admin):
    ours, lynx = make_product("Ours", featured=True), make_product("Lynx")
    category = make_category("bust")
    fields = {"category": "bust", "featured": True}
    shown = bulk(admin, ours, lynx, action="update", fields=fields, dry_run=True).json()
    assert shown["count"] == 2
    moved = {"field": "category", "label": "catégorie", "before": "Goodies Divers", "after": "Bust"}
    assert [(row["name"], row["changes"]) for row in shown["changes"]] == [
        ("Ours", [moved]),
        (
            "Lynx",
            [
                moved,
                {"field": "featured", "label": "en vedette", "before": False, "after": True},
            ],
        ),
    ]
    assert Product.objects.filter(category=category).count() == 0
    done = bulk(admin, ours, lynx, action="update", fields=fields, preview_key=shown["preview_key"])
    assert (done.status_code, done.json()) == (200, {"count": 2})
    assert Product.objects.filter(category=category, featured=True).count() == 2
    assert AuditEntry.objects.filter(action="product.changed").count() == 2


def test_bulk_change_is_shown_in_words(admin):
    product = make_product("Ours", price="79.00", is_published=False)
    fields = {
        "price": "1085.50", "promotion_type": "buy_2_get_1", "promotion_active": True, "safety_class": "toy",
    }  # fmt: skip
    shown = bulk(admin, product, action="update", fields=fields, dry_run=True).json()["changes"][0]["changes"]

    assert [(change["label"], change["before"], change["after"]) for change in shown] == [
        ("prix de base (€)", "79,00", "1085,50"),
        ("promotion active", False, True),
        ("type de promotion", "", "2 achetés, 1 offert"),
        ("classe de sécurité", "", "Jouet"),
    ]


def test_bulk_change_refused_for_one_changes_none(admin):
    ours = make_product("Ours", production_days_min=3, production_days_max=5)
    lynx = make_product("Lynx")
    for dry_run in (True, False):
        answer = bulk(admin, ours, lynx, action="update", fields={"production_days_max": 9}, dry_run=dry_run)
        assert (answer.status_code, answer.json()["detail"]) == (
            400,
            "Lynx\u00a0: Certains champs sont à corriger.",
        )
        assert answer.json()["product_id"] == lynx.pk
    assert list(Product.objects.order_by("pk").values_list("production_days_max", flat=True)) == [5, None]
    bulk(admin, lynx, action="delete")
    for dry_run in (True, False):
        answer = bulk(admin, ours, lynx, action="update", fields={"featured": True}, dry_run=dry_run)
        assert (answer.status_code, answer.json()["code"], answer.json()["detail"]) == (
            409, "trashed", "Lynx\u00a0: Ce produit est à la corbeille. Restaurez-le d'abord.",
        )  # fmt: skip
    assert not Product.objects.filter(featured=True).exists()
    # What is so already is no change to be recorded.
    before = Product.objects.order_by("pk").values("updated_at")
    stored = list(before)
    assert bulk(admin, ours, action="update", fields={"featured": False}).json() == {"count": 1}
    assert list(before.all()) == stored
    assert not AuditEntry.objects.filter(action="product.changed").exists()


def test_a_misspelt_dry_run_does_nothing(admin):
    ours = make_product("Ours")
    removal = bulk(admin, ours, action="delete", dryRun=True)
    arrival = load(admin, f"numéro;prix\n{ours.pk};10\n", dryRun=True)
    for answer in (removal, arrival):
        assert (answer.status_code, answer.json()["errors"]) == (400, {"dryRun": ["Ce champ n'existe pas."]})
    assert (Product.objects.get().trashed_at, Product.objects.get().price) == (None, Decimal("40.00"))


def test_bulk_of_products_that_changed_since_the_preview_is_refused(admin):
    ours = make_product("Ours", stock_quantity=2)
    for action in ("update", "delete"):
        key = bulk(admin, ours, action=action, fields={"featured": True}, dry_run=True).json()["preview_key"]
        change_product(ours, name_fr=f"Ours {action}")
        answer = bulk(admin, ours, action=action, fields={"featured": True}, preview_key=key)
        assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert (Product.objects.get().featured, Product.objects.get().trashed_at) == (False, None)
    restock = {"action": "update", "fields": {"stock_quantity": 3}}
    key = bulk(admin, ours, **restock, dry_run=True).json()["preview_key"]
    Product.objects.update(stock_quantity=1)  # as an order does, without a new version
    assert bulk(admin, ours, **restock, preview_key=key).status_code == 409
    assert Product.objects.get().stock_quantity == 1


@pytest.mark.parametrize(
    ("body", "errors"),
    [
        ({"ids": [], "action": "delete"}, {"ids": ["Veuillez sélectionner au moins un produit"]}),
        ({"ids": [1], "action": "update"}, {"fields": ["Choisissez au moins un champ à modifier."]}),
        ({"ids": [1], "action": "update", "fields": {"name": "x"}}, {"fields.name": ["Champ inconnu."]}),
        (
            {"ids": [1], "action": "update", "fields": {"price": "-1"}},
            {"fields.price": ["Le prix doit être supérieur à 0,00\u00a0€."]},
        ),
    ],
)
def test_bulk_refuses_what_several_cannot_share(admin, body, errors):
    answer = send(admin, "post", "/bulk", body)
    assert (answer.status_code, answer.json()["errors"]) == (400, errors)


def test_bulk_of_no_product_says_so(admin):
    answer = send(admin, "post", "/bulk", {"ids": [], "action": "delete"}).json()
    assert (answer["code"], answer["detail"]) == ("invalid", "Aucun produit sélectionné")


def test_bulk_delete_of_an_unknown_product_deletes_none(admin):
    ours = make_product("Ours")
    answer = send(admin, "post", "/bulk", {"ids": [ours.pk, 10**9], "action": "delete"})
    assert (answer.status_code, answer.json()["ids"]) == (404, [10**9])
    assert Product.objects.get().trashed_at is None


def test_bulk_delete_restore_and_archive(admin):
    ours, lynx = make_product("Ours"), make_product("Lynx", is_published=False)
    assert bulk(admin, ours, lynx, action="delete").json() == {"count": 2}
    assert bulk(admin, ours, lynx, action="restore").json() == {"count": 2}
    assert bulk(admin, ours, lynx, action="archive").json() == {"count": 2}
    assert bulk(admin, ours, lynx, action="unarchive").json() == {"count": 2}
    assert list(Product.objects.order_by("pk").values_list("is_published", flat=True)) == [True, False]
    # What is already where it is taken, or not there to be taken back, stays as it is.
    for action in ("restore", "unarchive"):
        assert bulk(admin, ours, lynx, action=action).json() == {"count": 0}
    assert bulk(admin, ours, action="archive").json() == {"count": 1}
    before = Product.objects.order_by("pk").values()
    stored = list(before)
    assert bulk(admin, ours, action="archive").json() == {"count": 0}
    assert list(before.all()) == stored
    assert bulk(admin, ours, lynx, action="delete").json() == {"count": 2}
    stored = list(before.all())
    for action in ("archive", "unarchive", "delete"):
        assert bulk(admin, ours, lynx, action=action).json() == {"count": 0}
    assert list(before.all()) == stored
    assert bulk(admin, ours, lynx, action="restore").json() == {"count": 2}
    assert list(Product.objects.order_by("pk").values_list("is_published", flat=True)) == [False, False]


def test_bulk_refusal_names_the_product_that_cannot_be_shown_again(admin):
    ours = make_product("Ours")
    toy = make_product("Lapin", safety_class="toy", minimum_age=3, warnings_fr="Petites pièces.")
    assert bulk(admin, ours, toy, action="archive").json() == {"count": 2}
    assert send(admin, "patch", f"/{toy.pk}", {"minimum_age": None}).status_code == 200
    answer = bulk(admin, ours, toy, action="unarchive")
    assert (answer.status_code, answer.json()["detail"]) == (
        400,
        "Lapin\u00a0: Certains champs sont à corriger.",
    )
    assert answer.json()["errors"] == {"minimum_age": ["Un jouet n'est publié qu'avec son âge minimum."]}
    assert not Product.objects.filter(archived_at=None).exists()


def exported(admin, **asked) -> str:
    answer = admin.get(f"{PRODUCTS}/export.csv", asked)
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/csv; charset=utf-8")
    return b"".join(answer.streaming_content).decode()


def test_file_has_a_column_for_every_field_of_a_product():
    # The days that `production_time` sets have columns of their own.
    assert set(COLUMNS.values()) == {"id", *WRITABLE} - {"production_time"}


def test_exported_file_imported_again_changes_nothing(admin):
    make_product(
        "=Ours «\u00a0gris\u00a0»; n°\u00a01", price="1234.50", full_description="Deux\nlignes \"citées\"",
        name_en="-Bear", promotion_active=True, promotion_type="buy_n_get_m", promotion_buy_quantity=3,
        promotion_get_quantity=2, stock_quantity=4, height_cm=Decimal("12.5"), external_id="+ours",
    ).picked_similar.add(make_product("Lynx", origin_country="FR", is_published=False))  # fmt: skip
    text = exported(admin)
    assert text.startswith("\ufeffnuméro;référence externe;catégorie;nom;")
    assert "1234,50" in text
    assert "'=Ours" in text
    answer = load(admin, text)
    assert answer.status_code == 200, answer.json()
    body = answer.json()
    assert [line["changes"] for line in body["lines"]] == [[], []]
    assert (body["added"], body["changed"], body["unchanged"], body["refused"]) == (0, 0, 2, 0)
    assert not AuditEntry.objects.exists()
    # Saved again by a program that writes the line breaks of Windows, or of an old Macintosh.
    rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=";"))
    for line_break in ("\r\n", "\r"):
        saved = io.StringIO(newline="")
        writer = csv.writer(saved, delimiter=";", lineterminator=line_break, quoting=csv.QUOTE_ALL)
        writer.writerows([cell.replace("\n", line_break) for cell in row] for row in rows)
        answer = load(admin, saved.getvalue(), dry_run=True).json()
        assert [line["changes"] for line in answer["lines"]] == [[], []]


@pytest.mark.parametrize(
    "text",
    [
        "sep=;\r\nnuméro;prix;matière\r\n{0};12,50;\r\n",
        "\ufeffSEP=\t\nnuméro\tprix\tmatière\n{0}\t12,50\t\n",
        "numéro;prix;matière;;\n{0};12,50;;;\n",
        "numéro;prix;matière\n{0};12,50\n",
    ],
)
def test_what_spreadsheets_add_to_a_file_and_leave_out_changes_nothing(admin, text):
    ours = make_product("Ours", material="Résine")
    answer = load(admin, text.format(ours.pk)).json()
    assert [line["line"] for line in answer["lines"]] == [2]
    ours.refresh_from_db()
    assert (ours.price, ours.material) == (Decimal("12.50"), "")


def test_export_is_of_the_list_that_was_asked_for(admin):
    make_product("Ours", featured=True)
    make_product("Lynx")
    assert len(exported(admin, state="featured").splitlines()) == 2


def test_import_shows_each_line_then_does_it_once(admin):
    make_category("bust")
    ours = make_product("Ours", price="40.00")
    text = (
        "numéro;référence externe;nom;catégorie;prix;publié;adresse;promotion;promotion active;quantité achetée\r\n"
        f"{ours.pk};;Ours blanc;goodies-divers;35,50;oui;;;non;\r\n"
        ";lynx-1;Lynx;Bust;1\u202f220,00\u00a0€;non;;buy_2_get_1;oui;\r\n"
    )
    shown = load(admin, text, dry_run=True).json()
    assert [(line["line"], line["action"], line["name"]) for line in shown["lines"]] == [
        (2, "change", "Ours blanc"),
        (3, "add", "Lynx"),
    ]
    assert shown["lines"][0]["changes"] == [
        {"field": "name_fr", "label": "nom (français)", "before": "Ours", "after": "Ours blanc"},
        {"field": "price", "label": "prix de base (€)", "before": "40,00", "after": "35,50"},
    ]
    assert Product.objects.get().name == "Ours"
    done = load(admin, text, preview_key=shown["preview_key"])
    assert done.status_code == 200, done.json()
    assert (done.json()["added"], done.json()["changed"]) == (1, 1)
    lynx = Product.objects.get(external_id="lynx-1")
    assert (lynx.name, lynx.price, lynx.category.slug, lynx.is_published, lynx.source) == (
        "Lynx",
        Decimal("1220.00"),
        "bust",
        False,
        "import",
    )
    assert PricePoint.objects.filter(product_id=ours.pk).count() == 2
    again = load(admin, text).json()
    assert (again["added"], again["changed"], again["unchanged"]) == (0, 0, 2)
    assert Product.objects.count() == 2


def test_import_with_a_refused_line_stores_nothing_and_says_why(admin):
    ours = make_product("Ours")
    trashed = make_product("Lynx")
    admin.delete(f"{PRODUCTS}/{trashed.pk}")
    text = (
        "numéro,référence externe,nom,catégorie,prix,disponible\n"
        f"{ours.pk},,Ours blanc,goodies-divers,10.00,oui\n"
        f"{ours.pk},,Ours noir,goodies-divers,10.00,oui\n"
        ",,Sans référence,goodies-divers,10.00,oui\n"
        ",neuf,Sans catégorie,,10.00,oui\n"
        f"{trashed.pk},,Lynx,goodies-divers,10.00,oui\n"
        "999999,,Inconnu,goodies-divers,10.00,oui\n"
        ",autre,Prix,goodies-divers,zéro,peut-être\n"
        ",muet,,goodies-divers,10.00,oui\n"
    )
    shown = load(admin, text, dry_run=True).json()
    assert [line["errors"] for line in shown["lines"]] == [
        ["Une autre ligne du fichier est du même produit."],
        ["Une autre ligne du fichier est du même produit."],
        [
            "Indiquez le numéro du produit, ou une référence externe pour un nouveau\u00a0:"
            " sans elle, le même fichier l'ajouterait deux fois."
        ],
        ["catégorie\u00a0: Cette catégorie n'existe pas."],
        ["Ce produit est à la corbeille. Restaurez-le d'abord."],
        ["Aucun produit ne porte ce numéro."],
        [
            "disponible\u00a0: Écrivez «\u00a0oui\u00a0» ou «\u00a0non\u00a0».",
            "prix\u00a0: Saisissez un montant en chiffres, avec deux décimales au plus, par exemple 49,90.",
        ],
        ["nom\u00a0: Ce champ est obligatoire."],
    ]
    assert [line["name"] for line in shown["lines"]] == [
        *("Ours blanc", "Ours noir", "Sans référence", "Sans catégorie", "Lynx", "Inconnu", "Prix", "muet")
    ]
    answer = load(admin, text)
    assert (answer.status_code, answer.json()["detail"]) == (
        400,
        "Des lignes sont à corriger\u00a0: rien n'a été importé.",
    )
    assert list(Product.objects.order_by("pk").values_list("name_fr", flat=True)) == ["Ours", "Lynx"]


@pytest.mark.parametrize(
    ("fields", "column", "message"),
    [
        ({"prix": "3"}, "écart de prix (€)", "Cet écart donnerait un prix nul ou négatif."),
        ({"promotion": "percent"}, "réduction %", "Indiquez le pourcentage."),
        ({"promotion active": "oui"}, "promotion", "Choisissez le type de la promotion."),
        (
            {"promotion": "buy_n_get_m", "quantité achetée": "1", "quantité offerte": "2"},
            "quantité offerte",
            "La quantité offerte ne peut pas dépasser la quantité achetée.",
        ),
    ],
)
def test_what_the_import_would_refuse_its_preview_refuses(admin, fields, column, message):
    ours = make_product("Ours", price="40.00")
    make_variation(ours, "Petit", price_adjustment="-5.00")
    text = f"numéro;{';'.join(fields)}\n{ours.pk};{';'.join(fields.values())}\n"
    shown = load(admin, text, dry_run=True).json()
    assert [line["errors"] for line in shown["lines"]] == [[f"{column}\u00a0: {message}"]]
    assert load(admin, text).status_code == 400
    assert (Product.objects.get().price, AuditEntry.objects.count()) == (Decimal("40.00"), 0)


def test_number_of_units_that_no_variant_draws_on_is_refused(admin):
    ours = make_product("Ours", stock_quantity=9, category=make_category(offers_formats=True))
    make_variation(ours, "Petit", stock_quantity=2)
    said = "Chaque déclinaison compte son propre stock\u00a0: changez celui des déclinaisons."
    bulk_body = {"action": "update", "fields": {"stock_quantity": 5}}
    for answer in (bulk(admin, ours, **bulk_body, dry_run=True), bulk(admin, ours, **bulk_body)):
        assert (answer.status_code, answer.json()["detail"]) == (400, f"Ours\u00a0: {said}")
    text = f"numéro;stock\n{ours.pk};"
    assert load(admin, f"{text}5", dry_run=True).json()["lines"][0]["errors"] == [f"stock\u00a0: {said}"]
    # As it is, and without one, it misleads nobody.
    assert load(admin, f"{text}9").json()["unchanged"] == 1
    assert load(admin, text).json()["changed"] == 1
    make_variation(ours, "Grand")
    assert load(admin, f"{text}5").json()["changed"] == 1


def test_import_of_products_that_changed_since_its_preview_is_refused(admin):
    ours = make_product("Ours", stock_quantity=2)
    text = f"numéro;prix;stock\n{ours.pk};10;2\n"
    key = load(admin, text, dry_run=True).json()["preview_key"]
    change_product(ours, name_fr="Ours blanc")
    answer = load(admin, text, preview_key=key)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    key = load(admin, text, dry_run=True).json()["preview_key"]
    Product.objects.update(stock_quantity=1)  # as an order does, without a new version
    assert load(admin, text, preview_key=key).status_code == 409
    assert (Product.objects.get().price, Product.objects.get().stock_quantity) == (Decimal("40.00"), 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Ce champ est obligatoire."),
        ("numéro;couleur\n1;rouge\n", "Colonnes inconnues\u00a0: couleur."),
        (
            "nom;prix\nOurs;3\n",
            "Il faut une colonne «\u00a0numéro\u00a0» ou «\u00a0référence externe\u00a0».",
        ),
        ("numéro;id\n1;2\n", "Une colonne est là deux fois."),
        ("numéro;prix;\n1;2;3\n", "La ligne 2 a plus de cases que la première."),
        ("numéro;prix\n\n", "Ce fichier ne contient aucun produit."),
        ('numéro;prix\n"1;2\n', "Ce fichier n'est pas un fichier CSV lisible."),
        (
            "numéro;prix\n" + "1;2\n" * 1001,
            "Ce fichier a plus de 1000 lignes\u00a0: importez-le en plusieurs fois.",
        ),
    ],
)
def test_unreadable_file_is_refused_as_a_whole(admin, text, message):
    answer = load(admin, text, dry_run=True)
    assert (answer.status_code, answer.json()["errors"]) == (400, {"csv": [message]})
