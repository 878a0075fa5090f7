"""Converts tiny multilingual models to CTranslate2 folders, by CTranslate2's own loaders.

The networks and vocabularies are those of tests/data/multilingual, whose recordings count for these, too. Writes
tests/data/ctranslate2-multilingual/<name>/: model.bin, config.json and the list of tokens, with names of no meaning for
rows without a token, as CTranslate2's converter makes them up. Needs ctranslate2 4.8, transformers 5.24, torch and
sentencepiece, which the tests do not.
Usage: make_multilingual.py [FOLDER]      Neighbours: test_multilingual_folders.cc compares.
"""
import json
import pathlib
import shutil
import sys

import sentencepiece
import torch
import transformers
from ctranslate2.converters import transformers as loaders

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
MODELS = {"nllb": "M2M100ForConditionalGeneration", "m2m100": "M2M100ForConditionalGeneration",
          "mbart": "MBartForConditionalGeneration"}


def tokens_of(name, folder, rows):
    """All tokens by id."""
    languages = json.loads((folder / "reference.json").read_text())["languages"]
    tokens = {id: f"__{language}__" if name == "m2m100" else language for language, id in languages.items()}
    if name == "m2m100":
        tokens.update({id: token for token, id in json.loads((folder / "vocab.json").read_text()).items()})
    else:
        pieces = sentencepiece.SentencePieceProcessor(model_file=str(folder / "sentencepiece.bpe.model"))
        tokens.update(enumerate(["<s>", "<pad>", "</s>", "<unk>"]))
        tokens.update({i + 1: pieces.id_to_piece(i) for i in range(3, pieces.get_piece_size())})
        tokens[max(languages.values()) + 1] = "<mask>"
    used = max(tokens) + 1
    assert sorted(tokens) == list(range(used)), name
    return [tokens.get(i, f"madeupword{i - used}") for i in range(rows)]


class Tokenizer:
    """As much of a tokenizer as the loaders ask for."""

    bos_token, eos_token, unk_token, pad_token = "<s>", "</s>", "<unk>", "<pad>"
    special_tokens_map = {}

    def __init__(self, tokens):
        self.tokens = tokens
        self.unk_token_id = tokens.index("<unk>")

    def get_vocab(self):
        return {token: i for i, token in enumerate(self.tokens)}

    def convert_ids_to_tokens(self, index):
        return self.tokens[index]


def main():
    top = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "ctranslate2-multilingual"
    for name, architecture in MODELS.items():
        folder = DATA / "multilingual" / name
        model = getattr(transformers, architecture).from_pretrained(folder, dtype=torch.float32).eval()
        if name == "mbart":
            model.config.normalize_before = True  # older settings say so themselves
        tokenizer = Tokenizer(tokens_of(name, folder, model.config.vocab_size))
        with torch.no_grad():
            spec = loaders._MODEL_LOADERS[type(model.config).__name__](model, tokenizer)
        spec.validate()
        spec.optimize(quantization=None)
        shutil.rmtree(top / name, ignore_errors=True)
        (top / name).mkdir(parents=True)
        spec.save(str(top / name))


if __name__ == "__main__":
    main()
