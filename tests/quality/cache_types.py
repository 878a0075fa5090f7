#!/usr/bin/env python3
"""What f16 and int8 self-attention caches cost a trained MarianMT: chrF against a human translation, beside f32.

Greedy and beam 4 over the 1000 lines, decoded as the model's recording was (at most 127 generated tokens). chrF may
move by 0.1 with f16 and by 0.2 with int8, either way; and each cache has to give other log-probabilities than f32, so
that a cache that is not used is found. Usage: cache_types.py [--program ...] [--jobs N]
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import sacrebleu

import common

BOUNDS = {"f16": 0.1, "int8": 0.2}


def chrf_and_scores(arguments, lines, reference, *options):
    rows = [json.loads(row) for row in common.translate(
        arguments, lines, "--json", "--one-sentence-per-line", "--batch", "32", "--max-length", "127", *options)]
    chrf = sacrebleu.corpus_chrf([row["text"] for row in rows], [reference]).score
    return chrf, [row["score"] for row in rows]


def main():
    arguments = common.parser(__doc__.splitlines()[0]).parse_args()
    trained = common.shared("models", "multi30k-en-de")
    lines = (trained / "reference" / "test_2016_flickr.en").read_text(encoding="utf-8").splitlines()
    reference = (trained / "reference" / "test_2016_flickr.de").read_text(encoding="utf-8").splitlines()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        arguments.model = pathlib.Path(folder, "model.drg")
        subprocess.run([str(arguments.program), "convert", "-q", str(trained), "-o", str(arguments.model)], check=True)
        for beam in ("1", "4"):
            base, base_scores = chrf_and_scores(arguments, lines, reference, "--beam", beam)
            print(f"beam {beam}: f32 cache chrF {base:.3f}")
            for cache, bound in BOUNDS.items():
                chrf, scores = chrf_and_scores(arguments, lines, reference, "--beam", beam, "--cache", cache)
                good = abs(chrf - base) <= bound and scores != base_scores
                failed |= not good
                print(f"{'passed' if good else 'FAILED'}  {cache} cache: chrF {chrf:.3f}, {chrf - base:+.3f} "
                      f"(at most {bound} away)")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
