"""Postcodes of territories: how they are written, which address is where."""

from dataclasses import replace

import pytest

from orders.pricing.territories import (
    PostcodeRange,
    PostcodesInvalid,
    Territory,
    VatPosition,
    find_place,
    normalise_postcode,
    parse_postcodes,
)

ISLAND = Territory("ISLAND", "FR", "FR", parse_postcodes("97"), VatPosition.OUTSIDE, in_customs_area=True)


@pytest.mark.parametrize(
    "text",
    [
        *("97-9", "978-971", "9,,7_1", "971--974", "é!", "-971", "971-", "971-978-984"),
        # In order, but not equally long; or with a sign on one side alone.
        *("97-978", "9 1-978", "971-9_8"),
    ],
)
def test_postcodes_that_make_no_sense_are_refused(text):
    with pytest.raises(PostcodesInvalid):
        parse_postcodes(text)


def test_postcodes_are_beginnings_and_ranges():
    ranges = parse_postcodes(" 971-978 ,984,bt")
    assert [(each.first, each.last) for each in ranges] == [("971", "978"), ("984", "984"), ("BT", "BT")]
    assert parse_postcodes("971-971") == (PostcodeRange("971", "971"),)
    assert parse_postcodes("") == ()


@pytest.mark.parametrize(
    ("postcode", "matches"),
    [("10000", True), ("20999", True), ("09999", False), ("21000", False), ("15", True), ("2", False)],
)
def test_a_range_holds_what_begins_with_its_ends_or_between_them(postcode, matches):
    assert PostcodeRange("10", "20").matches(postcode) is matches


@pytest.mark.parametrize(
    ("first", "last", "overlaps"),
    [
        ("978", "979", True),
        ("970", "971", True),
        ("972", "973", True),
        ("979", "980", False),
        ("960", "970", False),
        # The longer beginning wins over a shorter one, so that both may stand.
        ("96", "98", False),
        ("9720", "9729", False),
    ],
)
def test_ranges_overlap_where_a_postcode_would_match_both_equally_well(first, last, overlaps):
    ranges = PostcodeRange("971", "978"), PostcodeRange(first, last)
    assert ranges[0].overlaps(ranges[1]) is overlaps
    assert ranges[1].overlaps(ranges[0]) is overlaps


@pytest.mark.parametrize("order", [1, -1])
def test_the_longest_beginning_that_matches_counts(order):
    both = replace(ISLAND, code="BOTH", postcodes=parse_postcodes("9,9741"))
    found = {
        postcode: find_place("FR", postcode, [ISLAND, both][::order]).territory
        for postcode in ("97400", "97410", "90000", "10000")
    }
    assert found == {"97400": "ISLAND", "97410": "BOTH", "90000": "BOTH", "10000": ""}


@pytest.mark.parametrize("order", [1, -1])
def test_the_whole_of_a_country_comes_last(order):
    whole = replace(ISLAND, code="WHOLE", postcodes=())
    letter = replace(ISLAND, code="LETTER", postcodes=parse_postcodes("9"))
    territories = [whole, letter][::order]
    assert find_place("FR", "90000", territories).territory == "LETTER"
    assert find_place("FR", "10000", territories).territory == "WHOLE"


def test_a_country_of_its_own_is_its_territory_without_a_postcode():
    island = replace(ISLAND, country="RE")
    assert find_place("RE", "", [island]).territory == "ISLAND"
    assert find_place("FR", "", [island]).territory == ""
    assert find_place("GP", "97400", [island]).territory == ""


@pytest.mark.parametrize(
    ("text", "postcode"),
    [
        ("ax- 22 100", "22100"),
        ("FR-F-97400", "97400"),
        ("BT1 1AA", "BT11AA"),
        ("9-7-4-0-0", "97400"),
        ("", ""),
    ],
)
def test_the_sign_of_a_country_is_no_part_of_a_postcode(text, postcode):
    assert normalise_postcode(text) == postcode
