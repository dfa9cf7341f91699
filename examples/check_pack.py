#!/usr/bin/env python3
"""Checks an evidence pack offline with the standard library alone.

    python3 check_pack.py pack.json --key cosign.pub [--key another.pub ...]

Recomputes the pack's digest, the digest and the chain links of every receipt inside and each inclusion proof. With
public keys obtained from elsewhere, the pack and every receipt must be signed by one of them. The keys inside the
pack are the pack's own word and are not used. The Ed25519 signature of the checkpoint is not checked here:
`orch pack verify` and the page /verify do.
Exit code 0: everything holds, signatures included. 1: something does not. 2: cannot be read. 5: nothing contradicts,
but no key was given, so whoever made the file may have made it up.
"""
import argparse, base64, hashlib, json, sys

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
    if len(der) != 91 or not der.startswith(SPKI + b"\x04"):
        raise ValueError("not an ECDSA P-256 public key")
    x, y = int.from_bytes(der[27:59], "big"), int.from_bytes(der[59:], "big")
    if max(x, y) >= P or (y * y - x**3 + 3 * x - B) % P:
        raise ValueError("not a point of the curve")
    return hashlib.sha256(der).hexdigest(), (x, y)


def read_der(sig):
    """SEQUENCE of two minimal positive INTEGERs and nothing else."""
    def integer(at):
        end = at + 2 + sig[at + 1]
        body = sig[at + 2:end]
        minimal = body and body[0] < 0x80 and not (len(body) > 1 and body[0] == 0 and body[1] < 0x80)
        return (int.from_bytes(body, "big"), end) if sig[at] == 2 and minimal else (0, 0)
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


def envelope_ok(envelope, kind, keys):
    payload = base64.b64decode(envelope["payload"], validate=True)
    pae = b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode(), len(payload), payload)
    named = [one for one in envelope["signatures"] if one["keyid"] in keys]
    return envelope["payloadType"] == kind and bool(named) and all(
        signed_by(keys[one["keyid"]], pae, base64.b64decode(one["sig"], validate=True)) for one in named)


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def root_of(leaf, index, size, path):
    """RFC 6962: the root that the path leads to, or None when it has the wrong length."""
    node, last, path = hashlib.sha256(b"\0" + leaf).digest(), size - 1, list(path)
    while last:
        if index % 2 or index != last:
            if not path:
                return None
            pair = (path.pop(0), node) if index % 2 else (node, path.pop(0))
            node = hashlib.sha256(b"\1" + pair[0] + pair[1]).digest()
        index, last = index // 2, last // 2
    return None if path else node


def check(document, keys):
    pack, signature = document["pack"], document["signature"]
    digest = hashlib.sha3_256(canonical(pack)).hexdigest()
    yield "the pack has the digest it states", digest == document["pack_sha3_256"]
    if signature["signed"]:
        stated = base64.b64decode(signature["dsse"]["payload"], validate=True)
        yield "the signed statement names this pack", stated == canonical({"orch_evidence_pack_sha3_256": digest})
    if keys:
        yield "the pack is signed by a given key", bool(signature["signed"]) and envelope_ok(
            signature["dsse"], "application/vnd.orch.evidence-pack+json", keys)
    heads, note = {}, (pack.get("checkpoint") or "").split("\n")
    for receipt in reversed(pack.get("receipts", [])):
        body, proof = base64.b64decode(receipt["dsse"]["payload"], validate=True), receipt["inclusion"]
        fields, digest = json.loads(body), hashlib.sha256(body).hexdigest()
        name = f"receipt {digest[:12]}"
        yield f"{name} has the digest it states", digest == receipt["digest"]
        chain, before = (fields["ns"], fields["chain"]), heads.get((fields["ns"], fields["chain"]))
        if before and before[0] + 1 == fields["seq"]:
            yield f"{name} follows the receipt before it", fields["prev"] == before[1]
        heads[chain] = fields["seq"], receipt["digest"]
        root = root_of(body, proof["leaf_index"], proof["tree_size"], [bytes.fromhex(h) for h in proof["hashes"]])
        yield f"{name} is included in the tree of the checkpoint", (
            proof["leaf_index"] < proof["tree_size"] and root is not None and root.hex() == proof["root"]
            and note[1:3] == [str(proof["tree_size"]), base64.b64encode(root).decode()])
        simulated = fields["kind"] == "sample" and fields["chain"] == "sample" and not receipt["dsse"]["signatures"]
        if keys and not simulated:  # nobody signs what was only simulated
            yield f"{name} is signed by a given key", envelope_ok(
                receipt["dsse"], "application/vnd.orch.receipt+json", keys)


def main(arguments):
    names = argparse.ArgumentParser(usage="check_pack.py pack.json --key cosign.pub [--key another.pub ...]")
    names.add_argument("pack")
    names.add_argument("--key", action="append", default=[])
    given = names.parse_args(arguments)
    try:
        document = json.load(open(given.pack, encoding="utf-8"))
        keys = dict(read_key(open(name, encoding="ascii").read()) for name in given.key)
        results = list(check(document, keys))
    except (IndexError, KeyError, OSError, TypeError, ValueError, AttributeError, RecursionError) as error:
        print(f"cannot be read: {error!r}")
        return 2
    for sentence, holds in results:
        print("ok  " if holds else "FAIL", sentence)
    if not keys:
        print("NOT CHECKED signature: no key given")
    print("NOT CHECKED the checkpoint's own signature: use orch pack verify or /verify")
    return 1 if not all(holds for _, holds in results) else 0 if keys else 5


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
