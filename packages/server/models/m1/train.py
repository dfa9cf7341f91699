"""Trains m1 and scores it on the held-out split. Needs python3 with torch and numpy; no network.

    python3 train.py --data FOLDER --out FOLDER --run dropout=0.1,seconds=200 [--run ...]

FOLDER holds what tokenizer.py wrote. Each run trains from the same seed; the run with the lowest loss on the development
documents (two of a hundred training documents, never the held-out ones) is rounded to F16 and exported. The held-out
split is read once, after that choice.
"""
import argparse, hashlib, json, lzma, math, os, platform, sys, time
import numpy as np
import torch
import torch.nn.functional as F

CONFIG = {"schema": "orch.m1-config/v1", "architecture": "decoder-transformer", "layers": 10, "width": 256, "heads": 8, "hidden": 672,
          "context": 512, "vocabulary": 2048, "rope_base": 10000, "rms_epsilon": 1e-5, "end_of_text": 0, "weights_dtype": "F16"}
SEED = 1
WARMUP = 300
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Layer(torch.nn.Module):
    def __init__(self, c):
        super().__init__()
        d, h = c["width"], c["hidden"]
        self.heads = c["heads"]
        self.attention_norm = torch.nn.Parameter(torch.ones(d))
        self.mlp_norm = torch.nn.Parameter(torch.ones(d))
        out = 0.02 / math.sqrt(2 * c["layers"])
        normal = lambda rows, columns, std: torch.nn.Parameter(torch.randn(rows, columns) * std)
        self.query, self.key, self.value = (normal(d, d, 0.02) for _ in range(3))
        self.output = normal(d, d, out)
        self.gate, self.up = normal(h, d, 0.02), normal(h, d, 0.02)
        self.down = normal(d, h, out)

    def forward(self, x, cos, sin, epsilon, dropout):
        b, t, d = x.shape
        y = norm(x, self.attention_norm, epsilon)
        q, k, v = (F.linear(y, w.to(y.dtype)).view(b, t, self.heads, -1).transpose(1, 2) for w in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(rotate(q, cos, sin), rotate(k, cos, sin), v, is_causal=True)
        x = x + F.dropout(F.linear(y.transpose(1, 2).reshape(b, t, d), self.output.to(y.dtype)), dropout, self.training)
        y = norm(x, self.mlp_norm, epsilon)
        y = F.linear(F.silu(F.linear(y, self.gate.to(y.dtype))) * F.linear(y, self.up.to(y.dtype)), self.down.to(y.dtype))
        return x + F.dropout(y, dropout, self.training)


def norm(x, gain, epsilon):
    y = x.float()
    return (y * torch.rsqrt((y * y).mean(-1, keepdim=True) + epsilon) * gain).to(x.dtype)


def rotate(x, cos, sin):
    """Rotary positions: coordinate i is turned against coordinate i + half of its head."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1).to(x.dtype)


class Model(torch.nn.Module):
    def __init__(self, c, dropout=0.0, dtype=torch.float32):
        super().__init__()
        self.c, self.dropout, self.dtype = c, dropout, dtype
        self.embedding = torch.nn.Parameter(torch.randn(c["vocabulary"], c["width"]) * 0.02)
        self.layers = torch.nn.ModuleList(Layer(c) for _ in range(c["layers"]))
        self.final_norm = torch.nn.Parameter(torch.ones(c["width"]))
        half = c["width"] // c["heads"] // 2
        angle = torch.arange(c["context"], dtype=torch.float64)[:, None] * c["rope_base"] ** (-torch.arange(half, dtype=torch.float64) / half)[None]
        self.register_buffer("cos", angle.cos().float(), persistent=False)
        self.register_buffer("sin", angle.sin().float(), persistent=False)

    def forward(self, tokens, targets=None):
        t = tokens.shape[1]
        x = F.dropout(F.embedding(tokens, self.embedding).to(self.dtype), self.dropout, self.training)
        cos, sin = self.cos[:t].to(self.dtype), self.sin[:t].to(self.dtype)
        for layer in self.layers:
            x = layer(x, cos, sin, self.c["rms_epsilon"], self.dropout)
        logits = F.linear(norm(x, self.final_norm, self.c["rms_epsilon"]), self.embedding.to(self.dtype)).float()
        if targets is None:
            return logits
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none").view(targets.shape)


def load(folder, split):
    with open(os.path.join(folder, f"{split}.index.json")) as file:
        index = json.load(file)
    with open(os.path.join(folder, f"{split}.tokens.xz"), "rb") as file:
        raw = lzma.decompress(file.read())
    assert hashlib.sha256(raw).hexdigest() == index["sha256"]
    tokens = np.frombuffer(raw, dtype="<u2").astype(np.int64)
    ends = index["starts"][1:] + [len(tokens)]
    return [(name, tokens[a:b], size) for name, a, b, size in zip(index["ids"], index["starts"], ends, index["bytes"])]


def batches(stream, size, context, generator):
    at = torch.randint(0, len(stream) - context - 1, (size,), generator=generator)
    rows = torch.stack([stream[i:i + context + 1] for i in at.tolist()]) if DEVICE == "cpu" else stream[(at.to(DEVICE)[:, None] + torch.arange(context + 1, device=DEVICE))]
    return rows[:, :-1], rows[:, 1:]


@torch.no_grad()
def score(model, documents, context, stride, batch=64):
    """Summed negative log2 likelihood of each document: windows of `context`, every token but the first scored once."""
    model.eval()
    jobs = []
    for number, (_, tokens, _) in enumerate(documents):
        scored, start = 0, 0
        last = len(tokens) - 1
        while scored < last:
            end = min(start + context, last)
            jobs.append((number, start, end, scored - start))
            scored = end
            start = max(start + 1, end - (context - stride))
    total = np.zeros(len(documents))
    for group in range(0, len(jobs), batch):
        part = jobs[group:group + batch]
        x = torch.zeros(len(part), context, dtype=torch.long)
        y = torch.zeros(len(part), context, dtype=torch.long)
        weight = torch.zeros(len(part), context)
        for row, (number, start, end, skip) in enumerate(part):
            tokens = torch.from_numpy(documents[number][1][start:end + 1])
            x[row, :end - start], y[row, :end - start] = tokens[:-1], tokens[1:]
            weight[row, skip:end - start] = 1
        loss = model(x.to(DEVICE), y.to(DEVICE)).double().cpu() * weight
        for row, (number, *_) in enumerate(part):
            total[number] += loss[row].sum().item() / math.log(2)
    return total


def train(run, train_documents, development, log):
    torch.manual_seed(SEED)
    generator = torch.Generator().manual_seed(SEED)
    context, size = CONFIG["context"], int(run.get("batch", 96))
    dtype = torch.bfloat16 if DEVICE == "cuda" else torch.float32
    model = Model(CONFIG, float(run.get("dropout", 0.1)), dtype).to(DEVICE)
    step_model = torch.compile(model) if DEVICE == "cuda" else model
    own = [d[1] for d in train_documents if d[0].startswith("orch/")]
    stream = torch.from_numpy(np.concatenate([d[1] for d in train_documents] + own * (int(run.get("own", 3)) - 1))).to(DEVICE)
    decay = [p for p in model.parameters() if p.dim() > 1]
    rest = [p for p in model.parameters() if p.dim() < 2]
    peak = float(run.get("lr", 2e-3))
    optimiser = torch.optim.AdamW([{"params": decay, "weight_decay": float(run.get("decay", 0.1))}, {"params": rest, "weight_decay": 0.0}], lr=peak, betas=(0.9, 0.95), fused=DEVICE == "cuda")
    seconds, steps = float(run["seconds"]), int(run.get("steps", 0))
    curve, started, timed = [], time.time(), None
    step = 0
    while True:
        if step == 50:
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            timed = time.time()
        if step == 150 and not steps:
            if DEVICE == "cuda":
                torch.cuda.synchronize()
            per_step = (time.time() - timed) / 100
            left = seconds - (time.time() - started)
            steps = 150 + int(left * 0.93 / per_step)
            most = int(float(run.get("epochs", 1e9)) * len(stream) / (size * context))
            steps = min(steps, max(most, 400))
            log(f"{per_step * 1000:.2f} ms a step, {size * context / per_step:.0f} tokens/s, {steps} steps = {steps * size * context / len(stream):.1f} passes")
        if steps and step >= steps:
            break
        done = step / steps if steps else 0
        rate = peak * min(1, (step + 1) / WARMUP) * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * done)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        model.train()
        x, y = batches(stream, size, context, generator)
        loss = step_model(x, y).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
        if step % 500 == 0 or step == 1 or (steps and step == steps):
            bits = score(model, development, context, context).sum() / sum(d[2] for d in development)
            curve.append({"step": step, "train_loss_nats": round(loss.item(), 4), "development_bits_per_byte": round(float(bits), 4), "seconds": round(time.time() - started, 1)})
            log(json.dumps(curve[-1]))
    return model, {"run": run, "steps": step, "batch_tokens": size * context, "train_tokens": len(stream), "wall_seconds": round(time.time() - started, 1), "curve": curve, "development_bits_per_byte": curve[-1]["development_bits_per_byte"]}


def export(model, path):
    tensors, header, at = {}, {}, 0
    for name, value in sorted(model.state_dict().items()):
        tensors[name] = value.detach().to(torch.float16).cpu().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(value.shape), "data_offsets": [at, at + len(tensors[name])]}
        at += len(tensors[name])
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + b"".join(tensors[name] for name in sorted(tensors)))


def read_weights(path):
    with open(path, "rb") as file:
        data = file.read()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    return {name: torch.from_numpy(np.frombuffer(data[8 + size + row["data_offsets"][0]:8 + size + row["data_offsets"][1]], dtype=np.float16).reshape(row["shape"]).astype(np.float32)) for name, row in header.items()}


@torch.no_grad()
def sample(model, prompts, length, temperature, generator):
    tokens = prompts.to(DEVICE)
    for _ in range(length):
        logits = model(tokens[:, -CONFIG["context"]:])[:, -1]
        nextone = logits.argmax(-1, keepdim=True) if temperature == 0 else torch.multinomial(torch.softmax(logits / temperature, -1).cpu(), 1, generator=generator).to(DEVICE)
        tokens = torch.cat((tokens, nextone), 1)
    return tokens


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--run", action="append", required=True)
    options = parser.parse_args()
    started = time.time()
    log = lambda text: print(f"[{time.time() - started:7.1f}] {text}", flush=True)
    machine = torch.cuda.get_device_name() if DEVICE == "cuda" else platform.processor()
    versions = {"python": sys.version.split()[0], "torch": torch.__version__, "numpy": np.__version__, "cuda": torch.version.cuda}
    log(f"{machine} {versions}")
    torch.set_float32_matmul_precision("high")
    documents = load(options.data, "train")
    chosen = lambda name: not name.startswith("orch/") and int(hashlib.sha256(("development 1|" + name).encode()).hexdigest()[:8], 16) % 50 == 0
    development = [d for d in documents if chosen(d[0])]
    documents = [d for d in documents if not chosen(d[0])]
    log(f"{len(documents)} training documents, {sum(len(d[1]) for d in documents)} tokens; {len(development)} for development, {sum(d[2] for d in development)} bytes")
    results, best = [], None
    os.makedirs(options.out, exist_ok=True)
    for text in options.run:
        run = dict(pair.split("=") for pair in text.split(","))
        log(f"run {run}")
        model, result = train(run, documents, development, log)
        results.append(result)
        if best is None or result["development_bits_per_byte"] < best["development_bits_per_byte"]:
            best = result
            export(model, os.path.join(options.out, "weights.safetensors"))
        with open(os.path.join(options.out, "runs.json"), "w") as file:
            json.dump({"seed": SEED, "machine": machine, "versions": versions, "results": results, "chosen": results.index(best)}, file)
    torch.set_float32_matmul_precision("highest")
    final = Model(CONFIG).to(DEVICE)
    final.load_state_dict(read_weights(os.path.join(options.out, "weights.safetensors")))
    final.eval()
    held = load(options.data, "held_out")
    bits = score(final, held, CONFIG["context"], CONFIG["context"] // 2)
    log(f"held out: {bits.sum() / sum(d[2] for d in held):.4f} bits per byte over {len(held)} documents")
    with open(os.path.join(options.out, "held-out.json"), "w") as file:
        json.dump({"window": CONFIG["context"], "stride": CONFIG["context"] // 2, "documents": [{"id": d[0], "bytes": d[2], "tokens": len(d[1]) - 1, "bits": float(b)} for d, b in zip(held, bits)]}, file)
    prompts = torch.from_numpy(np.stack([d[1][:32] for d in held if len(d[1]) > 64][:96]))
    made = {}
    for temperature in (0, 0.8):
        made[str(temperature)] = sample(final, prompts, 256, temperature, torch.Generator().manual_seed(SEED)).tolist()
    with open(os.path.join(options.out, "generated.json"), "w") as file:
        json.dump({"prompt_tokens": 32, "generated": made}, file)
    log("done")


if __name__ == "__main__":
    main()
