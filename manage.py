#!/usr/bin/env python
"""Django's command line for the shop."""

import os
import sys
from pathlib import Path

import environ


def choose_debug() -> None:
    """Turn DEBUG on where nothing says whether this is a server: a server names its secret, a fresh clone has none.

    `run_shop` is the demonstration unless DEBUG=false is said outright.
    """
    environ.Env.read_env(Path(__file__).resolve().parent / ".env")
    if not os.environ.get("SECRET_KEY") or sys.argv[1:2] == ["run_shop"]:
        os.environ.setdefault("DEBUG", "true")


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "shop.settings")
    choose_debug()
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        # The first look loads them: what they refuse is told in its one sentence.
        _ = settings.DEBUG
    except ImproperlyConfigured as error:
        sys.exit(str(error))
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
