"""The command line itself: help, version, usage errors, files that are not there or not models. Needs no model."""
import os
import pathlib
import tempfile
import unittest

import program
from program import run

COMMANDS = ["convert", "translate", "score", "inspect", "tokenize", "detokenize", "bench"]


class Arguments(unittest.TestCase):
    def fails(self, code, words, *arguments, stdin=b""):
        result = run(*arguments, stdin=stdin)
        self.assertEqual(result.returncode, code, result)
        self.assertEqual(result.stdout, b"")
        for word in words:
            self.assertIn(word, result.stderr.decode())

    def test_version(self):
        result = run("--version")
        self.assertEqual(result.returncode, 0)
        self.assertRegex(result.stdout.decode(), r"^dragoman \d+\.\d+\.\d+\n$")

    def test_help_has_examples(self):
        for arguments in [[], *[[command] for command in COMMANDS]]:
            result = run(*arguments, "--help")
            self.assertEqual(result.returncode, 0)
            self.assertIn("Examples:\n", result.stdout.decode(), arguments)
            self.assertEqual(result.stderr, b"")

    def test_usage_errors(self):
        self.fails(2, ["subcommand"])
        self.fails(2, ["--nonsense"], "inspect", "x", "--nonsense")
        self.fails(2, ["--model"], "translate", "Hello.")
        self.fails(2, ["--output"], "convert", ".")
        self.fails(2, ["--model and --vocab"], "convert", "--model", "x", "-o", "y")
        self.fails(2, ["--model or --spm"], "tokenize", "Hello.")
        self.fails(2, ["--model or --spm"], "tokenize", "-m", "x", "--spm", "y", "Hello.")
        self.fails(2, ["--input"], "bench", "-m", "x")

    def test_values_out_of_range(self):
        for option, value in [("--batch", "0"), ("--threads", "-1"), ("--jobs", "x"), ("--compute", "int4"),
                              ("--max-length-factor", "-1"), ("--max-source-tokens", "1")]:
            self.fails(2, [option], "translate", "-m", "x", option, value)

    def test_misspelt_option_is_no_text(self):
        self.fails(2, ["--bacth"], "translate", "-m", "x", "--bacth", "4")

    def test_text_and_input(self):
        self.fails(2, ["not both"], "translate", "-m", "x", "--input", "y", "--", "Hello.")

    def test_missing_model(self):
        for arguments in [["translate", "-m"], ["inspect", "-m"], ["tokenize", "-m"], ["inspect"]]:
            self.fails(3, ["no-such-model.drg"], *arguments, "no-such-model.drg")

    def test_wrong_kind_of_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in [("empty.drg", b""), ("short.drg", b"x"), ("text.drg", b"Hello.\n" * 1000),
                                  ("zeros.drg", bytes(100000)), ("noise.drg", os.urandom(100000))]:
                path = pathlib.Path(folder, name)
                path.write_bytes(content)
                self.fails(3, [name], "translate", "-m", path, "Hello.")
                self.fails(3, [name], "tokenize", "--spm", path, "Hello.")
            self.fails(3, [folder], "translate", "-m", folder, "Hello.")

    def test_convert_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "out.drg")
            self.fails(3, ["nothing was converted"], "convert", folder, "-o", output)
            self.fails(3, ["no-such-folder"], "convert", pathlib.Path(folder, "no-such-folder"), "-o", output)
            self.assertFalse(output.exists())


if __name__ == "__main__":
    program.main()
