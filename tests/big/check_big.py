#!/usr/bin/env python3
"""Full-size random models: conversion within its memory, sizes, finite scores, and rows beyond 4 GiB.

Usage: check_big.py {opus-base,nllb-600m,copier} [--program FILE] [--work FOLDER]
Only opus-base runs by itself. The others need DRAGOMAN_LONG_TESTS=1 (about 4 minutes and 3 GB of disk for nllb-600m, 3
minutes and 10 GB for copier) and are skipped without it. Everything is made in a temporary folder of FOLDER (build/)
and removed. Limits: conversion takes no more anonymous memory than the largest tensor in f32 and 200 MB.
"""
import argparse
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import make_model

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
ALLOWANCE = 200e6
SAMPLE_SECONDS = 0.01
SOURCES = ["17 23 5 99 4", "4000 3 9 11 4 80 81 82 83 84 4", "50000 7 4"]
NEW_IDS = 24  # generated for each source


def anonymous_bytes(process):
    """RssAnon of a running process: what it holds beyond mapped files. 0 once it has ended."""
    try:
        for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


class Check:
    def __init__(self, arguments, folder):
        self.program, self.folder = arguments.program, folder
        self.failures = []

    def expect(self, condition, text):
        print(("ok      " if condition else "FAILED  ") + text, flush=True)
        if not condition:
            self.failures.append(text)

    def convert(self, name, quantize, largest):
        """Converts and checks the memory that it took; `largest`: elements of the largest tensor."""
        path = self.folder / f"{name}-{quantize}.drg"
        command = [self.program, "convert", self.folder / name, "-o", path, "--quantize", quantize, "--quiet"]
        begin, peak, before = time.time(), 0, resource.getrusage(resource.RUSAGE_CHILDREN)
        with subprocess.Popen(list(map(str, command))) as process:
            while process.poll() is None:
                peak = max(peak, anonymous_bytes(process))
                time.sleep(SAMPLE_SECONDS)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{name} as {quantize}: {time.time() - begin:.1f} s, {busy:.1f} s of processor time, "
              f"{path.stat().st_size / 1e6:.1f} MB")
        self.expect(process.returncode == 0, f"{name} converts to {quantize}")
        limit = 4 * largest + ALLOWANCE
        self.expect(0 < peak <= limit, f"peak anonymous memory {peak / 1e6:.1f} MB, at most {limit / 1e6:.1f}")
        return path

    def translate(self, model, sources, *options):
        command = [self.program, "translate", "-m", model, "--ids", "--json", "--beam", "1", *options]
        text = "".join(source + "\n" for source in sources).encode()
        result = subprocess.run(list(map(str, command)), input=text, stdout=subprocess.PIPE, check=False)
        self.expect(result.returncode == 0, f"{model.name} translates ids")
        return [json.loads(line) for line in result.stdout.decode().splitlines()]

    def run(self, model):
        """Translates a few rows; prints times."""
        with tempfile.NamedTemporaryFile(dir=self.folder, suffix=".txt") as text:
            text.write("".join(source + "\n" for source in SOURCES).encode())
            text.flush()
            command = [self.program, "bench", "-m", model, "--input", text.name, "--repeat", "1", "--warmup", "0",
                       "--beam", "1", "--max-length", NEW_IDS, "--min-length", NEW_IDS, "--json"]
            figures = json.loads(subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True).stdout)
        begin = time.time()
        results = self.translate(model, SOURCES, "--max-length", NEW_IDS, "--min-length", NEW_IDS)
        seconds = time.time() - begin - figures["load_ms"] / 1000
        finite = all(math.isfinite(score) for result in results for score in result["log_probs"])
        count = sum(len(result["ids"]) for result in results)
        self.expect(len(results) == len(SOURCES) and finite and count == NEW_IDS * len(SOURCES), f"{count} ids with finite scores")
        print(f"{model.name}: load {figures['load_ms']:.0f} ms, peak resident {figures['peak_mb']:.0f} MB, "
              f"{count / seconds:.0f} ids/s one at a time")

    def size(self, path, most):
        size = path.stat().st_size
        self.expect(size <= most * 1e6, f"{path.name}: {size / 1e6:.1f} MB, at most {most}")


def opus_base(check):
    largest = make_model.make("opus-base", check.folder / "opus-base", "f32")
    for quantize, most in (("int8", 80), ("int4", 50)):
        path = check.convert("opus-base", quantize, largest)
        check.size(path, most)
        check.run(path)
        path.unlink()


def nllb_600m(check):
    largest = make_model.make("nllb-600m", check.folder / "nllb-600m", "bf16")
    for quantize, most in (("int8", 650), ("int4", 400)):
        path = check.convert("nllb-600m", quantize, largest)
        check.size(path, most)
        check.run(path)
        path.unlink()


def copier(check):
    vocabulary = make_model.SHAPES["copier"][1]
    largest = make_model.make("copier", check.folder / "copier", "f32")
    path = check.convert("copier", "f32", largest)
    check.expect(path.stat().st_size > 2**32, f"the file has {path.stat().st_size / 2**30:.2f} GiB")
    beyond = 2**32 // (4 * make_model.COPIER_WIDTH)  # the first row that lies wholly beyond 4 GiB of the table
    sources = [5, beyond - 1, beyond, beyond + 12345, vocabulary - 1]
    results = check.translate(path, map(str, sources), "--max-length", "1")
    expected = make_model.expected_log_probs(vocabulary, sources)
    for source, result, wanted in zip(sources, results, expected):
        found = result["log_probs"][0]
        check.expect(result["ids"] == [source], f"id {source} comes back as {result['ids']}")
        check.expect(abs(found - wanted) <= 1e-4, f"its log-probability is {found:.6f}, right is {wanted:.6f}")


CHECKS = {"opus-base": opus_base, "nllb-600m": nllb_600m, "copier": copier}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shape", choices=CHECKS)
    parser.add_argument("--program", default=REPOSITORY / "build/release/bin/dragoman")
    parser.add_argument("--work", default=REPOSITORY / "build")
    arguments = parser.parse_args()
    if arguments.shape != "opus-base" and not os.environ.get("DRAGOMAN_LONG_TESTS"):
        print(f"SKIPPED: {arguments.shape} is a long test; DRAGOMAN_LONG_TESTS=1 runs it")
        return SKIPPED
    with tempfile.TemporaryDirectory(dir=arguments.work, prefix="big-") as folder:
        check = Check(arguments, pathlib.Path(folder))
        CHECKS[arguments.shape](check)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
