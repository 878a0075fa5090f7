"""Shared by the quality checks: their arguments, the folder with the data, and calls of the program.

A check that cannot run says SKIPPED and why on standard output, and exits with 77.
"""
import argparse
import os
import pathlib
import subprocess
import sys

SKIPPED = 77
REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(SKIPPED)


def parser(description):
    arguments = argparse.ArgumentParser(description=description)
    arguments.add_argument("--program", default=REPOSITORY / "build/release/bin/dragoman")
    arguments.add_argument("--model", default=REPOSITORY / "build/models/en-pt.drg")
    arguments.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    return arguments


def shared(*parts):
    """A file of the data folder; skips the check when it is not there."""
    folder = os.environ.get("DRAGOMAN_SHARED_DIR") or REPOSITORY.parent / "shared"
    path = pathlib.Path(folder, *parts)
    if not path.exists():
        skip(f"there is no {path} (DRAGOMAN_SHARED_DIR names the data folder)")
    return path


def require(arguments):
    """Skips when the model has not been made; a missing program or sacreBLEU is a failure of the set-up, not a skip."""
    if not pathlib.Path(arguments.model).exists():
        skip(f"there is no {arguments.model} (tests/run.sh makes it)")


def translate(arguments, lines, *options):
    """Lines in, lines out, through the program's standard input."""
    command = [str(arguments.program), "translate", "-m", str(arguments.model), "--quiet", "--jobs",
               str(arguments.jobs), *options]
    stdin = "".join(line + "\n" for line in lines).encode()
    result = subprocess.run(command, input=stdin, capture_output=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)} gave {result.returncode}: {result.stderr.decode()[:2000]}")
    output = result.stdout.decode().split("\n")
    if len(output) != len(lines) + 1 or output[-1] != "":
        sys.exit(f"{len(lines)} lines gave {len(output) - 1}")
    return output[:-1]


def verdict(checks):
    """Prints (name, value, least wanted) rows; exits with 1 if a value is too small."""
    failed = False
    for name, value, least in checks:
        short = value < least
        failed |= short
        print(f"{'FAILED' if short else 'passed'}  {name}: {value:.2f} (at least {least})")
    sys.exit(1 if failed else 0)
