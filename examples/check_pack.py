#!/usr/bin/env python3
"""python3 check_pack.py pack.json --key cosign.pub [--key another.pub ...]: an evidence pack, checked offline.
Recomputes the pack's digest, the digest and chain links of every receipt and each inclusion proof. Pack and receipts must
be signed by a given key; keys inside the pack are its own word. The Ed25519 signature of the checkpoint is not checked
here. Exit code 0: everything holds. 1: something does not. 2: cannot be read. 5: no key, so anybody may have made it."""
import argparse, base64, hashlib, json, sys
sys.dont_write_bytecode = True  # nothing is left beside the evidence
from dsse import envelope_ok, read_key

def canonical(value): return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

def root_of(leaf, index, size, path):  # RFC 6962: the root that the path leads to, empty where its length is wrong
    node, last, path = hashlib.sha256(b"\0" + leaf).digest(), size - 1, list(path)
    while last:
        if index % 2 or index != last:
            beside = path.pop(0) if path else b""
            node = hashlib.sha256(b"\1" + (beside + node if index % 2 else node + beside)).digest() if beside else b""
        index, last = index // 2, last // 2
    return b"" if path else node

def check(document, keys):
    pack, signature = document["pack"], document["signature"]
    digest = hashlib.sha3_256(canonical(pack)).hexdigest()
    yield "the pack has the digest it states", digest == document["pack_sha3_256"]
    if signature["signed"]:
        stated = base64.b64decode(signature["dsse"]["payload"], validate=True)
        yield "the signed statement names this pack", stated == canonical({"orch_evidence_pack_sha3_256": digest})
    if keys:
        yield "the pack is signed by a given key", signature["signed"] and envelope_ok(signature["dsse"], "evidence-pack", keys)
    heads, note = {}, (pack.get("checkpoint") or "").split("\n")
    for receipt in reversed(pack.get("receipts", [])):
        body, proof = base64.b64decode(receipt["dsse"]["payload"], validate=True), receipt["inclusion"]
        fields, digest = json.loads(body), hashlib.sha256(body).hexdigest()
        name, chain = f"receipt {digest[:12]}", (fields["ns"], fields["chain"])
        yield f"{name} has the digest it states", digest == receipt["digest"]
        if chain in heads and heads[chain][0] + 1 == fields["seq"]:
            yield f"{name} follows the receipt before it", fields["prev"] == heads[chain][1]
        heads[chain] = fields["seq"], receipt["digest"]
        root = root_of(body, proof["leaf_index"], proof["tree_size"], [bytes.fromhex(h) for h in proof["hashes"]])
        yield f"{name} is included in the tree of the checkpoint", (
            proof["leaf_index"] < proof["tree_size"] and root != b"" and root.hex() == proof["root"]
            and note[1:3] == [str(proof["tree_size"]), base64.b64encode(root).decode()])
        if keys and [fields["kind"], fields["chain"], receipt["dsse"]["signatures"]] != ["sample", "sample", []]:  # simulated
            yield f"{name} is signed by a given key", envelope_ok(receipt["dsse"], "receipt", keys)

names = argparse.ArgumentParser(usage="check_pack.py pack.json --key cosign.pub [--key another.pub ...]")
names.add_argument("pack")
names.add_argument("--key", action="append", default=[])
given = names.parse_args()
try:
    keys = dict(read_key(open(name, encoding="ascii").read()) for name in given.key)
    results = list(check(json.load(open(given.pack, encoding="utf-8")), keys))
except (IndexError, KeyError, OSError, TypeError, ValueError, AttributeError, RecursionError) as error:
    sys.exit(print("cannot be read:", error if isinstance(error, (OSError, ValueError)) else "it is not shaped as a pack") or 2)
for sentence, holds in results:
    print("ok  " if holds else "FAIL", sentence)
for what in [*([] if keys else ["signature: no key given"]), "the checkpoint's own signature: use orch pack verify or /verify"]:
    print("NOT CHECKED", what)
sys.exit(1 if not all(holds for _, holds in results) else 0 if keys else 5)
