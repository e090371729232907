"""What can be wrong with a request about a webhook; none of it knows HTTP."""


class WebhookRefused(Exception):
    """What was sent cannot stand; `pointer` is a JSON pointer into the request."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(detail)
        self.pointer, self.detail = pointer, detail
