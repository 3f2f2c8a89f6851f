"""
Whether a delivery comes from the service (spec: Events, Signature). The bytes are checked as they came in. A failure
says what is wrong, since most of them are mistakes of the receiver's own program.

Two families of headers sign a delivery, over the same bytes. The specification's own is `X-Service-Signature:
t=<seconds>,v1=<hex>`, whose key is the secret as it is shown; the other is Standard Webhooks 1.0, whose key is what the
secret says in base64.
"""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Union, cast

from .types import Event

WebhookFailure = Literal[
    "body_parsed",
    "body_empty",
    "bad_secret",
    "no_header",
    "bad_header",
    "no_match",
    "too_old",
    "too_new",
    "not_an_event",
]
"""
`body_parsed`: the body is an object, something has parsed it. `body_empty`: something has read it before. `bad_secret`:
no secret was given, or something that is none. `no_header`: neither family of headers is there. `bad_header`: it cannot
be read. `no_match`: another secret, or another body than was sent. `too_old`: a replay, or a clock that is wrong.
`too_new`: signed at a time that is yet to come. `not_an_event`: signed, but no event.
"""

RawBody = Union[bytes, bytearray, memoryview, str]
HeaderText = Union[str, bytes]
WebhookHeaders = Union[
    Mapping[str, Union[str, Sequence[str]]], Mapping[bytes, bytes], Iterable[tuple[HeaderText, HeaderText]]
]
"""Headers as any framework has them."""

_tolerance_default = 300
_own_header = "x-service-signature"
_standard_headers = ("webhook-id", "webhook-timestamp", "webhook-signature")
# At least 24 bytes in base64: the service's secrets are never shorter.
_secret_form = re.compile(
    r"whsec_(?=.{32})(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?", re.ASCII
)


class WebhookVerificationError(Exception):
    """The delivery is not genuine, or cannot be checked: answer 400."""

    code: WebhookFailure

    def __init__(self, code: WebhookFailure, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def verify(
    raw_body: RawBody,
    headers: WebhookHeaders,
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = _tolerance_default,
    now: Callable[[], float] = time.time,
) -> Event:
    """
    The event, when one of the secrets has signed it. Fails with `WebhookVerificationError`: answer 400 then.
    `raw_body`: what came in, before anything has read it as JSON.
    `tolerance_seconds`: how far the time of the signature may be from now, either way.
    """
    if not tolerance_seconds >= 0:
        raise ValueError("tolerance_seconds: expected seconds, 0 or more")
    body = _bytes_of(raw_body)
    known = _secrets_of(secrets)
    signed = _signed_in(_by_name(headers))
    # Compares all signatures, even after a match.
    if not any([_is_signed_with(signed, body, secret) for secret in known]):
        raise WebhookVerificationError(
            "no_match",
            "no signature fits: it was signed with another secret, "
            "or the body is not byte for byte the one that was sent",
        )
    age = int(now()) - signed.timestamp
    if age > tolerance_seconds:
        raise WebhookVerificationError("too_old", f"signed {age} seconds ago, more than {tolerance_seconds}")
    if age < -tolerance_seconds:
        raise WebhookVerificationError("too_new", f"signed {-age} seconds ahead of this machine's clock")
    return _event_of(body)


def sign(
    raw_body: RawBody, secrets: str | Sequence[str], *, now: Callable[[], float] = time.time
) -> dict[str, str]:
    """Headers that the service would send with the body now: for tests of a receiver."""
    body = _bytes_of(raw_body)
    event_id = str(json.loads(body).get("id"))
    seconds = int(now())
    known = _secrets_of(secrets)
    own = [_hmac(_own_key(secret), f"{seconds}.", body).hex() for secret in known]
    prefix = f"{event_id}.{seconds}."
    standard = [base64.b64encode(_hmac(_standard_key(secret), prefix, body)).decode() for secret in known]
    return {
        _own_header: ",".join([f"t={seconds}", *(f"v1={each}" for each in own)]),
        "webhook-id": event_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(f"v1,{each}" for each in standard),
    }


class _Signed(NamedTuple):
    """The content of one family of headers, and the text that has to have been signed."""

    timestamp: int
    signatures: list[bytes]
    prefix: str
    """The text before the body."""
    key_of: Callable[[str], bytes | None]
    """None if the secret is malformed."""


def _signed_in(headers: Mapping[str, str]) -> _Signed:
    """By the family that is there; the specification's own first."""
    own = headers.get(_own_header)
    if own is None and not any(name in headers for name in _standard_headers):
        raise WebhookVerificationError(
            "no_header", "neither X-Service-Signature nor webhook-signature is there; are these the request's headers?"
        )
    signed = _standard_signatures(headers) if own is None else _own_signatures(own)
    if signed is not None:
        return signed
    raise WebhookVerificationError(
        "bad_header",
        "expected webhook-id, webhook-timestamp and webhook-signature: v1,<base64>"
        if own is None
        else "expected X-Service-Signature: t=<seconds>,v1=<hex>",
    )


def _own_signatures(header: str) -> _Signed | None:
    items = [item.strip() for item in header.split(",")]
    times = [item[2:] for item in items if re.fullmatch(r"t=[0-9]{1,15}", item)]
    found = [bytes.fromhex(item[3:]) for item in items if re.fullmatch(r"v1=[0-9a-fA-F]{64}", item)]
    if not times or not found:
        return None
    return _Signed(int(times[0]), found, f"{times[0]}.", _own_key)


def _standard_signatures(headers: Mapping[str, str]) -> _Signed | None:
    event_id, timestamp, header = (headers.get(name) for name in _standard_headers)
    if event_id is None or timestamp is None or header is None or not re.fullmatch(r"[0-9]{1,15}", timestamp):
        return None
    items = [_bytes_of_base64(item[3:]) for item in header.split(" ") if item.startswith("v1,")]
    found = [item for item in items if item is not None]
    if not found:
        return None
    return _Signed(int(timestamp), found, f"{event_id}.{timestamp}.", _standard_key)


def _own_key(secret: str) -> bytes | None:
    return secret.encode()


def _standard_key(secret: str) -> bytes | None:
    """Early secrets are in the alphabet of URLs."""
    return _bytes_of_base64(secret.removeprefix("whsec_").replace("-", "+").replace("_", "/"))


def _bytes_of_base64(text: str) -> bytes | None:
    plain = text.rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_signed_with(signed: _Signed, body: bytes, secret: str) -> bool:
    expected = _hmac(signed.key_of(secret), signed.prefix, body)
    return any([hmac.compare_digest(signature, expected) for signature in signed.signatures])


def _hmac(key: bytes | None, prefix: str, body: bytes) -> bytes:
    if key is None:
        raise WebhookVerificationError("bad_secret", "a secret that is not base64")
    return hmac.new(key, prefix.encode("utf-8", "surrogatepass") + body, hashlib.sha256).digest()


def _bytes_of(raw_body: object) -> bytes:
    if isinstance(raw_body, str):
        body = raw_body.encode("utf-8", "surrogatepass")
    elif isinstance(raw_body, (bytes, bytearray, memoryview)):
        body = bytes(raw_body)
    else:
        raise WebhookVerificationError(
            "body_parsed",
            "the body was already parsed; pass the raw bytes, read before any JSON parser: "
            "request.body in Django, request.get_data() in Flask, await request.body() in FastAPI and Starlette",
        )
    if not body:
        raise WebhookVerificationError("body_empty", "the body is empty; has something read it before?")
    return body


def _secrets_of(secrets: object) -> list[str]:
    several = list(secrets) if isinstance(secrets, (list, tuple, set, frozenset)) else [secrets]
    known = [secret for secret in several if isinstance(secret, str) and _secret_form.fullmatch(secret)]
    if known and len(known) == len(several):
        return known
    raise WebhookVerificationError(
        "bad_secret", "expected the signing secret, whsec_…, or several, without spaces; is the variable set?"
    )


def _by_name(headers: object) -> dict[str, str]:
    """By their names in lower case."""
    items = getattr(headers, "items", None)
    pairs = cast("Iterable[tuple[Any, Any]]", headers if items is None else items())
    found: dict[str, str] = {}
    for name, value in pairs:
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        if isinstance(first, (str, bytes)):
            found[_text_of(name).lower()] = _text_of(first)
    return found


def _text_of(text: str | bytes) -> str:
    return text.decode("latin-1") if isinstance(text, bytes) else text


def _event_of(body: bytes) -> Event:
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        event = None
    if isinstance(event, dict) and "type" in event and "data" in event:
        return cast("Event", event)
    raise WebhookVerificationError("not_an_event", "the body is signed, but it is no event")
