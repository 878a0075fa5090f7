"""Tiny tokenizer.json files of every kind the families use, and what the tokenizers package says about a text.

Vocabularies are taken from the SentencePiece models of ../spm or trained on words made here; all of it is seeded.
Neighbours: make.py records files and answers, tests/parity/tokenizer/random_vs_tokenizers.py compares on random texts.
Needs the packages tokenizers 0.23.3 and sentencepiece 0.2.3.
"""
import base64
import copy
import importlib.util
import io
import json
import os
import random

import sentencepiece
import tokenizers
from tokenizers import Tokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
MARKER = "\u2581"
BYTES = [f"<0x{b:02X}>" for b in range(256)]

spec = importlib.util.spec_from_file_location(
    "random_vs_sentencepiece", os.path.join(HERE, "../../parity/tokenizer/random_vs_sentencepiece.py"))
spm_tools = importlib.util.module_from_spec(spec)
spec.loader.exec_module(spm_tools)

# A normalization map in small: what makes a difference between characters, sequences and white space.
SMALL_MAP = {
    "\t": " ", "\n": " ", "\r": " ", "\u00a0": " ", "\u3000": " ", "\u2028": " ", "\u200b": " ", "\ufeff": " ",
    "\u200e": " ", "\x01": "", "\x7f": "", "\ufb01": "fi", "\u00bd": "1\u20442", "\u2026": "...", "\uff21": "A",
    "\uff42": "b", "\uff0e": ".", "\u2122": "TM", "\u0140": "l\u00b7", "e\u0301": "\u00e9", "a\u0308": "\u00e4",
    "o\u0302": "\u00f4", "o\u0302\u0301": "\u1ed1", "\u00f4\u0301": "\u1ed1", "\u1100\u1161": "\uac00",
    "\u1100\u1161\u11a8": "\uac01", "\u2474": "(1)", "\u0344": "\u0308\u0301",
}


def small_charsmap():
    rules = "".join(" ".join(f"{ord(c):X}" for c in source) + "\t" + " ".join(f"{ord(c):X}" for c in target) + "\n"
                    for source, target in SMALL_MAP.items())
    path = os.path.join(os.environ.get("TMPDIR", "/tmp"), "dragoman_small_map.tsv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(rules)
    writer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(["a b c d e"] * 20), model_writer=writer,
                                             vocab_size=12, normalization_rule_tsv=path, hard_vocab_limit=False,
                                             minloglevel=2)
    return charsmap_of(writer.getvalue())


def charsmap_of(model):
    return spm_tools.sub_message(spm_tools.sub_message(model, 3), 2)


def read_model(name):
    with open(os.path.join(HERE, "../spm", name + ".model"), "rb") as file:
        return file.read()


def pieces_of(name, limit=None):
    """[(piece, score, type)] of a model of ../spm, in the order of its ids; with a limit all characters, bytes and
    special pieces, and so many others."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=read_model(name))
    count = processor.get_piece_size()
    pieces = []
    for i in range(count):
        kind = 4 if i >= 3 and processor.get_score(i) == 0 and not processor.is_byte(i) else 1
        kind = 2 if processor.is_unknown(i) else 3 if processor.is_control(i) else 6 if processor.is_byte(i) else kind
        pieces.append((processor.id_to_piece(i), processor.get_score(i), kind))
    if limit is None:
        return pieces
    left = iter(range(limit))
    return [p for p in pieces if p[2] != 1 or len(p[0]) == 1 or next(left, None) is not None]


class PureMap:
    """A normalization map applied as SentencePiece applies it: the longest rule at every place."""

    def __init__(self, charsmap):
        pieces = b"".join(spm_tools.field(1, spm_tools.field(1, p.encode()) + spm_tools.field(3, k))
                          for p, k in (("<unk>", 2), ("a", 1)))
        flags = b"".join(spm_tools.field(n, 0) for n in (3, 4, 5))
        model = pieces + spm_tools.field(2, spm_tools.field(3, 1)) + spm_tools.field(
            3, spm_tools.field(2, charsmap) + flags)
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=model)

    def __call__(self, text):
        return self.processor.normalize(text)


# --- parts ------------------------------------------------------------------------------------------------------------

def sequence(kind, members):
    return {"type": "Sequence", kind: members}


def precompiled(charsmap):
    return {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(charsmap).decode()}


def fold(content):
    return {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": content}


def strip(left):
    return {"type": "Strip", "strip_left": left, "strip_right": True}


def replace(pattern, content):
    return {"type": "Replace", "pattern": {"String": pattern}, "content": content}


def metaspace(scheme="always", split=True):
    return {"type": "Metaspace", "replacement": MARKER, "prepend_scheme": scheme, "split": split}


WORDS = sequence("pretokenizers", [{"type": "WhitespaceSplit"}, metaspace()])
FUSED = [replace(MARKER, " "), {"type": "ByteFallback"}, {"type": "Fuse"}]
LLAMA_DECODER = sequence("decoders", FUSED + [{"type": "Strip", "content": " ", "start": 1, "stop": 0}])


def added(content, token_id, special=True, **options):
    token = {"id": token_id, "content": content, "single_word": False, "lstrip": False, "rstrip": False,
             "normalized": False, "special": special}
    token.update(options)
    return token


def template(single, ids):
    items = [{"Sequence": {"id": "A", "type_id": 0}} if t == "$A" else {"SpecialToken": {"id": t, "type_id": 0}}
             for t in single]
    return {"type": "TemplateProcessing", "single": items,
            "pair": items + [{"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {t: {"id": t, "ids": [ids[t]], "tokens": [t]} for t in single if t != "$A"}}


def document(model, normalizer, pre_tokenizer, decoder, added_tokens=(), post_processor=None):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": list(added_tokens),
            "normalizer": normalizer, "pre_tokenizer": pre_tokenizer, "post_processor": post_processor,
            "decoder": decoder, "model": model}


def unigram(vocab, unk_id, byte_fallback=False):
    return {"type": "Unigram", "unk_id": unk_id, "vocab": [[p, s] for p, s in vocab], "byte_fallback": byte_fallback}


def bpe(vocab, merges, **options):
    model = {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
             "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
             "vocab": {p: i for i, p in enumerate(vocab)}, "merges": [list(m) for m in merges]}
    model.update(options)
    return model


def merges_of(pieces, by_score=True):
    """Every way to put a piece together from two others, best piece first (as transformers' converters do)."""
    ids = {p: i for i, (p, _, kind) in enumerate(pieces) if kind == 1}
    found = []
    for piece, score, kind in pieces:
        if kind != 1:
            continue
        for cut in range(1, len(piece)):
            left, right = piece[:cut], piece[cut:]
            if left in ids and right in ids:
                found.append((-score if by_score else ids[piece], ids[left], ids[right], left, right))
    return [(left, right) for *_, left, right in sorted(found)]


def trained_byte_level(seed, size):
    """Vocabulary and merges of byte-level BPE, trained on made-up words."""
    rng = random.Random(seed)
    syllables = ["ba", "lo", "ti", "re", "ken", "sta", "ng", "é", "ou", "ß", "ни", "漢", "字", "'s", "the", "12", "7"]
    lines = [" ".join("".join(rng.choice(syllables) for _ in range(rng.randrange(1, 4)))
                      for _ in range(rng.randrange(3, 9))) + rng.choice([".", "!", " ...", "?!"]) for _ in range(800)]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=size, show_progress=False, special_tokens=["<s>", "<pad>", "</s>",
                                             "<unk>", "<mask>"],
                                             initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()))
    trained = Tokenizer(tokenizers.models.BPE())
    trained.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trained.train_from_iterator(lines, trainer)
    model = json.loads(trained.to_str())["model"]
    vocab = sorted(model["vocab"], key=model["vocab"].get)
    return vocab, [tuple(m) if isinstance(m, list) else tuple(m.split(" ")) for m in model["merges"]]


# --- kinds ------------------------------------------------------------------------------------------------------------

def t5(charsmap, limit):
    """T5 as transformers 5 builds it: words, sentinels; with user symbols of its own."""
    pieces = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)] + [
        (p, s) for p, s, k in pieces_of("unigram_suffix", limit) if k == 1 and p not in (MARKER,)] + [(MARKER, -2.0)]
    pieces = [(MARKER + p[:-1] if p.endswith(MARKER) and len(p) > 1 else p, s) for p, s in pieces]
    seen = set()
    pieces = [(p, s) for p, s in pieces if not (p in seen or seen.add(p))]
    size = len(pieces)
    pieces += [("<extra_id_1>", 0.0), ("<extra_id_0>", 0.0)]
    tokens = [added(p, i) for i, (p, _) in enumerate(pieces) if i < 3 or i >= size]
    tokens += [added("<sep>", size + 2, special=False), added("<sep>x", size + 3, special=False, lstrip=True),
               added("[R]", size + 4, special=False, rstrip=True)]
    ids = {"</s>": 1}
    return document(unigram(pieces, 2), precompiled(charsmap), WORDS, metaspace(), tokens, template(["$A", "</s>"], ids))


def t5_converter(charsmap, limit):
    """T5 as transformers' converter of slow tokenizers writes it."""
    pieces = [(p, s) for p, s, k in pieces_of("unigram_user_symbols", limit)]
    tokens = [added(p, i, special=k != 4) for i, (p, _, k) in enumerate(pieces_of("unigram_user_symbols", limit))
              if k in (2, 3, 4)]
    normalizer = sequence("normalizers", [precompiled(charsmap), strip(False), fold(MARKER)])
    return document(unigram(pieces, 0), normalizer, metaspace(), metaspace(), tokens, template(["$A", "</s>"], {"</s>": 2}))


def mt5(charsmap, limit):
    """mT5, UMT5: byte fallback."""
    pieces = pieces_of("unigram_bytefallback", limit)
    tokens = [added(p, i) for i, (p, _, k) in enumerate(pieces) if k in (2, 3)]
    normalizer = sequence("normalizers", [precompiled(charsmap), fold(" "), strip(True)])
    return document(unigram([(p, s) for p, s, _ in pieces], 0, True), normalizer, metaspace(), metaspace(), tokens,
                    template(["$A", "</s>"], {"</s>": 2}))


def marian(charsmap, limit):
    """A vocabulary without added tokens, as students of Marian ship beside their SentencePiece model."""
    pieces = [("</s>", 0.0), ("<unk>", 0.0)] + [(p, s) for p, s, k in pieces_of("unigram_user_symbols", limit) if k == 1]
    normalizer = sequence("normalizers", [precompiled(charsmap), fold(" "), strip(True)])
    return document(unigram(pieces, 1), normalizer, metaspace(), metaspace())


def mbart(charsmap, limit):
    """mBART, XLM-R: fairseq's order of ids, a language at the end, a mask that takes spaces."""
    pieces = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces += [(p, s) for p, s, k in pieces_of("unigram_identity_keepspace", limit)[3:] if k == 1]
    size = len(pieces)
    pieces += [("en_XX", 0.0), ("ro_RO", 0.0), ("<mask>", 0.0)]
    tokens = [added(p, i) for i, (p, _) in enumerate(pieces) if i < 4 or i >= size]
    tokens[-1]["lstrip"] = True
    return document(unigram(pieces, 3), precompiled(charsmap), WORDS, metaspace(), tokens,
                    template(["$A", "</s>", "en_XX"], {"</s>": 2, "en_XX": size}))


def nllb(charsmap, limit):
    """NLLB: merges of a SentencePiece BPE model, languages as tokens beyond it."""
    own = [p for p in pieces_of("bpe_nfkc_cf", limit)[3:] if p[2] == 1]
    vocab = ["<s>", "<pad>", "</s>", "<unk>"] + [p for p, _, _ in own]
    size = len(vocab)
    tokens = [added(t, i) for i, t in enumerate(vocab[:4])]
    tokens += [added(t, size + i) for i, t in enumerate(("eng_Latn", "fra_Latn", "<mask>"))]
    normalizer = sequence("normalizers", [precompiled(charsmap), fold(" ")])
    return document(bpe(vocab, merges_of(own), unk_token="<unk>", fuse_unk=True), normalizer, metaspace(), metaspace(),
                    tokens, template(["eng_Latn", "$A", "</s>"], {"eng_Latn": size, "</s>": 2}))


def llama(_charsmap, limit):
    """Llama 2: one word, byte fallback, U+2581 put before every text."""
    pieces = pieces_of("bpe_llama_like", limit)
    tokens = [added(p, i) for i, (p, _, k) in enumerate(pieces) if k in (2, 3)]
    normalizer = sequence("normalizers", [{"type": "Prepend", "prepend": MARKER}, replace(" ", MARKER)])
    return document(bpe([p for p, _, _ in pieces], merges_of(pieces, False), unk_token="<unk>", fuse_unk=True,
                        byte_fallback=True), normalizer, None, LLAMA_DECODER, tokens,
                    template(["<s>", "$A"], {"<s>": 1}))


def llama_first(_charsmap, limit):
    """The same with Metaspace, whole words first, and user symbols."""
    pieces = pieces_of("bpe_llama_like", limit)
    tokens = [added(p, i) for i, (p, _, k) in enumerate(pieces) if k in (2, 3)]
    size = len(pieces)
    tokens += [added("<tool>", size, special=False, normalized=True), added("<tool>s", size + 1, special=False)]
    return document(bpe([p for p, _, _ in pieces], merges_of(pieces, False), unk_token="<unk>", fuse_unk=True,
                        byte_fallback=True, ignore_merges=True), None, metaspace("first", False), LLAMA_DECODER, tokens)


def bart(_charsmap, limit):
    """BART: bytes, words by the kind of character."""
    vocab, merges = trained_byte_level(7, 700 if limit is None else 480)
    tokens = [added(t, i) for i, t in enumerate(vocab[:5])]
    tokens[-1]["lstrip"] = True
    post = {"type": "RobertaProcessing", "sep": ["</s>", 2], "cls": ["<s>", 0], "trim_offsets": True,
            "add_prefix_space": False}
    decoder = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True}
    before = dict(decoder, add_prefix_space=False)
    return document(bpe(vocab, merges, continuing_subword_prefix="", end_of_word_suffix=""), None, before, decoder,
                    tokens, post)


def byte_level_prefix(_charsmap, limit):
    """Byte-level BPE with a space before every text and added tokens of all kinds."""
    made = bart(_charsmap, limit)
    size = len(made["model"]["vocab"])
    made["pre_tokenizer"]["add_prefix_space"] = True
    made["model"]["ignore_merges"] = True
    made["added_tokens"] += [added("<u>", size, special=False), added("<u>v", size + 1, special=False, normalized=True),
                             added("[L]", size + 2, special=False, lstrip=True, normalized=True),
                             added("[LR]", size + 3, special=False, lstrip=True, rstrip=True)]
    return made


def unicode_forms(_charsmap, limit):
    """Unigram as the tokenizers library trains it: normal form, control characters, lower case."""
    pieces = [(p, s) for p, s, k in pieces_of("unigram_identity_keepspace", limit)]
    normalizer = sequence("normalizers", [{"type": "Nmt"}, {"type": "NFKC"}, {"type": "Lowercase"}, fold(" ")])
    tokens = [added(p, i) for i, (p, _) in enumerate(pieces) if i < 3]
    return document(unigram(pieces, 0), normalizer, metaspace(), metaspace(), tokens)


def as_sentencepiece(charsmap, limit):
    """As transformers follows a SentencePiece model's own settings."""
    pieces = pieces_of("unigram_bytefallback", limit)
    tokens = [added(p, i) for i, (p, _, k) in enumerate(pieces) if k in (2, 3)]
    trim = {"type": "Replace", "pattern": {"Regex": "\\A +| +\\z"}, "content": ""}
    double = {"type": "Replace", "pattern": {"Regex": "\\A" + MARKER}, "content": MARKER * 2}
    normalizer = sequence("normalizers", [precompiled(charsmap), trim, fold(" "), replace(" ", MARKER), double])
    return document(unigram([(p, s) for p, s, _ in pieces], 0, True), normalizer, metaspace(split=False), LLAMA_DECODER,
                    tokens)


KINDS = [t5, t5_converter, mt5, marian, mbart, nllb, llama, llama_first, bart, byte_level_prefix, unicode_forms,
         as_sentencepiece]


# --- the reference ----------------------------------------------------------------------------------------------------

def respelled(made):
    """The same tokenizer with names for its control tokens that no text holds: text never becomes a control token."""
    control = {t["content"] for t in made["added_tokens"] if t["special"]} | {"<s>", "</s>", "<pad>"}
    model = made["model"]
    if model["type"] == "Unigram":
        control.add(model["vocab"][model["unk_id"]][0])
    elif model["unk_token"] is not None:
        control.add(model["unk_token"])
    names = {name: f"\ufdd0{i}\ufdd0" for i, name in enumerate(sorted(control))}
    out = copy.deepcopy(made)
    for token in out["added_tokens"]:
        token["content"] = names.get(token["content"], token["content"])
    model = out["model"]
    if model["type"] == "Unigram":
        model["vocab"] = [[names.get(p, p), s] for p, s in model["vocab"]]
    else:
        model["vocab"] = {names.get(p, p): i for p, i in model["vocab"].items()}
        if model["unk_token"] is not None:
            model["unk_token"] = names.get(model["unk_token"], model["unk_token"])
    out["post_processor"] = None
    return out


def without_map(made):
    out = copy.deepcopy(made)
    if out["normalizer"] and out["normalizer"]["type"] == "Precompiled":
        out["normalizer"] = None
    elif out["normalizer"]:
        out["normalizer"]["normalizers"] = [n for n in out["normalizer"]["normalizers"] if n["type"] != "Precompiled"]
    return out


def with_bytes_decoded(made):
    """Output never shows the name of a byte piece, whether or not the file's decoders care."""
    out = copy.deepcopy(made)
    if out["model"].get("byte_fallback") and "ByteFallback" not in json.dumps(out["decoder"]):
        out["decoder"] = sequence("decoders", [{"type": "ByteFallback"}, out["decoder"]])
    return out


class Reference:
    """What the tokenizers package says, as it is (`library`), and with the normalization map applied as SentencePiece
    applies it (`wanted`): the package looks maps up by grapheme and takes the shortest rule."""

    def __init__(self, made, charsmap):
        plain = respelled(made)
        self.own = Tokenizer.from_str(json.dumps(with_bytes_decoded(made)))
        self.as_it_is = Tokenizer.from_str(json.dumps(plain))
        text = json.dumps(made)
        self.pure_map = PureMap(charsmap) if "Precompiled" in text else None
        self.mapped = Tokenizer.from_str(json.dumps(without_map(plain)))
        self.symbols = sorted((t["content"] for t in made["added_tokens"] if not t["special"] and not t["normalized"]),
                              key=len, reverse=True)

    def library(self, text):
        return self.as_it_is.encode(text, add_special_tokens=False).ids

    def wanted(self, text):
        if self.pure_map is None:
            return self.library(text)
        parts, begin, at = [], 0, 0
        while at < len(text):
            symbol = next((s for s in self.symbols if text.startswith(s, at)), None)
            if symbol is None:
                at += 1
                continue
            parts += [self.pure_map(text[begin:at]), symbol]
            begin = at = at + len(symbol)
        parts.append(self.pure_map(text[begin:]))
        return self.mapped.encode("".join(parts), add_special_tokens=False).ids

    def decode(self, ids):
        return self.own.decode(ids, skip_special_tokens=True)
