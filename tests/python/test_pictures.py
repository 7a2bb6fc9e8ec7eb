# SPDX-License-Identifier: GPL-3.0-or-later
"""Notebooks show graph, memory timeline and roofline as the window draws them, or a table where it is not there."""

import os
import pathlib
import signal
import subprocess
import tempfile
import time
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

    @unittest.skipUnless(os.environ.get("TILEWRIGHT_RENDER"), "the window is not built")
    def test_program_says_nothing_that_nobody_asked_for(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("XDG_RUNTIME_DIR", "QT_QPA_PLATFORM", "DISPLAY")}
        with tempfile.TemporaryDirectory() as folder:
            for view in ("roofline", "window"):
                call = [os.environ["TILEWRIGHT_RENDER"], "render", PROBLEM, SCHEDULE, "--view", view]
                call += ["-o", os.path.join(folder, "x.png")]
                done = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), view)

    @unittest.skipUnless(os.environ.get("TILEWRIGHT_RENDER"), "the window is not built")
    def test_no_display_is_one_sentence(self):
        environment = {k: v for k, v in os.environ.items() if k not in ("XDG_RUNTIME_DIR", "QT_QPA_PLATFORM")}
        for display in ("", ":4321"):
            environment["DISPLAY"] = display
            done = subprocess.run(
                [os.environ["TILEWRIGHT_RENDER"]], env=environment, capture_output=True, text=True, timeout=120
            )
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"^tilewright: the window cannot be opened[^\n]*\n$")

    @unittest.skipUnless(os.environ.get("TILEWRIGHT_RENDER"), "the window is not built")
    def test_program_keeps_its_inputs_and_says_what_is_lost(self):
        program = os.environ["TILEWRIGHT_RENDER"]
        with tempfile.TemporaryDirectory() as folder:
            problem = pathlib.Path(folder, "p.json")
            problem.write_bytes(PROBLEM.read_bytes())
            for verb in (["render", "--view", "graph"], ["report"]):
                done = subprocess.run(
                    [program, *verb, problem, "-o", problem], capture_output=True, text=True, timeout=120
                )
                self.assertEqual(done.returncode, 2)
                self.assertIn("this file is read by the same call", done.stderr)
                self.assertEqual(problem.read_bytes(), PROBLEM.read_bytes())
            for call in (["--version"], ["render", "--list-views"], ["report", problem, "--json"]):
                with open("/dev/full", "w") as full:
                    done = subprocess.run([program, *call], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120)
                self.assertEqual(done.returncode, 2)
                self.assertIn("standard output: No space left on device", done.stderr)
            report = pathlib.Path(folder, "r.html")
            running = subprocess.Popen([program, "report", SCHEDULES / "model-150-ops.json", "-o", report])
            time.sleep(0.3)
            running.send_signal(signal.SIGINT)
            self.assertEqual(running.wait(60), 130)
            self.assertFalse(report.exists())
