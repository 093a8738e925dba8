"""Settings of the shop, by subject. Every one has a default that works on a machine with nothing on it;
production sets those listed in ``.env.example``."""

import gc

# What is loaded from here on stays: looking through it over and over takes a seventh of a start. `shop.core`, which
# whoever reads these settings loads, turns it on again.
gc.disable()

from shop.settings.base import *  # noqa: E402, F403
from shop.settings.security import *  # noqa: E402, F403
from shop.settings.services import *  # noqa: E402, F403
