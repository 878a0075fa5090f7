#!/usr/bin/env python3
"""Records chrF of made-up texts as sacrebleu computes it, for tests/unit/converter/test_chrf.cc.

Usage: make_chrf.py > chrf.json     Needs sacrebleu 2; the numbers in the repository are those of 2.6.0.
"""
import json
import random

import sacrebleu

WORDS = ["alt", "Berg", "cœur", "da", "École", "für", "größer", "heiß", "ich", "日本語", "кот", "l'eau", "мир", "naïve",
         "où", "pão", "Σοφία", "the", "über", "🙂", "x", "yes.", "(z)", "—"]


def line(choose, words):
    return choose.choice([" ", "\u00a0", "  ", "\u3000", "\t"]).join(choose.choice(WORDS) for _ in range(words))


def damaged(choose, text):
    words = text.split(" ")
    for _ in range(choose.randrange(3)):
        words[choose.randrange(len(words))] = choose.choice(WORDS)
    return " ".join(words)


def case(hypotheses, references):
    score = sacrebleu.corpus_chrf(hypotheses, [references]).score
    return {"hypotheses": hypotheses, "references": references, "score": score}


def main():
    choose = random.Random(18)
    cases = [case(["the same"], ["the same"]), case(["abc"], ["xyz"]), case([""], ["a reference"]),
             case(["a hypothesis"], [""]), case(["ab"], ["abc"]), case(["kurz", ""], ["kürzer als sechs", "zwei"])]
    for lines in (1, 3, 20):
        references = [line(choose, 1 + choose.randrange(12)) for _ in range(lines)]
        cases.append(case([damaged(choose, text) for text in references], references))
    print(json.dumps({"sacrebleu": sacrebleu.__version__, "cases": cases}, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
