"""The chain computed again from an export by the published rule alone, with nothing of the product."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def first_fault(lines: Iterable[str], public_key: bytes) -> str:
    """What does not fit first in an export of a whole log; empty where all does."""
    read = [json.loads(line) for line in lines]
    chain = sealed = "0" * 64
    at = number = 0
    for one in read[1:]:
        if "entry" in one:
            at += 1
            chain = _sha(chain, one["entry"])
            if one["entry"]["sequence"] != at or one["hash"] != chain:
                return f"entry {at}"
            continue
        number += 1
        seal = one["seal"]
        sealed = _sha(sealed, seal)
        if (seal["number"], seal["last"], seal["chain"]) != (number, at, chain):
            return f"seal {number}"
        if one["hash"] != sealed or not _signed(public_key, one):
            return f"seal {number}"
    return ""


def _sha(before: str, members: dict[str, Any]) -> str:
    line = json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(before.encode() + b"\n" + line.encode()).hexdigest()


def _signed(public_key: bytes, one: dict[str, Any]) -> bool:
    try:
        key = Ed25519PublicKey.from_public_bytes(public_key)
        key.verify(bytes.fromhex(one["signature"]), one["hash"].encode())
    except InvalidSignature:
        return False
    return True
