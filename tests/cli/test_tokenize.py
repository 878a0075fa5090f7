"""tokenize and detokenize, from a model and from the SentencePiece file it was made of."""
import base64
import pathlib
import unittest

import program
from program import MODEL, TRAINED, json_lines, run

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
SPM = TRAINED / "vocab.enpt.spm"
TEXTS = ["Hello.", "", "How are you today?", "  two  spaces ", "Olá, João!", "日本", "a\u00adb", "x" * 300]


class Tokenize(unittest.TestCase):
    def test_model_and_file_agree(self):
        stdin = "".join(text + "\n" for text in TEXTS).encode()
        from_model = json_lines(run("tokenize", "-m", MODEL, stdin=stdin))
        from_target = json_lines(run("tokenize", "-m", MODEL, "--target", stdin=stdin))
        from_file = json_lines(run("tokenize", "--spm", SPM, stdin=stdin))
        self.assertEqual(len(from_model), len(TEXTS))
        for model, target, file in zip(from_model, from_target, from_file):
            self.assertEqual(list(model), ["ids", "pieces", "text"])
            self.assertEqual(len(model["ids"]), len(model["pieces"]))
            self.assertEqual((model["ids"], model["text"]), (file["ids"], file["text"]))
            self.assertEqual(model["ids"], target["ids"])  # one vocabulary serves both sides

    def test_known_ids(self):
        hello = json_lines(run("tokenize", "-m", MODEL, "Hello."))[0]
        self.assertEqual(hello, {"ids": [9086, 3], "pieces": ["▁Hello", "."], "text": "Hello."})

    def test_back_and_forth(self):
        tokens = json_lines(run("tokenize", "-m", MODEL, *TEXTS[4:5]))[0]
        ids = " ".join(map(str, tokens["ids"]))
        self.assertEqual(json_lines(run("detokenize", "-m", MODEL, stdin=ids.encode())), [tokens])
        self.assertEqual(json_lines(run("detokenize", "--spm", SPM, stdin=ids.encode()))[0]["text"], tokens["text"])

    def test_base64(self):
        texts = [b"Hello.", b"two\nlines", b"", b"\x00\xff", "Olá".encode()]
        stdin = b"".join(base64.b64encode(text) + b"\n" for text in texts)
        for source in [["-m", MODEL], ["--spm", SPM]]:
            result = run("tokenize", *source, "--base64", stdin=stdin)
            self.assertEqual(result.returncode, 0, result.stderr)
            decoded = [base64.b64decode(line["text"], validate=True) for line in json_lines(result)]
            self.assertEqual((decoded[0], decoded[2], decoded[4]), (texts[0], texts[2], texts[4]))

    def test_tokenizer_json(self):
        if (TRAINED / "tokenizer.json").exists():  # ships with the trained model
            stdin = "".join(text + "\n" for text in TEXTS).encode()
            ids = [[line["ids"] for line in json_lines(run("tokenize", "--spm", file, stdin=stdin))]
                   for file in (SPM, TRAINED / "tokenizer.json")]
            self.assertEqual(ids[0], ids[1])
        # Pieces that are bytes of a character come out as U+FFFD, the text whole.
        line = json_lines(run("tokenize", "--spm", DATA / "tokenizer_json" / "bart.json", "a 日本 b"))[0]
        self.assertEqual(line["text"], "a 日本 b")
        self.assertIn("\ufffd", line["pieces"])
        result = run("tokenize", "--spm", DATA / "tokenizer_json" / "kinds.py", "a")
        self.assertNotEqual(result.returncode, 0)

    def test_bad_lines(self):
        result = run("tokenize", "-m", MODEL, "--base64", stdin=b"SGVsbG8u\n!!!!\nSGVsbG8\nSGVsbG8u\n")
        self.assertEqual(result.returncode, 1)
        lines = json_lines(result)
        self.assertEqual((len(lines), lines[0], "error" in lines[1], "error" in lines[2]), (4, lines[3], True, True))
        self.assertIn(b"line 2: ", result.stderr)
        result = run("detokenize", "-m", MODEL, stdin=b"9086 3\n32000\n-1\nx\n\n9086 3\n")
        self.assertEqual(result.returncode, 1)
        lines = json_lines(result)
        self.assertEqual([line["text"] for line in lines], ["Hello.", "", "", "", "", "Hello."])
        self.assertEqual(["error" in line for line in lines], [False, True, True, True, False, False])


if __name__ == "__main__":
    program.main([MODEL, SPM])
