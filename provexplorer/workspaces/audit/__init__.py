"""The audit log: who did what to which object, append-only, chained and sealed, its details erasable."""
