"""What does not exist is answered with the shop's own page, in development and in production."""

import pytest

from orders.tests.factories import make_finished_product

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.parametrize(
    "address",
    ["/inconnu", "/de/unbekannt", "/produits?page=99", "/commande/6f0cbb3a-1c41-4df1-9a7e-7a7d1d3e5a10"],
)
def test_an_unknown_address_gets_the_shops_page(client, settings, debug, address):
    settings.DEBUG = debug
    answer = client.get(address)
    assert answer.status_code == 404
    own = "errors/404-order.html" if address.startswith("/commande") else "errors/404.html"
    assert answer.templates[0].name == own
    assert "Traceback" not in answer.content.decode()


@pytest.mark.parametrize("address", ["/avis/demander", "/de/newsletter/anfordern", "/auth/deconnexion"])
def test_an_address_that_takes_forms_alone_gets_the_shops_page(client, address):
    answer = client.get(address)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "errors/404.html" in [template.name for template in answer.templates]
    # It is no page in another language either.
    assert 'href="/en" hreflang="en"' in answer.content.decode()


@pytest.mark.parametrize("debug", [True, False])
def test_an_unknown_call_gets_a_problem(client, settings, debug):
    settings.DEBUG = debug
    answer = client.get("/api/inconnu")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "address", ["/api/vitals", "/api/statistics/events", "/api/client-errors", "/webhooks/stripe"]
)
def test_a_call_by_a_method_that_it_has_not_gets_a_problem(client, address):
    answer = client.get(address, headers={"accept-language": "fr"})
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json() == {
        "type": "about:blank",
        "title": "Méthode refusée",
        "status": 405,
        "detail": "Cette méthode n'est pas acceptée ici.",
        "code": "method_not_allowed",
    }


def test_a_shared_link_keeps_its_finish_when_the_piece_was_renamed(client):
    product = make_finished_product("Hibou")
    answer = client.get(f"/produit/{product.pk}-ancien-nom?finition=unpainted")
    assert (answer.status_code, answer["Location"]) == (
        301,
        f"/produit/{product.pk}-hibou?finition=unpainted",
    )
