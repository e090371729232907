"""Data keys live in a database of their own, so that they can be backed up apart."""

from typing import Any, Final

from lineage.models.content import DataKey
from lineage.models.erasure import ErasureEssence

_IN_KEYS: Final = (DataKey, ErasureEssence)
_NAMES: Final = frozenset(model._meta.model_name for model in _IN_KEYS)  # noqa: SLF001 - documented


class KeysRouter:
    """Sends data keys and the essence of erasures to the `keys` database, everything else to `default`."""

    def db_for_read(self, model: type, **hints: Any) -> str:
        return "keys" if model in _IN_KEYS else "default"

    db_for_write = db_for_read

    def allow_migrate(
        self, db: str, app_label: str, model_name: str | None = None, **hints: Any
    ) -> bool:
        return (db == "keys") == (app_label == "lineage" and model_name in _NAMES)
