"""3D models of products: service, page, media, demonstration, administration."""

from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from catalog.demo import loader
from catalog.models import ProductModel
from catalog.services.models3d import delete_product_model, set_product_model
from catalog.services.products import delete_product
from catalog.tests.factories import make_product
from shop.core.problems import Problem

pytestmark = pytest.mark.django_db
MODELS = Path(loader.FOLDER) / "models"


@pytest.fixture(autouse=True)
def storage(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


def give(product, name="golem-de-poche") -> ProductModel:
    with (MODELS / f"{name}.glb").open("rb") as file, (MODELS / f"{name}.jpg").open("rb") as poster:
        return set_product_model(
            product=product, file=file, name=f"{name}.glb", poster=poster, poster_name="p.jpg"
        )


def test_a_product_page_offers_its_model(client, django_assert_max_num_queries):
    product = make_product("Golem de poche")
    row = give(product)
    # product with category and model, variations, photos, prices over time, similar products and their photos,
    # the shop's settings, countries where delivery stops; delivery line in the header
    with django_assert_max_num_queries(10):
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
    response = client.get(f"/media/{row.model_file.name}")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "model/gltf-binary"
    assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert response.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert b"".join(response.streaming_content)[:4] == b"glTF"


def test_another_model_takes_the_place_of_the_first(django_capture_on_commit_callbacks):
    product = make_product("Golem de poche")
    first = give(product)
    with django_capture_on_commit_callbacks(execute=True):
        second = give(product, "ours-boulanger")
    assert ProductModel.objects.get(product=product).pk == second.pk
    assert not default_storage.exists(first.model_file.name)
    assert not default_storage.exists(first.file.name)
    assert default_storage.exists(second.model_file.name)


@pytest.mark.parametrize(("file", "poster"), [("p.jpg", "p.jpg"), ("m.glb", "m.glb")])
def test_a_refused_file_changes_nothing(file, poster):
    product = make_product("Golem de poche")
    kept = give(product)
    before = {path for path in Path(default_storage.location).rglob("*") if path.is_file()}
    with (MODELS / "golem-de-poche.jpg").open("rb") as picture:
        model = (MODELS / "golem-de-poche.glb").open("rb")
        with model, pytest.raises(Problem):
            set_product_model(
                product=product,
                file=model,
                name=file,
                poster=model if poster.endswith("glb") else picture,
                poster_name=poster,
            )
    assert ProductModel.objects.get(product=product).pk == kept.pk
    assert {path for path in Path(default_storage.location).rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("remove", [delete_product_model, delete_product])
def test_files_go_with_the_model(remove, django_capture_on_commit_callbacks):
    product = make_product("Golem de poche")
    row = give(product)
    with django_capture_on_commit_callbacks(execute=True):
        remove(product=product)
    assert not ProductModel.objects.exists()
    assert not default_storage.exists(row.model_file.name)
    assert not default_storage.exists(row.file.name)


def test_removing_a_model_that_is_not_there():
    delete_product_model(product=make_product("Golem de poche"))
    assert not ProductModel.objects.exists()


def test_the_demonstration_has_three_models():
    loader.load_catalogue()
    assert sorted(ProductModel.objects.values_list("product__external_id", flat=True)) == [
        "demo:golem-de-poche",
        "demo:ours-boulanger",
        "demo:veilleuse-des-bois",
    ]


def test_staff_add_and_remove_a_model(client):
    product = make_product("Golem de poche")
    client.force_login(get_user_model().objects.create_superuser("chef@example.com", password="x"))
    address = reverse("admin:catalog_product_change", args=[product.pk])
    form = client.get(address).context["adminform"].form
    data = {name: value for name, value in form.initial.items() if value is not None}
    data["picked_similar"] = []
    data["created_at_0"], data["created_at_1"] = "2026-01-01", "10:00:00"
    for prefix in ("images", "variations", "model_3d"):
        data |= {f"{prefix}-TOTAL_FORMS": "0", f"{prefix}-INITIAL_FORMS": "0"}
    data["model_3d-TOTAL_FORMS"] = "1"
    upload = SimpleUploadedFile("piece.glb", (MODELS / "golem-de-poche.glb").read_bytes())
    alone = client.post(address, {**data, "model_3d-0-upload": upload})
    assert "Le modèle et son image d&#x27;attente vont ensemble." in alone.content.decode()
    assert not ProductModel.objects.exists()

    upload = SimpleUploadedFile("piece.glb", (MODELS / "golem-de-poche.glb").read_bytes())
    poster = SimpleUploadedFile("piece.jpg", (MODELS / "golem-de-poche.jpg").read_bytes())
    saved = client.post(address, {**data, "model_3d-0-upload": upload, "model_3d-0-poster": poster})
    assert saved.status_code == 302
    assert ProductModel.objects.get().product_id == product.pk
