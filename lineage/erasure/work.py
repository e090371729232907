"""One attempt at one place of the ledger: how far it has got, and by what it knows what is to go."""

import json
from dataclasses import dataclass

from lineage.content import sealed
from lineage.erasure import hold
from lineage.erasure.begin import QUOTATIONS, WINDOWS
from lineage.erasure.named import NAMES
from lineage.erasure.quotations import Quotations, Repeated
from lineage.erasure.windows import Windows, WithNames
from lineage.models import Erasure, ErasurePlace
from provexplorer.workspaces.models import Workspace


@dataclass(slots=True)
class Work:
    """One attempt at one place."""

    erasure: Erasure
    place: ErasurePlace

    @property
    def workspace(self) -> Workspace:
        return self.erasure.workspace

    def went_on(self, cursor: int, cleared: int) -> None:
        """Note how far a long pass has got, in the caller's transaction.

        Raises LostErasure, which takes back what the step has written.
        """
        hold.keep(self.erasure)
        self.place.cursor, self.place.cleared = cursor, cleared
        ErasurePlace.objects.filter(pk=self.place.pk).update(cursor=cursor, cleared=cleared)

    def could_not_read(self, count: int) -> None:
        """Note that so many more things went unread, in the caller's transaction."""
        self.place.unread += count
        ErasurePlace.objects.filter(pk=self.place.pk).update(unread=self.place.unread)

    def kept(self, name: str) -> bytes | None:
        """What was put aside for the time that the erasure runs; None once it has gone."""
        owner_id = self.erasure.working_owner
        key = sealed.key_of(owner_id) if owner_id is not None else None
        if owner_id is None or key is None:
            return None
        return sealed.unseal(self.workspace, owner_id, key, name)

    def windows(self) -> Windows:
        """By what the erased texts are recognised; nothing is, once the erasure is over."""
        data = self.kept(WINDOWS)
        return Windows.of((), bytes(32)) if data is None else Windows.from_bytes(data)

    def repeated(self) -> Repeated:
        """The same, with what answers quote of them in few words."""
        data = self.kept(QUOTATIONS)
        known = Quotations.of((), bytes(32)) if data is None else Quotations.from_bytes(data)
        return Repeated(self.windows(), known)

    def named(self) -> WithNames:
        """The same, with what describes it where that goes as well: titles, names, addresses, keys."""
        data = self.kept(NAMES)
        return WithNames(self.windows(), () if data is None else json.loads(data))
