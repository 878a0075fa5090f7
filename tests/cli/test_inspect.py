"""inspect: what it says, and that the memory it foretells is the memory used."""
import json
import unittest

import program
from program import MODEL, run


class Inspect(unittest.TestCase):
    def inspect(self, *arguments):
        result = run("inspect", MODEL, *arguments)
        self.assertEqual((result.returncode, result.stderr), (0, b""), arguments)
        return result.stdout.decode()

    def test_summary(self):
        self.assertTrue(self.inspect())
        facts = json.loads(self.inspect("--json"))
        self.assertEqual((facts["source_vocabulary"], facts["target_vocabulary"]), (32000, 32000))
        self.assertEqual((facts["source_language"], facts["target_language"]), ("en", "pt"))
        self.assertTrue(facts["has_shortlist"])
        self.assertEqual(facts["file_bytes"], program.pathlib.Path(MODEL).stat().st_size)

    def test_graph_and_tensors(self):
        graph = self.inspect("--graph")
        for name in ["encode", "begin", "step"]:
            self.assertIn(name, graph)
        self.assertTrue(self.inspect("--tensors"))

    def test_memory_is_what_is_used(self):
        sizes = []
        for options in [[], ["--batch", "16"], ["--batch", "4", "--threads", "2", "--max-source-tokens", "64"]]:
            figures = json.loads(self.inspect("--memory", "--json", *options))
            self.assertEqual(figures["required"], figures["used"], options)
            sizes.append(figures["required"]["session_block"])
            self.assertIn(str(sizes[-1]), self.inspect("--memory", *options))
        self.assertGreater(sizes[1], sizes[0])

    def test_what_no_session_can_hold(self):
        result = run("inspect", MODEL, "--memory", "--beam", "2", "--n-best", "3")
        self.assertEqual(result.returncode, 2)
        self.assertIn("--n-best", result.stderr.decode())


if __name__ == "__main__":
    program.main([MODEL])
