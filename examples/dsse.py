"""DSSE envelopes signed with ECDSA P-256, checked with the standard library alone. Used by check_pack.py."""
import base64, hashlib

# NIST P-256: y^2 = x^3 - 3x + b over the field of P, base point G of order N.
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
SPKI = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d030107034200")

def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    top, bottom = (3 * a[0] ** 2 - 3, 2 * a[1]) if a == b else (b[1] - a[1], b[0] - a[0])
    slope = top * pow(bottom, -1, P) % P
    x = (slope**2 - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P

def times(k, point):
    total = None
    while k:
        total = add(total, point) if k & 1 else total
        point, k = add(point, point), k >> 1
    return total

def read_key(pem):
    der = base64.b64decode("".join(line for line in pem.splitlines() if "-----" not in line), validate=True)
    x, y = int.from_bytes(der[27:59], "big"), int.from_bytes(der[59:], "big")
    if len(der) != 91 or not der.startswith(SPKI + b"\x04") or max(x, y) >= P or (y * y - x**3 + 3 * x - B) % P:
        raise ValueError("not an ECDSA P-256 public key")
    return hashlib.sha256(der).hexdigest(), (x, y)

def read_der(sig):  # SEQUENCE of two minimal positive INTEGERs and nothing else
    def integer(at):
        body = sig[at + 2:at + 2 + sig[at + 1]]
        minimal = body and body[0] < 0x80 and not (len(body) > 1 and body[0] == 0 and body[1] < 0x80)
        return (int.from_bytes(body, "big"), at + 2 + sig[at + 1]) if sig[at] == 2 and minimal else (0, 0)
    r, at = integer(2)
    s, end = integer(at) if r else (0, 0)
    return (r, s) if sig[0] == 0x30 and sig[1] == len(sig) - 2 and end == len(sig) else (0, 0)

def signed_by(key, message, sig):
    r, s = read_der(sig)
    if not (0 < r < N and 0 < s < N):
        return False
    w, e = pow(s, -1, N), int.from_bytes(hashlib.sha256(message).digest(), "big")
    point = add(times(e * w % N, G), times(r * w % N, key))
    return point is not None and point[0] % N == r

def envelope_ok(envelope, what, keys):
    payload, kind = base64.b64decode(envelope["payload"], validate=True), f"application/vnd.orch.{what}+json"
    pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    named = [one for one in envelope["signatures"] if one["keyid"] in keys]
    return envelope["payloadType"] == kind and bool(named) and all(
        signed_by(keys[one["keyid"]], pae, base64.b64decode(one["sig"], validate=True)) for one in named)
