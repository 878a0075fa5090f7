"""Runs the program for the tests of this folder.

Environment: DRAGOMAN_PROGRAM, the binary; DRAGOMAN_MODELS, the folder with en-pt.drg and the trained model beside it.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

PROGRAM = os.environ.get("DRAGOMAN_PROGRAM", "build/release/bin/dragoman")
MODELS = pathlib.Path(os.environ.get("DRAGOMAN_MODELS", "build/models"))
MODEL = str(MODELS / "en-pt.drg")
TRAINED = MODELS / "enpt-1693087644"
SKIPPED = 77


def run(*arguments, stdin=b"", timeout=120):
    """Runs the program; standard input, output and error are bytes."""
    command = [PROGRAM, *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=timeout, check=False)


def translate(*arguments, stdin=b""):
    return run("translate", "-m", MODEL, *arguments, stdin=stdin)


def json_lines(result):
    return [json.loads(line) for line in result.stdout.decode().split("\n")[:-1]]


def main(needs=()):
    """Runs the calling module's tests, or skips them all, saying why, when a needed file is missing."""
    missing = [str(path) for path in needs if not pathlib.Path(path).exists()]
    if missing:
        print("SKIPPED: there is no " + ", ".join(missing))
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
