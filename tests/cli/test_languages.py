"""Languages by name: translate, score, bench and inspect with small multilingual models that the program converts."""
import json
import os
import pathlib
import tempfile
import unittest

import program
from program import json_lines, run

DATA = pathlib.Path(__file__).resolve().parents[1] / "data" / "multilingual"


class Languages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.models = {}
        for name in ["nllb", "opus"]:
            cls.models[name] = os.path.join(cls.folder.name, name + ".drg")
            converted = run("convert", DATA / name, "-o", cls.models[name])
            assert converted.returncode == 0, converted.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def translate(self, model, *arguments):
        return run("translate", "-m", self.models[model], "-q", *arguments)

    def test_names_and_aliases(self):
        lines = [self.translate("nllb", "--json", "--from", source, "--to", target, "The boats.")
                 for source, target in [("eng_Latn", "zho_Hant"), ("en", "zh-TW"), ("ENG", "zh_hk")]]
        for result in lines:
            self.assertEqual((result.returncode, result.stderr), (0, b""))
            self.assertEqual(result.stdout, lines[0].stdout)
        found = json_lines(lines[0])[0]
        self.assertEqual((found["source_language"], found["target_language"]), ("en", "zh-Hant"))

    def test_note_on_a_region(self):
        result = self.translate("nllb", "--from", "en", "--to", "pt-BR", "The boats.")
        self.assertEqual(result.returncode, 0)
        self.assertIn(b"note: pt-BR: the model has por_Latn", result.stderr)

    def test_unknown_languages_list_all(self):
        for name in ["xx", "zh-", "sr-Latn"]:
            result = self.translate("nllb", "--from", "en", "--to", name, "The boats.")
            self.assertEqual((result.returncode, result.stdout), (2, b""), name)
            self.assertIn(b"--to: target language '" + name.encode(), result.stderr)
            self.assertIn(b"zho_Hans zho_Hant zul_Latn", result.stderr)

    def test_missing_target(self):
        result = self.translate("nllb", "The boats.")
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b"target language has to be named", result.stderr)

    def test_tk_10_target_in_the_text(self):
        named = self.translate("opus", "--to", "fra", "The boats.")
        written = self.translate("opus", ">>fra<< The boats.")
        self.assertEqual((written.returncode, written.stdout), (0, named.stdout))
        lines = run("translate", "-m", self.models["opus"], "--json", "-q",
                    stdin=b">>fra<< The boats.\n>>zzz<< The boats.\nThe boats.\n>>por<< The boats.\n")
        self.assertEqual(lines.returncode, 1)
        status = [line["status"] for line in json_lines(lines)]
        self.assertEqual([entry == "error" for entry in status], [False, True, True, False])
        self.assertEqual(json_lines(lines)[3]["target_language"], "pt")
        self.assertIn(b"missing target language", lines.stderr)

    def test_ids_take_no_language(self):
        text = json_lines(self.translate("opus", "--json", "--to", "fra", "The boats."))[0]
        self.assertTrue(text["ids"])
        result = self.translate("opus", "--ids", "22 0")
        self.assertEqual((result.returncode, result.stderr), (0, b""))

    def test_score_and_bench(self):
        pair = b"The boats.\tLe pain.\n"
        scores = [json_lines(run("score", "-m", self.models["nllb"], "--json", "--from", "en", "--to", target,
                                 stdin=pair))[0] for target in ["fr", "de"]]
        self.assertEqual(scores[0]["tokens"][0], "fra_Latn")
        self.assertEqual(scores[1]["tokens"][0], "deu_Latn")
        self.assertNotEqual(scores[0]["score"], scores[1]["score"])
        path = os.path.join(self.folder.name, "lines.txt")
        pathlib.Path(path).write_text("The boats.\n")
        result = run("bench", "-m", self.models["nllb"], "--to", "fr", "--repeat", "1", "--json", "-i", path)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(run("bench", "-m", self.models["nllb"], "--to", "xx", "-i", path).returncode, 2)

    def test_inspect(self):
        summary = run("inspect", self.models["nllb"]).stdout.decode()
        self.assertIn("target languages 202: ace_Arab (ace-Arab) ace_Latn (ace)", summary)
        self.assertNotIn("zul_Latn", summary)
        self.assertIn("zul_Latn", run("inspect", self.models["nllb"], "--languages").stdout.decode())
        lists = json.loads(run("inspect", self.models["nllb"], "--languages", "--json").stdout)
        self.assertEqual(len(lists["target_languages"]), 202)
        self.assertIn({"code": "en", "name": "eng_Latn", "token": 197}, lists["source_languages"])

    def test_defaults_of_the_conversion(self):
        path = os.path.join(self.folder.name, "default.drg")
        converted = run("convert", DATA / "nllb", "-o", path, "--from", "en", "--to", "fr")
        self.assertEqual(converted.returncode, 0, converted.stderr)
        result = run("translate", "-m", path, "-q", "The boats.")
        self.assertEqual(result.stdout, self.translate("nllb", "--from", "en", "--to", "fr", "The boats.").stdout)
        self.assertEqual(run("convert", DATA / "nllb", "-o", path, "--to", "xx").returncode, 3)


if __name__ == "__main__":
    program.main()
