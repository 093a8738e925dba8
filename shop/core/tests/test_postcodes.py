"""Postcodes by country: refused where the rule is certain, doubted elsewhere."""

import pytest

from shop.core.postcodes import needs_postcode, postcode_error, postcode_notice

INVALID_FR = "Ce code postal n'existe pas dans ce pays. Exemple\u00a0: 33380."
DOUBT = "Ce code postal est inhabituel pour ce pays. Vérifiez-le, vous pouvez continuer."


@pytest.mark.parametrize(
    ("country", "postcode"),
    [("FR", "75001"), ("FR", "75 001"), ("FR", "97400"), ("RE", "97400"), ("CH", "1204"), ("DE", "10115"),
     ("PL", "00-950"), ("PL", "00950"), ("PT", "2725-079"), ("PT", "2725079"), ("LV", "LV-1073"), ("LV", "1073"),
     ("LV", "lv1073"), ("GB", "sw1a 1aa"), ("GB", "SW1A1AA"), ("NL", "1234ab"), ("SE", "114 55"), ("AX", "AX-22150"),
     ("US", "95014-1234"), ("IE", ""), ("HK", ""), ("ZZ", "whatever"), ("LI", "9490"), ("CA", "h3z2y7"),
     ("DE", "D-50667"), ("AT", "a-1010"), ("FR", "F-67 000"), ("LU", "L-1930"), ("SE", "S-114 55")],
)  # fmt: skip
def test_a_postcode_as_people_write_it_passes(country, postcode):
    assert postcode_error(country, postcode) == ""
    assert postcode_notice(country, postcode) == ""


@pytest.mark.parametrize("postcode", ["ABCDE", "7500", "750011", "٧٥٠٠١", "FR97400", "75-0a1"])
def test_a_french_postcode_that_can_t_be_is_refused(postcode):
    assert postcode_error("FR", postcode) == INVALID_FR
    assert postcode_notice("FR", postcode) == ""


@pytest.mark.parametrize(
    ("country", "postcode"),
    [("CH", "69003"), ("RE", "75001"), ("DE", "1011"), ("AX", "00100"), ("DE", "F-67000")],
)
def test_a_postcode_of_another_country_is_refused(country, postcode):
    assert postcode_error(country, postcode).startswith("Ce code postal n'existe pas dans ce pays.")


def test_where_the_rule_is_not_certain_it_only_warns():
    assert postcode_error("BR", "12") == ""
    assert postcode_notice("BR", "12") == DOUBT


def test_a_postcode_is_asked_for_where_addresses_have_one():
    assert [needs_postcode(country) for country in ("FR", "DE", "GB", "SG", "IE", "HK", "ZZ", "")] == [
        True, True, True, True, False, False, False, False,
    ]  # fmt: skip
    assert postcode_error("FR", " ") == "Saisissez le code postal."
