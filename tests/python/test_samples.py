# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts of samples/python run."""

import importlib.util
import pathlib
import subprocess
import sys
import tempfile
import unittest

from support import SAMPLES, run_cli

ONNX = SAMPLES / "models" / "llama-block.onnx"


class Samples(unittest.TestCase):
    def test_sweep_fast_memory(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("matplotlib is not installed (python3-matplotlib)")
        if run_cli("info", ONNX).returncode != 0:
            self.skipTest("ONNX models are not read (libonnx-dev)")
        script = SAMPLES / "python" / "sweep_fast_memory.py"
        self.assertLessEqual(len(script.read_text().splitlines()), 30)
        with tempfile.TemporaryDirectory() as folder:
            picture = pathlib.Path(folder, "picture.png")
            done = subprocess.run(
                [sys.executable, str(script), str(ONNX), str(picture)], capture_output=True, text=True, timeout=300
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreater(picture.stat().st_size, 5000)
            latencies = [float(line.split()[-1]) for line in done.stdout.splitlines() if line[:1].isdigit()]
            self.assertGreaterEqual(len(latencies), 5)
            self.assertEqual(latencies, sorted(latencies, reverse=True))
