"""What can be wrong with a request about an incident, a webhook or a saved view; none of it knows HTTP."""


class IncidentConflict(Exception):
    """The incident is not in a state that allows this; `code` names why, in words of the product."""

    def __init__(self, code: str, detail: str, *, state: str) -> None:
        super().__init__(detail)
        self.code, self.detail, self.state = code, detail, state


class IncidentRefused(Exception):
    """What was sent cannot stand; `pointer` is a JSON pointer into the request."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(detail)
        self.pointer, self.detail = pointer, detail
