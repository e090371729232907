"""What can be wrong with a request about a case; none of it knows HTTP."""

from lineage.types import NotFound


class CaseNotFound(NotFound):
    """No such case in this workspace: foreign and never seen are the same."""


class CaseConflict(Exception):
    """The case is not in a state that allows this; `code` names why, in words of the product."""

    def __init__(self, code: str, detail: str, *, state: str) -> None:
        super().__init__(detail)
        self.code, self.detail, self.state = code, detail, state


class ScopeMissing(Exception):
    """The viewer may not do this; `scope` is what would be needed."""

    def __init__(self, scope: str) -> None:
        super().__init__(scope)
        self.scope = scope


class DraftRefused(Exception):
    """The draft cannot be made; `pointer` is a JSON pointer into the request."""

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(detail)
        self.pointer, self.detail = pointer, detail


class TargetRefused(DraftRefused):
    """A target names nothing known here, or something that a case cannot be about."""


class DraftDiffers(Exception):
    """A draft came under a key that another draft came under before."""
