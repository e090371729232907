"""What can be wrong with a request before its body is looked at."""


class IdempotencyKeyReused(Exception):
    """The Idempotency-Key came within its time with another body."""
