"""Settings of the shop, by subject. Every one has a default that works on a machine with nothing on it;
production sets those listed in ``.env.example``."""

from shop.settings.base import *  # noqa: F403
from shop.settings.security import *  # noqa: F403
from shop.settings.services import *  # noqa: F403
