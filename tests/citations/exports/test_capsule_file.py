"""A capsule is as it was signed, or `provexplorer verify` says what was changed."""

import base64
import json
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from citations.exports.capsule_file import NotGenuine, Part, fingerprint, sealed, verify
from provexplorer.cli import main

pytestmark = pytest.mark.engine_free

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
HEAD = b"<!doctype html>\n<title>T</title>\n"
TAIL = b"\n</body>\n</html>\n"
PARTS = [
    Part("answer", "<p>Über alles</p>".encode()),
    Part("cit_a", b"<p>b</p>"),
    Part("left-out", b""),
]


def made(parts: list[Part] | None = None, key: Ed25519PrivateKey = KEY) -> bytes:
    return sealed(
        HEAD, PARTS if parts is None else parts, TAIL,
        answer="ans_a", exported_at="2026-05-03T09:00:00Z", key=key,
    )  # fmt: skip


def changed(old: bytes, new: bytes) -> bytes:
    content = made()
    assert content.count(old) == 1
    return content.replace(old, new)


def refusal(content: bytes) -> str:
    with pytest.raises(NotGenuine) as raised:
        verify(content)
    return str(raised.value)


def test_fails_after_any_byte_was_changed() -> None:
    content = made()
    unnoticed = []
    for at in range(len(content)):
        for bit in (1, 32):  # 32: the other case of a letter
            other = bytearray(content)
            other[at] ^= bit
            try:
                verify(bytes(other))
            except NotGenuine:
                continue
            unnoticed.append(at)
    assert (unnoticed, len(content) > 700) == ([], True)


@pytest.mark.parametrize("at", [0, 40, -1])
def test_fails_after_a_byte_more_or_less(at: int) -> None:
    content = made()
    less = content[:at] + content[at + 1 :] if at != -1 else content[:-1]
    for other in (less, content[:at] + b" " + content[at:], content + b"\n"):
        refusal(other)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"alles", b"Alles", "The part “answer” was changed."),
        (b"<p>b", b"<p>c", "The part “cit_a” was changed."),
        (b"part cit_a", b"part cit_b", "The part “cit_a” is not where it was"),
        (b"<title>T", b"<title>t", "The file was changed outside of its parts."),
        (b"2026-05-03", b"2026-05-04", "The signature does not fit"),
        (b'"ans_a"', b'"ans_b"', "The signature does not fit"),
        (b'{"answer"', b'{ "answer"', "it is not written as it was signed"),
        (b'{"answer"', b'{"other"', "it has other members than it should"),
        (b'{"answer"', b'{answer"', "it is no JSON any more"),
        (b"capsule-manifest", b"capsule-manifesT", "This is no capsule"),
    ],
)
def test_says_what_was_changed(old: bytes, new: bytes, said: str) -> None:
    assert said in refusal(changed(old, new))


def test_other_spellings_of_the_signature_are_refused() -> None:
    signature = json.loads(made().split(b'manifest">')[1].split(b"</script>")[0])["signature"]
    raw = base64.urlsafe_b64decode(signature + "==")
    for other in (signature + "==", signature[:-1] + chr(ord(signature[-1]) + 1), signature[:-2]):
        assert base64.urlsafe_b64decode(other + "==")[:63] == raw[: min(63, len(raw))]
        refusal(changed(signature.encode(), other.encode()))


def test_a_part_more_is_noticed() -> None:
    more = b"<!--part left-out--><!--/part-->"
    assert refusal(changed(more, more + b"<!--part x-->y<!--/part-->")) == (
        "The file was changed outside of its parts."
    )


def test_another_key_can_sign_only_as_itself() -> None:
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    ours, theirs = verify(made()), verify(made(key=other))
    assert ours.fingerprint == fingerprint(KEY.public_key())
    assert theirs.fingerprint == fingerprint(other.public_key()) != ours.fingerprint


def test_the_fingerprint_is_that_of_rfc_8037() -> None:
    # RFC 8037, appendix A.1 and A.3.
    secret = base64.urlsafe_b64decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=")
    key = Ed25519PrivateKey.from_private_bytes(secret)
    assert fingerprint(key.public_key()) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_names_what_it_holds() -> None:
    found = verify(made())
    assert (found.answer, found.exported_at) == ("ans_a", "2026-05-03T09:00:00Z")
    assert found.parts == ("answer", "cit_a", "left-out")


@pytest.mark.parametrize(
    "content", [b"<!--/part-->", b'<script type="application/json" id="capsule-manifest">']
)
def test_content_with_marks_of_the_format_is_not_sealed(content: bytes) -> None:
    with pytest.raises(ValueError, match="marks of the capsule's own format"):
        made([Part("a", content), Part("b", b"")])


@pytest.mark.parametrize("content", [b"", b"<html></html>", b"\xff\x00", HEAD * 2])
def test_what_is_no_capsule_is_said_to_be_none(content: bytes) -> None:
    assert refusal(content).startswith("This is no capsule")


def test_the_command_says_who_signed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "capsule.html"
    file.write_bytes(made())
    name = fingerprint(KEY.public_key())
    assert main(["verify", str(file)]) == 0
    said = capsys.readouterr().out
    assert said.splitlines()[:3] == [
        "Genuine: every byte is as it was signed, 3 parts.",
        "Answer ans_a, exported 2026-05-03T09:00:00Z",
        f"Signed by the key with the fingerprint {name}",
    ]
    assert main(["verify", str(file), "--key", name]) == 0
    capsys.readouterr()
    for another in ("another", "-another", "--file"):
        assert main(["verify", str(file), "--key", another]) == 1
    assert f"signed by another key, {name}" in capsys.readouterr().err


def test_the_command_says_what_was_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "capsule.html"
    file.write_bytes(changed(b"<p>b", b"<p>c"))
    assert main(["verify", str(file)]) == 1
    assert capsys.readouterr().err == "NOT GENUINE: The part “cit_a” was changed.\n"
    assert main(["verify", str(tmp_path / "none")]) == 2
    assert "No such file" in capsys.readouterr().err
