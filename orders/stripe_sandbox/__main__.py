"""``python -m orders.stripe_sandbox``: starts the sandbox. Each option has an environment variable."""

from __future__ import annotations

import argparse
import os
import sys

import environ

from orders.stripe_sandbox.configuration import PROJECT_DIR, ConfigurationRefused, configuration

OPTIONS = {
    "--host": ("STRIPE_SANDBOX_HOST", "address to listen on (127.0.0.1)"),
    "--port": ("STRIPE_SANDBOX_PORT", "port to listen on (12111)"),
    "--public-url": ("STRIPE_SANDBOX_PUBLIC_URL", "how browsers reach it (http://127.0.0.1:PORT)"),
    "--data-dir": ("DATA_DIR", "folder of its database (var/)"),
    "--webhook-url": ("STRIPE_SANDBOX_WEBHOOK_URL", "where events are sent; empty: nowhere"),
    "--webhook-kinds": ("STRIPE_SANDBOX_WEBHOOK_KINDS", "kinds that are sent, by commas; empty: all"),
    "--secret-key": ("STRIPE_SECRET_KEY", "the sk_test_ key that callers must show"),
    "--webhook-secret": ("STRIPE_WEBHOOK_SECRET", "the whsec_ secret that events are signed with"),
}


def main() -> int:
    """Exit code 2 with one clear sentence when the sandbox must not or cannot start."""
    parser = argparse.ArgumentParser(prog="python -m orders.stripe_sandbox", description=__doc__)
    for option, (variable, text) in OPTIONS.items():
        parser.add_argument(option, dest=variable, help=f"{text}, or {variable}")
    # What the shop reads too, so that DEBUG=off written there is seen here.
    environ.Env.read_env(PROJECT_DIR / ".env")
    os.environ.update({name: value for name, value in vars(parser.parse_args()).items() if value is not None})
    os.environ["DJANGO_SETTINGS_MODULE"] = "orders.stripe_sandbox.settings"
    try:
        configuration()
    except ConfigurationRefused as refusal:
        print(refusal, file=sys.stderr)  # noqa: T201
        return 2
    import django

    django.setup()
    from orders.stripe_sandbox.server import serve

    serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
