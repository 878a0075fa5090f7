"""One line in, one line out: order, blank lines, line ends, odd bytes, long lines, JSON, options that keep results."""
import pathlib
import tempfile
import unittest

import program
from program import MODEL, json_lines, run, translate

TEXT = ["Hello.", "How are you today?", "", "   ", "I like cats. You like dogs.", "The house is small.",
        "Good morning, everybody!"]


def lines_of(result):
    return result.stdout.decode().split("\n")[:-1]


class Lines(unittest.TestCase):
    def setUp(self):
        self.expected = [lines_of(translate("--", line))[0] for line in TEXT]

    def test_single_texts(self):
        result = translate("How are you today?")
        self.assertEqual((result.returncode, result.stderr), (0, b""))
        self.assertRegex(result.stdout.decode(), r"(?i)^como .*hoje\?\n$")

    def test_blank_lines_are_kept(self):
        self.assertEqual(self.expected[2:4], ["", "   "])
        self.assertTrue(all(line for line in self.expected if line not in ("", "   ")))

    def test_order_whatever_works_on_it(self):
        repeated = TEXT * 12
        stdin = "".join(line + "\n" for line in repeated).encode()
        for options in [[], ["--batch", "7"], ["--jobs", "3"], ["--jobs", "2", "--batch", "4"], ["--threads", "2"]]:
            result = translate(*options, stdin=stdin)
            self.assertEqual(result.returncode, 0, options)
            self.assertEqual(lines_of(result), self.expected * 12, options)

    def test_line_ends(self):
        first, second = self.expected[0], self.expected[5]
        for end in ["\n", "\r\n", ""]:
            result = translate(stdin=f"Hello.\r\n\r\n\nThe house is small.{end}".encode())
            self.assertEqual(result.stdout.decode(), f"{first}\r\n\r\n\n{second}{end or chr(10)}")
        self.assertEqual(translate(stdin=b"").stdout, b"")
        self.assertEqual(translate(stdin=b"\n").stdout, b"\n")

    def test_text_arguments(self):
        result = translate("Hello.", "", "The house is small.\nHello.", "--", "Hello.")
        self.assertEqual(lines_of(result), [self.expected[i] for i in (0, 2, 5, 0, 0)])
        for text in ["[applause, laughter]", "{}", "%%", "- Hello.", "-5 degrees", "convert"]:
            self.assertEqual(translate(text).stdout, translate(stdin=text.encode()).stdout, text)
        self.assertEqual(translate("--", "--json").stdout, translate(stdin=b"--json").stdout)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two, out = (pathlib.Path(folder, name) for name in ("one", "two", "out"))
            one.write_text("Hello.\n\n")
            two.write_text("The house is small.")
            result = translate("--input", one, two, "-o", out)
            self.assertEqual((result.returncode, result.stdout), (0, b""))
            expected = f"{self.expected[0]}\n\n{self.expected[5]}\n"
            self.assertEqual(out.read_text(), expected)
            missing = translate("--input", one, pathlib.Path(folder, "missing"), two)
            self.assertEqual((missing.returncode, missing.stdout.decode()), (3, expected))
            self.assertIn(b"missing", missing.stderr)
            same = translate("--input", one, "-o", one)
            self.assertEqual((same.returncode, one.read_text()), (2, "Hello.\n\n"))
            self.assertEqual(translate("--input", one, "-o", pathlib.Path(folder, "no", "such")).returncode, 3)

    def test_odd_bytes(self):
        odd = [b"The house\x00is small.", b"The ho\xffuse is \xc3", b"\xed\xa0\x80", b"\x00", bytes(range(128, 256)),
               b"\xef\xbb\xbfHello.", "👩‍👩‍👧‍👦 日本語 العربية".encode()]
        stdin = b"".join(line + b"\n" for line in odd) + b"Hello.\n"
        for options in [[], ["--batch", "4"]]:
            result = translate(*options, stdin=stdin)
            self.assertEqual(result.returncode, 0, result.stderr)
            lines = lines_of(result)  # decodes: what comes out is UTF-8
            self.assertEqual((len(lines), lines[-1]), (len(odd) + 1, self.expected[0]))
            self.assertIn(b"invalid UTF-8", result.stderr)
        objects = json_lines(translate("--json", stdin=stdin))
        self.assertEqual(objects[0]["status"], "ok")
        self.assertEqual(objects[1]["status"], "replaced_invalid:2")

    def test_a_megabyte(self):
        words = b"The house is small and the garden is large, says the man. "
        for line in [b"x" * (1 << 20), words * 40, b" " * (1 << 20), b"." * (1 << 16)]:
            result = translate("--max-length-factor", "0.2", stdin=line + b"\nHello.\n")
            self.assertEqual(result.returncode, 0, result.stderr[:300])
            self.assertEqual((result.stdout.count(b"\n")), 2)

    def test_json(self):
        result = translate("--json", stdin=b"I like cats. You like dogs.\r\n\n")
        first, blank = json_lines(result)
        self.assertEqual(list(first), ["text", "ids", "tokens", "score", "log_probs", "status", "source_language",
                                       "target_language", "ranges"])
        self.assertEqual(first["text"], self.expected[4])
        self.assertEqual(len(first["ids"]), len(first["tokens"]))
        self.assertLess(first["score"], 0)
        self.assertEqual([r["source"] for r in first["ranges"]], [[0, 12], [13, 27]])
        self.assertEqual(first["ranges"][-1]["target"][1], len(first["text"].encode()))
        self.assertEqual(first["ids"][first["ranges"][0]["ids"][1] - 1], first["ids"][-1])  # the end token
        self.assertEqual((blank["text"], blank["ids"], blank["ranges"], blank["status"]), ("", [], [], "ok"))

    def test_dc_10_repeated_digits(self):
        result = translate("Ring 220-220-557 twice.")
        self.assertIn("220-220-557", result.stdout.decode())

    def test_tx_02_line_breaks_inside_a_line(self):
        first, second = (lines_of(translate(text))[0] for text in ("Good morning", "my good friend"))
        for line_break in ["\r", "\u2028", "\x85", "\x0c"]:
            result = translate(stdin=f"Good morning{line_break}my good friend\n".encode())
            self.assertEqual(result.stdout.decode(), f"{first}{line_break}{second}\n")

    def test_options(self):
        whole = json_lines(translate("--json", "--one-sentence-per-line", TEXT[4]))[0]
        self.assertEqual([r["source"] for r in whole["ranges"]], [[0, 27]])
        short = json_lines(translate("--json", "--max-length-factor", "0.3", TEXT[1]))[0]
        self.assertEqual(short["status"], "length_limit")
        cut = json_lines(translate("--json", "--max-source-tokens", "8", "the house and " * 10))[0]
        self.assertIn("cut", cut["status"])
        for options in [["--compute", "f32"], ["--no-shortlist"], ["--quiet"], ["--verify"]]:
            self.assertTrue(lines_of(translate(*options, TEXT[1]))[0])

    def test_bench_refuses_wrong_options(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"Hello.\n")
            file.flush()
            result = run("bench", "-m", MODEL, "--input", file.name, "--force-ids", 10**6)
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"forced_ids", result.stderr)

    def test_bench(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "text")
            path.write_text("".join(line + "\n" for line in TEXT))
            for options in [[], ["--batch", "3", "--threads", "2"]]:
                command = ["bench", "-m", MODEL, "--input", path, "--repeat", "1", "--warmup", "1", *options]
                figures = json_lines(run(*command, "--json"))[0]
                for key in ["words_per_second", "tokens_per_second", "ms_p50", "ms_p95", "load_ms", "first_ms",
                            "peak_mb"]:
                    self.assertGreater(figures[key], 0, key)
                self.assertLessEqual(figures["ms_p50"], figures["ms_p95"])
                self.assertIn(b"words/s", run(*command).stdout)


if __name__ == "__main__":
    program.main([MODEL])
