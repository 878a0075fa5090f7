#!/usr/bin/env python3
"""Greedy ids of 200 sentences against those recorded from a float reference, in f32 and int8.

Ids go in as the encoder is to see them, so that neither tokenizer nor splitter has a part in it.
"""
import json

import sacrebleu

import common

END_ID = 0
LEAST_EQUAL_F32 = 99.0  # percent
LEAST_EQUAL_INT8 = 76.0  # a rounding difference flips an activation's integer now and then, so not more
LEAST_CHRF_INT8 = 98.0  # int8 against f32, both ours


def run(arguments, sentences, *options):
    """(ids, text) of every sentence."""
    lines = [" ".join(map(str, sentence["ids"])) for sentence in sentences]
    objects = [json.loads(line) for line in common.translate(arguments, lines, "--ids", "--json", *options)]
    return [(item["ids"], item["text"]) for item in objects]


def percent_equal(outputs, sentences, key):
    """Recorded ids carry no end token; an output must end with it."""
    equal = sum(ids == [*sentence[key], END_ID] for (ids, _), sentence in zip(outputs, sentences))
    return 100.0 * equal / len(sentences)


def main():
    arguments = common.parser(__doc__.splitlines()[0]).parse_args()
    common.require(arguments)
    golden = json.loads(common.shared("golden", "enpt.json").read_text(encoding="utf-8"))
    sentences = golden["sentences"]
    factor = ["--max-length-factor", str(golden["max_length_factor"])]

    f32 = run(arguments, sentences, "--compute", "f32", *factor)
    f32_full = run(arguments, sentences, "--compute", "f32", "--no-shortlist", *factor)
    int8 = run(arguments, sentences, *factor)
    chrf = sacrebleu.corpus_chrf([text for _, text in int8], [[text for _, text in f32]]).score
    common.verdict([
        ("f32, equal ids with shortlist, %", percent_equal(f32, sentences, "greedy_ids_shortlist"), LEAST_EQUAL_F32),
        ("f32, equal ids without shortlist, %", percent_equal(f32_full, sentences, "greedy_ids"), LEAST_EQUAL_F32),
        ("int8, equal ids with shortlist, %", percent_equal(int8, sentences, "greedy_ids_shortlist"), LEAST_EQUAL_INT8),
        ("int8 against f32, chrF", chrf, LEAST_CHRF_INT8),
    ])


if __name__ == "__main__":
    main()
