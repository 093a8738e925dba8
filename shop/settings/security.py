"""Accounts, sessions and cookies, transport and headers."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from csp.constants import NONE, SELF

from shop.settings.base import DEBUG, MEDIA_PUBLIC_URL, RETENTION, SITE_URL, TRUSTED_PROXIES, env
from shop.settings.services import STRIPE_API_BASE

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
    {"NAME": "accounts.passwords.ShopWordsValidator"},
]
LOGIN_URL = "accounts:auth"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "accounts.adapter.ShopAccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
# The shop counts attempts itself, in the database (shop/core/limits.py).
ACCOUNT_RATE_LIMITS = False
PASSWORD_RESET_TIMEOUT = 3600

# The second factor is open to everybody; here it is asked of whoever may open the administration.
STAFF_SECOND_FACTOR = env.flag("STAFF_SECOND_FACTOR", default=not DEBUG)
MFA_ADAPTER = "accounts.mfa_adapter.ShopMFAAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
# Passkeys prove a person by themselves: the device asks for a finger, a face or its code.
MFA_WEBAUTHN_USER_VERIFICATION = "required"
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = DEBUG and SITE_URL.startswith("http:")
# The code before and the one after the present one: telephones' clocks differ.
MFA_TOTP_TOLERANCE = 1
# Asked for by accounts.recent_authentication, which knows the shop's pages.
MFA_REAUTHENTICATION_REQUIRED = False
# How long a proof of who one is lasts, before a change of roles, a large refund or of the account's own safety.
RECENT_AUTHENTICATION_SECONDS = int(timedelta(minutes=10).total_seconds())

SESSION_ENGINE = "accounts.session_store"
SESSION_COOKIE_AGE = int(timedelta(days=RETENTION["session_days"]).total_seconds())
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
CSRF_FAILURE_VIEW = "shop.core.kept_forms.csrf_failure"

# --- Transport and headers -------------------------------------------------------------------------
SECURE_SSL_REDIRECT = env.flag("SECURE_SSL_REDIRECT", default=not DEBUG)
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
# The stand-in's payment page: browsers check where the answer of a form leads to.
_sandbox_pages = (
    [STRIPE_API_BASE, env.text("STRIPE_SANDBOX_PUBLIC_URL") or STRIPE_API_BASE] if STRIPE_API_BASE else []
)
# Pictures, and the 3D models that a script fetches, when they are in S3 storage.
_media = ["{0.scheme}://{0.netloc}".format(urlsplit(MEDIA_PUBLIC_URL))] if MEDIA_PUBLIC_URL else []
CONTENT_SECURITY_POLICY: dict[str, Any] = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:", *_media],
        "connect-src": [SELF, *_media],
        "font-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF, "https://checkout.stripe.com", *_sandbox_pages],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
# Enough for a megabyte that is typed twice as a password: the form says what is wrong with it.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 512 * 1024
FILE_UPLOAD_HANDLERS = [
    "shop.core.uploads.BoundedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
DATA_UPLOAD_MAX_NUMBER_FIELDS = 500
