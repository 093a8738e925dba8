"""The servers that the shop uses: database, cache, the queue of background work, mail and payments."""

from datetime import timedelta
from pathlib import Path
from typing import Any

from shop.data_dir import made_folder
from shop.settings.base import DATA_DIR, QUEUE_DIR, TIME_ZONE, env

# --- Database --------------------------------------------------------------------------------------
# How long a statement may run. Only a migration of a large table needs more.
DATABASE_STATEMENT_SECONDS = env.number("DATABASE_STATEMENT_SECONDS", default=15, least=1)
_database = env.database("DATABASE_URL") or {
    "ENGINE": "django.db.backends.sqlite3",
    "NAME": DATA_DIR / "shop.sqlite3",
}
_options = _database.setdefault("OPTIONS", {})
if "postgresql" in _database["ENGINE"]:
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
    # A thread keeps its connection: opening one costs more than most pages' queries.
    _database["CONN_MAX_AGE"] = None
    for _name, _option in {
        # Writers queue instead of failing when a read transaction turns into a write.
        "transaction_mode": "IMMEDIATE",
        "timeout": 5,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;",
    }.items():
        _options.setdefault(_name, _option)
DATABASES: dict[str, dict[str, Any]] = {"default": _database}

# --- Backups ---------------------------------------------------------------------------------------
# A folder, or a bucket of S3 compatible storage. Empty: nothing is backed up.
BACKUP_URL = env.text("BACKUP_URL", default="")
# Public keys (age) of those who can open them; the secret ones are nowhere in the shop.
BACKUP_RECIPIENTS = env.texts("BACKUP_RECIPIENTS", default=[])
# All backups of so many days stay, and the newest of each of so many days, weeks and months that have one.
BACKUP_DAYS = env.number("BACKUP_DAYS", default=7)
BACKUP_WEEKS = env.number("BACKUP_WEEKS", default=4)
BACKUP_MONTHS = env.number("BACKUP_MONTHS", default=12)

# --- Cache and background work ---------------------------------------------------------------------
REDIS_URL = env.redis("REDIS_URL")
CACHES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "shop.core.redis_cache.TolerantRedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 5000}},
    # Seen by every process of the machine: tells that what public pages show has changed.
    "shared": {"BACKEND": "shop.core.redis_cache.TolerantRedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {
        "BACKEND": "shop.core.caches.TolerantFileBasedCache",
        "LOCATION": str(DATA_DIR / "cache"),
    },
}
# How long a public page is cached at most; 0 makes every page anew.
PAGE_CACHE_SECONDS = env.number("PAGE_CACHE_SECONDS", default=60)
# The same for the fragments that pages are made of: cards, header, footer, what a product's page shows.
FRAGMENT_CACHE_SECONDS = env.number("FRAGMENT_CACHE_SECONDS", default=60)
# How long a reverse proxy or CDN may answer with a public page without asking; 0: it asks each time. The answer to a
# change by staff waits for as long.
PROXY_CACHE_SECONDS = env.number("PROXY_CACHE_SECONDS", default=0)

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
# Drawing a picture takes seconds, and so may the receiver of a webhook: in queues of their own they never stand before
# a mail. One worker takes from both in turns.
CELERY_TASK_ROUTES = {
    "catalog.tasks.derive_image_files": {"queue": "images"},
    "catalog.tasks.fetch_picture": {"queue": "images"},
    "shop.pages.tasks.derive_banner_files": {"queue": "images"},
    "shop.integrations.tasks.deliver_webhook": {"queue": "webhooks"},
}
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULER = "shop.core.beat:BeatScheduler"
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

# --- Mail ------------------------------------------------------------------------------------------
EMAIL_URL = env.text("EMAIL_URL", default="")
if EMAIL_URL:
    vars().update(env.mail_server("EMAIL_URL"))
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
# For each answer of the mail server.
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env.mailbox("DEFAULT_FROM_EMAIL", default="boutique@example.com")

# --- Payments --------------------------------------------------------------------------------------
STRIPE_SECRET_KEY = env.text("STRIPE_SECRET_KEY", default="")
STRIPE_WEBHOOK_SECRET = env.text("STRIPE_WEBHOOK_SECRET", default="")
# A second secret is accepted while the first one is rolled.
STRIPE_WEBHOOK_SECRET_OLD = env.text("STRIPE_WEBHOOK_SECRET_OLD", default="")
STRIPE_API_BASE = env.text("STRIPE_API_BASE", default="")

# --- Watching --------------------------------------------------------------------------------------
# Who is mailed when something stands still; nobody: the workshop.
ALERT_EMAIL = env.mailboxes("ALERT_EMAIL")
# A mail server of their own, for the day on which the other one is what stands still.
ALERT_EMAIL_SERVER = env.mail_server("ALERT_EMAIL_URL")
METRICS_TOKEN = env.text("METRICS_TOKEN", default="")
METRICS_DIR = made_folder(
    "METRICS_DIR", Path(env.text("METRICS_DIR", default=str(DATA_DIR / "metrics"))).resolve()
)
SENTRY_DSN = env.sentry("SENTRY_DSN")
TRACES_SAMPLE_RATE = env.share("TRACES_SAMPLE_RATE", default=0.05)
OTEL_EXPORTER_OTLP_ENDPOINT = env.address(
    "OTEL_EXPORTER_OTLP_ENDPOINT", example="http://collector.example:4318"
)
DEPLOYMENT = env.text("DEPLOYMENT", default="production")
RELEASE = env.text("RELEASE", default="")
