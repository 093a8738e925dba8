import pytest

from shop.core.row_keys import read_key, read_keys


@pytest.mark.parametrize(("text", "key"), [("7", 7), ("007", 7), ("0", 0), ("9" * 18, 10**18 - 1)])
def test_reads_a_key(text, key):
    assert read_key(text) == key


@pytest.mark.parametrize("text", ["", "-7", "+7", " 7", "7.0", "1_000", "٧", "²", "x", "9" * 19, "9" * 5000])
def test_anything_else_is_none(text):
    assert read_key(text) is None


def test_the_keys_among_texts_keep_their_order():
    assert read_keys(["3", "x", "", "1", "9" * 400, "3"]) == [3, 1, 3]
