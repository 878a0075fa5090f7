#!/usr/bin/env python3
"""Limits on what a user waits for and pays: load to ready, and the peak memory of translating 500 sentences one at a time.

Usage: check_figures.py [--program FILE] [--model FILE] [--load-ms 30] [--peak-mb 60]
The text is set1.en of the folder that DRAGOMAN_SHARED_DIR names (else `shared` beside the repository); without it, the
repository's own sentences over and over. Limits were set in November 2026.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
LINES = 500
LOADS = 9


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=REPOSITORY / "build/release/bin/dragoman")
    parser.add_argument("--model", default=REPOSITORY / "build/models/en-pt.drg")
    parser.add_argument("--load-ms", type=float, default=30, help="most milliseconds from opening to a ready session")
    parser.add_argument("--peak-mb", type=float, default=60, help="most resident memory")
    return parser.parse_args()


def sentences():
    shared = pathlib.Path(os.environ.get("DRAGOMAN_SHARED_DIR") or REPOSITORY.parent / "shared", "text", "set1.en")
    path = shared if shared.exists() else REPOSITORY / "tests/isa/sentences.en"
    print(f"text: {path}")
    lines = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    return (lines * (LINES // len(lines) + 1))[:LINES]


def bench(arguments, lines):
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder, "text")
        text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        command = [arguments.program, "bench", "-m", arguments.model, "--input", text, "--repeat", "1", "--batch", "1",
                   "--one-sentence-per-line", "--json"]
        return json.loads(subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, check=True).stdout)


def main():
    arguments = options()
    if not pathlib.Path(arguments.model).exists():
        print(f"SKIPPED: there is no {arguments.model} (tests/run.sh makes it)")
        return SKIPPED
    lines = sentences()
    whole = bench(arguments, lines)  # fills the page cache, too
    load_ms = statistics.median(bench(arguments, lines[:1])["load_ms"] for _ in range(LOADS))
    print(f"load to ready: {load_ms:.1f} ms (median of {LOADS}), at most {arguments.load_ms:g}")
    print(f"peak memory over {len(lines)} sentences: {whole['peak_mb']:.1f} MB, at most {arguments.peak_mb:g}")
    print(f"speed: {whole['words_per_second']:.0f} words/s")
    return 1 if load_ms > arguments.load_ms or whole["peak_mb"] > arguments.peak_mb else 0


if __name__ == "__main__":
    sys.exit(main())
