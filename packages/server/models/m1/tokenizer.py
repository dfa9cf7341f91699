"""Trains the byte-level BPE tokenizer of m1 on the training split and encodes both splits.

    python3 tokenizer.py --corpus FOLDER --out FOLDER

Token 0 is the end of a text; tokens 1 to 256 are the bytes; every later token joins two earlier ones, in the order in
which they were learned. Any byte sequence can be encoded, so there is no unknown token. Pieces are cut by a pattern over
bytes with explicit classes, so that every regular-expression engine cuts alike.
"""
import argparse, collections, hashlib, heapq, json, lzma, os, re, time
import numpy as np

VOCABULARY = 2048
PATTERN = r"[ ]?[A-Za-z\x80-\xff]+|[0-9]|[ ]?[^ \t\n\r\x0b\x0cA-Za-z0-9\x80-\xff]+|[ \t\n\r\x0b\x0c]+(?![^ \t\n\r\x0b\x0c])|[ \t\n\r\x0b\x0c]+"
PIECE = re.compile(PATTERN.encode("latin1"))


def learn(counts):
    """Merges the most frequent pair until the vocabulary is full; ties go to the lower pair of ids."""
    words = [[1 + b for b in piece] for piece in counts]
    weight = list(counts.values())
    pairs, where = collections.Counter(), collections.defaultdict(set)
    for index, word in enumerate(words):
        for pair in zip(word, word[1:]):
            pairs[pair] += weight[index]
            where[pair].add(index)
    heap = [(-count, pair) for pair, count in pairs.items()]
    heapq.heapify(heap)
    merges = []
    while len(merges) < VOCABULARY - 257:
        count, pair = heapq.heappop(heap)
        if pairs[pair] != -count:
            if pairs[pair] > 0:
                heapq.heappush(heap, (-pairs[pair], pair))
            continue
        new = 257 + len(merges)
        merges.append(pair)
        changed = set()
        for index in sorted(where.pop(pair)):
            word = words[index]
            for old in zip(word, word[1:]):
                pairs[old] -= weight[index]
                changed.add(old)
            joined, at = [], 0
            while at < len(word):
                if at + 1 < len(word) and (word[at], word[at + 1]) == pair:
                    joined.append(new)
                    at += 2
                else:
                    joined.append(word[at])
                    at += 1
            words[index] = joined
            for fresh in zip(joined, joined[1:]):
                pairs[fresh] += weight[index]
                where[fresh].add(index)
                changed.add(fresh)
        for each in changed:
            if pairs[each] > 0:
                heapq.heappush(heap, (-pairs[each], each))
    return merges


class Tokenizer:
    def __init__(self, merges):
        self.rank = {tuple(pair): index for index, pair in enumerate(merges)}
        self.known = {}

    def piece(self, piece):
        found = self.known.get(piece)
        if found is None:
            found = [1 + b for b in piece]
            while len(found) > 1:
                best = min(zip(found, found[1:]), key=lambda pair: self.rank.get(pair, 1 << 30))
                rank = self.rank.get(best)
                if rank is None:
                    break
                joined, at = [], 0
                while at < len(found):
                    if at + 1 < len(found) and (found[at], found[at + 1]) == best:
                        joined.append(257 + rank)
                        at += 2
                    else:
                        joined.append(found[at])
                        at += 1
                found = joined
            self.known[piece] = found
        return found

    def encode(self, data):
        return [token for piece in PIECE.findall(data) for token in self.piece(piece)]


def read(folder, split):
    with open(os.path.join(folder, f"{split}.json.xz"), "rb") as file:
        return json.loads(lzma.decompress(file.read()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    started = time.time()
    train = read(options.corpus, "train")
    counts = collections.Counter()
    for document in train:
        counts.update(PIECE.findall(document["text"].encode("utf8")))
    merges = learn({piece: count for piece, count in counts.items() if count > 1})
    print("merges", len(merges), "pieces", len(counts), round(time.time() - started), "s")
    os.makedirs(options.out, exist_ok=True)
    with open(os.path.join(options.out, "tokenizer.json"), "w") as file:
        json.dump({"schema": "orch.m1-tokenizer/v1", "vocabulary": VOCABULARY, "end_of_text": 0, "pattern": PATTERN, "merges": merges}, file, separators=(",", ":"))
        file.write("\n")
    tokenizer = Tokenizer(merges)
    for split, documents in (("train", train), ("held_out", read(options.corpus, "held_out"))):
        tokens, starts, sizes = [], [], []
        for document in documents:
            data = document["text"].encode("utf8")
            starts.append(len(tokens))
            sizes.append(len(data))
            tokens.append(0)
            tokens.extend(tokenizer.encode(data))
        packed = np.array(tokens, dtype="<u2").tobytes()
        index = {"ids": [d["id"] for d in documents], "starts": starts, "bytes": sizes, "tokens": len(tokens), "sha256": hashlib.sha256(packed).hexdigest()}
        with open(os.path.join(options.out, f"{split}.tokens.xz"), "wb") as file:
            file.write(lzma.compress(packed, preset=2))
        with open(os.path.join(options.out, f"{split}.index.json"), "w") as file:
            json.dump(index, file)
        print(split, len(documents), "documents", len(tokens), "tokens", round(sum(sizes) / len(tokens), 3), "bytes per token", round(time.time() - started), "s")


if __name__ == "__main__":
    main()
