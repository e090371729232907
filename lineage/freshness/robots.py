"""What a robots.txt asks for, as RFC 9309 reads it; pure.

The standard library's reader knows neither `*` nor `$` in a path nor the longest match, and
would so read pages that a site asks not to be read. Lines of `Content-Usage` are those of the
drafts of the IETF's working group on AI preferences.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, unquote_to_bytes

# RFC 9309, 2.5: at least so much is read; what comes beyond is not.
MOST_BYTES: Final = 512 * 1024
_MOST_RULES: Final = 5_000
_LINE: Final = re.compile(r"\s*([A-Za-z-]+)\s*:\s*([^#\r\n]*)")
_SECONDS: Final = re.compile(r"\d{1,4}(\.\d{1,3})?$")


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules of one site for one crawler: what may be read, how often, and what for.

    `rules` are (allowed, path pattern), `usages` (path pattern, preferences); `delay` is in
    seconds, as many sites ask for it though the standard does not.
    """

    rules: tuple[tuple[bool, str], ...] = ()
    usages: tuple[tuple[str, str], ...] = ()
    delay: float | None = None

    def allows(self, target: str) -> bool:
        """Whether a path with its query may be read: by the longest pattern, allowed at a tie."""
        if not self.rules:
            return True
        plain = _plain(target)
        best, allowed = -1, True
        for allow, pattern in self.rules:
            if matches(pattern, plain) and (len(pattern) > best or (len(pattern) == best and allow)):  # fmt: skip
                best, allowed = len(pattern), allow
        return allowed

    def usage(self, target: str) -> str:
        """The preferences stated for a path; "" where there are none."""
        if not self.usages:
            return ""
        plain = _plain(target)
        fitting = [(len(p), said) for p, said in self.usages if not p or matches(p, plain)]
        return max(fitting, key=lambda each: each[0])[1] if fitting else ""


ALL_ALLOWED: Final = Robots()
NOTHING_ALLOWED: Final = Robots(rules=((False, "/"),))


def read_robots(text: str, agent: str) -> Robots:
    """The rules for the crawler of this name, of all groups that name it; else of those for `*`."""
    token = re.split(r"[/\s]", agent.strip(), maxsplit=1)[0].lower()
    named: set[str] = set()
    taking_names = False
    found = {True: _Rules(), False: _Rules()}
    mine = False
    for line in text.removeprefix("\ufeff").splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        name, value = match.group(1).lower(), match.group(2).strip()
        if name == "user-agent":
            named = (named if taking_names else set()) | {value.split("/")[0].strip().lower()}
            taking_names = True
            mine = mine or token in named
        elif name in ("allow", "disallow", "content-usage", "crawl-delay"):
            taking_names = False
            for own, group in ((True, token), (False, "*")):
                if group in named:
                    found[own].take(name, value)
    return found[mine].told()


class _Rules:
    """Rules as they are read, no more than _MOST_RULES."""

    def __init__(self) -> None:
        self._rules: list[tuple[bool, str]] = []
        self._usages: list[tuple[str, str]] = []
        self._delay: float | None = None

    def take(self, name: str, value: str) -> None:
        if name == "crawl-delay":
            self._delay = float(value) if _SECONDS.match(value) else self._delay
        elif len(self._rules) + len(self._usages) >= _MOST_RULES or not value:
            """Too many; or an empty rule, which forbids nothing."""
        elif name == "content-usage":
            path, _, said = value.rpartition(" ") if value.startswith("/") else ("", "", value)
            path, _, first = path.partition(" ")
            self._usages.append((_plain(path) if path else "", f"{first} {said}".strip()))
        else:
            self._rules.append((name == "allow", _plain(value)))

    def told(self) -> Robots:
        return Robots(tuple(self._rules), tuple(self._usages), self._delay)


def matches(pattern: str, target: str) -> bool:
    """Whether a pattern with `*` (anything) and a final `$` (the end) fits a path from its beginning."""
    ends = pattern.endswith("$")
    first, *rest = (pattern[:-1] if ends else pattern).split("*")
    if not target.startswith(first):
        return False
    at = len(first)
    if not rest:
        return not ends or at == len(target)
    # The last piece stands at the end, or anywhere; the others as early as they can.
    for piece in rest[:-1]:
        found = target.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    last = rest[-1]
    if ends:
        return len(target) - len(last) >= at and target.endswith(last)
    return target.find(last, at) >= 0


def _plain(path: str) -> str:
    """A path with the same octets written in the same way; `*` and `$` stay."""
    whole = path if path.startswith(("/", "*")) else f"/{path}"
    pieces = re.split(r"(%2[Ff]|%2[Aa]|%24)", whole)
    return "".join(
        piece.upper() if at % 2 else quote(unquote_to_bytes(piece), safe="/*$?=&:;,+!'()@-._~")
        for at, piece in enumerate(pieces)
    )
