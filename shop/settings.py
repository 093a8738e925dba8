"""Settings of the shop. Every one has a default that works on a machine with nothing on it;
production sets those listed in ``.env.example``."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import django_stubs_ext
import environ
from csp.constants import NONE, SELF

from shop.core.country import HOME_COUNTRY
from shop.data_dir import open_data_dir, stored_secret
from shop.loopback import refuse_public_debug

# Lets Django's generic classes be written with their type at run time, as the type checker reads them.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
environ.Env.read_env(BASE_DIR / ".env")

# --- Where things are kept -------------------------------------------------------------------------
DATA_DIR = open_data_dir(Path(env.str("DATA_DIR", default=str(BASE_DIR / "var"))).resolve())
QUEUE_DIR = DATA_DIR / "queue"

# --- The machine -----------------------------------------------------------------------------------
# A development machine or the demonstration, which `manage.py` sets where nothing says otherwise. Never a public shop.
DEBUG = env.bool("DEBUG", default=False)
PORT = env.int("PORT", default=8000)
# Production must name its secret: with DEBUG off an empty one stops the start.
SECRET_KEY = env.str("SECRET_KEY", default="") or (stored_secret(DATA_DIR / "secret-key") if DEBUG else "")
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"] if DEBUG else [])
SITE_URL = env.str("SITE_URL", default=f"http://localhost:{PORT}" if DEBUG else "").rstrip("/")
if DEBUG:
    refuse_public_debug(allowed_hosts=ALLOWED_HOSTS, site_url=SITE_URL)
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[SITE_URL] if SITE_URL else [])
ADMIN_PATH = env.str("ADMIN_PATH", default="gestion/").strip("/") + "/"
# How many reverse proxies stand before the shop: client addresses are read from X-Forwarded-For only then.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
APPEND_SLASH = False
# With DEBUG too, visitors see the shop's own error pages; the traceback is in the log.
DEFAULT_EXCEPTION_REPORTER = "shop.core.errors.PageReporter"
ROOT_URLCONF = "shop.urls"
WSGI_APPLICATION = "shop.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [
    "modeltranslation",
    "shop.apps.ShopAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "django_countries",
    "csp",
    "allauth",
    "allauth.account",
    "shop.core",
    "accounts",
    "catalog",
    "orders",
    "shop.pages",
]

MIDDLEWARE = [
    "shop.core.health.HealthMiddleware",
    "shop.core.deadlines.DeadlineMiddleware",
    "shop.core.public_pages.PublicPageMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "shop.core.middleware.TrailingSlashMiddleware",
    "shop.pages.middleware.RedirectMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "shop.core.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.middleware.StaffSessionMiddleware",
    "accounts.middleware.MemberCookieMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "shop.core.middleware.NotFoundMiddleware",
    "shop.core.middleware.OutageMiddleware",
]

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "shop.core.context_processors.shop",
            ],
            # Django's date filter, with French ordinals.
            "builtins": ["shop.core.templatetags.dates"],
        },
    },
]

# --- Time limits ------------------------------------------------------------------------------------
# What all calls of other servers within one request may take together, in seconds; docs/operator.md lists them.
REQUEST_SECONDS: dict[str, float] = {"page": 1.5, "request": 11.0}

# --- Database --------------------------------------------------------------------------------------
_database_url = env.str("DATABASE_URL", default="")
# How long a statement may run. Only a migration of a large table needs more.
DATABASE_STATEMENT_SECONDS = env.int("DATABASE_STATEMENT_SECONDS", default=15)
DATABASES: dict[str, dict[str, Any]]
if _database_url:
    DATABASES = {"default": dict(environ.Env.db_url_config(_database_url))}
    DATABASES["default"].setdefault("OPTIONS", {})
    if "postgresql" in DATABASES["default"]["ENGINE"]:
        DATABASES["default"]["ENGINE"] = "shop.core.postgresql"
        _options = DATABASES["default"]["OPTIONS"]
        # A connection pool a process. Opening a connection is tried again when somebody asks for one, not for minutes.
        _options.setdefault("pool", {"min_size": 0, "max_size": 8, "timeout": 4, "reconnect_timeout": 1})
        _options.setdefault("connect_timeout", 2)
        # A server that went without a word: its machine is asked after 5 s, and given up 4 s later.
        for _name, _value in {
            "keepalives_idle": 5,
            "keepalives_interval": 2,
            "keepalives_count": 2,
            "tcp_user_timeout": 9000,
        }.items():
            _options.setdefault(_name, _value)
        # A lock that is not had in 3 s is an error page, not a full pool.
        _options.setdefault(
            "options",
            f"-c lock_timeout=3000 -c statement_timeout={DATABASE_STATEMENT_SECONDS * 1000}"
            " -c idle_in_transaction_session_timeout=30000",
        )
else:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": DATA_DIR / "shop.sqlite3",
            # A thread keeps its connection: opening one costs more than most pages' queries.
            "CONN_MAX_AGE": None,
            "OPTIONS": {
                # Writers queue instead of failing when a read transaction turns into a write.
                "transaction_mode": "IMMEDIATE",
                "timeout": 5,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
            },
        }
    }

# --- Cache and background work ---------------------------------------------------------------------
REDIS_URL = env.str("REDIS_URL", default="")
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "shop.core.caches.TolerantRedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 5000}},
    # Seen by every process of the machine: tells that what public pages show has changed.
    "shared": {"BACKEND": "shop.core.caches.TolerantRedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {
        "BACKEND": "shop.core.caches.TolerantFileBasedCache",
        "LOCATION": str(DATA_DIR / "cache"),
    },
}
# How long a public page is kept at most; 0 makes every page anew.
PAGE_CACHE_SECONDS = env.int("PAGE_CACHE_SECONDS", default=60)
# The same for the pieces that pages are made of: cards, header, footer, what a product's page shows.
PIECE_CACHE_SECONDS = env.int("PIECE_CACHE_SECONDS", default=60)

CELERY_BROKER_URL = REDIS_URL or "folder://localhost/"
# Publishing is tried once: rows are the truth, and jobs find what a lost message should have started.
REDIS_OPTIONS_OF_REQUESTS: dict[str, Any] = {
    "visibility_timeout": 3600,
    "socket_connect_timeout": 0.25,
    "socket_timeout": 0.25,
    "max_retries": 0,
}
# Processes that wait for messages: a read that gets no answer is noticed after `health_check_interval` and a second.
REDIS_OPTIONS_OF_WORKERS: dict[str, Any] = {
    "socket_connect_timeout": 2,
    "socket_timeout": 5,
    "health_check_interval": 3,
}
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = (
    REDIS_OPTIONS_OF_REQUESTS
    if REDIS_URL
    else {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "control_folder": str(QUEUE_DIR / "control"),
        "polling_interval": 0.5,
    }
)
if not REDIS_URL:
    (QUEUE_DIR / "messages").mkdir(parents=True, exist_ok=True)
    (QUEUE_DIR / "control").mkdir(parents=True, exist_ok=True)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# For ever: a worker that gave up after an outage of an hour would have to be started by somebody.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 1.0
CELERY_BROKER_POOL_ACQUIRE_TIMEOUT = 0.25
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
# Several processes, one task at a time in each. Celery's prefork shares one pipe among its children when the queue is
# made of files: a child killed while it reads keeps the pipe's lock, and the others wait for good.
CELERY_WORKER_POOL = "solo"
# Kept by shop.celery, as this pool has no limit of its own.
CELERY_TASK_TIME_LIMIT = 300
# Drawing pictures takes seconds each: in a queue of their own they never stand before a mail.
CELERY_TASK_ROUTES = {
    "catalog.tasks.derive_image_files": {"queue": "images"},
    "shop.pages.tasks.derive_banner_files": {"queue": "images"},
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TIMEZONE = "Europe/Paris"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    # One entry: which jobs are due is decided from rows, so that two beats or a pause change nothing.
    "tick": {
        "task": "shop.core.tasks.run_due_jobs",
        "schedule": timedelta(seconds=20),
        # Ticks that a stopped worker left behind ask for nothing that the next one does not.
        "options": {"expires": 20},
    },
}

# --- Language --------------------------------------------------------------------------------------
LANGUAGE_CODE = "fr"
LANGUAGES = [("fr", "Français"), ("en", "English"), ("es", "Español"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
FORMAT_MODULE_PATH = "shop.formats"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "Europe/Paris"
MODELTRANSLATION_DEFAULT_LANGUAGE = "fr"
MODELTRANSLATION_LANGUAGES = ("fr", "en", "es", "de")
MODELTRANSLATION_FALLBACK_LANGUAGES = ("fr",)
COUNTRIES_FIRST = [HOME_COUNTRY, "BE", "CH", "LU"]

# --- Static files and media ------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
ASSET_MANIFEST = BASE_DIR / "static" / "build" / "manifest.json"
MEDIA_URL = "/media/"
MEDIA_ROOT = DATA_DIR / "media"
# Media and static files are public: a web server of another user may hand them out.
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o755
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # What visitors send to the workshop alone: no address leads there.
    "private": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {
            "location": str(DATA_DIR / "private"),
            "file_permissions_mode": 0o600,
            "directory_permissions_mode": 0o700,
        },
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "shop.core.staticfiles.ShopStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = DEBUG
# Bundles that are built while the development server runs are served at once.
WHITENOISE_AUTOREFRESH = DEBUG
# Names that carry their content's hash: the front-end build's (8 capitals or digits) and Django's (12 hex digits).
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/static/(build/.*-[A-Z0-9]{8}|.*\.[0-9a-f]{12})\.[a-z0-9]+$"

# --- Accounts --------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "allauth.account.auth_backends.AuthenticationBackend",
    "accounts.backends.RolePermissions",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "accounts.passwords.LengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "accounts:auth"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "accounts.adapter.ShopAccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES
PASSWORD_RESET_TIMEOUT = 3600

SESSION_COOKIE_AGE = int(timedelta(days=14).total_seconds())
# Who may open the administration is asked to sign in again sooner: after a pause, and every day in any case.
STAFF_SESSION_IDLE = int(timedelta(hours=3).total_seconds())
STAFF_SESSION_LIFETIME = int(timedelta(hours=12).total_seconds())
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = not DEBUG
SESSION_COOKIE_NAME = "sessionid" if DEBUG else "__Host-sessionid"
# Known devices (accounts.devices): as long as browsers keep a cookie at all.
DEVICE_COOKIE_AGE = int(timedelta(days=400).total_seconds())
DEVICE_COOKIE_NAME = "device" if DEBUG else "__Host-device"
CSRF_COOKIE_SECURE = not DEBUG
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_NAME = "csrftoken" if DEBUG else "__Host-csrftoken"
CSRF_FAILURE_VIEW = "shop.core.errors.csrf_failure"

# --- Transport and headers -------------------------------------------------------------------------
SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=not DEBUG)
# The payment provider counts a redirect as a failed delivery.
SECURE_REDIRECT_EXEMPT = [r"^webhooks/"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
SECURE_HSTS_SECONDS = 0 if DEBUG else 63072000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not DEBUG
SECURE_HSTS_PRELOAD = not DEBUG
SECURE_REFERRER_POLICY = "strict-origin-when-cross-origin"
X_FRAME_OPTIONS = "DENY"
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: [] for feature in ("camera", "geolocation", "microphone", "usb", "accelerometer", "gyroscope")
}
_csp: dict[str, Any] = {
    "default-src": [NONE],
    "script-src": [SELF],
    "style-src": [SELF],
    "img-src": [SELF, "data:"],
    "connect-src": [SELF],
    "font-src": [SELF],
    "manifest-src": [SELF],
    "form-action": [SELF, "https://checkout.stripe.com"],
    "base-uri": [NONE],
    "frame-ancestors": [NONE],
}
CONTENT_SECURITY_POLICY = {"DIRECTIVES": _csp}
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
FILE_UPLOAD_HANDLERS = [
    "shop.core.uploads.BoundedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500

# --- Limits ----------------------------------------------------------------------------------------
# Attempts a window by the name of a limit, where they differ from the table in shop/core/limits.py.
LIMITS: dict[str, int] = env.dict("LIMITS", cast={"value": int}, default={})
# How much stock one network address, or one e-mail address, may keep from others without having paid.
UNPAID_ORDERS_LIMIT = env.int("UNPAID_ORDERS_LIMIT", default=5)
UNPAID_SCARCE_LIMIT = env.int("UNPAID_SCARCE_LIMIT", default=5)

# --- API -------------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["shop.core.authentication.CsrfSessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    # The calls speak JSON and nothing else: `?format=` chooses nothing.
    "URL_FORMAT_OVERRIDE": None,
    "DEFAULT_PARSER_CLASSES": ["shop.core.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "shop.core.problems.exception_handler",
    "COERCE_DECIMAL_TO_STRING": True,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Shop API",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "ENUM_NAME_OVERRIDES": {
        "FinishEnum": "catalog.models.Finish",
        "PaymentModeEnum": "orders.models.PaymentMode",
    },
    "POSTPROCESSING_HOOKS": [
        # Adds schemas whose choices the second hook names.
        "shop.core.islands.add_island_schemas",
        "drf_spectacular.hooks.postprocess_schema_enums",
        "shop.core.api_schema.describe_refusals",
    ],
}

# --- Mail ------------------------------------------------------------------------------------------
EMAIL_URL = env.str("EMAIL_URL", default="")
if EMAIL_URL:
    vars().update(environ.Env.email_url_config(EMAIL_URL))
else:
    EMAIL_BACKEND = "shop.core.mail_backends.KeptMailBackend"
# For each answer of the mail server.
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="boutique@example.com")
SERVER_EMAIL = DEFAULT_FROM_EMAIL

# --- Payments --------------------------------------------------------------------------------------
STRIPE_SECRET_KEY = env.str("STRIPE_SECRET_KEY", default="")
STRIPE_WEBHOOK_SECRET = env.str("STRIPE_WEBHOOK_SECRET", default="")
# A second secret is accepted while the first one is rolled.
STRIPE_WEBHOOK_SECRET_OLD = env.str("STRIPE_WEBHOOK_SECRET_OLD", default="")
STRIPE_API_BASE = env.str("STRIPE_API_BASE", default="")
if STRIPE_API_BASE:
    # The stand-in's payment page: browsers check where the answer of a form leads to.
    _csp["form-action"] += [STRIPE_API_BASE, env.str("STRIPE_SANDBOX_PUBLIC_URL", default=STRIPE_API_BASE)]

# --- Personal data: how long it is kept. The privacy page prints these, the purge jobs follow them ----
RETENTION: dict[str, int] = {
    # Code de commerce L123-22: accounting documents.
    "invoices_years": 10,
    "inactive_years": 3,
    "contact_years": 3,
    "unpaid_days": 90,
    "log_months": 12,
}

# --- Days that the Code de la consommation sets -----------------------------------------------------
# To withdraw, from the day after the last parcel (L221-18); to send the pieces back (L221-23) and to give the money
# back (L221-24), both from the declaration.
LAW_DAYS: dict[str, int] = {"withdrawal": 14, "return": 14, "refund": 14}

# --- Measurement (nothing is loaded while these are empty) ------------------------------------------
ANALYTICS_ID = env.str("ANALYTICS_ID", default="")
PIXEL_ID = env.str("PIXEL_ID", default="")

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {"django.server": {"level": "WARNING"}},
}
