#!/usr/bin/env python3
"""Random texts through the project's tokenizer and through the tokenizers package of PyPI (0.23.3), for every kind of
tokenizer.json of tests/data/tokenizer_json/kinds.py. Ids and decoded text must be equal but for what is counted:

  map    the package applies SentencePiece's map in a way of its own (see Reference); with SentencePiece's way: equal
  tie    two segmentations of equal score (to float precision): SentencePiece's is taken
  marks  a normal form of combining marks that the compiled rules do not know (kind unicode_forms only)
  newer  a character that the Unicode version of one side does not know (byte-level kinds only)
  bytes  a Unigram model of the package finds the name of a byte piece, as <0x41>, in text

usage: random_vs_tokenizers.py PROGRAM [--texts N] [--seed N] [--kind NAME] [--full-map]
PROGRAM is run as `PROGRAM tokenize --spm FILE --base64`. Run by hand: it needs more packages than the tests install.
"""
import argparse
import base64
import collections
import json
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../data/tokenizer_json"))
import kinds  # noqa: E402

SYMBOLS = ["<sep>", "<sep>x", "[R]", "<u>", "<u>v", "[L]", "[LR]", "<tool>", "<tool>s", "<extra_id_0>", "<mask>", "eng_Latn",
           "en_XX", "</s>", "<s>", "<pad>", "<unk>", "\u2581", "\u2581\u2581", " \u2581", "'s", "'ll", "'LL", "'", "  ",
           "\t", "\r\n", "\n", "\u00a0", "\u3000", "\u0085", "\u200b", "\u200d", "\ufeff", "\u2028", "e\u0301", "o\u0302\u0301",
           "\u0301", "\ufb01\u0302", "\u1100\u1161\u11a8", "12", "\u00bd", "\u0e33", "\u0130", "\u1e9e", "\ud55c", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
           "\u05d0\u05b8", "\u0627\u0644", "\u0915\u094d\u0937", "\0", "!!!!!!", "...", "((", "\ufffd", "\u2460", "\u00b2"]
WORDS = ["the", "a", "man", "in", "dog", "is", "ken", "balo", "\u00e9", "\u00df", "ni", "two", "standing", "\u6f22", "M\u00e4nner", "ein", "Stra\u00dfe",
         "Two", "UPPER", "x", "people"]


def random_text(rng):
    parts = []
    for _ in range(rng.choice([1, 2, 5, 12, 30])):
        choice = rng.random()
        if choice < 0.45:
            parts.append(rng.choice(WORDS) if rng.random() < 0.8 else "".join(rng.choices("abcdefgmnorstu", k=4)))
        elif choice < 0.72:
            parts.append(" ")
        elif choice < 0.92:
            parts.append(rng.choice(SYMBOLS) * rng.choice([1, 1, 1, 1, 2, 7]))
        else:
            code = rng.choice([rng.randrange(1, 0x250), rng.randrange(0x250, 0xd800), rng.randrange(0xe000, 0x30000)])
            parts.append(chr(code))
    return "".join(parts)


def answers(program, path, texts):
    lines = b"".join(base64.b64encode(t.encode()) + b"\n" for t in texts)
    done = subprocess.run([program, "tokenize", "--spm", path, "--base64"], input=lines, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{path}: {program} ended with {done.returncode}: {done.stderr.decode()}")
    return [json.loads(line) for line in done.stdout.rstrip(b"\n").split(b"\n")]


def score(made, ids):
    vocab = made["model"]["vocab"]
    unknown = min(s for _, s in vocab) - 10
    unk_id = made["model"]["unk_id"]
    return sum(unknown if i == unk_id else vocab[i][1] for i in ids)


def reason(made, reference, text, ids, wanted):
    """Why `ids` may differ from `wanted`, or None."""
    if made["model"]["type"] != "Unigram":
        by_class = made["pre_tokenizer"] and made["pre_tokenizer"]["type"] == "ByteLevel"
        return "newer" if by_class and any(unicodedata.category(c) == "Cn" for c in text) else None
    if made["model"]["byte_fallback"] and "<0x" in text:
        return "bytes"
    if "NFKC" in json.dumps(made["normalizer"]) and any(unicodedata.combining(c) for c in unicodedata.normalize("NFKD", text)):
        return "marks"
    same_text = reference.as_it_is.decode(ids).replace(" ", "") == reference.as_it_is.decode(wanted).replace(" ", "")
    if same_text and abs(score(made, ids) - score(made, wanted)) < 1e-3:
        return "tie"
    return None


def check_kind(program, made, charsmap, texts):
    reference = kinds.Reference(made, charsmap)
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tokenizer.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(made, file)
        found = answers(program, path, texts)
    for text, answer in zip(texts, found):
        ids, wanted = answer["ids"], reference.wanted(text)
        why = "equal" if ids == wanted else reason(made, reference, text, ids, wanted)
        if why is None:
            counts["WRONG"] += 1
            if counts["WRONG"] <= 3:
                print(f"  {text!r}\n    expected {wanted}\n    found    {ids}\n    pieces   {answer['pieces']}")
            continue
        counts[why] += 1
        if why == "equal" and reference.library(text) != ids:
            counts["map"] += 1
        if "NFKC" in json.dumps(made["normalizer"]) and why == "marks":
            continue
        decoded, own = reference.decode(ids), base64.b64decode(answer["text"]).decode()
        if decoded != own:
            counts["WRONG text"] += 1
            if counts["WRONG text"] <= 3:
                print(f"  text of {ids}\n    expected {decoded!r}\n    found    {own!r}")
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--texts", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", action="append", default=[])
    parser.add_argument("--full-map", action="store_true", help="nmt_nfkc instead of the map in small")
    options = parser.parse_args()
    charsmap = kinds.charsmap_of(kinds.read_model("unigram_suffix")) if options.full_map else kinds.small_charsmap()
    failed = False
    for kind in kinds.KINDS:
        if options.kind and kind.__name__ not in options.kind:
            continue
        rng = random.Random(options.seed)
        counts = check_kind(options.program, kind(charsmap, None), charsmap,
                            [random_text(rng) for _ in range(options.texts)])
        failed |= counts["WRONG"] + counts["WRONG text"] > 0
        print(f"{kind.__name__}: {options.texts} texts, {dict(counts)}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
