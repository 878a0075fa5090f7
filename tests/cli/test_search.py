"""Beam search, sampling, constraints and scoring with the trained model: independence of company, sizes, options."""
import json
import math
import pathlib
import random
import tempfile
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

    def test_attention(self):
        self.check("--attention", "--alignments", "--beam", 3, "--n-best", 2, "--coverage-penalty", 0.3)

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
        self.assertEqual((len(line["ids"]), line["ids"][-1], line["status"]), (3, 0, "length_limit"))
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
                              (["--bad-words", "5 x"], "--bad-words"), (["--n-best", 0], "--n-best"),
                              (["--coverage-penalty", -1], "--coverage-penalty"), (["--attention"], "--json"),
                              (["--attention-heads", "1:x"], "--attention-heads"),
                              (["--beam", 2, "--n-best", 3], "--n-best"), (["--sample", "--beam", 2], "--sample")]:
            result = translate(*options, "Hello.")
            self.assertEqual(result.returncode, 2, options)
            self.assertIn(word, result.stderr.decode())
        for options, word in [(["--length-penalty", "nan"], "length_penalty"), (["--force-ids", 10**6], "forced_ids"),
                              (["--suppress", 10**6], "suppressed_ids"),
                              (["--min-length", 9, "--max-length", 5], "min_length")]:
            result = translate(*options, "Hello.")
            self.assertIn(result.returncode, (2, 3), options)
            self.assertIn(word, result.stderr.decode())


def pairs_of(line, end=0):
    """What --alignments prints, from the ranges of --json."""
    pairs, source_before, target_before = [], 0, 0
    for part in line["ranges"]:
        ids = line["ids"][part["ids"][0]:part["ids"][1]]
        pairs += [f"{source_before + i}-{target_before + j}" for j, i in enumerate(part["alignment"])
                  if ids[j] != end and part["source_ids"][i] != end]
        source_before += len(part["source_ids"]) - 1
        target_before += len(ids) - (ids[-1] == end)
    return " ".join(pairs)


class Attention(unittest.TestCase):
    def test_alignments(self):
        two = TEXT[0] + " " + TEXT[1]
        [line] = json_lines(translate("--json", "--attention", two))
        self.assertEqual(len(line["ranges"]), 2)
        for part in line["ranges"]:
            self.assertEqual(len(part["attention"]), part["ids"][1] - part["ids"][0])
            for row, most in zip(part["attention"], part["alignment"]):
                self.assertEqual(len(row), len(part["source_ids"]))
                self.assertAlmostEqual(sum(row), 1, places=5)
                self.assertEqual(row.index(max(row)), most)
        text, pairs = translate("--alignments", two).stdout.decode().rstrip("\n").split("\t")
        self.assertEqual((text, pairs), (line["text"], pairs_of(line)))
        best = translate("-q", "--alignments", "--beam", 2, "--n-best", 2, two).stdout.decode().splitlines()
        self.assertEqual([len(row.split("\t")) for row in best], [5, 5])

    def test_heads(self):
        def first_row(*options):
            [line] = json_lines(translate("--json", "--attention", *options, TEXT[0]))
            return line["ranges"][0]["attention"][0]
        heads = [first_row("--attention-heads", f"0:{head}") for head in (0, 1)]
        for mean, *both in zip(first_row("--attention-heads", "0:0,0:1"), *heads):
            self.assertAlmostEqual(mean, sum(both) / 2, places=6)
        self.assertNotEqual(heads[0], heads[1])
        last = first_row("--attention-heads", "-1")
        for head, word in (("9", "layer 9"), ("0:64", "head 64")):
            result = translate("--alignments", "--attention-heads", head, TEXT[0])
            self.assertEqual(result.returncode, 2)
            self.assertIn(word, result.stderr.decode())
        self.assertEqual(last, first_row("--attention-heads", "1"))  # of two layers

    def test_coverage(self):
        def ranks(penalty):
            result = translate("--json", "--beam", 4, "--n-best", 4, "--coverage-penalty", penalty, TEXT[4])
            [line] = json_lines(result)
            return {tuple(h["ids"]): h["rank_score"] for h in line["ranges"][0]["hypotheses"]}
        plain, penalized = ranks(0), ranks(5)
        both = set(plain) & set(penalized)
        self.assertTrue(both)
        for ids in both:
            self.assertLess(penalized[ids], plain[ids])


class ModelsOwn(unittest.TestCase):
    """What is not given is the model's, with a model that forces the end token at the limit."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = pathlib.Path(cls.folder.name, "tiny.drg")
        trained = pathlib.Path(__file__).resolve().parents[1] / "data/families/marian"
        assert run("convert", "-q", trained, "-o", cls.model).returncode == 0

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def last_ids(self, *options):
        result = run("translate", "-m", self.model, "--ids", "-q", "--max-length", 3, *options,
                     stdin=b"30 72 156 108 97 147 28 77 94 0\n")
        return [int(line.split()[-1]) for line in result.stdout.decode().splitlines()]

    def test_force_end(self):
        self.assertEqual(self.last_ids(), [0])
        self.assertEqual(self.last_ids("--force-end"), [0])
        self.assertNotEqual(self.last_ids("--no-force-end"), [0])
        for beam in (1, 2):
            self.assertEqual(self.last_ids("--beam", beam), [0])

    def test_cache(self):
        blocks = []
        for cache in ("f32", "f16", "int8"):
            result = run("inspect", self.model, "--memory", "--cache", cache, "--beam", 4)
            self.assertIn(f" slots, {cache}", result.stdout.decode())
            figures = json.loads(run("inspect", self.model, "--memory", "--json", "--cache", cache).stdout)
            self.assertEqual(figures["required"], figures["used"])
            blocks.append(figures["used"]["session_block"])
        self.assertGreater(blocks[0], blocks[1])
        self.assertGreater(blocks[1], blocks[2])
        self.assertEqual(run("inspect", self.model, "--memory", "--cache", "f64").returncode, 2)


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

    def test_alignments(self):
        sources = [TEXT[0], TEXT[1], TEXT[8]]
        translated = json_lines(translate("--json", "--attention", "-q", "--one-sentence-per-line", "--no-shortlist",
                                          stdin=lines_of(sources)))
        pairs = "".join(f"{source}\t{line['text']}\n" for source, line in zip(sources, translated)).encode()
        heads = ["--attention-heads", "0:1"]
        for batch in (1, 3):
            plain = run("score", "-m", MODEL, "--batch", batch, stdin=pairs).stdout.decode().splitlines()
            rows = run("score", "-m", MODEL, "--batch", batch, "--alignments", stdin=pairs).stdout.decode().splitlines()
            objects = json_lines(run("score", "-m", MODEL, "--json", "--attention", stdin=pairs))
            others = json_lines(run("score", "-m", MODEL, "--json", "--attention", *heads, stdin=pairs))
            self.assertEqual([row.rsplit("\t", 1)[0] for row in rows], plain)
            for line, row, score, other in zip(translated, rows, objects, others):
                self.assertEqual(line["ids"], score["ids"])  # the text has one segmentation
                [part] = line["ranges"]
                self.assertEqual((score["source_ids"], score["alignment"]), (part["source_ids"], part["alignment"]))
                self.assertEqual(row.split("\t")[3], pairs_of(line))
                self.assertTrue(pairs_of(line))
                for found, expected in zip(score["attention"], part["attention"]):
                    for a, b in zip(found, expected):
                        self.assertAlmostEqual(a, b, places=5)
                self.assertNotEqual(score["attention"], other["attention"])

    def test_alignment_options(self):
        pair = "Hello.\tOlá.\n".encode()
        for options, word in [(["--attention"], b"--json"), (["--alignments", "--attention-heads", "9"], b"layer 9"),
                              (["--attention-heads", "x"], b"--attention-heads")]:
            result = run("score", "-m", MODEL, *options, stdin=pair * 2)
            self.assertEqual((result.returncode, result.stdout), (2, b""), options)
            self.assertIn(word, result.stderr)
        failed = run("score", "-m", MODEL, "--alignments", stdin=b"no tab\n" + pair)
        self.assertEqual((failed.returncode, failed.stdout.split(b"\n")[0]), (1, b""))
        self.assertEqual(len(failed.stdout.split(b"\n")[1].split(b"\t")), 4)

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
