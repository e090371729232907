"""Text, encrypted per owner. Data keys live in a second database, backed up apart."""

from django.db import models


class Blob(models.Model):
    """One encrypted text. Its id is a keyed hash of (owner, digest): nothing is shared between owners."""

    id = models.CharField(max_length=32, primary_key=True)
    # Id of the owning lineage.Node; not a foreign key, so that a blob can outlive a repair.
    owner_id = models.BigIntegerField(db_index=True)
    ciphertext = models.BinaryField()


class DataKey(models.Model):
    """The wrapped key of one owner's texts. Lives in the `keys` database; destroying it erases."""

    owner_id = models.BigIntegerField(primary_key=True)
    wrapped = models.BinaryField()
    # The key that takes its place while an erasure moves what stays from one to the other.
    following = models.BinaryField(default=b"")
    created_at = models.DateTimeField()
    destroyed_at = models.DateTimeField(null=True)
