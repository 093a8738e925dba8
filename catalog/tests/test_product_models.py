"""3D models of products: service, page, media, demonstration, administration."""

from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from catalog.demo import loader
from catalog.models import ProductModel, RetiredPicture
from catalog.services.media import delete_product_model, set_product_model, store_model
from catalog.services.products import delete_product
from catalog.tests.factories import make_product
from shop.core import images
from shop.core.file_storage import STAYS, delete_discarded_files
from shop.core.images import store_shipped_image
from shop.core.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]
MODELS = Path(loader.FOLDER) / "models"
DRACO = str(Path(__file__).parents[2] / "shop" / "core" / "tests" / "draco.glb")


def give(product, name="golem-de-poche") -> ProductModel:
    with (MODELS / f"{name}.glb").open("rb") as file:
        model = store_model(file=file, name=f"{name}.glb")
    poster = store_shipped_image(MODELS / f"{name}.jpg", "models")
    return set_product_model(product=product, model=model, poster=poster)


@pytest.mark.both_engines
def test_a_product_page_offers_its_model(client, django_assert_max_num_queries):
    product = make_product("Golem de poche")
    row = give(product)
    # product with category and model, variants, photos, promotions, prices over time, similar products, those of near
    # categories (none, so no photos of them), reviews, the shop's settings, countries where delivery stops: 10; for
    # dates and again for installments (fragments are not cached here) zones with weight steps, territories, closures:
    # 6; closure, delivery line (zones and rates), menu and season in the header: 5
    with django_assert_max_num_queries(21):
        html = client.get(f"/produit/{product.pk}-golem-de-poche").content.decode()
    assert f'data-model="/media/{row.model_file.name}"' in html
    assert 'data-label="Golem de poche en trois dimensions"' in html
    assert "Voir en 3D" in html
    assert f'src="/media/{row.file.name}"' in html


def test_a_product_page_without_a_model_says_nothing_of_it(client):
    product = make_product("Golem de poche")
    html = client.get(f"/produit/{product.pk}-golem-de-poche").content.decode()
    assert "model-viewer" not in html
    assert "Voir en 3D" not in html


def test_a_model_is_served_for_ever_as_what_it_is(client):
    row = give(make_product("Golem de poche"))
    folder, _, file = row.model_file.name.partition("/")
    assert (folder, len(file), file[-4:]) == ("models", 36, ".glb")
    assert row.model_bytes == default_storage.size(row.model_file.name)
    response = client.get(f"/media/{row.model_file.name}")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "model/gltf-binary"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert b"".join(response.streaming_content)[:4] == b"glTF"


def test_another_model_takes_the_place_of_the_first():
    product = make_product("Golem de poche")
    first = give(product)
    second = give(product, "ours-boulanger")
    assert delete_discarded_files(timezone.now() + STAYS)
    assert ProductModel.objects.get(product=product).pk == second.pk
    assert not default_storage.exists(first.model_file.name)
    # The poster goes like every picture: a day later, if no order shows it.
    assert RetiredPicture.objects.get().file == first.file.name
    assert default_storage.exists(second.model_file.name)


@pytest.mark.parametrize(
    ("file", "poster", "message"),
    [
        ("golem-de-poche.jpg", "golem-de-poche.jpg", "Type de fichier non supporté"),
        ("golem-de-poche.glb", "golem-de-poche.glb", "Type de fichier non supporté"),
        (DRACO, "golem-de-poche.jpg", "sans Draco ni KTX2"),
    ],
)
def test_a_refused_file_changes_nothing(client, file, poster, message):
    product = make_product("Golem de poche")
    kept = give(product)
    before = {path for path in Path(default_storage.location).rglob("*") if path.is_file()}
    answer = save_product(client, product, file, poster)
    assert (answer.status_code, message in answer.content.decode()) == (400, True)
    assert ProductModel.objects.get(product=product).pk == kept.pk
    assert delete_discarded_files(timezone.now() + STAYS)
    assert {path for path in Path(default_storage.location).rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("remove", [delete_product_model, delete_product])
def test_files_go_with_the_model(remove):
    product = make_product("Golem de poche")
    row = give(product)
    remove(product=product)
    assert delete_discarded_files(timezone.now() + STAYS)
    assert not ProductModel.objects.exists()
    assert not default_storage.exists(row.model_file.name)
    assert RetiredPicture.objects.get().file == row.file.name


def test_removing_a_model_that_is_not_there():
    delete_product_model(product=make_product("Golem de poche"))
    assert not ProductModel.objects.exists()


def address_of(product) -> str:
    return f"/admin/produits/{product.pk}/modele-3d"


def save_product(client, product, file, poster="", seen=None, **values):
    client.force_login(get_user_model().objects.create_superuser("chef@example.com", password="x"))
    row = ProductModel.objects.filter(product=product).first()
    shown = (row.model_file.name if row else "") if seen is None else seen
    files = {
        field: SimpleUploadedFile(name, (MODELS / name).read_bytes())
        for field, name in (("upload", file), ("poster", poster))
        if name
    }
    return client.post(address_of(product), {"seen": shown, **files, **values})


@pytest.mark.parametrize(("file", "poster"), [("golem-de-poche.glb", ""), ("", "golem-de-poche.jpg")])
def test_a_model_and_its_poster_come_together(client, file, poster):
    alone = save_product(client, make_product("Golem de poche"), file, poster)
    assert "Le modèle et son image d&#x27;attente vont ensemble." in alone.content.decode()
    assert not ProductModel.objects.exists()


def test_staff_add_a_model_and_each_file_is_read_once(client, monkeypatch):
    decoded = []
    draw_all = images.draw_all
    monkeypatch.setattr(images, "draw_all", lambda sent: decoded.append(len(sent)) or draw_all(sent))
    product = make_product("Golem de poche")
    assert save_product(client, product, "golem-de-poche.glb", "golem-de-poche.jpg").status_code == 302
    row = ProductModel.objects.get()
    assert row.product_id == product.pk
    assert decoded == [1]
    assert AuditEntry.objects.get(action="product.model_changed").after == {"model_3d": row.model_bytes}
    assert "Remplacer" in client.get(address_of(product)).content.decode()


def test_staff_remove_a_model(client):
    product = make_product("Golem de poche")
    give(product)
    assert save_product(client, product, "", action="remove").status_code == 302
    assert not ProductModel.objects.exists()


@pytest.mark.parametrize("values", [{}, {"action": "remove"}])
def test_a_model_that_somebody_changed_meanwhile_stays(client, values):
    product = make_product("Golem de poche")
    kept = give(product)
    answer = save_product(
        client, product, "golem-de-poche.glb", "golem-de-poche.jpg", seen="models/old.glb", **values
    )
    page = answer if answer.status_code == 400 else client.get(answer["Location"])
    assert "a changé le modèle entre-temps" in page.content.decode()
    assert ProductModel.objects.get().pk == kept.pk
