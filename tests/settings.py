"""The product's settings with throw-away data: a temporary folder, no broker, no manifest.

DATABASE_URL and KEYS_DATABASE_URL may name a real PostgreSQL; the graph comes from the
fixture `graph`, the broker from `stack`.
"""

import atexit
import os
import secrets
import shutil
import tempfile

from tests.servers.handed_on import FOLDER

_DATA = tempfile.mkdtemp(prefix="provexplorer-tests-")
atexit.register(shutil.rmtree, _DATA, ignore_errors=True)
os.environ["PROVEXPLORER_DATA_DIR"] = _DATA
os.environ["PROVEXPLORER_SECRET_KEY"] = secrets.token_hex(32)
os.environ["PROVEXPLORER_MASTER_KEY"] = secrets.token_hex(32)
os.environ["PROVEXPLORER_LOOPBACK"] = "1"
# A browser test has an event loop in its thread, which Django would take for asynchronous code.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"

from provexplorer.settings import *  # noqa: E402, F403 - the environment comes first
from provexplorer.settings import DATABASES, MIDDLEWARE, STORAGES  # noqa: E402

# Tasks are sent into this process's memory, where nobody takes them: a test runs what it means to run.
CELERY_BROKER_URL = "memory://"
# Tests share names, and one minute; the test of it says its own.
SIGN_INS_PER_MINUTE = 0
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
STORAGES = STORAGES | {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
WHITENOISE_AUTOREFRESH = True
# Its test puts it in: the others run without looking at what was restored.
MIDDLEWARE = [name for name in MIDDLEWARE if name != "provexplorer.restored.RefuseUntilErased"]
# A cluster of the suite has databases that are migrated: the tests' own begin as copies of them.
if FOLDER in os.environ and "DATABASE_URL" in os.environ:
    for alias, name in (("default", "provexplorer"), ("keys", "keys")):
        DATABASES[alias]["TEST"] = {"TEMPLATE": f"prepared_{name}"}
