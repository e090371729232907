"""Data keys live in a database of their own, so that they can be backed up apart."""

from typing import Any

from lineage.models.content import DataKey


class KeysRouter:
    """Sends DataKey to the `keys` database and everything else to `default`."""

    def db_for_read(self, model: type, **hints: Any) -> str:
        return "keys" if model is DataKey else "default"

    db_for_write = db_for_read

    def allow_migrate(
        self, db: str, app_label: str, model_name: str | None = None, **hints: Any
    ) -> bool:
        return (db == "keys") == (app_label == "lineage" and model_name == "datakey")
