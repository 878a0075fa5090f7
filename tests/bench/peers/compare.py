#!/usr/bin/env python3
"""Speed against fxtranslate on the same text and core: one thread, one sentence at a time, runs interleaved.

Every run is a fresh process that loads, translates some lines to get warm and then the whole text; the figures are
medians over the rounds. Usage: compare.py [--rounds 5] [--core 0] [--lines 200] [--least 2.0] [--json]
Needs `pip install fxtranslate==0.5.0` in the Python that runs it, and the models that tests/run.sh makes.
"""
import argparse
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]
SKIPPED = 77
WARM_LINES = 20


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=REPOSITORY / "build/release/bin/dragoman")
    parser.add_argument("--model", default=REPOSITORY / "build/models/en-pt.drg")
    parser.add_argument("--trained", default=REPOSITORY / "build/models/enpt-1693087644",
                        help="folder with the files that the model was made of")
    shared = os.environ.get("DRAGOMAN_SHARED_DIR") or REPOSITORY.parent / "shared"
    parser.add_argument("--input", default=pathlib.Path(shared, "text", "set1.en"), help="one sentence a line")
    parser.add_argument("--lines", type=int, default=200, help="lines of the input, evenly taken; 0: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=0, help="run on this core; -1: anywhere")
    parser.add_argument("--least", type=float, default=0,
                        help="exit with 1 when dragoman is less than so many times as fast")
    parser.add_argument("--json", action="store_true", help="figures as one JSON object")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def read_lines(arguments):
    lines = [line for line in pathlib.Path(arguments.input).read_text(encoding="utf-8").split("\n") if line.strip()]
    step = max(1, len(lines) // arguments.lines) if arguments.lines > 0 else 1
    lines = lines[::step]
    return lines[:arguments.lines] if arguments.lines > 0 else lines


def peer_worker(arguments):
    """Runs in a process of its own: fxtranslate over the text; prints its seconds."""
    import fxtranslate  # pylint: disable=import-outside-toplevel

    folder = pathlib.Path(arguments.trained)
    weights, vocabulary, shortlist = (next(folder.glob(pattern)).read_bytes()
                                      for pattern in ("model.*.bin", "vocab.*.spm", "lex.*.bin"))
    translator = fxtranslate.Translator(weights, vocabulary, vocabulary, shortlist)
    lines = read_lines(arguments)
    for line in lines[:WARM_LINES]:
        translator.translate(line)
    begin = time.perf_counter()
    for line in lines:
        translator.translate(line)
    print(json.dumps({"seconds": time.perf_counter() - begin, "backend": translator.backend()}))


def run_pinned(command, core):
    def pin():
        if core >= 0 and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {core})

    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, preexec_fn=pin, check=True)
    return json.loads(result.stdout)


def run_dragoman(arguments, text):
    figures = run_pinned([arguments.program, "bench", "-m", arguments.model, "--input", text, "--repeat", 1, "--warmup",
                          WARM_LINES, "--one-sentence-per-line", "--json"], arguments.core)
    return figures["words"] / figures["words_per_second"]


def run_peer(arguments, text):
    return run_pinned([sys.executable, __file__, "--worker", "--input", text, "--lines", 0, "--trained",
                       arguments.trained], arguments.core)["seconds"]


def measure(arguments, lines):
    """Words per second of every round, by engine. The engine that goes first alternates."""
    words = sum(len(line.split()) for line in lines)
    engines = {"dragoman": run_dragoman, "fxtranslate": run_peer}
    speeds = {name: [] for name in engines}
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder, "text")
        text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        for round_number in range(arguments.rounds):
            order = list(engines) if round_number % 2 == 0 else list(reversed(engines))
            for name in order:
                speeds[name].append(words / engines[name](arguments, text))
            row = ", ".join(f"{name} {values[-1]:.0f}" for name, values in speeds.items())
            print(f"round {round_number + 1}: {row} words/s", file=sys.stderr)
    return speeds


def main():
    arguments = options()
    if arguments.worker:
        return peer_worker(arguments)
    if importlib.util.find_spec("fxtranslate") is None:
        print("SKIPPED: fxtranslate is not installed")
        return SKIPPED
    for path in (arguments.program, arguments.model, arguments.trained, arguments.input):
        if not pathlib.Path(path).exists():
            print(f"SKIPPED: there is no {path}")
            return SKIPPED
    speeds = measure(arguments, read_lines(arguments))
    median = {name: statistics.median(values) for name, values in speeds.items()}
    ratio = median["dragoman"] / median["fxtranslate"]
    version = importlib.metadata.version("fxtranslate")
    if arguments.json:
        print(json.dumps({"words_per_second": median, "ratio": ratio, "rounds": speeds, "fxtranslate": version}))
    else:
        for name, values in speeds.items():
            print(f"{name:12} {median[name]:8.0f} words/s (median; {min(values):.0f} to {max(values):.0f})")
        print(f"ratio        {ratio:8.2f} (fxtranslate {version})")
    return 1 if ratio < arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
