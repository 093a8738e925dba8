"""Settings of the tests: those of the shop, on a folder that is thrown away and without the developer's own
environment. ``TEST_DATABASE_URL`` runs the same tests on PostgreSQL."""

import atexit
import os
import shutil
import tempfile

_folder = tempfile.mkdtemp(prefix="shop-tests-")
atexit.register(shutil.rmtree, _folder, ignore_errors=True)

# Also hides what a .env file says: what is set here, even to nothing, wins over it.
os.environ.update(
    {
        "DATA_DIR": _folder,
        "DATABASE_URL": os.environ.get("TEST_DATABASE_URL", ""),
        "DEBUG": "true",
        "STAFF_SECOND_FACTOR": "false",
        "PORT": "8000",
        "SECRET_KEY": "the-tests-sign-with-this-key-which-opens-nothing-else",
        "TRUSTED_PROXIES": "0",
        **dict.fromkeys(
            (
                *(
                    "REDIS_URL",
                    "EMAIL_URL",
                    "MEDIA_S3_URL",
                    "MEDIA_PUBLIC_URL",
                    "BACKUP_URL",
                    "BACKUP_RECIPIENTS",
                    "ANALYTICS_ID",
                    "PIXEL_ID",
                ),
                *(
                    "STRIPE_SECRET_KEY",
                    "STRIPE_WEBHOOK_SECRET",
                    "STRIPE_WEBHOOK_SECRET_OLD",
                    "STRIPE_API_BASE",
                ),
            ),
            "",
        ),
    }
)
for _name in ("ALLOWED_HOSTS", "SITE_URL", "CSRF_TRUSTED_ORIGINS", "ADMIN_PATH", "SECRET_KEY_FALLBACKS"):
    os.environ.pop(_name, None)

from shop.settings import *  # noqa: E402, F403

# WhiteNoise warns when it finds no folder to serve.
STATIC_ROOT.mkdir()  # noqa: F405

# Passwords of tests protect nothing: the real hasher would take most of the run.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# Tests change rows behind the services' backs; those of cached pages switch them on.
PAGE_CACHE_SECONDS = 0
FRAGMENT_CACHE_SECONDS = 0

# Tests write what was counted themselves.
STATISTICS_WRITE_SECONDS = 0

# A machine that is busy must not fail tests: that waiting has an end has tests of its own.
REQUEST_SECONDS = dict.fromkeys(("page", "request"), 60.0)
if "postgresql" in DATABASES["default"]["ENGINE"]:  # noqa: F405
    DATABASES["default"]["OPTIONS"]["options"] = "-c lock_timeout=60000"  # noqa: F405
    DATABASES["default"]["OPTIONS"]["pool"]["timeout"] = 60  # noqa: F405
else:
    DATABASES["default"]["OPTIONS"]["timeout"] = 20  # noqa: F405
