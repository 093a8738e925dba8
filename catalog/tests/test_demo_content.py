"""The demonstration catalogue, as its files ship it: every case of the shop is in it, and agrees with itself."""

import re
from decimal import Decimal
from typing import Any

import pytest

from catalog.tests.demo_files import CATEGORIES, DEMO, LANGUAGES, NBSP, PRODUCTS

AMOUNT = re.compile(r"-?\d+\.\d\d")
FINISHES = {"", "painted", "unpainted"}
BY_KEY = {product["key"]: product for product in PRODUCTS}
VARIANTS = [variant for product in PRODUCTS for variant in product["variants"]]
SHOP_DAYS = 28
"""The longest production of a piece that has none of its own."""


def _category(product: dict[str, Any]) -> dict[str, Any]:
    return next(category for category in CATEGORIES if category["slug"] == product["category"])


def _in(category_slug: str) -> list[dict[str, Any]]:
    return [product for product in PRODUCTS if product["category"] == category_slug]


def test_the_categories_are_the_shops() -> None:
    assert [(category["slug"], category["kind"], category["name"]["fr"]) for category in CATEGORIES] == [
        ("mangas", "main", "Mangas"),
        ("jeux-video", "main", "Jeux Vidéo"),
        ("dessins-animes", "main", "Dessins Animés"),
        ("bust", "main", "Bustes"),
        ("chibi-pop", "main", "Chibi / Pop"),
        ("pokeball", "collection", "Nos Pokeball"),
        ("crochet", "collection", "Nos Figurines en Crochet"),
        ("figurines", "collection", "Nos Figurines"),
        ("goodies", "collection", "Nos Goodies"),
        ("noel", "collection", "Noël"),
        ("horloge-mural", "main", "Horloge Mural"),
        ("hueforge", "main", "Hueforge"),
        ("porte-cle", "main", "Porte Clé"),
        ("mini-figurines", "main", "Mini Figurines"),
    ]
    assert [category["position"] for category in CATEGORIES] == list(range(1, 15))
    assert [category["slug"] for category in CATEGORIES if category["offers_formats"]] == ["figurines"]
    assert [category["slug"] for category in CATEGORIES if category["offers_finishes"]] == [
        "mangas",
        "jeux-video",
        "dessins-animes",
        "bust",
        "chibi-pop",
        "mini-figurines",
    ]
    assert {
        category["slug"]: len(category["features"]) for category in CATEGORIES if category["features"]
    } == {
        "pokeball": 3,
        "noel": 3,
    }
    figurines = next(category for category in CATEGORIES if category["slug"] == "figurines")
    assert figurines["title"]["fr"] == "Nos Chibis"


def test_the_shelves_are_filled() -> None:
    assert len(PRODUCTS) == 25
    assert {slug: len(_in(slug)) for slug in (category["slug"] for category in CATEGORIES)} == {
        "mangas": 3,
        "jeux-video": 3,
        "dessins-animes": 3,
        "bust": 3,
        "chibi-pop": 3,
        "pokeball": 2,
        "crochet": 2,
        "figurines": 2,
        "goodies": 2,
        "noel": 2,
        "horloge-mural": 0,
        "hueforge": 0,
        "porte-cle": 0,
        "mini-figurines": 0,
    }
    assert sum(product["featured"] for product in PRODUCTS) == 6
    assert len(BY_KEY) == 25
    ages = [product["created_days_ago"] for product in PRODUCTS]
    assert ages == sorted(ages)


@pytest.mark.parametrize("product", PRODUCTS, ids=list(BY_KEY))
def test_the_pictures_exist_and_are_described(product: dict[str, Any]) -> None:
    images = product["images"]
    assert images
    assert [image["position"] for image in images] == list(range(1, len(images) + 1))
    for image in images:
        assert (DEMO / "pictures" / image["file"]).is_file()
        assert image["finish"] in FINISHES
        assert [len(image["alt"][language]) >= 20 for language in LANGUAGES] == [True] * 4
        assert ("non-peint" in image["file"]) == (image["finish"] == "unpainted")


@pytest.mark.parametrize("product", PRODUCTS, ids=list(BY_KEY))
def test_every_finish_of_a_piece_shows_its_own_picture(product: dict[str, Any]) -> None:
    sold = {variant["finish"] for variant in product["variants"]}
    pictured = {image["finish"] for image in product["images"]}
    # A piece sold in grey alone also shows how the workshop paints it: a picture of no finish.
    assert pictured - {""} == sold - {""}
    assert [path.name for path in (DEMO / "pictures").glob(f"{product['key']}-[0-9].jpg")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_pictures_are_described_alike(language: str) -> None:
    texts = [image["alt"][language] for product in PRODUCTS for image in product["images"]]
    assert len(set(texts)) == len(texts) == 59


def test_every_picture_of_a_piece_is_used_once() -> None:
    used = [image["file"] for product in PRODUCTS for image in product["images"]]
    shipped = {path.name for path in (DEMO / "pictures").glob("*.jpg") if not path.name.startswith("scene-")}
    assert sorted(used) == sorted(shipped)


def test_the_models_exist() -> None:
    models = {product["key"]: product["model"] for product in PRODUCTS if product["model"]}
    assert sorted(models) == ["golem-de-poche", "ours-boulanger", "veilleuse-des-bois"]
    for model in models.values():
        assert all((DEMO / "models" / name).is_file() for name in model.values())


@pytest.mark.parametrize("product", PRODUCTS, ids=list(BY_KEY))
def test_measures_agree(product: dict[str, Any]) -> None:
    height = Decimal(product["height_cm"])
    assert Decimal(product["dimensions"].split(" ")[0].replace(",", ".")) == height
    assert re.fullmatch(rf"[\d,]+ × [\d,]+ × [\d,]+{NBSP}cm", product["dimensions"])
    assert product["weight"] == f"{product['weight_grams']}{NBSP}g"
    lowest, highest = product["production_days_min"], product["production_days_max"]
    assert (lowest is None) == (highest is None)
    assert lowest is None or 0 < lowest <= highest


@pytest.mark.parametrize("product", PRODUCTS, ids=list(BY_KEY))
def test_variants_say_what_differs_from_the_piece(product: dict[str, Any]) -> None:
    names = {variation["key"]: variation["name"]["fr"] for variation in product["variations"]}
    for variant in product["variants"]:
        assert variant["weight_grams"] > int(variant.get("weight", product["weight"]).split(NBSP)[0])
        lowest, highest = variant.get("production_days_min"), variant.get("production_days_max")
        assert (lowest is None and highest is None) or 0 < lowest < highest
        if variant["finish"] == "unpainted":
            assert highest <= (product["production_days_max"] or SHOP_DAYS // 2)
        if variant["variation"] is not None:
            height = Decimal(variant["height_cm"])
            assert Decimal(variant["dimensions"].split(" ")[0].replace(",", ".")) == height
            assert (
                names[variant["variation"]] == f"{height:n}".replace(".0", "").replace(".", ",") + f"{NBSP}cm"
            )


@pytest.mark.parametrize("product", PRODUCTS, ids=list(BY_KEY))
def test_amounts_are_euros_with_cents(product: dict[str, Any]) -> None:
    for field in ("price", "original_price", "painted_price", "unpainted_price"):
        assert product[field] is None or AMOUNT.fullmatch(product[field])
    for variation in product["variations"]:
        assert variation["price_override"] is None or AMOUNT.fullmatch(variation["price_override"])
        assert AMOUNT.fullmatch(variation["price_adjustment"])
    assert Decimal(product["price"]) > 0
    if product["original_price"] is not None:
        assert Decimal(product["original_price"]) > Decimal(product["price"])
    if not _category(product)["offers_finishes"]:
        assert (product["painted_price"], product["unpainted_price"]) == (None, None)


def test_every_way_of_pricing_is_shown() -> None:
    finishes = {
        (product["painted_price"] is not None, product["unpainted_price"] is not None)
        for product in PRODUCTS
        if _category(product)["offers_finishes"]
    }
    assert finishes == {(True, True), (True, False), (False, True)}
    variations = [variation for product in PRODUCTS for variation in product["variations"]]
    assert any(variation["price_override"] for variation in variations)
    assert any(Decimal(variation["price_adjustment"]) > 0 for variation in variations)
    assert any(Decimal(variation["price_adjustment"]) < 0 for variation in variations)
    assert any(not product["variations"] for product in PRODUCTS)
    assert any(Decimal(product["price"]) >= 150 for product in PRODUCTS)


def test_every_promotion_is_shown() -> None:
    running = {
        product["promotion_type"]: (product["promotion_buy_quantity"], product["promotion_get_quantity"])
        for product in PRODUCTS
        if product["promotion_active"]
    }
    assert running == {
        "buy_2_get_1": (None, None),
        "buy_3_get_1": (None, None),
        "buy_4_get_3": (None, None),
        "buy_n_get_m": (5, 2),
    }
    assert [
        product["key"]
        for product in PRODUCTS
        if product["promotion_type"] and not product["promotion_active"]
    ] == ["lutin-des-paquets"]


def test_every_state_of_stock_is_shown() -> None:
    assert {product["stock_quantity"] for product in PRODUCTS} == {None, 0, 1, 3, 40}
    assert [product["key"] for product in PRODUCTS if not product["in_stock"]] == ["garde-du-bastion"]
    assert {
        variant["sku"]: variant["stock_quantity"] for variant in VARIANTS if variant["stock_quantity"]
    } == {
        "RAI-P": 2,
        "GOL-P": 1,
        "PRD-18": 1,
        "OUR-P": 2,
        "LAM-P": 2,
        "VEI-P": 4,
    }
    assert [variant["sku"] for variant in VARIANTS if not variant["in_stock"]] == ["APA-18"]
    # Painted it is sold out, unpainted it is made to order.
    assert [
        (variant["sku"], variant["stock_quantity"]) for variant in BY_KEY["hibou-archiviste"]["variants"]
    ] == [("HIB-P", 0), ("HIB-N", None)]


def test_variations_belong_to_formats() -> None:
    for product in PRODUCTS:
        if not product["variations"]:
            continue
        assert _category(product)["offers_formats"]
        assert [variation["is_default"] for variation in product["variations"]].count(True) == 1
        assert [variation["sort_order"] for variation in product["variations"]] == [1, 2, 3]


def test_every_variant_has_a_reference() -> None:
    """`LAM-P`: three letters a piece, then the format in centimetres or the finish (P painted, N unpainted)."""
    skus = [variant["sku"] for variant in VARIANTS]
    assert len(set(skus)) == len(skus) == 42
    assert len({sku[:3] for sku in skus}) == len(PRODUCTS)
    endings = {"painted": "-P", "unpainted": "-N", "": ""}
    for product in PRODUCTS:
        for variant in product["variants"]:
            assert re.fullmatch(r"[A-Z]{3}(-\d\d)?(-[PN])?", variant["sku"])
            assert variant["sku"][3:] == (variant["variation"] or "")[3:] + endings[variant["finish"]]


def _current_price(product: dict[str, Any], key: str | None, finish: str) -> Decimal:
    by_finish = {"painted": product["painted_price"], "unpainted": product["unpainted_price"]}
    price = Decimal(by_finish.get(finish) or product["price"])
    for variation in product["variations"]:
        if variation["key"] == key:
            override = variation["price_override"]
            return Decimal(override) if override else price + Decimal(variation["price_adjustment"])
    return price


def _histories(product: dict[str, Any]) -> dict[tuple[str | None, str], list[tuple[int, Decimal]]]:
    found: dict[tuple[str | None, str], list[tuple[int, Decimal]]] = {}
    for entry in product["price_history"]:
        found.setdefault((entry["variation"], entry["finish"]), []).append(
            (entry["days_ago"], Decimal(entry["amount"]))
        )
    return found


@pytest.mark.parametrize("product", PRODUCTS, ids=list(BY_KEY))
def test_price_histories_run_from_creation_to_today(product: dict[str, Any]) -> None:
    for (key, finish), points in _histories(product).items():
        days = [days_ago for days_ago, _ in points]
        assert days == sorted(set(days), reverse=True)
        assert days[0] == product["created_days_ago"]
        assert points[-1][1] == _current_price(product, key, finish)


def _lowest_prior(points: list[tuple[int, Decimal]]) -> Decimal | None:
    """Lowest price of the 30 days before the last change (L112-1-1); ``None`` when they are not all known."""
    change = points[-1][0]
    if points[0][0] < change + 30:
        return None
    starts = [days_ago for days_ago, _ in points]
    return min(amount for index, (_, amount) in enumerate(points[:-1]) if starts[index + 1] < change + 30)


@pytest.mark.parametrize(
    ("key", "sku", "finish", "entered", "lowest_prior"),
    [
        ("lame-d-automne", None, "painted", "149.00", "149.00"),
        ("boule-village-enneige", None, "", "35.00", "35.00"),
        ("promeneuse-de-la-dune", "PRD-12", "", "79.00", "79.00"),
        ("sorciere-de-minuit", None, "painted", "89.00", "79.00"),
        ("rainette-sous-la-feuille", None, "painted", "95.00", None),
    ],
    ids=["lawful", "lawful-collection", "lawful-format", "capped", "too-little-history"],
)
def test_crossed_out_prices_cover_every_case(
    key: str, sku: str | None, finish: str, entered: str, lowest_prior: str | None
) -> None:
    product = BY_KEY[key]
    assert product["original_price"] == entered
    prior = _lowest_prior(_histories(product)[sku, finish])
    assert prior == (None if lowest_prior is None else Decimal(lowest_prior))
