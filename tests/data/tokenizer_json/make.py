#!/usr/bin/env python3
"""Writes <kind>.json and expected.jsonl: what the tokenizers package answers for the inputs. usage: make.py

expected.jsonl: the inputs first, as a list of base64; then an object a kind: `ids`, a list an input; `text`, base64 of the
decoded ids, null where it equals the input; `map`, the inputs whose ids the package gets differently because it looks
SentencePiece's map up by grapheme. Neighbours: kinds.py; tests/parity/tokenizer/test_tokenizer_json.cc checks.
"""
import base64
import json
import os
import sys

import kinds

PIECES = 150
# Awkward texts; those of the SentencePiece fixtures join them.
TEXTS = [
    "", " ", "  ", "\t", "\n", "a", " a ", "  two  spaces  ", "a\tb\r\nc\n", "\u00a0\u3000x\u2028", "\u2581", "\u2581a \u2581b\u2581", "a \u2581", " \u2581 x",
    "x\u2581\u2581y", "don't they'll I'M we've 'tis '' 's", "1234567890 12,5 \u00bd \u2460", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467 family", "e\u0301 o\u0302\u0301 a\u0308\u0301 \u0301", "\ufb01\u0302 \ufb01",
    "\u1100\u1161\u11a8 \ud55c\uad6d\uc5b4", "\u6f22\u5b57\u306a\u3093\u3060\u3002", "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627", "\u0928\u092e\u0938\u094d\u0924\u0947", "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35", "a\0b", "\x01\x7f\u009f", "\ufeffbom", "\ufffd",
    "!!!!!!", "...???!!!---", "((((((((((", "-" * 60, "\uff21\uff42\uff0e \u2122 \u2026 \u2474", "\u0130 I \u1e9e \u03a3\u03a3", "UPPER Lower", "x" * 90, "\U0001f600" * 20,
    "Press </s> to stop <pad> now <unk> __en__ eng_Latn <2de> >>fra<<", "<s>", "<mask> a <mask>b", "en_XX ro_RO", "<extra_id_0>",
    "a <sep> b<sep>c", "a  <sep>x  b", "[R]   a[R]", "<u>v <u> <u>v<u>", "a [L] b [LR] c", "<tool> a<tool>s b", "<sep><sep>", " <sep> ", "<u><u>v [L][LR]",
    "a\u0085b\x0bc", "tail \u3000\n ", "\n lead", "\u0344 \u00e9\u0323", "'\u6f22's", " \n\n x", "1a2b \u00b2x", "\u200b\u200e",
]


def fixture_texts(limit):
    texts = []
    with open(os.path.join(kinds.HERE, "../spm/unigram_identity_keepspace.jsonl"), encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            data = base64.b64decode(row["input_b64"])
            if len(data) <= 70 and not row["tag"].startswith("sentence") and b"<0x" not in data:
                texts.append(data.decode("utf-8", "replace"))
    step = max(1, len(texts) // limit)
    return texts[::step][:limit]


def record(made, charsmap, texts):
    reference = kinds.Reference(made, charsmap)
    row = {"ids": [], "text": [], "map": []}
    for n, text in enumerate(texts):
        ids = reference.wanted(text)
        decoded = reference.decode(ids)
        row["ids"].append(ids)
        row["text"].append(None if decoded == text else base64.b64encode(decoded.encode()).decode())
        if reference.library(text) != ids:
            row["map"].append(n)
    return row


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main():
    if kinds.tokenizers.__version__ != "0.23.3":
        sys.exit("the answers are those of tokenizers 0.23.3")
    charsmap = kinds.small_charsmap()
    texts = list(dict.fromkeys(TEXTS + fixture_texts(110)))
    lines = [dump([base64.b64encode(t.encode()).decode() for t in texts])]
    for kind in kinds.KINDS:
        made = kind(charsmap, PIECES)
        with open(os.path.join(kinds.HERE, kind.__name__ + ".json"), "w", encoding="utf-8") as file:
            file.write(dump(made) + "\n")
        lines.append(dump({"kind": kind.__name__, **record(made, charsmap, texts)}))
    with open(os.path.join(kinds.HERE, "expected.jsonl"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
