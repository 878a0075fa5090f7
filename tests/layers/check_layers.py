#!/usr/bin/env python3
"""Reads every include and fails on an arrow that points the wrong way.

Usage: check_layers.py REPOSITORY. Prints one line per violation; the exit code is 1 when there is any.
Neighbours: test_check_layers.py plants violations and expects each to be found.
"""
import pathlib
import re
import sys

ROOMS = ["base", "kernels", "model", "ops", "graph", "engine", "search", "text", "pipeline"]
SEES_ONLY_BASE = {"kernels", "model", "text"}
SOURCE_SUFFIXES = {".h", ".hpp", ".cc", ".c", ".cpp", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
INTRINSICS = re.compile(r"^(\w*mmintrin|immintrin|x86intrin|arm_neon|arm_sve|wasm_simd128)\.h$")
PUBLIC_HEADERS = {"dragoman/dragoman.h", "dragoman/dragoman.hpp", "dragoman/observe.h"}

# Includes across a border that are better than their alternative, with the reason.
EXCEPTIONS = {
    ("converter/writer.cc", "model/file_header.h"),  # the file header's layout is written down once
    ("converter/writer.cc", "model/checksum.h"),  # and so is the checksum
    ("converter/sentencepiece_tokenizer.cc", "text/tokenizer.h"),  # runs a tokenizer that is in no model yet
    ("converter/languages.cc", "text/language_tag.h"),  # names languages as they will be asked for
}
# The options of a training run: part of the neutral Source, whichever file they were read from.
NEUTRAL_FORMATS = {"converter/formats/yaml_options.h"}


def includes(root):
    """(path relative to the repository, line number, included name) of every include in our own code."""
    for top in ("runtime", "converter", "platforms"):
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCE_SUFFIXES:
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                found = INCLUDE.match(line)
                if found:
                    yield path.relative_to(root), number, found.group(2)


def room_of(name):
    first = name.split("/", 1)[0]
    return first if first in ROOMS and "/" in name else None


def runtime_violation(path, name):
    room = path.parts[1]
    if room == "include":
        return None if "/" not in name or name in PUBLIC_HEADERS else "a public header includes only public headers"
    if name.startswith(("converter/", "platforms/")):
        return "the runtime never includes the converter or a platform"
    if name.startswith("schema/") and room not in ("model", "ops"):
        return "generated schema headers are seen by model/ and ops/ only"
    if name.startswith("hwy/") and room != "kernels":
        return "only kernels/ holds SIMD code"
    target = room_of(name)
    if target is None or target == room:
        return None
    if room in SEES_ONLY_BASE and target != "base":
        return f"{room}/ sees only base/, not {target}/"
    if ROOMS.index(target) > ROOMS.index(room):
        return f"{target}/ lies right of {room}/"
    return None


def converter_violation(path, name):
    if name.startswith("platforms/"):
        return "the converter never includes a platform"
    part = path.parts[1]
    below = ("formats", "frontends", "families", "quantize")
    if name.startswith("schema/") and (path.suffix != ".cc" or part in below):
        return "in the converter the schema is seen by the .cc files that write the model, and by no header"
    if room_of(name) not in (None, "base") and (str(path), name) not in EXCEPTIONS:
        return "the converter sees of the runtime only base/ and the public header"
    if part == "formats" and re.match(r"converter/(frontends|families|graph|quantize)/", name):
        return "formats/ are bytes only"
    if part == "families" and name.startswith("converter/formats/") and name not in NEUTRAL_FORMATS:
        return "a family knows nothing of file formats"
    if part == "frontends" and name.startswith("converter/families/"):
        return "a front end knows nothing of families"
    return None


def platform_violation(path, name):
    if name.startswith("converter/"):
        allowed = path.parts[1] == "cli" and name == "converter/converter.h"
        return None if allowed else "a platform sees of the converter only converter.h, and only the CLI does"
    if name.startswith(("dragoman/", "schema/")) or room_of(name):
        return None if name in PUBLIC_HEADERS else "a platform includes nothing of the library but dragoman.h(pp)"
    return None


CHECKS = {"runtime": runtime_violation, "converter": converter_violation, "platforms": platform_violation}


def violations(root):
    found = []
    xnnpack_users, engine_headers = set(), set()
    schema_headers = {f"ops/{path.name}" for path, _, name in includes(root)
                      if path.parts[:2] == ("runtime", "ops") and path.suffix == ".h" and name.startswith("schema/")}
    for path, number, name in includes(root):
        reason = CHECKS[path.parts[0]](path, name)
        if INTRINSICS.match(name) and path.parts[:2] != ("runtime", "kernels"):
            reason = "only runtime/kernels/ holds SIMD code"
        if name in schema_headers and path.parts[:2] != ("runtime", "ops"):
            reason = "this header brings the schema in, which only ops/ may see"
        if reason:
            found.append(f"{path}:{number}: includes {name}: {reason}")
        if name == "xnnpack.h":
            xnnpack_users.add(str(path))
        if path.parts[:2] == ("runtime", "search") and name.startswith("engine/"):
            engine_headers.add(name)
    if len(xnnpack_users) > 1:
        found.append(f"xnnpack.h is included by {len(xnnpack_users)} files: {', '.join(sorted(xnnpack_users))}")
    if len(engine_headers) > 1:
        found.append(f"search/ sees the engine through more than one header: {', '.join(sorted(engine_headers))}")
    return found


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    count = sum(1 for _ in includes(root))
    if count == 0:
        print(f"{root}: no includes found, so nothing was checked")
        return 1
    found = violations(root)
    print("\n".join(found) if found else f"{count} includes, every arrow points left")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
