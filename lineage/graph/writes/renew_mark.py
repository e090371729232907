"""Renews the graph's mark where it has one that is known, in one step; tells which it had.

The node is written before its mark is read, so that two who renew come one after the other.
"""

from typing import Final

from lineage.graph import client

CYPHER: Final = """
MERGE (held:Projection {uid: $uid})
SET held.taken = $new
WITH held, coalesce(held.mark, '') AS was
SET held.mark = CASE WHEN was IN $known THEN $new ELSE was END
RETURN was
"""


def renew_mark(*, uid: str, known: list[str], new: str) -> str:
    """The mark as it was found, "" where there was none. Raises GraphAway.

    A repetition (its reply was lost) finds `new`: that is to be among the `known`.
    """
    rows = client.write(
        lambda unit: unit.run(CYPHER, uid=uid, known=list(known), new=new), name=__name__
    )
    return str(rows[0]["was"])
