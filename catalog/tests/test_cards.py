"""Cards: what they say, and which products the home page and the product page choose."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from django.utils import translation

from catalog.models import Category, CategoryKind, CategoryPicture, Product, ProductImage
from catalog.selectors import cards
from catalog.selectors.cards import (
    build_cards,
    daily_gallery,
    featured_cards,
    finish_pair,
    read_cards_of,
    similar_cards,
)
from catalog.selectors.categories import (
    category_cards,
    category_key,
    collection_categories,
    collection_features,
    listed_categories,
)
from catalog.selectors.pictures import images_of
from catalog.templatetags.cards import product_card
from catalog.tests.factories import (
    change_product,
    make_category,
    make_finish_category,
    make_image,
    make_product,
    make_variation,
)

pytestmark = pytest.mark.django_db
DAY = date(2026, 11, 20)


def card(product: Product):
    return build_cards(read_cards_of([product.pk]))[0]


def test_what_a_card_says():
    product = make_product(
        "Ours boulanger",
        "89.00",
        category=make_category("dessins-animes", name_fr="Dessins Animés", colour="dessins-animes"),
        description_fr="Les miches sortent.\nLe reste.",
        featured=True,
        promotion_active=True,
        promotion_type="buy_2_get_1",
    )
    make_image(product, 2, alt_fr="De dos")
    make_image(product, 1, alt_fr="De face")
    make_image(product, 3)
    found = card(product)
    assert found.url == f"/produit/{product.pk}-ours-boulanger"
    assert (found.name, found.teaser) == ("Ours boulanger", "Les miches sortent.")
    assert (found.category, found.category_slug, found.colour) == (
        "Dessins Animés",
        "dessins-animes",
        "dessins-animes",
    )
    assert (found.price, found.price_to, found.original_price) == (Decimal("89.00"), None, None)
    assert (found.image.alt, found.second_image.alt, found.photo_count) == ("De face", "De dos", 3)
    assert (found.featured, found.available) == (True, True)
    assert (found.badge, found.stock_text) == ("2 ACHETÉS 1 OFFERT", "")
    assert (found.production_days_min, found.production_days_max, found.available_quantity) == (14, 28, None)


def test_a_card_without_photos():
    found = card(make_product())
    assert (found.image, found.second_image, found.photo_count) == (None, None, 0)


def test_a_card_is_in_the_visitors_language():
    product = make_product("Ours boulanger", name_en="Baker Bear", description_fr="Du pain.")
    with translation.override("en"):
        found = card(product)
    assert (found.name, found.url, found.teaser) == (
        "Baker Bear",
        f"/en/product/{product.pk}-baker-bear",
        "Du pain.",
    )


def test_several_prices_are_a_range_that_names_the_reduced_one():
    product = make_product(
        price="129.00", category=make_finish_category(), painted_price="129.00", unpainted_price="62.00"
    )
    Product.objects.update(crossed_out=Decimal("149.00"), reduced_price=Decimal("129.00"))
    found = card(product)
    assert (found.price, found.price_to) == (Decimal("62.00"), Decimal("129.00"))
    assert (found.original_price, found.reduced_price, found.badge) == (
        Decimal("149.00"),
        Decimal("129.00"),
        "PROMO",
    )
    shown = product_card(found).replace("\xa0", " ")
    assert "129,00 € au lieu de <s>149,00 €</s>" in shown
    assert '<span class="badge badge--promo card__promotion">PROMO</span>' in shown


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"stock_quantity": 1}, "Dernière pièce"),
        ({"stock_quantity": 2}, "Plus que 2 en stock"),
        ({"stock_quantity": 4}, ""),
        ({"stock_quantity": 1, "in_stock": False}, ""),
        ({}, ""),
    ],
)
def test_a_card_announces_the_last_units(fields, text):
    assert card(make_product(**fields)).stock_text == text


def test_a_single_price_shows_the_lawful_crossed_out_price():
    product = make_product(price="29.00", original_price="99.00")
    Product.objects.update(crossed_out=Decimal("35.00"))
    assert card(product).original_price == Decimal("35.00")


@pytest.mark.parametrize(
    ("fields", "available"),
    [({}, True), ({"stock_quantity": 1}, True), ({"stock_quantity": 0}, False), ({"in_stock": False}, False)],
)
def test_availability(fields, available):
    assert card(make_product(**fields)).available is available


def test_featured_products_newest_first():
    products = [make_product(f"Pièce {number}", featured=number != 2) for number in range(5)]
    make_product("Brouillon", featured=True, is_published=False)
    assert [found.id for found in featured_cards(limit=3)] == [products[4].pk, products[3].pk, products[1].pk]


def test_the_gallery_is_the_same_all_day_and_another_tomorrow():
    for number in range(24):
        make_image(make_product(f"Pièce {number}"))
    today = [found.id for found in daily_gallery(DAY)]
    assert len(today) == len(set(today)) == 6
    assert [found.id for found in daily_gallery(DAY)] == today
    others = [[found.id for found in daily_gallery(DAY + timedelta(days=days))] for days in range(1, 8)]
    assert today not in others
    assert len({pk for ids in others for pk in ids}) > 12


def test_a_new_product_leaves_the_others_in_their_place():
    for number in range(24):
        make_image(make_product(f"Pièce {number}"))
    before = [found.id for found in daily_gallery(DAY)]
    new = make_product("Nouvelle")
    make_image(new)
    after = [found.id for found in daily_gallery(DAY)]
    assert [pk for pk in after if pk != new.pk] == before[: len(after) - (new.pk in after)]


def test_products_with_a_photo_are_drawn_first():
    for number in range(10):
        product = make_product(f"Pièce {number}")
        if number % 2:
            make_image(product)
    gallery = daily_gallery(DAY)
    assert [found.image is not None for found in gallery] == [True] * 5 + [False]


def test_the_gallery_draws_no_sold_out_piece_while_there_are_others():
    for number in range(20):
        make_image(make_product(f"Pièce {number}", stock_quantity=number % 2))
    for day in range(9):
        gallery = daily_gallery(DAY + timedelta(days=day))
        assert [found.available for found in gallery] == [True] * 6


def test_the_gallery_goes_on_from_the_first_place_when_the_last_is_reached():
    """Every piece is shown on some day, those with the highest place beside those with the lowest."""
    pieces = [make_product(f"Pièce {number}", stock_quantity=int(number > 2)) for number in range(15)]
    for piece in pieces:
        make_image(piece)
    places = {piece.pk: (piece.pk * 40503) % 65536 for piece in pieces[3:]}
    ring = sorted(places, key=places.__getitem__)
    shown = {tuple(found.id for found in daily_gallery(DAY + timedelta(days=days))) for days in range(60)}
    assert shown == {tuple((ring + ring)[start : start + 6]) for start in range(len(ring))}


def test_a_small_shop_shows_what_it_has():
    product = make_product()
    make_product("Brouillon", is_published=False)
    assert [found.id for found in daily_gallery(DAY)] == [product.pk]


def test_similar_products_are_of_the_category_available_first_then_newest():
    category = make_category("bust")
    product = make_product("Ours", category=category)
    old = make_product("Ancien", category=category)
    sold_out = make_product("Épuisé", category=category, in_stock=False)
    new = make_product("Nouveau", category=category)
    other = make_product("Autre", category=make_category("mangas"))
    make_product("Brouillon", category=category, is_published=False)
    assert [found.id for found in similar_cards(product)] == [new.pk, old.pk, sold_out.pk, other.pk]


def test_the_row_of_similar_products_is_filled_from_the_nearest_categories():
    product = make_product("Ours", category=make_category("bust", position=4))
    far = make_product("Loin", category=make_category("mangas", position=1))
    collection = make_category("noel", kind=CategoryKind.COLLECTION, position=4)
    seasonal = make_product("Lutin", category=collection)
    near_category = make_category("chibi", position=5)
    near = make_product("Près", category=near_category)
    sold_out = make_product("Épuisé", category=near_category, in_stock=False)
    make_product("Brouillon", category=near_category, is_published=False)
    assert [found.id for found in similar_cards(product)] == [near.pk, sold_out.pk, far.pk, seasonal.pk]


def test_four_similar_products_at_most():
    category = make_category("bust")
    products = [make_product(f"Pièce {number}", category=category) for number in range(5)]
    assert [found.id for found in similar_cards(products[0])] == [
        products[4].pk,
        products[3].pk,
        products[2].pk,
        products[1].pk,
    ]


def test_products_picked_by_hand_come_first():
    category = make_category("bust")
    product, neighbour = make_product("Ours", category=category), make_product("Loup", category=category)
    picked = make_product("Choisi", category=make_category("mangas"))
    product.picked_similar.add(picked)
    assert [found.id for found in similar_cards(product)] == [picked.pk, neighbour.pk]
    assert [found.id for found in similar_cards(picked)] == [neighbour.pk, product.pk]


@pytest.mark.both_engines
def test_similar_products_cost_a_known_number_of_queries(django_assert_max_num_queries):
    category = make_category("bust")
    products = [make_product(f"Pièce {number}", category=category) for number in range(3)]
    # picked products, those of the category, of near categories, photos, variants; the shop's delay if not cached
    with django_assert_max_num_queries(6):
        similar_cards(products[0])


def test_a_product_photographed_in_both_finishes():
    assert finish_pair() is None
    category = make_finish_category()
    only_painted = make_product("Peinte", category=category, featured=True)
    make_image(only_painted, finish="painted")
    both = make_product("Les deux", category=category)
    make_image(both, 1, finish="unpainted", alt_fr="Grise")
    make_image(both, 2, finish="painted", alt_fr="Peinte")
    pair = finish_pair()
    found, painted, unpainted = pair.card, pair.photos.painted, pair.photos.unpainted
    assert (found.id, painted.alt, unpainted.alt) == (both.pk, "Peinte", "Grise")


def test_a_photo_removed_while_the_finishes_are_looked_for_leaves_no_pair(monkeypatch):
    product = make_product(category=make_finish_category())
    painted, _unpainted = make_image(product, 1, finish="painted"), make_image(product, 2, finish="unpainted")

    def images_without_it(keys):
        ProductImage.objects.filter(pk=painted.pk).delete()
        return images_of(keys)

    monkeypatch.setattr(cards, "images_of", images_without_it)
    assert finish_pair() is None


def test_categories_with_the_number_of_products_they_show():
    mangas = make_category("mangas", name_fr="Mangas", position=2, colour="mangas")
    make_category("bust", position=1)
    noel = make_category("noel", kind=CategoryKind.COLLECTION, title_fr="Collection Noël")
    make_product(category=mangas)
    make_product(category=mangas, in_stock=False)
    make_product(category=mangas, is_published=False)
    make_product(category=noel)
    found = listed_categories(with_collections=False)
    # Of two on sale one can be bought.
    assert [(item.slug, item.count, item.listed) for item in found] == [("bust", 0, 0), ("mangas", 1, 2)]
    assert (found[1].name, found[1].colour, found[1].url) == ("Mangas", "mangas", "/produits?category=mangas")
    assert [(item.slug, item.count, item.url, item.title) for item in collection_categories()] == [
        ("noel", 1, "/noel", "Collection Noël")
    ]


def test_the_title_of_a_page_is_the_name_when_none_was_written():
    make_category("bust", name_fr="Bustes")
    assert category_cards()[0].title == "Bustes"


def test_a_category_with_its_picture():
    category = make_category("bust", name_fr="Bustes")
    assert category_cards()[0].image is None
    CategoryPicture.objects.create(category=category, file="categories/a.jpg", width=100, height=80)
    assert (category_cards()[0].image.alt, category_cards()[0].image.width) == ("Bustes", 100)


def test_a_category_without_picture_shows_its_newest_piece_that_can_be_bought():
    category = make_category("bust", name_fr="Bustes")
    old, new, sold_out, _unphotographed = (
        make_product(name, category=category) for name in ("Ancien", "Neuf", "Épuisé", "Sans photo")
    )
    change_product(sold_out, in_stock=False)
    for piece in (old, new, sold_out):
        make_image(piece, 2)
        make_image(piece, 1)
    assert category_cards()[0].image.url == f"/media/products/{new.pk}-1.jpg"
    CategoryPicture.objects.create(category=category, file="categories/a.jpg", width=100, height=80)
    assert category_cards()[0].image.url == "/media/categories/a.jpg"


@pytest.mark.both_engines
def test_categories_cost_five_queries(django_assert_num_queries):
    for number in range(5):
        make_image(make_product(category=make_category(f"rayon-{number}")), 1)
    # their own pictures and newest pieces, the groups, the photos; outside of pages the rows are read twice
    with django_assert_num_queries(5):
        assert len(category_cards()) == 5


def test_a_collection():
    category = make_category("noel", kind=CategoryKind.COLLECTION)
    category.features.create(title_fr="Deuxième", text_fr="B", position=2)
    category.features.create(title_fr="Première", text_fr="A", position=1)
    [found] = collection_categories()
    assert (found.pk, found.count) == (category.pk, 0)
    assert collection_features(found) == [("Première", "A"), ("Deuxième", "B")]


def test_what_is_no_collection():
    make_category("mangas")
    assert collection_categories() == []
    assert category_key("unknown") is None
    assert category_key("mangas") == Category.objects.get(slug="mangas").pk
    assert Category.objects.count() == 1


def test_formats_make_a_range():
    product = make_product(price="69.00", category=make_category("figurines", offers_formats=True))
    make_variation(product, "Petite", price_adjustment="-20.00")
    make_variation(product, "Grande", price_override="119.00")
    found = card(product)
    assert (found.price, found.price_to) == (Decimal("49.00"), Decimal("119.00"))
