"""Beam search, sampling, constraints and scoring with the trained model: independence of company, sizes, options."""
import math
import random
import unittest

import program
from program import MODEL, json_lines, run, translate

TEXT = ["How are you today?", "The quick brown fox jumps over the lazy dog.", "It rains.", "Thank you very much.",
        "We went to the market yesterday and bought three kilos of apples, two loaves of bread and some cheese.",
        "Ring 220-220-557 twice.", "Where is the nearest railway station?", "No.", "I do not know what to say to her.",
        "The government announced on Tuesday that it will raise the minimum wage next year."] * 2


def lines_of(sentences):
    return "".join(sentence + "\n" for sentence in sentences).encode()


def facts(result):
    """Everything that must not depend on the company, scores to the last bit."""
    return [(line["ids"], line["score"], line["log_probs"], line["ranges"]) for line in json_lines(result)]


class Company(unittest.TestCase):
    def check(self, *options):
        alone = facts(translate("--json", "-q", *options, stdin=lines_of(TEXT)))
        self.assertEqual(len(alone), len(TEXT))
        for batch in (2, 7, 32):
            self.assertEqual(facts(translate("--json", "-q", "--batch", batch, *options, stdin=lines_of(TEXT))), alone)
        order = list(range(len(TEXT)))
        random.Random(1).shuffle(order)
        shuffled = facts(translate("--json", "-q", "--batch", 16, "--threads", 2, *options,
                                   stdin=lines_of(TEXT[i] for i in order)))
        self.assertEqual(shuffled, [alone[i] for i in order])

    def test_beam(self):
        self.check("--beam", 4, "--n-best", 4, "--beam-rule", "marian")

    def test_full_beam(self):
        self.check("--beam", 4, "--beam-rule", "hugging-face")

    def test_constraints(self):
        self.check("--beam", 3, "--no-repeat-ngram", 2, "--repetition-penalty", 1.1)

    def test_sampling(self):
        self.check("--sample", "--temperature", 1.5, "--n-best", 2, "--seed", 7)


class Search(unittest.TestCase):
    def test_n_best(self):
        result = translate("-q", "--beam", 4, "--n-best", 3, stdin=lines_of(TEXT[:2]))
        rows = [line.split("\t") for line in result.stdout.decode().splitlines()]
        self.assertEqual([row[:2] for row in rows], [[str(i), str(k)] for i in (1, 2) for k in (1, 2, 3)])
        for begin in (0, 3):
            scores = [float(row[2]) for row in rows[begin:begin + 3]]
            self.assertEqual(scores, sorted(scores, reverse=True))
            self.assertEqual(len({row[3] for row in rows[begin:begin + 3]}), 3)
        best = translate("-q", "--beam", 4, stdin=lines_of(TEXT[:2])).stdout.decode().splitlines()
        self.assertEqual([rows[0][3], rows[3][3]], best)

    def test_beam_is_no_worse(self):
        def total(beam):
            result = translate("--json", "-q", "--beam", beam, "--length-penalty", 0, stdin=lines_of(TEXT[:10]))
            return sum(line["score"] for line in json_lines(result))
        self.assertGreaterEqual(total(8), total(1))

    def test_lengths(self):
        [line] = json_lines(translate("--json", "--max-length", 3, TEXT[4]))
        self.assertEqual((len(line["ids"]), line["status"]), (3, "length_limit"))
        [line] = json_lines(translate("--json", "--max-length", 3, "--force-end", "--beam", 2, TEXT[4]))
        self.assertEqual((len(line["ids"]), line["ids"][-1], line["status"]), (3, 0, "ok"))
        [line] = json_lines(translate("--json", "--min-length", 9, "--max-length", 12, "--max-length-factor", 9, "No."))
        self.assertGreater(len(line["ids"]), 9)

    def test_constraints(self):
        [free] = json_lines(translate("--json", TEXT[0]))
        [line] = json_lines(translate("--json", "--suppress", free["ids"][0], "--beam", 2, TEXT[0]))
        self.assertNotIn(free["ids"][0], line["ids"])
        pair = free["ids"][:2]
        [line] = json_lines(translate("--json", "--bad-words", "%d %d" % tuple(pair), TEXT[0]))
        self.assertNotIn(pair, [line["ids"][i:i + 2] for i in range(len(line["ids"]))])
        [line] = json_lines(translate("--json", "--force-ids", "%d,%d" % (pair[1], pair[0]), TEXT[0]))
        self.assertEqual(line["ids"][:2], pair[::-1])
        self.assertEqual(line["log_probs"][:2], [0, 0])

    def test_numbers_stay_by_default(self):  # DC-10
        for beam in (1, 4):
            [line] = json_lines(translate("--json", "--beam", beam, "Ring 220-220-557 twice."))
            self.assertIn("220-220-557", line["text"])

    def test_no_empty_translation(self):  # DC-11
        for line in json_lines(translate("--json", "--beam", 4, stdin=lines_of(["-", ".", "?", "x", "~"]))):
            self.assertGreater(len(line["ids"]), 1)

    def test_samples_differ_by_seed(self):
        def sample(seed):
            return translate("-q", "--sample", "--temperature", 2, "--seed", seed, stdin=lines_of(TEXT[:10])).stdout
        self.assertEqual(sample(1), sample(1))
        self.assertNotEqual(sample(1), sample(2))

    def test_refusals(self):  # DC-04
        for options, word in [(["--beam", 0], "--beam"), (["--beam", 33], "--beam"), (["--max-length", 0], "--max-length"),
                              (["--length-penalty", 1000], "--length-penalty"), (["--top-p", 0.5], "--sample"),
                              (["--bad-words", "5 x"], "--bad-words"), (["--n-best", 0], "--n-best")]:
            result = translate(*options, "Hello.")
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(word, result.stderr.decode())
        for options, word in [(["--length-penalty", "nan"], "length_penalty"), (["--beam", 2, "--n-best", 3], "max_n_best"), (["--force-ids", 10**6], "forced_ids"),
                              (["--suppress", 10**6], "suppressed_ids"),
                              (["--min-length", 9, "--max-length", 5], "min_length")]:
            result = translate(*options, "Hello.")
            self.assertIn(result.returncode, (1, 3), options)
            self.assertIn(word, result.stderr.decode())


class Score(unittest.TestCase):
    def test_agrees_with_translating(self):
        translated = json_lines(translate("--json", "-q", "--one-sentence-per-line", "--no-shortlist",
                                          stdin=lines_of(TEXT[:10])))
        pairs = "".join(f"{source}\t{line['text']}\n" for source, line in zip(TEXT, translated)).encode()
        for batch in (1, 4):
            scored = json_lines(run("score", "-m", MODEL, "--json", "--batch", batch, stdin=pairs))
            for line, score in zip(translated, scored):
                if line["ids"] != score["ids"]:
                    continue  # another segmentation of the same text
                self.assertAlmostEqual(line["score"], score["score"], delta=0.02)  # the unknown token counts in one sum
            self.assertGreater(sum(a["ids"] == b["ids"] for a, b in zip(translated, scored)), 7)

    def test_lines(self):
        result = run("score", "-m", MODEL, stdin="Hello.\tOlá.\nno tab\n\tx\nHello.\t\n".encode())
        self.assertEqual(result.returncode, 1)
        rows = result.stdout.decode().split("\n")
        self.assertEqual(len(rows), 5)
        score, count, mean = rows[0].split("\t")
        self.assertTrue(math.isclose(float(score) / int(count), float(mean), abs_tol=1e-5))
        self.assertEqual(rows[1:3], ["", ""])
        self.assertEqual(rows[3].split("\t")[1], "1")
        self.assertIn("line 2: there is no tab", result.stderr.decode())
        self.assertIn("line 3", result.stderr.decode())


if __name__ == "__main__":
    program.main([MODEL])
