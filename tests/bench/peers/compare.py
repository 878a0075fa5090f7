#!/usr/bin/env python3
"""Speed against another engine with the same model, text and core: one thread, runs interleaved.

--peer fxtranslate: a student, one sentence at a time. --peer ctranslate2: a trained MarianMT in int8 on both sides,
greedy and beam 4, one sentence at a time and in batches of 32. Every run is a fresh process that loads, translates some
lines to get warm and then the whole text; the figures are words of source a second, medians over the rounds. By
processor time (--time cpu) they move less when other work shares the machine.
Usage: compare.py [--peer NAME] [--rounds 5] [--core 0] [--lines 200] [--time wall|cpu] [--least 1.0] [--json]
Needs `pip install fxtranslate==0.5.0` or `ctranslate2==4.8.5 sentencepiece==0.2.3` in the Python that runs it, and the
models that tests/run.sh makes or that lie beside the repository.
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
SHARED = pathlib.Path(os.environ.get("DRAGOMAN_SHARED_DIR") or REPOSITORY.parent / "shared")
SKIPPED = 77
WARM_LINES = 20
MAX_LENGTH = 127  # of the trained MarianMT's recording


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peer", choices=["fxtranslate", "ctranslate2"], default="fxtranslate")
    parser.add_argument("--program", default=REPOSITORY / "build/release/bin/dragoman")
    parser.add_argument("--model", default=REPOSITORY / "build/models/en-pt.drg")
    parser.add_argument("--trained", default=REPOSITORY / "build/models/enpt-1693087644",
                        help="folder with the files that the model was made of")
    parser.add_argument("--marian-mt", default=SHARED / "models/multi30k-en-de",
                        help="with --peer ctranslate2: the trained model's folder")
    parser.add_argument("--ctranslate2", default=SHARED / "models/multi30k-en-de-ctranslate2-int8",
                        help="the same model as CTranslate2 has it")
    parser.add_argument("--input", help="one sentence a line; if not given, a text of the model's kind")
    parser.add_argument("--lines", type=int, default=200, help="lines of the input, evenly taken; 0: all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--core", type=int, default=0, help="run on this core; -1: anywhere")
    parser.add_argument("--least", type=float, default=0,
                        help="exit with 1 when dragoman is less than so many times as fast")
    parser.add_argument("--json", action="store_true", help="figures as one JSON object")
    parser.add_argument("--time", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.input is None:
        arguments.input = (SHARED / "text/set1.en" if arguments.peer == "fxtranslate" else
                           pathlib.Path(arguments.marian_mt, "reference/test_2016_flickr.en"))
    return arguments


def read_lines(arguments):
    lines = [line for line in pathlib.Path(arguments.input).read_text(encoding="utf-8").split("\n") if line.strip()]
    step = max(1, len(lines) // arguments.lines) if arguments.lines > 0 else 1
    lines = lines[::step]
    return lines[:arguments.lines] if arguments.lines > 0 else lines


class Clock:
    """Seconds of wall and of processor time since it was made."""

    def __init__(self):
        self.begin = time.perf_counter(), time.process_time()

    def print(self):
        print(json.dumps({"wall": time.perf_counter() - self.begin[0], "cpu": time.process_time() - self.begin[1]}))


def fxtranslate_worker(arguments):
    """Runs in a process of its own: fxtranslate over the text; prints its seconds."""
    import fxtranslate  # pylint: disable=import-outside-toplevel

    folder = pathlib.Path(arguments.trained)
    weights, vocabulary, shortlist = (next(folder.glob(pattern)).read_bytes()
                                      for pattern in ("model.*.bin", "vocab.*.spm", "lex.*.bin"))
    translator = fxtranslate.Translator(weights, vocabulary, vocabulary, shortlist)
    lines = read_lines(arguments)
    for line in lines[:WARM_LINES]:
        translator.translate(line)
    clock = Clock()
    for line in lines:
        translator.translate(line)
    clock.print()


def ctranslate2_worker(arguments):
    """The same with CTranslate2; its own batching, which sorts by length, over the whole text."""
    import ctranslate2  # pylint: disable=import-outside-toplevel
    import sentencepiece  # pylint: disable=import-outside-toplevel

    setting = json.loads(arguments.worker)
    translator = ctranslate2.Translator(str(arguments.ctranslate2), device="cpu", compute_type="int8", inter_threads=1,
                                        intra_threads=1)
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(pathlib.Path(arguments.marian_mt, "source.spm")))
    target = sentencepiece.SentencePieceProcessor(model_file=str(pathlib.Path(arguments.marian_mt, "target.spm")))

    def translate(lines):
        tokens = [pieces.encode(line, out_type=str) + ["</s>"] for line in lines]
        for result in translator.translate_batch(tokens, beam_size=setting["beam"], max_batch_size=setting["batch"],
                                                 max_decoding_length=MAX_LENGTH):
            target.decode(result.hypotheses[0])

    lines = read_lines(arguments)
    translate(lines[:WARM_LINES])
    step = 1 if setting["batch"] == 1 else len(lines)
    clock = Clock()
    for begin in range(0, len(lines), step):
        translate(lines[begin:begin + step])
    clock.print()


def run_pinned(command, core):
    def pin():
        if core >= 0 and hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(0, {core})

    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, preexec_fn=pin, check=True)
    return json.loads(result.stdout)


def run_dragoman(arguments, text, setting):
    options = []
    if arguments.peer == "ctranslate2":
        options = ["--max-length", MAX_LENGTH, "--batch", setting["batch"], "--beam", setting["beam"]]
    figures = run_pinned([arguments.program, "bench", "-m", arguments.model, "--input", text, "--repeat", 1, "--warmup",
                          WARM_LINES, "--one-sentence-per-line", "--json", *options], arguments.core)
    speed = figures["words_per_second" if arguments.time == "wall" else "words_per_cpu_second"]
    return figures["words"] / speed


def run_peer(arguments, text, setting):
    return run_pinned([sys.executable, __file__, "--worker", json.dumps(setting), "--peer", arguments.peer, "--input",
                       text, "--lines", 0, "--trained", arguments.trained, "--marian-mt", arguments.marian_mt,
                       "--ctranslate2", arguments.ctranslate2], arguments.core)[arguments.time]


def measure(arguments, lines, setting):
    """Words per second of every round, by engine. The engine that goes first alternates."""
    words = sum(len(line.split()) for line in lines)
    engines = {"dragoman": run_dragoman, arguments.peer: run_peer}
    speeds = {name: [] for name in engines}
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder, "text")
        text.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        for round_number in range(arguments.rounds):
            order = list(engines) if round_number % 2 == 0 else list(reversed(engines))
            for name in order:
                speeds[name].append(words / engines[name](arguments, text, setting))
            row = ", ".join(f"{name} {values[-1]:.0f}" for name, values in speeds.items())
            print(f"{setting} round {round_number + 1}: {row} words/s", file=sys.stderr)
    return speeds


def compare(arguments, setting):
    """Figures of one way to decode; also printed."""
    speeds = measure(arguments, read_lines(arguments), setting)
    median = {name: statistics.median(values) for name, values in speeds.items()}
    ratio = median["dragoman"] / median[arguments.peer]
    version = importlib.metadata.version(arguments.peer)
    if not arguments.json:
        print(f"beam {setting['beam']}, batch {setting['batch']}, {arguments.time} time")
        for name, values in speeds.items():
            print(f"{name:12} {median[name]:8.0f} words/s (median; {min(values):.0f} to {max(values):.0f})")
        print(f"ratio        {ratio:8.2f} ({arguments.peer} {version})")
    return {**setting, "words_per_second": median, "ratio": ratio, "rounds": speeds, arguments.peer: version}


def main():
    arguments = options()
    if arguments.worker:
        return (fxtranslate_worker if arguments.peer == "fxtranslate" else ctranslate2_worker)(arguments)
    if importlib.util.find_spec(arguments.peer) is None:
        print(f"SKIPPED: {arguments.peer} is not installed")
        return SKIPPED
    needed = [arguments.program, arguments.input]
    needed += ([arguments.model, arguments.trained] if arguments.peer == "fxtranslate" else
               [arguments.marian_mt, arguments.ctranslate2])
    for path in needed:
        if not pathlib.Path(path).exists():
            print(f"SKIPPED: there is no {path}")
            return SKIPPED
    settings = [{"beam": 1, "batch": 1}]
    with tempfile.TemporaryDirectory() as folder:
        if arguments.peer == "ctranslate2":
            settings = [{"beam": beam, "batch": batch} for beam in (1, 4) for batch in (1, 32)]
            arguments.model = pathlib.Path(folder, "model.drg")
            subprocess.run([str(arguments.program), "convert", "-q", str(arguments.marian_mt), "-o",
                            str(arguments.model)], check=True)
        figures = [compare(arguments, setting) for setting in settings]
    if arguments.json:
        print(json.dumps(figures if len(figures) > 1 else figures[0]))
    return 1 if min(figure["ratio"] for figure in figures) < arguments.least else 0


if __name__ == "__main__":
    sys.exit(main())
