#!/usr/bin/env python3
"""The layers check must fail: each planted include is expected to be reported, each allowed one is not.

Neighbours: check_layers.py, whose rules are exercised one by one.
"""
import pathlib
import tempfile
import unittest

import check_layers

FORBIDDEN = [
    ("runtime/base/a.h", '"kernels/x.h"'),
    ("runtime/kernels/a.cc", '"model/x.h"'),
    ("runtime/model/a.cc", '"kernels/x.h"'),
    ("runtime/text/a.cc", '"search/x.h"'),
    ("runtime/graph/a.cc", '"engine/x.h"'),
    ("runtime/search/a.cc", '"pipeline/x.h"'),
    ("runtime/pipeline/a.cc", '"converter/converter.h"'),
    ("runtime/graph/a.cc", '"schema/model_generated.h"'),
    ("runtime/ops/a.cc", "<hwy/highway.h>"),
    ("runtime/ops/a.cc", "<immintrin.h>"),
    ("runtime/include/dragoman/a.h", '"base/status.h"'),
    ("converter/a.cc", '"model/x.h"'),
    ("converter/writer.cc", '"model/model_view.h"'),
    ("converter/other.cc", '"model/file_header.h"'),
    ("converter/families/a.cc", '"schema/model_generated.h"'),
    ("converter/graph/a.h", '"schema/model_generated.h"'),
    ("converter/formats/a.cc", '"converter/families/x.h"'),
    ("converter/families/a.cc", '"converter/formats/x.h"'),
    ("converter/frontends/a.cc", '"converter/families/x.h"'),
    ("platforms/cli/a.cc", '"pipeline/translator.h"'),
    ("platforms/cli/a.cc", '"converter/report.h"'),
    ("platforms/server/a.cc", '"converter/converter.h"'),
]
ALLOWED = [
    ("runtime/pipeline/a.cc", '"text/x.h"'),
    ("runtime/ops/a.cc", '"schema/ops_generated.h"'),
    ("runtime/kernels/a.cc", "<hwy/highway.h>"),
    ("converter/writer.cc", '"schema/model_generated.h"'),
    ("converter/writer.cc", '"model/file_header.h"'),
    ("converter/families/a.cc", '"converter/formats/yaml_options.h"'),
    ("converter/families/a.cc", '"base/status.h"'),
    ("platforms/cli/a.cc", '"converter/converter.h"'),
    ("platforms/server/a.cc", "<dragoman/dragoman.hpp>"),
]
TOGETHER = [
    [("runtime/kernels/a.cc", "<xnnpack.h>"), ("runtime/kernels/b.cc", "<xnnpack.h>")],
    [("runtime/ops/a.h", '"schema/ops_generated.h"'), ("runtime/graph/a.cc", '"ops/a.h"')],
    [("runtime/search/a.cc", '"engine/step.h"'), ("runtime/search/b.cc", '"engine/decoder.h"')],
]


def violations_of(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, name in files:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(f"#include {name}\n", encoding="utf-8")
        return check_layers.violations(root)


class PlantedViolations(unittest.TestCase):
    def test_forbidden_include_is_found(self):
        for path, name in FORBIDDEN:
            with self.subTest(path=path, include=name):
                self.assertEqual(len(violations_of([(path, name)])), 1)

    def test_allowed_include_passes(self):
        for path, name in ALLOWED:
            with self.subTest(path=path, include=name):
                self.assertEqual(violations_of([(path, name)]), [])

    def test_limits_over_several_files(self):
        for files in TOGETHER:
            with self.subTest(files=files):
                self.assertEqual(violations_of(files[:1]), [])
                self.assertEqual(len(violations_of(files)), 1)


if __name__ == "__main__":
    unittest.main()
