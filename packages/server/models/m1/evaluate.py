"""Baselines and checks beside m1, on the same tokens and documents. Needs python3 with numpy.

    python3 evaluate.py --data FOLDER --run FOLDER --out FILE

Every model is scored on the same held-out documents and in the same unit, bits per byte of UTF-8. Intervals are
percentile bootstraps over documents (10,000 resamples, bytes and bits resampled together).
"""
import argparse, json, os
import numpy as np
from train import load

ORDER = 5
BITS = 11
VOCABULARY = 2048


def padded(documents):
    """Tokens of all documents, each after ORDER - 1 starts, and which positions are to be predicted."""
    parts, real, owner = [], [], []
    for number, (_, tokens, _) in enumerate(documents):
        parts += [np.zeros(ORDER - 1, dtype=np.int64), tokens[1:]]
        real += [np.zeros(ORDER - 1, dtype=bool), np.ones(len(tokens) - 1, dtype=bool)]
        owner.append(np.full(len(tokens) - 1, number))
    return np.concatenate(parts), np.concatenate(real), np.concatenate(owner)


def grams(tokens, real, order):
    key = np.zeros(len(tokens), dtype=np.int64)
    for back in range(order - 1, -1, -1):
        shifted = np.zeros_like(tokens)
        shifted[back:] = tokens[:len(tokens) - back] if back else tokens
        key = (key << BITS) | shifted
    return key[real]


def lookup(keys, values, wanted, absent=0):
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, values[at], absent)


class KneserNey:
    """Interpolated modified Kneser-Ney (Chen and Goodman 1999): raw counts at the highest order, continuation counts below."""

    def __init__(self, tokens, real):
        self.levels = []
        keys, counts = np.unique(grams(tokens, real, ORDER), return_counts=True)
        for order in range(ORDER, 0, -1):
            of = [int((counts == n).sum()) for n in (1, 2, 3, 4)]
            y = of[0] / (of[0] + 2 * of[1])
            discount = np.array([0, 1 - 2 * y * of[1] / of[0], 2 - 3 * y * of[2] / of[1], 3 - 4 * y * of[3] / of[2]])
            kind = np.minimum(counts, 3)
            contexts, first = np.unique(keys >> BITS, return_index=True)
            total = np.add.reduceat(counts, first)
            reserved = np.add.reduceat(discount[kind], first)
            self.levels.append((order, keys, counts - discount[kind], contexts, total, reserved / total))
            if order > 1:
                lower = keys & ((1 << (BITS * (order - 1))) - 1)
                keys, counts = np.unique(lower, return_counts=True)
        self.levels.reverse()

    def probabilities(self, tokens, real):
        chance = np.full(int(real.sum()), 1 / VOCABULARY)
        for order, keys, left, contexts, total, back in self.levels:
            wanted = grams(tokens, real, order)
            context = wanted >> BITS
            sums = lookup(contexts, total, context)
            known = sums > 0
            share = np.where(known, lookup(keys, left, wanted, 0.0) / np.maximum(sums, 1), 0.0)
            chance = np.where(known, share + lookup(contexts, back, context, 1.0) * chance, chance)
        return chance


def interval(bits, sizes, generator, resamples=10_000):
    picks = generator.integers(0, len(sizes), (resamples, len(sizes)))
    means = bits[picks].sum(1) / sizes[picks].sum(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return {"bits_per_byte": round(float(bits.sum() / sizes.sum()), 4), "ci95": [round(float(low), 4), round(float(high), 4)]}


def longest_overlap(outputs, stream, least=8):
    """The longest run of tokens in any output that stands in the training text, and how many outputs hold one of 50."""
    outputs = np.array(outputs, dtype=np.uint64)
    stream = stream.astype(np.uint64)
    grown = lambda value, token: value * np.uint64(1099511628211) + token + np.uint64(7)
    places = np.arange(len(stream) - least + 1)
    here = np.zeros(len(places), dtype=np.uint64)
    made = np.zeros((outputs.shape[0], outputs.shape[1] - least + 1), dtype=np.uint64)
    for at in range(least):
        here = grown(here, stream[at:at + len(here)])
        made = grown(made, outputs[:, at:at + made.shape[1]])
    longest, length, with_50 = None, least, 0
    while made.shape[1] > 0:
        known = np.unique(made)
        found = known[np.minimum(np.searchsorted(known, here), len(known) - 1)] == here
        places, here = places[found], here[found]
        if len(places) == 0:
            break
        longest = length
        if length == 50:
            with_50 = int(np.isin(made, here).any(1).sum())
        room = places + length < len(stream)
        places, here = places[room], here[room]
        here = grown(here, stream[places + length])
        made = grown(made[:, :-1], outputs[:, length:])
        length += 1
    return {"longest_tokens": longest, "outputs": len(outputs), "outputs_with_50_tokens": with_50}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--run", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    train, held = load(options.data, "train"), load(options.data, "held_out")
    sizes = np.array([d[2] for d in held], dtype=np.float64)
    tokens, real, _ = padded(train)
    asked, wanted, owner = padded(held)
    summed = lambda chance: np.bincount(owner, -np.log2(chance), len(held))
    counts = np.bincount(tokens[real], minlength=VOCABULARY) + 1
    scores = {"order_5_kneser_ney": summed(KneserNey(tokens, real).probabilities(asked, wanted)), "unigram": summed(counts[asked[wanted]] / counts.sum()), "uniform": sizes * 8}
    with open(os.path.join(options.run, "held-out.json")) as file:
        rows = json.load(file)["documents"]
    assert [r["id"] for r in rows] == [d[0] for d in held]
    scores["m1"] = np.array([r["bits"] for r in rows])
    generator = np.random.default_rng(1)
    result = {name: interval(bits, sizes, generator) for name, bits in scores.items()}
    difference = scores["order_5_kneser_ney"] - scores["m1"]
    result["m1_below_order_5_kneser_ney"] = interval(difference, sizes, generator)
    per_token = {name: round(float(2 ** (bits.sum() / wanted.sum())), 3) for name, bits in scores.items() if name != "uniform"}
    kinds = {}
    for (name, _, size), *bits in zip(held, *(scores[k] for k in ("m1", "order_5_kneser_ney", "unigram"))):
        kind = "/".join(name.split("/")[:2]) if name.startswith("npm/") else "pypi/botocore" if name.startswith("pypi/botocore") else name.split("/")[0]
        row = kinds.setdefault(kind, {"documents": 0, "bytes": 0, "m1": 0.0, "order_5_kneser_ney": 0.0, "unigram": 0.0})
        row["documents"] += 1
        row["bytes"] += size
        for key, value in zip(("m1", "order_5_kneser_ney", "unigram"), bits):
            row[key] += float(value)
    for row in kinds.values():
        for key in ("m1", "order_5_kneser_ney", "unigram"):
            row[key] = round(row[key] / row["bytes"], 4)
    with open(os.path.join(options.run, "generated.json")) as file:
        made = json.load(file)
    stream = np.concatenate([d[1] for d in train])
    memory = {f"temperature_{t}": longest_overlap([o[made["prompt_tokens"]:] for o in outputs], stream) for t, outputs in made["generated"].items()}
    document = {"documents": len(held), "bytes": int(sizes.sum()), "tokens": int(wanted.sum()), "bits_per_byte": result, "token_perplexity": per_token, "by_kind": kinds, "memorisation": memory}
    with open(options.out, "w") as file:
        json.dump(document, file, indent=1)
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
