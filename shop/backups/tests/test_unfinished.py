"""What a restore that was killed has left is opened by nobody."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.db.backends.signals import connection_created

from shop.backups.unfinished import REFUSAL, begin_restore, end_restore, refuse_unfinished

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]


def listens() -> bool:
    """Whether the next connection is looked at; looks no more."""
    return bool(connection_created.disconnect(refuse_unfinished))


def test_database_of_a_restore_that_broke_off_opens_for_nobody_until_one_has_ended() -> None:
    begin_restore()
    try:
        assert not listens(), "the restore itself opens it"
        connection_created.connect(refuse_unfinished)
        for _again in range(2):
            connection.close()
            with pytest.raises(OperationalError) as refusal, connection.cursor():
                pass
            assert str(refusal.value) == REFUSAL
            assert connection.connection is None
    finally:
        connection_created.disconnect(refuse_unfinished)
        end_restore()
    connection_created.connect(refuse_unfinished)
    connection.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert not listens(), "one good connection was enough"
