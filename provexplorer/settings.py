"""Settings, all from the environment; what is not configured is embedded (docs/guide/configuration.md).

Without PROVEXPLORER_LOOPBACK everything is set for production behind HTTPS.
"""

import os
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from provexplorer.beat_schedule import SCHEDULE
from provexplorer.logs import logging_configuration


def _flag(name: str) -> bool:
    return os.environ.get(name) == "1"


def _list(name: str) -> list[str]:
    return [item.strip() for item in os.environ.get(name, "").split(",") if item.strip()]


BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("PROVEXPLORER_DATA_DIR") or BASE_DIR / "var")
# Served on this machine alone, over plain HTTP (provexplorer up and demo set it).
LOOPBACK = _flag("PROVEXPLORER_LOOPBACK")
DEBUG = _flag("PROVEXPLORER_DEBUG")
SECRET_KEY = os.environ.get("PROVEXPLORER_SECRET_KEY", "")
if not SECRET_KEY:
    # Here, not at its first use: a site without it must not even start.
    raise ImproperlyConfigured("PROVEXPLORER_SECRET_KEY is not set")
SECRET_KEY_FALLBACKS = _list("PROVEXPLORER_SECRET_KEY_FALLBACKS")
# Loopback names are always answered: health checks use them.
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *_list("PROVEXPLORER_ALLOWED_HOSTS")]
CSRF_TRUSTED_ORIGINS = _list("PROVEXPLORER_TRUSTED_ORIGINS")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "csp",
    "django_htmx",
    "provexplorer.workspaces",
    "lineage",
    "citations",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "provexplorer.workspaces.privacy.PrivateByDefault",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    # Last: its page is in the site's frame and language.
    "provexplorer.restored.RefuseUntilErased",
]
ROOT_URLCONF = "provexplorer.urls"
WSGI_APPLICATION = "provexplorer.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": ["provexplorer.remembered_tags"],
            "libraries": dict.fromkeys(("i18n", "static"), "provexplorer.remembered_tags"),
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "provexplorer.workspaces.context.member",
            ],
        },
    }
]
# `i18n` and `static` are two libraries each on purpose: Django's, and ours in its place.
SILENCED_SYSTEM_CHECKS = ["templates.W003"]
# The largest body that is read into memory: the limit of a request of records (16 MiB).
DATA_UPLOAD_MAX_MEMORY_SIZE = 16 * 2**20


def database(url: str) -> dict[str, Any]:
    """Django's settings for `sqlite:///PATH` or `postgresql://USER:PASSWORD@HOST:PORT/NAME?sslmode=…`.

    An absolute SQLite path has four slashes. Options of a PostgreSQL URL go to the driver.
    """
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            # The first slash only parts the (empty) host from the path.
            "NAME": unquote(parts.path.removeprefix("/")),
            # To open a file anew costs a request more than all that it reads.
            "CONN_MAX_AGE": 60,
            "OPTIONS": {
                # Writers queue instead of failing half-way; what is erased is overwritten.
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": (
                    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON;"
                ),
            },
        }
    if parts.scheme not in ("postgresql", "postgres"):
        message = f"a database URL starts with sqlite: or postgresql:, not {parts.scheme}:"
        raise ValueError(message)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": unquote(parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"connect_timeout": 5, **dict(parse_qsl(parts.query))},
    }


def sqlite_url(path: Path) -> str:
    """The URL of an SQLite file."""
    return f"sqlite:///{quote(str(path.absolute()))}"


DATABASES = {
    "default": database(
        os.environ.get("DATABASE_URL") or sqlite_url(DATA_DIR / "provexplorer.sqlite3")
    ),
    "keys": database(os.environ.get("KEYS_DATABASE_URL") or sqlite_url(DATA_DIR / "keys.sqlite3")),
}
DATABASE_ROUTERS = ["lineage.router.KeysRouter"]
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "workspaces.User"
AUTHENTICATION_BACKENDS = ["provexplorer.workspaces.sessions.MemberBackend"]
_VALIDATORS: Final = "django.contrib.auth.password_validation"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"{_VALIDATORS}.UserAttributeSimilarityValidator"},
    {"NAME": f"{_VALIDATORS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": f"{_VALIDATORS}.CommonPasswordValidator"},
    {"NAME": f"{_VALIDATORS}.NumericPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
LOGIN_URL = "/accounts/sign-in/"
LOGIN_REDIRECT_URL = "/"

SESSION_ENGINE = "provexplorer.workspaces.sessions"
# Cookies are named for the product: other sites of this host must not overwrite them.
SESSION_COOKIE_NAME = "provexplorer_session"
CSRF_COOKIE_NAME = "provexplorer_csrf"
LANGUAGE_COOKIE_NAME = "provexplorer_language"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not LOOPBACK
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 12 * 60 * 60

SECURE_SSL_REDIRECT = not LOOPBACK
# Asked from inside, without TLS.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 0 if LOOPBACK else 365 * 24 * 60 * 60
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not LOOPBACK
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
if _flag("PROVEXPLORER_BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# Everything from this origin, nothing inline.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
    }
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("pt-br", "Português (Brasil)")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = Path(os.environ.get("PROVEXPLORER_STATIC_ROOT") or BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # Names carry a digest, so that browsers may keep them for ever.
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

# The master key that wraps the data keys: 32 bytes as hex, or a file that holds them.
MASTER_KEY = os.environ.get("PROVEXPLORER_MASTER_KEY", "")
MASTER_KEY_FILE = os.environ.get("PROVEXPLORER_MASTER_KEY_FILE") or str(DATA_DIR / "master.key")

# How long backups of the keys database are kept, at most: so long could an erased text be read from
# a restored pair of databases. Said in certificates; nothing here makes or deletes backups.
BACKUP_DAYS = int(os.environ.get("PROVEXPLORER_BACKUP_DAYS") or 30)

# Tables of PostgreSQL up to this size, with their indexes, are written anew after an erasure, so that
# nothing of dead rows is left in their files (megabytes; 0: none). Nobody reads one meanwhile.
ERASURE_REWRITE_MB = int(os.environ.get("PROVEXPLORER_ERASURE_REWRITE_MB") or 128)

# The key that signs capsules: 32 bytes as hex, else in a file that is made where there is none.
CAPSULE_KEY = os.environ.get("PROVEXPLORER_CAPSULE_KEY", "")
CAPSULE_KEY_PATH = DATA_DIR / "secrets" / "capsule.key"

# Payloads of ingestion: bodies of those wholly applied are destroyed after so many days (0: at
# once), rows are deleted after 90; what fails so many times by its own fault is quarantined.
INBOX_BODY_DAYS = int(os.environ.get("PROVEXPLORER_INBOX_BODY_DAYS") or 30)
INBOX_ROW_DAYS = int(os.environ.get("PROVEXPLORER_INBOX_ROW_DAYS") or 90)
INBOX_ATTEMPTS = int(os.environ.get("PROVEXPLORER_INBOX_ATTEMPTS") or 5)

# Whether webhooks may go to this machine itself, by http and to any port: for trying them out.
WEBHOOKS_TO_LOOPBACK = _flag("PROVEXPLORER_WEBHOOKS_TO_LOOPBACK")

# Whether sources and feeds may be fetched from this machine itself, too, from any port; and who
# asks for them, which an operator of a site should be able to write to.
FETCH_FROM_LOOPBACK = _flag("PROVEXPLORER_FETCH_FROM_LOOPBACK")
FETCH_USER_AGENT = os.environ.get("PROVEXPLORER_FETCH_USER_AGENT") or "Provexplorer/0.1"
# Between two requests of one site, in seconds; a site's robots.txt may ask for more.
FETCH_DELAY_SECONDS = float(os.environ.get("PROVEXPLORER_FETCH_DELAY_SECONDS") or 2)
# Secrets by name ("WORKSPACE ORIGIN HEADER: VALUE"), and folders and places in object stores whose
# files are sources ("WORKSPACE=/PATH", "WORKSPACE=s3://BUCKET"); docs/guide/freshness.md.
FETCH_SECRETS = {
    name.removeprefix("PROVEXPLORER_CREDENTIAL_"): value
    for name, value in os.environ.items()
    if name.startswith("PROVEXPLORER_CREDENTIAL_")
}
FETCH_FOLDERS = _list("PROVEXPLORER_FETCH_FOLDERS")
# By which schemes they are read. A name that stands for no store is a mistake, not a way to reach
# what else the library that reads them can reach (sites, shells, repositories).
FETCH_SCHEMES = frozenset(_list("PROVEXPLORER_FETCH_SCHEMES") or ["file"])
if _unknown := sorted(FETCH_SCHEMES - {"file", "memory", "s3", "gs", "az", "abfs"}):
    raise ImproperlyConfigured(f"PROVEXPLORER_FETCH_SCHEMES: {', '.join(_unknown)} is no store")
# Where archived copies of what is gone are asked for: an address with {uri} in it, which answers
# with a Memento TimeMap (RFC 7089). Nothing is asked for without it.
FETCH_TIMEMAP = os.environ.get("PROVEXPLORER_FETCH_TIMEMAP", "")

# Where mail is handed to: `smtp://USER:PASSWORD@HOST:587` (STARTTLS, unless ?tls=0) or `smtps://…`;
# without it nobody is told of anything by mail.
_MAIL: Final = urlsplit(os.environ.get("PROVEXPLORER_MAIL_URL", ""))
EMAIL_HOST = _MAIL.hostname or ""
EMAIL_PORT = _MAIL.port or (465 if _MAIL.scheme == "smtps" else 587)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_MAIL.username or ""), unquote(_MAIL.password or "")
EMAIL_USE_SSL = _MAIL.scheme == "smtps"
EMAIL_USE_TLS = not EMAIL_USE_SSL and dict(parse_qsl(_MAIL.query)).get("tls") != "0"
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = os.environ.get("PROVEXPLORER_MAIL_FROM") or "provexplorer@localhost"
# Under which address people reach the site, for links in mails: `https://HOST`.
SITE_ADDRESS = os.environ.get("PROVEXPLORER_SITE_ADDRESS", "").rstrip("/")

# Requests a minute, where a key has no limit of its own; 0: as many as come.
REQUESTS_PER_MINUTE_KEY = int(os.environ.get("PROVEXPLORER_REQUESTS_PER_MINUTE_KEY") or 60_000)
REQUESTS_PER_MINUTE_WORKSPACE = int(
    os.environ.get("PROVEXPLORER_REQUESTS_PER_MINUTE_WORKSPACE") or 240_000
)
# Passwords tried for one name, from wherever; 0: as many as come.
SIGN_INS_PER_MINUTE = int(os.environ.get("PROVEXPLORER_SIGN_INS_PER_MINUTE") or 10)

NEO4J_URI = os.environ.get("NEO4J_URI", "")
NEO4J_USER = os.environ.get("NEO4J_USER", "neo4j")
NEO4J_PASSWORD = os.environ.get("NEO4J_PASSWORD", "")
NEO4J_DATABASE = os.environ.get("NEO4J_DATABASE", "neo4j")

REDIS_URL = os.environ.get("REDIS_URL", "")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "provexplorer",
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}

# The broker carries hints: names, ids and numbers. What must happen stands in the outbox.
CELERY_BROKER_URL = REDIS_URL or "redis://127.0.0.1:6379/0"
CELERY_TASK_DEFAULT_QUEUE = "provexplorer"
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
# A task is acknowledged when done, and comes back when its worker was lost; leases and
# attempts are counted in the relational store, so that it can neither run twice nor for ever.
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CONCURRENCY = int(os.environ.get("PROVEXPLORER_WORKERS") or 2)
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A task that runs longer than the broker's patience would be delivered again: end it before.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 600,
    "socket_timeout": 10,
    "socket_connect_timeout": 2,
}
CELERY_TASK_SOFT_TIME_LIMIT = 240
CELERY_TASK_TIME_LIMIT = 300
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker whose disk is full refuses every word: the worker waits for it as for one that is away.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
# Longer than any task: a worker that takes none for so long, though some wait, starts again.
WORKER_SILENT_SECONDS = float(os.environ.get("PROVEXPLORER_WORKER_SILENT_SECONDS") or 330)
# A request never waits long for the broker; the sweeper sends what it left.
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_step": 0.2,
    "interval_max": 0.2,
}


# Several may run; one of them asks.
CELERY_BEAT_SCHEDULER = "provexplorer.one_beat:OneBeat"
CELERY_BEAT_SCHEDULE = SCHEDULE

LOGGING = logging_configuration(level=os.environ.get("PROVEXPLORER_LOG_LEVEL") or "INFO")
