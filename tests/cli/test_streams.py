"""Pipes: every line is answered before more input is waited for, and an output that goes away ends the program."""
import os
import pathlib
import resource
import select
import subprocess
import tempfile
import unittest

import program
from program import MODEL, PROGRAM

PATIENCE_SECONDS = 60
HUGE_STACK = 1 << 46  # bytes that no thread can get


class Streams(unittest.TestCase):
    def start(self, *options, **streams):
        command = [PROGRAM, "translate", "-m", MODEL, *options]
        return subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, **streams)

    def test_answers_at_once(self):
        for options in [[], ["--batch", "8"], ["--jobs", "2"], ["--jobs", "2", "--batch", "4", "--json"]]:
            with self.start(*options, stdout=subprocess.PIPE, bufsize=0) as process:
                for _ in range(3):
                    process.stdin.write(b"Hello.\n")
                    readable, _, _ = select.select([process.stdout], [], [], PATIENCE_SECONDS)
                    self.assertTrue(readable, f"no answer with {options}")
                    self.assertTrue(process.stdout.readline().endswith(b"\n"))
                process.stdin.write(b"Hello")  # no line yet, so nothing may come before the end
                self.assertFalse(select.select([process.stdout], [], [], 0.2)[0])
                process.stdin.close()
                self.assertTrue(process.stdout.read())
                self.assertEqual(process.wait(), 0)

    def test_output_that_is_the_input(self):
        for command in [["translate"], ["tokenize"], ["score"]]:
            with self.subTest(command=command), tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder, "lines")
                path.write_bytes(b"Hello.\tHello.\n")
                with path.open("rb") as reading, path.open("ab") as writing:
                    result = subprocess.run(
                        [PROGRAM, *command, "-m", MODEL], stdin=reading, stdout=writing, stderr=subprocess.PIPE,
                        timeout=PATIENCE_SECONDS, check=False)
                self.assertEqual(result.returncode, 2)
                self.assertIn(b"standard output is input and output at once", result.stderr)
                self.assertEqual(path.read_bytes(), b"Hello.\tHello.\n")

    def test_reader_that_leaves(self):
        for options in [[], ["--jobs", "2"]]:
            reading, writing = os.pipe()
            process = self.start(*options, stdout=writing)
            os.close(writing)
            os.close(reading)
            _, errors = process.communicate(b"Hello.\n" * 100, timeout=PATIENCE_SECONDS)
            self.assertEqual((process.returncode, errors), (141, b""))

    def test_threads_that_cannot_be_started(self):
        most = resource.getrlimit(resource.RLIMIT_STACK)[1]
        if most != resource.RLIM_INFINITY and most < HUGE_STACK:
            self.skipTest("the stack's hard limit is too low to make threads impossible")
        def without_threads():
            resource.setrlimit(resource.RLIMIT_STACK, (HUGE_STACK, most))
        def run(*options):
            process = self.start(*options, stdout=subprocess.PIPE, preexec_fn=without_threads)
            output, errors = process.communicate(b"Hello.\n\nHello.\n", timeout=PATIENCE_SECONDS)
            return process.returncode, output.decode(), errors.decode()
        self.assertEqual(run("--jobs", "3"), (0, "Olá.\n\nOlá.\n", ""))
        code, output, errors = run("--threads", "2")
        self.assertEqual((code, output), (3, ""))
        self.assertIn("threads", errors)

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("there is no /dev/full")
        with open("/dev/full", "wb") as full:
            process = self.start(stdout=full)
            _, errors = process.communicate(b"Hello.\n", timeout=PATIENCE_SECONDS)
        self.assertEqual(process.returncode, 3)
        self.assertIn(b"cannot write", errors)

    def test_closed_messages(self):
        with tempfile.TemporaryDirectory() as folder:
            output = pathlib.Path(folder, "out")
            command = f'"{PROGRAM}" translate -m "{MODEL}" --ids -o "{output}" 2>&-'
            result = subprocess.run(command, shell=True, input=b"no id\n", capture_output=True, check=False)
            self.assertEqual((result.returncode, output.read_bytes()), (1, b"\n"))

    def test_closed_output(self):
        command = f'"{PROGRAM}" translate -m "{MODEL}" Hello. >&-'
        result = subprocess.run(command, shell=True, capture_output=True, check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn(b"cannot write standard output", result.stderr)

    def test_closed_input(self):
        result = subprocess.run(f'"{PROGRAM}" translate -m "{MODEL}" <&-', shell=True, capture_output=True, check=False)
        self.assertEqual((result.returncode, result.stdout), (3, b""))
        self.assertIn(b"standard input", result.stderr)


if __name__ == "__main__":
    program.main([MODEL])
