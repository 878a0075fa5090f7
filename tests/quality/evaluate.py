#!/usr/bin/env python3
"""BLEU and chrF of 500 news sentences against a human translation; the check runs on one sentence a line.

The figures with sentence splitting are printed beside them. Usage: evaluate.py [--bleu 31.1] [--chrf 58.5] [...]
"""
import sacrebleu

import common


def scores(outputs, reference):
    bleu = sacrebleu.corpus_bleu(outputs, [reference])
    chrf = sacrebleu.corpus_chrf(outputs, [reference])
    return bleu.score, chrf.score


def main():
    arguments = common.parser(__doc__.splitlines()[0])
    arguments.add_argument("--bleu", type=float, default=31.1, help="least BLEU")
    arguments.add_argument("--chrf", type=float, default=58.5, help="least chrF")
    arguments.add_argument("--compute", default="int8", choices=["int8", "f32"])
    arguments.add_argument("--output", help="write the translations here")
    arguments = arguments.parse_args()
    common.require(arguments)
    source = common.shared("text", "set1.en").read_text(encoding="utf-8").splitlines()
    reference = common.shared("text", "set1.pt-BR.ref").read_text(encoding="utf-8").splitlines()

    compute = ["--compute", arguments.compute]
    whole = common.translate(arguments, source, "--one-sentence-per-line", *compute)
    bleu, chrf = scores(whole, reference)
    split_bleu, split_chrf = scores(common.translate(arguments, source, *compute), reference)
    print(f"sacreBLEU {sacrebleu.__version__}, {len(source)} lines, {arguments.compute}")
    print(f"one sentence a line: BLEU {bleu:.2f}, chrF {chrf:.2f}")
    print(f"with splitting:      BLEU {split_bleu:.2f}, chrF {split_chrf:.2f}")
    if arguments.output:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in whole)
    common.verdict([("BLEU", bleu, arguments.bleu), ("chrF", chrf, arguments.chrf)])


if __name__ == "__main__":
    main()
