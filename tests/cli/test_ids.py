"""translate --ids: ids in, ids out; a bad line costs itself, is named by number, and shows in the exit code."""
import unittest

import program
from program import MODEL, json_lines, translate

HELLO = b"9086 3 0"  # "Hello." and the end token


class Ids(unittest.TestCase):
    def test_same_as_text(self):
        from_text = json_lines(translate("--json", "--one-sentence-per-line", "Hello."))[0]
        from_ids = translate("--ids", stdin=HELLO + b"\n")
        self.assertEqual(from_ids.returncode, 0, from_ids.stderr)
        self.assertEqual(from_ids.stdout.decode(), " ".join(map(str, from_text["ids"])) + "\n")
        objects = json_lines(translate("--ids", "--json", stdin=HELLO))
        self.assertEqual((objects[0]["text"], objects[0]["score"]), (from_text["text"], from_text["score"]))

    def test_bad_lines(self):
        good = translate("--ids", stdin=HELLO + b"\n").stdout
        lines = [HELLO, b"9086 x 0", b"", b"32000 0", b"-1 0", b"99999999999", b"1.5", HELLO, b" 9086\t3  0 ", b"0x1",
                 b"\xff", b"9086 3 0 \x00", HELLO]
        bad = [2, 4, 5, 6, 7, 10, 11, 12]
        for options in [[], ["--batch", "8"], ["--jobs", "2"]]:
            result = translate("--ids", *options, stdin=b"\n".join(lines) + b"\n")
            self.assertEqual(result.returncode, 1, options)
            blank = [*bad, 3]
            expected = [b"\n" if number in blank else good for number in range(1, len(lines) + 1)]
            self.assertEqual(result.stdout, b"".join(expected), options)
            complaints = result.stderr.split(b"\n")[:-1]
            self.assertEqual(len(complaints), len(bad), result.stderr)
            for number, complaint in zip(bad, complaints):
                self.assertTrue(complaint.startswith(b"dragoman: line %d: " % number), complaint)

    def test_too_long(self):
        result = translate("--ids", "--max-source-tokens", "16", stdin=b"52 " * 40 + b"0\n" + HELLO + b"\n")
        self.assertEqual((result.returncode, result.stdout.count(b"\n")), (1, 2))
        self.assertTrue(result.stdout.startswith(b"\n"))
        self.assertIn(b"line 1: ", result.stderr)

    def test_wrong_options_are_refused_once(self):
        for options, word in [(["--force-ids", 10**6], b"forced_ids"), (["--suppress", 10**6], b"suppressed_ids"),
                              (["--min-length", 9, "--max-length", 5], b"min_length"),
                              (["--alignments", "--attention-heads", "9"], b"layer 9"), (["--to", "xx"], b"--to")]:
            result = translate("--ids", *options, stdin=(HELLO + b"\n") * 3)
            self.assertEqual((result.returncode, result.stdout), (2, b""), options)
            self.assertEqual(result.stderr.count(b"\n"), 1, result.stderr)
            self.assertIn(word, result.stderr)

    def test_json_names_the_error(self):
        good, bad = json_lines(translate("--ids", "--json", stdin=HELLO + b"\nx\n"))
        self.assertEqual((good["status"], bad["status"], bad["ids"]), ("ok", "error", []))
        self.assertIn("'x'", bad["error"])


if __name__ == "__main__":
    program.main([MODEL])
