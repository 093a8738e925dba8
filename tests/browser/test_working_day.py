"""What tells most of a working day: by a thumb, then by keys alone. All sixteen tasks: `tests/load/working_day.py`."""

import json

import pytest

from tests.browser import working_day
from tests.browser.accessibility import violations
from tests.browser.hands import Keys, Thumb
from tests.browser.people import sign_in_as_admin

pytestmark = pytest.mark.browser

# The most that each may take.
BY_THUMB = (
    (working_day.move_on_board, 3),
    (working_day.photograph, 8),
    (working_day.ship_ten, 7),
)
BY_KEYS = (
    (working_day.moderate_review, 14),
    (working_day.correct_address, 60),
    (working_day.find_by_tracking, 3),
)


def test_a_piece_is_moved_photographed_and_ten_orders_leave(new_page, shop, snap, tmp_path):
    printed = shop.manage(
        "shell", "--no-imports", "-c", "from tests.browser.day_data import print_morning; print_morning('ci')"
    )
    morning = {
        **json.loads(printed.splitlines()[-1]),
        "way": "ci",
        "photo": working_day.photo_file(tmp_path),
        "password": shop.password,
    }
    for kind, tasks in ((Thumb, BY_THUMB), (Keys, BY_KEYS)):
        page = new_page(width=kind.width)
        sign_in_as_admin(page, shop)
        for do, most in tasks:
            hands = kind(page)
            working_day.home(hands)
            do(hands, morning)
            assert hands.steps <= most, f"{do.__name__} takes {hands.steps} steps"
        assert violations(page) == []
    [(message,)] = shop.rows(
        "SELECT count(*) FROM core_outgoingmail WHERE kind = 'piece_photo' AND language = 'fr'"
    )
    assert message == 1
