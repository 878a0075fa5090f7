"""Every test that tests/cases.md names exists, and every case has a test or a reason.

Neighbours: tests/cases.md. Usage: check_cases.py TESTS_FOLDER
"""
import pathlib
import re
import sys

SOURCES = {".cc", ".py", ".sh"}


def main(folder):
    tests = pathlib.Path(folder)
    files = [path for path in tests.rglob("*") if path.suffix in SOURCES and path.name != "check_cases.py"]
    names = {f"tests/{path.relative_to(tests)}" for path in files}
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    problems, cases = [], []
    for line in (tests / "cases.md").read_text(encoding="utf-8").splitlines():
        if not re.match(r"\| [A-Z]{2}-\d\d \|", line):
            continue
        case, _, where = (cell.strip() for cell in line.strip("|").split(" | "))
        cases.append(case)
        quoted = re.findall(r"`([^`]+)`", where)
        if not quoted and not where.startswith("no test: "):
            problems.append(f"{case}: neither a test nor a reason")
        for name in quoted:
            if name not in names and not re.search(rf'TEST_CASE\("{re.escape(name)}"|def {re.escape(name)}\(', text):
                problems.append(f"{case}: there is no test '{name}'")
    if len(cases) < 60 or len(set(cases)) != len(cases):
        problems.append(f"cases.md: {len(cases)} cases found, {len(set(cases))} of them different")
    print("\n".join(problems) or f"{len(cases)} cases")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
