"""The command line itself: help, version, usage errors, files that are not there or not models. Needs no model."""
import os
import pathlib
import subprocess
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
        self.fails(2, ["'translat'"], "translat", "Hello.")
        self.fails(2, ["''"], "")
        self.fails(3, [__file__, "neither a folder"], "convert", __file__, "-o", "/nowhere/x.drg")
        self.fails(2, ["--nonsense"], "inspect", "x", "--nonsense")
        self.fails(2, ["--model"], "translate", "Hello.")
        self.fails(2, ["--output"], "convert", ".")
        self.fails(2, ["--model and --vocab"], "convert", "--model", "x", "-o", "y")
        self.fails(2, ["--model or --spm"], "tokenize", "Hello.")
        self.fails(2, ["--model or --spm"], "tokenize", "-m", "x", "--spm", "y", "Hello.")
        self.fails(2, ["--input"], "bench", "-m", "x")

    def test_values_out_of_range(self):
        for option, value in [("--batch", "0"), ("--threads", "-1"), ("--jobs", "x"), ("--compute", "int4"),
                              ("--max-length-factor", "-1"), ("--max-length-factor", "nan"),
                              ("--max-source-tokens", "1"), ("--output", "")]:
            self.fails(2, [option], "translate", "-m", "x", option, value)

    def test_ids_that_are_none(self):
        for option in ("--force-ids", "--suppress"):
            for value in ("", " ", ",", "5,", ",5", "5,,6", "5 6", "-1", "0x5", "99999999999", "5.0"):
                self.fails(2, [option], "translate", "-m", "x", option, value, "Hello.")

    def test_seeds_that_are_none(self):
        for value in ("", " ", "-1", "18446744073709551616", "1e3", "5x"):
            self.fails(2, ["--seed"], "translate", "-m", "x", "--sample", "--seed", value, "Hello.")

    def test_misspelt_option_is_no_text(self):
        self.fails(2, ["--bacth"], "translate", "-m", "x", "--bacth", "4")

    def test_text_and_input(self):
        self.fails(2, ["not both"], "translate", "-m", "x", "--input", "y", "--", "Hello.")

    def test_output_in_the_place_of_what_is_read(self):
        with tempfile.TemporaryDirectory() as folder:
            one, two, link = (str(pathlib.Path(folder, name)) for name in ("one.bin", "two.spm", "link"))
            pathlib.Path(one).write_bytes(b"weights")
            pathlib.Path(two).write_bytes(b"pieces")
            os.symlink(one, link)
            for output in [one, link]:
                for options in [["translate", "-m", one], ["tokenize", "-m", one], ["detokenize", "--spm", one]]:
                    self.fails(2, [output, "model"], *options, "-o", output)
            for output in [one, two, link]:
                self.fails(3, [output, "output"], "convert", "--model", one, "--vocab", two, "-o", output)
            self.assertEqual(pathlib.Path(one).read_bytes(), b"weights")
            self.assertEqual(pathlib.Path(two).read_bytes(), b"pieces")

    def test_help_that_cannot_be_written(self):
        for option in ["--help", "--version"]:
            with open("/dev/full", "wb") as full:
                result = subprocess.run([program.PROGRAM, option], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(result.returncode, 3)
            self.assertIn(b"cannot write", result.stderr)

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

    def test_pipe_in_the_place_of_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe, plain, output = (str(pathlib.Path(folder, name)) for name in ("pipe", "plain", "out.drg"))
            os.mkfifo(pipe)
            pathlib.Path(plain).write_bytes(b"x")
            self.fails(3, [pipe, "regular file"], "convert", "--model", pipe, "--vocab", plain, "-o", output)
            self.fails(3, [pipe, "regular file"], "tokenize", "--spm", pipe, "Hello.")
            self.fails(3, [pipe, "regular file"], "translate", "-m", pipe, "Hello.")

    def test_convert_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "out.drg")
            self.fails(3, ["nothing was converted"], "convert", folder, "-o", output)
            self.fails(3, ["no-such-folder"], "convert", pathlib.Path(folder, "no-such-folder"), "-o", output)
            self.assertFalse(output.exists())


if __name__ == "__main__":
    program.main()
