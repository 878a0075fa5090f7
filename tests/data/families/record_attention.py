#!/usr/bin/env python3
"""Writes attention.json into the folders of encoder-decoder models here: what the last decoder layer attends to.

Teacher forcing with the ids of reference.json, eager attention, float32. For every sentence the mean over the heads of
the last layer's cross-attention, [decoder ids][source ids], and the first head of the first layer. No randomness.
Usage: record_attention.py [FAMILY...]   Needs torch and transformers 5.24; the tests read only what it wrote.
"""
import json
import pathlib
import sys

import torch
import transformers

FOLDER = pathlib.Path(__file__).resolve().parent
FAMILIES = ("marian", "bart", "m2m100", "t5", "t5-v1_1", "mt5")


def record(family):
    reference = json.loads((FOLDER / family / "reference.json").read_text())
    model = transformers.AutoModelForSeq2SeqLM.from_pretrained(FOLDER / family, attn_implementation="eager",
                                                               dtype=torch.float32).eval()
    last, first = [], []
    for source, mask, target in zip(reference["input_ids"], reference["attention_mask"],
                                    reference["decoder_input_ids"]):
        source = [token for token, real in zip(source, mask) if real]
        with torch.no_grad():
            out = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([target]),
                        output_attentions=True, use_cache=False)
        last.append(rows(out.cross_attentions[-1][0].mean(dim=0)))
        first.append(rows(out.cross_attentions[0][0][0]))
    text = json.dumps({"transformers": transformers.__version__, "last_layer": last, "first_layer_head_0": first})
    (FOLDER / family / "attention.json").write_text(text + "\n")


def rows(matrix):
    return [[round(float(value), 7) for value in row] for row in matrix]


if __name__ == "__main__":
    for name in sys.argv[1:] or FAMILIES:
        record(name)
