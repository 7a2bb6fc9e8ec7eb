# SPDX-License-Identifier: GPL-3.0-or-later
"""Notebooks show graph, memory timeline and roofline as the window draws them, or a table where it is not there."""

import os
import pathlib
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree

from support import SCHEDULES

import tilewright

PROBLEM = SCHEDULES / "attention-block.json"
SCHEDULE = SCHEDULES / "attention-block.fused.schedule.json"


def no_program():
    return unittest.mock.patch.dict(os.environ, {"TILEWRIGHT_RENDER": "", "PATH": "/nonexistent"})


class Pictures(unittest.TestCase):
    @unittest.skipUnless(os.environ.get("TILEWRIGHT_RENDER"), "the window is not built")
    def test_svg(self):
        evaluation = tilewright.evaluate(PROBLEM, SCHEDULE)
        drawn = {view: getattr(evaluation, view).svg for view in ("graph", "memory", "roofline")}
        drawn["problem"] = evaluation.problem._repr_svg_()
        for view, svg in drawn.items():
            self.assertTrue(xml.etree.ElementTree.fromstring(svg).tag.endswith("svg"), view)
        self.assertEqual(len(set(drawn.values())), len(drawn))
        self.assertEqual(evaluation._repr_svg_(), drawn["memory"])
        self.assertEqual(evaluation.schedule._repr_svg_(), drawn["graph"])

    @unittest.skipUnless(os.environ.get("TILEWRIGHT_RENDER"), "the window is not built")
    def test_save(self):
        with tempfile.TemporaryDirectory() as folder:
            tilewright.evaluate(PROBLEM, SCHEDULE).roofline.save(pathlib.Path(folder, "r.png"))
            self.assertEqual(pathlib.Path(folder, "r.png").read_bytes()[1:4], b"PNG")
            with self.assertRaises(tilewright.Error):
                tilewright.evaluate(PROBLEM, SCHEDULE).roofline.save(pathlib.Path(folder, "r.tiff"))

    def test_text_where_there_is_no_window(self):
        evaluation = tilewright.evaluate(PROBLEM, SCHEDULE)
        with no_program():
            self.assertIsNone(evaluation._repr_svg_())
            self.assertIsNone(evaluation.graph._repr_svg_())
            with self.assertRaisesRegex(tilewright.Error, "TILEWRIGHT_RENDER"):
                evaluation.graph.svg
        lines = repr(evaluation.memory).splitlines()
        self.assertEqual(len(lines), 2 + len(evaluation.subgraphs))
        self.assertIn("working set", lines[0])
        self.assertTrue(lines[-1].startswith("total "))
        invalid = tilewright.evaluate(
            SCHEDULES / "example-5.json", SCHEDULES / "example-5.a-out-of-memory.schedule.json"
        )
        self.assertTrue(repr(invalid).splitlines()[-1].startswith("invalid: "))
