"""convert: the same bytes every time, from a folder or from named files; a failure leaves the output as it was."""
import pathlib
import shutil
import tempfile
import unittest

import program
from program import TRAINED, run

WEIGHTS = TRAINED / "model.enpt.intgemm.alphas.bin"
VOCABULARY = TRAINED / "vocab.enpt.spm"
SHORTLIST = TRAINED / "lex.50.50.enpt.s2t.bin"


class Convert(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def convert(self, output, *arguments):
        return run("convert", *arguments, "-o", self.folder / output)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def test_deterministic_and_reported(self):
        first = self.convert("model.drg", TRAINED)
        self.assertEqual(first.returncode, 0, first.stderr)
        self.assertIn("tensors", first.stdout.decode())
        before = self.read("model.drg")
        self.assertEqual(self.convert("model.drg", TRAINED, "--quiet").stdout, b"")
        self.assertEqual(self.read("model.drg"), before)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["model.drg"])  # no temporary file stays

    def test_named_files(self):
        names = ["--model", WEIGHTS, "--vocab", VOCABULARY, "--shortlist", SHORTLIST, "--from", "en", "--to", "pt"]
        result = self.convert("named.drg", *names)
        self.assertEqual(result.returncode, 0, result.stderr)
        result = run("translate", "-m", self.folder / "named.drg", "Hello.")
        self.assertEqual((result.returncode, result.stdout.decode()), (0, "Olá.\n"))

    def test_two_vocabularies_and_no_shortlist(self):
        names = ["--model", WEIGHTS, "--vocab", VOCABULARY, VOCABULARY]
        self.assertEqual(self.convert("two.drg", *names).returncode, 0)
        result = run("translate", "-m", self.folder / "two.drg", "Hello.")
        self.assertEqual((result.returncode, result.stdout.decode()), (0, "Olá.\n"))

    def test_failure_keeps_the_output(self):
        (self.folder / "kept.drg").write_bytes(b"as it was")
        weights = self.folder / "broken.bin"
        weights.write_bytes(WEIGHTS.read_bytes()[:100000])
        result = self.convert("kept.drg", "--model", weights, "--vocab", VOCABULARY)
        self.assertEqual((result.returncode, result.stdout), (3, b""))
        self.assertIn(b"broken.bin", result.stderr)
        self.assertEqual(self.read("kept.drg"), b"as it was")

    def test_place_that_cannot_be_written(self):
        result = self.convert("no/such/folder.drg", TRAINED)
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"folder.drg", result.stderr)


if __name__ == "__main__":
    program.main([WEIGHTS, VOCABULARY, SHORTLIST])
