#!/usr/bin/env python3
"""Random texts through the project's tokenizer and through the sentencepiece package of PyPI: ids, pieces and text must
be equal. Models are those given, and small random ones written here (ties, unused pieces, user symbols, all options).

usage: random_vs_sentencepiece.py PROGRAM [--spm FILE]... [--models N] [--texts N] [--seed N]
PROGRAM is run as `PROGRAM tokenize --spm FILE --base64`; it reads base64 lines and writes a JSON object for each.
"""
import argparse
import base64
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77  # told to CTest as SKIP_RETURN_CODE
VERSION = "0.2.3"
SPACE = "\u2581"
NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

try:
    import sentencepiece
except ImportError:
    print(f"SKIPPED: the Python package sentencepiece {VERSION} is not installed")
    sys.exit(SKIPPED)


# --- models: just enough of the protocol buffer format to write one ---------------------------------------------------

def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(value)


def random_pieces(rng, alphabet, byte_fallback):
    pieces = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    if rng.random() < 0.3:
        pieces.append(("a", 0.0, CONTROL))
    if byte_fallback:
        pieces += [(f"<0x{b:02X}>", 0.0, BYTE) for b in range(256)]
    names = {p[0] for p in pieces}
    scores = rng.choice([[-1.0, -2.0], [-1.0, -1.5, -2.0, -3.0, -7.25], [0.0, -0.0, 1.0, -1.0],
                         [-rng.random() * 12 for _ in range(50)], [-3e5, -1.0, 2e4], [-0.1, -0.2, -0.3]])
    kinds = rng.choice([[NORMAL], [NORMAL] * 20 + [USER], [NORMAL] * 6 + [UNUSED], [NORMAL] * 10 + [USER, UNUSED]])
    for char in alphabet:
        if rng.random() < 0.85 and char not in names:
            names.add(char)
            pieces.append((char, rng.choice(scores), NORMAL))
    for _ in range(rng.randrange(5, 150)):
        length = min(rng.choice([2, 2, 3, 3, 4, 5, 8, 16]), 16)
        name = "".join(rng.choice(alphabet) for _ in range(length))
        if rng.random() < 0.4:
            name = name.replace(SPACE, "") or "a"
            name = rng.choice([SPACE + name, name + SPACE, name])
        if name not in names:
            names.add(name)
            pieces.append((name, rng.choice(scores), rng.choice(kinds)))
    return pieces


def random_model(rng, charsmaps):
    alphabet = [SPACE] + rng.sample(list("abcdeéß漢字😀1.-İ"), rng.randrange(1, 9))
    byte_fallback = rng.random() < 0.4
    out = b""
    for name, score, kind in random_pieces(rng, alphabet, byte_fallback):
        out += field(1, field(1, name.encode()) + field(2, float(score)) + field(3, kind))
    trainer = field(3, rng.choice([1, 1, 1, 2, 2, 2, 3, 4])) + field(24, int(rng.random() < 0.3))
    trainer += field(35, int(byte_fallback))
    if rng.random() < 0.3:
        trainer += field(44, rng.choice([b"", b"?", b" <u> "]))
    normalizer = b"".join(field(n, int(rng.random() < p)) for n, p in ((3, 0.6), (4, 0.6), (5, 0.9)))
    if charsmaps and rng.random() < 0.5:
        normalizer += field(2, rng.choice(charsmaps))
    return out + field(2, trainer) + field(3, normalizer), alphabet


def read_varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def sub_message(data, wanted):
    """Bytes of the first length-delimited field of that number, or b""."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        if key & 7 == 2:
            size, at = read_varint(data, at)
            if key >> 3 == wanted:
                return data[at:at + size]
            at += size
        elif key & 7 == 5:
            at += 4
        elif key & 7 == 1:
            at += 8
        else:
            _, at = read_varint(data, at)
    return b""


# --- texts ------------------------------------------------------------------------------------------------------------

SPECIAL = ["<s>", "</s>", "<unk>", "<0x41>", "\u200b", "\u00a0", "\u3000", "\ufb01", "\u00bd", "\ufdfa", "e\u0301",
           "\u0958", "\uff21", "\u2026", "\ufffd", "\ufeff", "\t", "\n", "\r", "\0", "\u2028", SPACE, SPACE * 2, "👩‍👩‍👧",
           "\u0e33", "\uac01", "\u1100\u1161", "İ", "ß", "Ⅷ", "...", "www.x.org/?a=1"]


def random_text(rng, alphabet):
    kind = rng.random()
    if kind < 0.04:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(30)))
    if kind < 0.10:
        return (rng.choice(alphabet + SPECIAL) * rng.randrange(1, 400)).encode()
    parts = []
    for _ in range(rng.choice([1, 3, 8, 20, 60])):
        choice = rng.random()
        if choice < 0.62:
            parts.append(rng.choice(alphabet).encode() * rng.choice([1, 1, 1, 2, 5]))
        elif choice < 0.80:
            parts.append(b" " * rng.choice([1, 1, 1, 2, 3]))
        elif choice < 0.90:
            parts.append(rng.choice(SPECIAL).encode())
        elif choice < 0.97:
            parts.append(chr(rng.choice([rng.randrange(32, 0x250), rng.randrange(0x250, 0xd800),
                                         rng.randrange(0x10000, 0x1ffff)])).encode())
        else:
            parts.append(bytes([rng.randrange(128, 256)]))
    text = b"".join(parts)
    return text[:rng.randrange(len(text) + 1)] if rng.random() < 0.1 else text


# --- comparison -------------------------------------------------------------------------------------------------------

def as_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def reference(processor, text):
    answer = processor.encode(text, return_type="offset_mapping")  # bytes in: offsets count bytes
    return {"ids": answer["ids"], "pieces": [as_bytes(p) for p in answer["pieces"]],
            "text": as_bytes(processor.decode(answer["ids"])), "begins": [begin for begin, _ in answer["offsets"]]}


def compare(program, path, texts):
    processor = sentencepiece.SentencePieceProcessor(model_file=path)
    lines = b"".join(base64.b64encode(t) + b"\n" for t in texts)
    done = subprocess.run([program, "tokenize", "--spm", path, "--base64"], input=lines, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"{path}: {program} ended with {done.returncode}: {done.stderr.decode()}")
    answers = [json.loads(line) for line in done.stdout.rstrip(b"\n").split(b"\n")]
    if len(answers) != len(texts):
        sys.exit(f"{path}: {len(answers)} answers to {len(texts)} texts")
    for text, answer in zip(texts, answers):
        wanted = reference(processor, text)
        found = {"ids": answer["ids"], "pieces": [p.encode() for p in answer["pieces"]],
                 "text": base64.b64decode(answer["text"])}
        if "begins" in answer:  # the command line does not show them
            found["begins"] = answer["begins"]
        for key in found:
            value = wanted[key]
            if found[key] != value:
                kept = os.path.join(tempfile.gettempdir(), "dragoman_failed.model")
                with open(path, "rb") as source, open(kept, "wb") as copy:
                    copy.write(source.read())
                sys.exit(f"{path} (kept as {kept}): {key} of {text!r}\n  expected {value}\n  found    {found[key]}")
    return len(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--spm", action="append", default=[])
    parser.add_argument("--models", type=int, default=60)
    parser.add_argument("--texts", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if sentencepiece.__version__ != VERSION:
        print(f"SKIPPED: sentencepiece {sentencepiece.__version__} is installed, {VERSION} is the reference")
        sys.exit(SKIPPED)
    rng = random.Random(options.seed)
    letters = list("abcdefghijklmnopqrstuvwxyzABCDEFéüñçãß0123456789.,!?-'\"") + ["the", "ing", "漢", "я", "😀", SPACE]
    total = 0
    charsmaps = []
    for path in options.spm:
        with open(path, "rb") as file:
            charsmap = sub_message(sub_message(file.read(), 3), 2)
        if charsmap and charsmap not in charsmaps:
            charsmaps.append(charsmap)
        total += compare(options.program, path, [random_text(rng, letters) for _ in range(options.texts)])
    with tempfile.TemporaryDirectory() as folder:
        for n in range(options.models):
            model, alphabet = random_model(rng, charsmaps)
            path = os.path.join(folder, f"{n}.model")
            with open(path, "wb") as file:
                file.write(model)
            total += compare(options.program, path, [random_text(rng, alphabet) for _ in range(options.texts)])
    print(f"{total} texts through {len(options.spm)} given and {options.models} random models: all equal")


if __name__ == "__main__":
    main()
