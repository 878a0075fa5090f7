"""convert: the same bytes every time, from a folder or from named files; a failure leaves the output as it was."""
import json
import os
import pathlib
import shutil
import tempfile
import unittest

import program
from program import TRAINED, run

WEIGHTS = TRAINED / "model.enpt.intgemm.alphas.bin"
VOCABULARY = TRAINED / "vocab.enpt.spm"
SHORTLIST = TRAINED / "lex.50.50.enpt.s2t.bin"
SENTENCES = pathlib.Path(__file__).resolve().parents[1] / "isa" / "sentences.en"
MULTILINGUAL = pathlib.Path(__file__).resolve().parents[1] / "data" / "multilingual" / "opus"
LINES = 12  # that a model is calibrated with


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

    def test_output_in_the_place_of_a_file_of_the_folder(self):
        trained = self.folder / "opus"
        shutil.copytree(MULTILINGUAL, trained)
        files = ["config.json", "generation_config.json", "model.safetensors", "source.spm", "target.spm",
                 "tokenizer_config.json", "vocab.json"]
        for name in files:
            for options, role in [(["-o", trained / name], b"output"),
                                  (["-o", self.folder / "no.drg", "--report", trained / name], b"report")]:
                result = run("convert", trained, *options)
                self.assertEqual(result.returncode, 3, name)
                self.assertIn(b"cannot be the " + role, result.stderr)
            self.assertEqual((trained / name).read_bytes(), (MULTILINGUAL / name).read_bytes())
        self.assertFalse((self.folder / "no.drg").exists())
        result = run("convert", trained, "-o", trained / "model.drg", "--report", trained / "report.json")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_report_in_the_place_of_a_file_in_use(self):
        (self.folder / "kept.en").write_bytes(b"Hello.\n")
        os.symlink("kept.en", self.folder / "link")
        for report, others in [("new.drg", []), ("./new.drg", []), ("kept.en", ["--calibrate", self.folder / "kept.en"]),
                               ("link", ["--calibrate", self.folder / "kept.en"])]:
            result = self.convert("new.drg", TRAINED, *others, "--report", f"{self.folder}/{report}")
            self.assertEqual(result.returncode, 3, report)
            self.assertIn(b"cannot be the report", result.stderr)
        result = self.convert("kept.en", TRAINED, "--calibrate", self.folder / "kept.en")
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"cannot be the output", result.stderr)
        self.assertEqual(self.read("kept.en"), b"Hello.\n")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["kept.en", "link"])

    def test_types_of_weights_by_name(self):
        choices = ["--quantize", "int4", "--quantize", "encoder.*=f16", "--keep", "embedding"]
        result = self.convert("mixed.drg", TRAINED, *choices, "--report", self.folder / "report.json", "--verbose")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(self.read("report.json"))
        types = {weight["name"]: weight["type"] for weight in report["weights"]}
        self.assertEqual(types["encoder.layer1.self.qkv.weight"], "f16")
        self.assertEqual(types["decoder.cross_kv.weight"], "int4")
        self.assertNotIn("embedding", types)  # int8 as it was
        self.assertEqual(report["kept_int8"], 1)
        self.assertEqual(result.stdout.count(b"signal to noise"), len(types))
        result = run("translate", "-m", self.folder / "mixed.drg", "Hello.")
        self.assertEqual((result.returncode, result.stdout.decode()), (0, "Olá.\n"))

    def test_wrong_choices(self):
        for choice in ["int5", "=int8", "a=b", "*=source"]:
            result = self.convert("no.drg", TRAINED, "--quantize", choice)
            self.assertEqual(result.returncode, 2, choice)
            self.assertIn(choice.encode(), result.stderr)
        result = self.convert("no.drg", TRAINED, "--quantize", "decoder.layer9.*=int4", "--keep", "nothing")
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"'decoder.layer9.*'", result.stderr)
        self.assertIn(b"'nothing'", result.stderr)
        result = self.convert("no.drg", TRAINED, "--max-loss", "3")
        self.assertEqual(result.returncode, 2)
        self.assertIn(b"--calibrate", result.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_loss_of_a_calibrated_model(self):
        text = self.folder / "sample.en"
        text.write_text("".join(SENTENCES.read_text().splitlines(keepends=True)[:LINES]))
        common = ["--quantize", "*=int4", "--calibrate", text]
        result = self.convert("loss.drg", TRAINED, *common, "--report", self.folder / "report.json")
        self.assertEqual(result.returncode, 0, result.stderr)
        loss = json.loads(self.read("report.json"))["loss"]
        self.assertEqual(loss["lines"], LINES)
        self.assertGreater(loss["tokens"], 10 * LINES)
        self.assertGreater(loss["chrf"], 60)
        self.assertGreater(loss["mean_log_prob_drift"], 0)
        self.assertIn(b"drift", result.stdout)
        (self.folder / "kept.drg").write_bytes(b"as it was")
        self.assertGreater(loss["loss"], 0.1)
        result = self.convert("kept.drg", TRAINED, *common, "--max-loss", loss["loss"] - 0.01)
        self.assertEqual((result.returncode, result.stdout), (3, b""))
        self.assertIn(b"points of chrF", result.stderr)
        self.assertEqual(self.read("kept.drg"), b"as it was")
        names = sorted(path.name for path in self.folder.iterdir())
        self.assertEqual(names, ["kept.drg", "loss.drg", "report.json", "sample.en"])


if __name__ == "__main__":
    program.main([WEIGHTS, VOCABULARY, SHORTLIST])
