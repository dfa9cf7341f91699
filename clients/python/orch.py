"""Client of orch in one file: Python 3.9 or later, standard library only.

    from orch import Client

    client = Client("http://127.0.0.1:8080")

    @client.govern("answer a customer", describe=lambda customer, answer: answer)
    def reply(customer: str, answer: str) -> None: ...

    with client.govern("publish the report", text=report):
        publish(report)

What is not exactly an allow, about exactly this request and with a receipt, does not run: `GovernedDenial`,
`ReviewRequired` or `GovernanceUnavailable` is raised instead. `verify_receipt` and `verify_chain` recompute digests and
links; signatures are checked by `orch.mjs`, by the page /verify or by `check_pack.py`, not here, and the reports say so.
"""
from __future__ import annotations

import asyncio, base64, binascii, dataclasses, functools, hashlib, http.client, inspect, json, random, re, secrets
import socket, threading, time
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, TypeVar, Union
from urllib.parse import quote, urlsplit

__all__ = ["Client", "Decision", "GovernanceUnavailable", "GovernedDenial", "Governed", "ReviewRequired",
           "ServiceError", "Verification", "verify_chain", "verify_receipt"]

_F = TypeVar("_F", bound=Callable[..., Any])
_API = "/api/orch/v1"
_MAX_REPLY = 8 * 1024 * 1024
_TRANSIENT = (429, 502, 503, 504)
#: The caller's own: a malformed or refused request, a credential that is missing or may not.
_MISTAKES = (400, 401, 403, 404, 409, 413, 415, 422)
#: What `decide` and `govern` take besides the text.
_FACTS = ("agent", "context", "declared", "direction", "dry_run", "effect", "mode", "origin", "redact", "review_id",
          "session_id", "severity", "tool", "vertical")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_REVIEW_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_TOKEN = re.compile(r"[!-~]+")
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|::1")
_GENESIS = "0" * 64
_BODY_FIELDS = {"schema", "doctrine", "kind", "ns", "chain", "seq", "prev", "ts_utc", "request_id", "actor", "policy",
                "payload"}


@dataclasses.dataclass(frozen=True)
class Decision:
    """What the service decided about one request, and the receipt that is the evidence of it."""

    decision: str
    reasons: Tuple[str, ...]
    receipt: Mapping[str, Any]
    #: Id of the review that somebody has to settle; None unless the decision is `review`.
    review_id: Optional[str]
    #: The whole reply.
    reply: Mapping[str, Any]


class ServiceError(Exception):
    """The service refused a call, or something else answered in its place. `status` is None where no answer came."""

    def __init__(self, message: str, status: Optional[int] = None, code: Optional[str] = None) -> None:
        super().__init__(message)
        self.status, self.code = status, code


class GovernedDenial(Exception):
    """The service, or a person it asked, said no. `review` is the settled review where a person did."""

    def __init__(self, decision: Decision, review: Optional[Mapping[str, Any]] = None) -> None:
        said = f"the review {decision.review_id} ended {review.get('state')}" if review else None
        super().__init__(said or f"denied: {', '.join(decision.reasons)}")
        self.decision, self.reasons, self.receipt, self.review = decision, decision.reasons, decision.receipt, review


class ReviewRequired(Exception):
    """A person has to decide first: call again once the review is approved, or govern with `on_review="wait"`."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(f"a person has to decide on {decision.review_id}: {', '.join(decision.reasons)}")
        self.decision, self.reasons, self.receipt = decision, decision.reasons, decision.receipt
        self.review_id = decision.review_id


class GovernanceUnavailable(Exception):
    """No decision came: unreachable, too slow, refused, or an answer that is none. What is not allowed does not run."""


class Client:
    """Talks to one service. A redirect is never followed and no proxy of the environment is used.

    `timeout` is for one attempt, the body of the answer included; `retries` are further attempts after the first. Every
    POST carries a key of its own, so that asking again after a lost answer finds what the first one did.
    """

    def __init__(self, base_url: str = "http://127.0.0.1:8080", token: Optional[str] = None, timeout: float = 10.0,
                 retries: int = 2) -> None:
        url = urlsplit(base_url)
        if url.scheme not in ("http", "https") or not url.hostname:
            raise ValueError("base_url must be an http or https address such as http://127.0.0.1:8080")
        if url.path not in ("", "/") or url.query or url.fragment or url.username or url.password:
            raise ValueError("base_url must be an origin without path, query and credentials")
        if token and url.scheme != "https" and not _LOOPBACK.fullmatch(url.hostname):
            raise ValueError(f"a token is not sent to {url.hostname} without TLS: use an https address")
        if token and not _TOKEN.fullmatch(token.strip()):
            # Without its value: the error of a header that cannot be sent would show it.
            raise ValueError("token must be printable ASCII without spaces and line breaks")
        self.base_url = base_url.rstrip("/")
        self._kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        self._host, self._port = url.hostname, url.port
        self._token, self._timeout, self._retries = token and token.strip(), timeout, retries

    def call(self, method: str, path: str, body: Any = None, deadline: Optional[float] = None) -> Any:
        """Send one request and return the parsed JSON of its reply. Raises `ServiceError`.

        `deadline` is a time of `time.monotonic()` after which no answer counts.
        """
        return _parse(self._send(method, path, body, deadline))

    def receipt(self, digest: str) -> Dict[str, Any]:
        """One receipt with its envelope and its proof, as a file that verifies by itself. Raises `ServiceError`."""
        return self.call("GET", f"{_API}/receipts/{quote(digest, safe='')}")

    def receipt_bytes(self, digest: str) -> bytes:
        """The exact bytes that were hashed, signed and logged. Raises `ServiceError` unless they have this digest."""
        body = self._send("GET", f"{_API}/receipts/{quote(digest, safe='')}/canonical", None, None)
        if hashlib.sha256(body).hexdigest() != digest:
            raise ServiceError(f"the bytes that were sent do not have the digest {digest}")
        return body

    def chain(self, digest: str, limit: int = 1000) -> List[bytes]:
        """The receipt and those before it in its chain, oldest first, for `verify_chain`. Raises `ServiceError`."""
        bodies: List[bytes] = []
        while digest != _GENESIS and len(bodies) < limit:
            bodies.append(self.receipt_bytes(digest))
            digest = str(_parse(bodies[-1]).get("prev"))
        return bodies[::-1]

    def decide(self, text: str, deadline: Optional[float] = None, **facts: Any) -> Decision:
        """Ask about `text` and return the decision, whatever it is. Raises `GovernanceUnavailable` where none came, and
        `ServiceError` where the request itself is at fault, which asking again does not mend.

        `facts` are the other fields of a request: `tool`, `agent`, `effect`, `declared`, `session_id`, `context` ...
        """
        if not isinstance(text, str):
            raise ServiceError(f"body.text must be a text and is of type {type(text).__name__}")
        try:
            asked = hashlib.sha256(text.encode()).hexdigest()
        except UnicodeEncodeError as error:
            raise ServiceError("body.text holds half of a pair of surrogates, which is no character") from error
        try:
            reply = self.call("POST", f"{_API}/wow/govern", {**facts, "text": text}, deadline)
        except ServiceError as error:
            if error.status in _MISTAKES:
                raise
            raise GovernanceUnavailable(f"no decision: {error}") from error
        return _read_decision(reply, asked)

    def govern(self, action: str, *, text: Optional[str] = None, describe: Optional[Callable[..., str]] = None,
               on_review: str = "raise", timeout: float = 30.0, **facts: Any) -> "Governed":
        """Put a function (as a decorator) or a block (as a context manager) behind the gates.

        `action` says what is done, in words of the program, and is sent as it stands. Of the arguments of a function
        nothing leaves the process but a digest, unless `describe` returns text for the gates to read; for a block that
        text is `text`. `on_review` is `"raise"` or `"wait"`; `timeout` covers everything before the run, people too.
        """
        if on_review not in ("raise", "wait"):
            raise ValueError('on_review must be "raise" or "wait"')
        for name in facts:
            if name not in _FACTS:
                raise TypeError(f"govern() has no argument {name!r}: it takes action, text, describe, on_review, "
                                f"timeout, {', '.join(_FACTS)}")
        return Governed(self, action, text, describe, on_review, timeout, facts)

    def _send(self, method: str, path: str, body: Any, deadline: Optional[float]) -> bytes:
        headers = {"accept": "application/json", "connection": "close"}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        if method == "POST":
            headers["idempotency-key"] = secrets.token_hex(16)
        data = None
        if body is not None:
            data = json.dumps(body, allow_nan=False).encode()
            headers["content-type"] = "application/json"
        end = float("inf") if deadline is None else deadline
        for attempt in range(self._retries + 1):
            try:
                return self._attempt(method, path, data, headers, end)
            except ServiceError as error:
                again = error.status is None or error.status in _TRANSIENT
                pause = random.random() * min(10.0, 0.2 * 2**attempt)
                if not again or attempt == self._retries or time.monotonic() + pause >= end:
                    raise
            time.sleep(pause)
        raise AssertionError("unreachable")

    def _attempt(self, method: str, path: str, data: Optional[bytes], headers: Mapping[str, str], end: float) -> bytes:
        limit = min(self._timeout, end - time.monotonic())
        if limit <= 0:
            raise ServiceError("no time was left to ask")
        connection = self._kind(self._host, self._port, timeout=limit)
        # A socket's own limit begins anew with every byte: a reply that trickles in would never end.
        late = threading.Event()
        sockets: List[socket.socket] = []
        watch = threading.Timer(limit, _cut_off, (sockets, late))
        watch.daemon = True
        watch.start()
        try:
            connection.connect()
            sockets.append(connection.sock)  # The connection itself lets go of it once the answer has begun.
            if late.is_set():
                raise OSError("the time was over before the request was sent")
            connection.request(method, path, data, dict(headers))
            response = connection.getresponse()
            body = response.read(_MAX_REPLY + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise ServiceError(f"no answer from {self.base_url}: {'too late' if late.is_set() else error!r}") from error
        finally:
            watch.cancel()
            connection.close()
        if late.is_set():
            raise ServiceError(f"no answer from {self.base_url}: too late")
        if len(body) > _MAX_REPLY:
            raise ServiceError("the answer is too large", response.status)
        if response.status != 200:
            raise _refusal(response.status, body)
        return body


class Governed:
    """One action behind the gates, made by `Client.govern`: decorate a function with it or enter it with `with`."""

    def __init__(self, client: Client, action: str, text: Optional[str], describe: Optional[Callable[..., str]],
                 on_review: str, timeout: float, facts: Mapping[str, Any]) -> None:
        self._client, self._action, self._text, self._describe = client, action, text, describe
        self._on_review, self._timeout, self._facts = on_review, timeout, facts

    def __call__(self, function: _F) -> _F:
        """Same arguments, same result; the function runs when the decision is allow, and only then."""
        if self._text is not None:
            raise TypeError("text is for a block; a function is described with describe")

        @functools.wraps(function)
        def governed(*args: Any, **kwargs: Any) -> Any:
            digest = self._ask_about(args, kwargs)
            _assert_unchanged(digest, args, kwargs)
            return function(*args, **kwargs)

        @functools.wraps(function)
        async def governed_async(*args: Any, **kwargs: Any) -> Any:
            digest = await asyncio.get_running_loop().run_in_executor(None, self._ask_about, args, kwargs)
            _assert_unchanged(digest, args, kwargs)
            return await function(*args, **kwargs)

        return governed_async if inspect.iscoroutinefunction(function) else governed  # type: ignore[return-value]

    def __enter__(self) -> Decision:
        """Ask; the block runs when the decision is allow, and only then."""
        if self._describe is not None:
            raise TypeError("describe is for a function; the text of a block is given as text")
        return self._permission(self._text if self._text is not None else self._action, {"action": self._action})

    def __exit__(self, *_: object) -> None:
        """Nothing to undo: the decision was made before the block ran."""

    def _ask_about(self, args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> Optional[str]:
        digest = _digest_of(args, kwargs)
        if digest is None and self._describe is None:
            raise TypeError("the arguments are not plain data and have no digest: say with describe what they are")
        context = {"action": self._action, **({"arguments_sha256": digest} if digest else {})}
        self._permission(self._describe(*args, **kwargs) if self._describe else self._action, context)
        return digest

    def _permission(self, text: str, context: Mapping[str, Any]) -> Decision:
        end = time.monotonic() + self._timeout
        facts = {**self._facts, "context": {**(self._facts.get("context") or {}), **context}}
        decision = self._client.decide(text, end, **facts)
        if decision.decision == "review" and self._on_review == "wait":
            self._wait(decision, end)
            decision = self._client.decide(text, end, **{**facts, "review_id": decision.review_id})
        if decision.decision == "deny":
            raise GovernedDenial(decision)
        # After a wait: the approval was good for another state of the rules, or was used up. That is a new review.
        if decision.decision != "allow":
            raise ReviewRequired(decision)
        if time.monotonic() >= end:
            raise GovernanceUnavailable("no decision: it came too late")
        return decision

    def _wait(self, decision: Decision, end: float) -> None:
        pause = min(2.0, max(0.02, self._timeout / 20))
        while True:
            try:
                review = self._client.call("GET", f"{_API}/reviews/{decision.review_id}", deadline=end)
            except ServiceError as error:
                if time.monotonic() >= end:
                    raise ReviewRequired(decision) from error
                raise GovernanceUnavailable(f"no verdict: {error}") from error
            state = review.get("state") if isinstance(review, dict) else None
            if state == "approved":
                return
            if state in ("denied", "expired"):
                raise GovernedDenial(decision, review)
            if state != "pending" or time.monotonic() + pause >= end:
                raise ReviewRequired(decision)
            time.sleep(pause)


@dataclasses.dataclass(frozen=True)
class Verification:
    """What was recomputed. `holds` is False on any fault; what was not checked is listed and is no success."""

    holds: bool
    #: Digests of the receipts, in the order given.
    digests: Tuple[str, ...]
    #: One sentence per contradiction.
    faults: Tuple[str, ...]
    not_checked: Tuple[str, ...]


def verify_receipt(record: Union[bytes, Mapping[str, Any]], expected_digest: Optional[str] = None) -> Verification:
    """Recompute the digest of one receipt: its bytes, or a record or export as the service returns it.

    What stands beside the signed bytes and repeats them must agree with them, and so must `expected_digest`.
    """
    faults: List[str] = []
    digest, _ = _read_receipt(record, faults)
    if expected_digest is not None and digest != expected_digest:
        faults.append(f"the receipt has the digest {digest} and not {expected_digest}")
    return Verification(not faults, (digest,), tuple(faults), ("signature", "chain", "inclusion"))


def verify_chain(records: Iterable[Union[bytes, Mapping[str, Any]]]) -> Verification:
    """Recompute every digest and every link of receipts given oldest first; several chains may be mixed.

    A chain that does not begin with its first receipt is listed in `not_checked`: what came before was not read.
    Receipts cut off at the end cannot be missed here: compare the last digest with one you have from elsewhere.
    """
    faults: List[str] = []
    digests: List[str] = []
    heads: Dict[Tuple[str, str], Tuple[int, str]] = {}
    not_checked = ["signature", "inclusion"]
    for record in records:
        digest, body = _read_receipt(record, faults)
        digests.append(digest)
        if body is None:
            continue
        name, seq, before = f"{body['ns']}/{body['chain']}", body["seq"], heads.get((body["ns"], body["chain"]))
        if (seq == 0) != (body["prev"] == _GENESIS):
            faults.append(f"{name}#{seq}: 64 zeros stand before the first receipt and only there")
        if before is None and seq != 0:
            not_checked.append(f"{name} before #{seq}")
        if before is not None and (seq, body["prev"]) != (before[0] + 1, before[1]):
            faults.append(f"{name}#{seq} does not follow #{before[0]} ({before[1]})")
        heads[(body["ns"], body["chain"])] = (seq, digest)
    if not digests:
        faults.append("there was nothing to verify")
    return Verification(not faults, tuple(digests), tuple(faults), tuple(not_checked))


def _read_receipt(record: Union[bytes, Mapping[str, Any]], faults: List[str]) -> Tuple[str, Optional[Dict[str, Any]]]:
    try:
        body = record if isinstance(record, bytes) else base64.b64decode(record["dsse"]["payload"], validate=True)
    except (KeyError, TypeError, ValueError, binascii.Error):
        faults.append("the record has no readable dsse.payload")
        return "", None
    digest = hashlib.sha256(body).hexdigest()
    try:
        fields = _parse(body)
    except ServiceError as error:
        faults.append(f"{digest}: {error}")
        return digest, None
    if not isinstance(fields, dict) or set(fields) != _BODY_FIELDS or not _has_types(fields):
        faults.append(f"{digest}: the bytes are not the body of a receipt")
        return digest, None
    beside = {} if isinstance(record, bytes) else record
    stated = {**fields, "digest": digest, "receipt_id": digest, "node_digest": digest}
    for name in ("digest", "receipt_id", "node_digest", "ns", "chain", "seq", "prev", "kind", "ts_utc"):
        if name in beside and beside[name] != stated[name]:
            faults.append(f"{digest}: {name} beside the bytes is {beside[name]!r}, in them {stated[name]!r}")
    return digest, fields


def _has_types(fields: Mapping[str, Any]) -> bool:
    texts = all(isinstance(fields[name], str) for name in ("ns", "chain", "prev", "kind"))
    return (texts and type(fields["seq"]) is int and fields["seq"] >= 0 and fields["schema"] == "orch.receipt/v1"
            and bool(_DIGEST.fullmatch(fields["prev"])))


def _read_decision(reply: Any, asked: str) -> Decision:
    """Anything may have answered in the place of the service: only its own words, about this request, count."""
    fields = reply if isinstance(reply, dict) else {}
    receipt, reasons, word = fields.get("receipt"), fields.get("reasons"), fields.get("decision")
    review = fields.get("review") if isinstance(fields.get("review"), dict) else {}
    review_id = review.get("review_id")
    digest = receipt.get("digest") if isinstance(receipt, dict) else None
    if not (fields.get("schema") == "orch.decision/v1" and word in ("allow", "review", "deny")
            and isinstance(reasons, list) and all(isinstance(reason, str) for reason in reasons)
            and isinstance(digest, str) and _DIGEST.fullmatch(digest) and fields.get("dry_run") is False):
        raise GovernanceUnavailable("no decision: the answer is not a decision")
    # A proxy that loses the body makes the service answer about its example: that is no answer to this request.
    if fields.get("input_source") != "CALLER" or fields.get("input_sha256") != asked:
        raise GovernanceUnavailable("no decision: the answer is about another request")
    if word != "review":
        return Decision(word, tuple(reasons), receipt, None, fields)
    if not isinstance(review_id, str) or not _REVIEW_ID.fullmatch(review_id):
        raise GovernanceUnavailable("no decision: the answer names no review")
    return Decision(word, tuple(reasons), receipt, review_id, fields)


def _digest_of(args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> Optional[str]:
    """SHA-256 of the arguments as JSON with sorted names; None where they are not plain data."""
    try:
        _assert_plain([args, kwargs])
        text = json.dumps([args, kwargs], sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return None


def _assert_plain(value: Any) -> None:
    """JSON would write the names 1 and "1" alike, and two different arguments would share their digest."""
    if isinstance(value, dict):
        if not all(isinstance(name, str) for name in value):
            raise TypeError("a name is not a text")
        value = list(value.values())
    for one in value if isinstance(value, (list, tuple)) else ():
        _assert_plain(one)


def _assert_unchanged(digest: Optional[str], args: Tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Whoever shares the objects can change them while a person thinks: what was approved is what runs."""
    if digest is not None and digest != _digest_of(args, kwargs):
        raise TypeError("the arguments changed after they were decided on")


def _cut_off(sockets: List[socket.socket], late: threading.Event) -> None:
    late.set()
    for one in sockets:
        try:
            # Not the method of a TLS socket, which would change it under the thread that reads.
            socket.socket.shutdown(one, socket.SHUT_RDWR)
        except OSError:
            continue  # It is gone already, which is what was wanted.


def _refusal(status: int, body: bytes) -> ServiceError:
    try:
        fields = _parse(body)
    except ServiceError:
        fields = None
    error = fields.get("error") if isinstance(fields, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    if error is None and isinstance(fields, dict):
        code, message = _validation_error(fields.get("detail"))
    said = message or "the answer does not say why"
    return ServiceError(f"HTTP status {status}, {code or 'unexpected_reply'}: {said}", status, code and str(code))


def _validation_error(detail: Any) -> Tuple[Optional[str], Optional[str]]:
    """Code and message of the shape that refused input has: a place and a sentence for every fault."""
    faults = [one for one in detail if isinstance(one, dict)] if isinstance(detail, list) else []
    said = [f"{'.'.join(map(str, one['loc'])) if isinstance(one.get('loc'), list) else 'request'}: {one.get('msg')}"
            for one in faults]
    return ("validation_error", "; ".join(said)) if said else (None, None)


def _parse(body: bytes) -> Any:
    """Strict JSON: no name twice, no NaN, no other encoding than UTF-8."""
    def unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("a name stands twice")
        return dict(pairs)

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is not JSON")

    try:
        return json.loads(body.decode(), object_pairs_hook=unique, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise ServiceError(f"the answer is not JSON: {error}") from error
