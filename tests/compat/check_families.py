"""The table of families and formats in converter/README.md is what tests cover.

Each cell of the table below names the tests that show it; they have to exist, every family that the converter registers
has to have a row, and the README has to hold the table made of it. Neighbours: converter/README.md, families/family.cc.
Usage: check_families.py REPOSITORY [--write]
"""
import pathlib
import re
import sys

BEGIN = "<!-- made by tests/compat/check_families.py --write -->\n"
END = "<!-- end -->\n"
FORMATS = ["safetensors", "`pytorch_model.bin`", "Marian `.npz`, `.bin`", "CTranslate2 folder, `.argosmodel`"]
HALVES = "f16 and bf16 weights give what the framework computes with the rounded numbers"
TORCH = "PyTorch checkpoints of both kinds give what safetensors give, every family"
NONE = []
# Name in the table, names in the registry, tests of each format.
FAMILIES = [
    ("MarianMT (OPUS-MT)", ["marian-mt", "ctranslate2"],
     ["MarianMT agrees with its recording", HALVES, "a trained MarianMT gives the recorded translations in f32"],
     ["MarianMT from PyTorch checkpoints of both kinds agrees with its recording", TORCH],
     NONE,
     ["CTranslate2: MarianMT in every weight type",
      "a trained model translates from its Argos package as from its folder"]),
    ("Marian training files, decoder with self-attention", ["marian"], NONE, NONE,
     ["Marian training files with self-attention decoder agree with an independent computation",
      "CV-01: encoder states of a source of 300 tokens, all three loaders"], NONE),
    ("Bergamot students (SSRU)", ["marian-ssru"], NONE, NONE,
     ["f32 values agree with the recorded reference, layer by layer", "CV-13 two vocabularies of different size"], NONE),
    ("BART", ["bart", "ctranslate2"], ["BART agrees with its recording", HALVES], [TORCH], NONE,
     ["CTranslate2: BART, with a factor of 1 on its embeddings"]),
    ("mBART, mBART-50", ["mbart", "ctranslate2"], ["mBART agrees with its recording"], [TORCH], NONE,
     ["CTranslate2: mBART by names, whose decoder starts with the language"]),
    ("M2M100, NLLB, SMaLL-100", ["m2m100", "ctranslate2"],
     ["M2M100 agrees with its recording", HALVES], [TORCH], NONE,
     ["CTranslate2: M2M100", "CTranslate2: M2M100 by names", "CTranslate2: NLLB by names"]),
    ("T5", ["t5", "ctranslate2"], ["T5 agrees with its recording", HALVES], [TORCH], NONE,
     ["CTranslate2: T5, gated and not, with aliases of its tables"]),
    ("T5 v1.1, Flan-T5, MADLAD", ["t5"],
     ["T5 v1.1 agrees with its recording", "RT-10: T5's feed-forward layers by their names, gated and not"], [TORCH], NONE,
     ["CTranslate2: T5, gated and not, with aliases of its tables"]),
    ("mT5", ["mt5"], ["mT5 agrees with its recording", HALVES], [TORCH], NONE, NONE),
    ("UMT5", ["umt5"], ["UMT5 agrees with its recording"], [TORCH], NONE, NONE),
    ("OpenNMT (as Argos packages hold it)", ["ctranslate2"], NONE, NONE, NONE,
     ["CTranslate2: OpenNMT, two vocabularies and positions that are not stored",
      "an Argos package gives what its CTranslate2 folder gives, and its languages"]),
]


def table():
    numbers = {}
    lines = ["| family | " + " | ".join(FORMATS) + " |", "|" + " --- |" * (len(FORMATS) + 1)]
    for name, _, *cells in FAMILIES:
        texts = []
        for tests in cells:
            for test in tests:
                numbers.setdefault(test, len(numbers) + 1)
            texts.append(", ".join(str(numbers[test]) for test in tests) or "–")
        lines.append(f"| {name} | " + " | ".join(texts) + " |")
    lines += ["", "Numbers name the tests that show it:", ""]
    lines += [f"{number}. {test}" for test, number in numbers.items()]
    return "\n".join(lines) + "\n"


def problems(root):
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (root / "tests").rglob("*.cc"))
    for name, _, *cells in FAMILIES:
        for test in sum(cells, []):
            if f'TEST_CASE("{test}"' not in sources:
                yield f"{name}: there is no test '{test}'"
        if not any(cells):
            yield f"{name}: no test shows it"
    registry = (root / "converter/families/family.cc").read_text(encoding="utf-8")
    registered = re.findall(r'\{"([^"]+)", accepts_', registry)
    known = {family for _, families, *_ in FAMILIES for family in families}
    if len(registered) < 10:
        yield "family.cc: the registry was not found"
    for family in registered:
        if family not in known:
            yield f"family '{family}' has no row"
    for family in known - set(registered):
        yield f"there is no family '{family}'"


def main(root, write):
    readme = root / "converter/README.md"
    text = readme.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    found = list(problems(root))
    if write:
        readme.write_text(before + BEGIN + table() + END + after, encoding="utf-8")
    elif old != table():
        found.append("converter/README.md: the table is not up to date: run check_families.py REPOSITORY --write")
    print("\n".join(found) or f"{len(FAMILIES)} rows")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]), "--write" in sys.argv[2:]))
