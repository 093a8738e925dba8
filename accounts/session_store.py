"""Where sessions are stored: Django's table, with one query less for a new one."""

from django.contrib.sessions.backends.base import VALID_KEY_CHARS
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.utils.crypto import get_random_string


class SessionStore(DatabaseStore):
    """Django's, named as its own, which signs what it stores with the name."""

    def _get_new_session_key(self) -> str:
        # `create` inserts under it, and takes another one if it is not the first: there is nothing to ask before.
        return get_random_string(32, VALID_KEY_CHARS)
