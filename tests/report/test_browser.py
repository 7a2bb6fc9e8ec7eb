# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of `tilewright report` in Chromium: every control is used by a script (exercise.js), nothing may be said on the console."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["TILEWRIGHT_SOURCE_DIR"])
PROGRAM = os.environ["TILEWRIGHT_WINDOW"]
CLI = os.environ["TILEWRIGHT_CLI"]
SAMPLES = SOURCE / "samples"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
ERRORS = """<script>window.tilewrightErrors = [];
addEventListener("error", e => window.tilewrightErrors.push(e.message));
addEventListener("unhandledrejection", e => window.tilewrightErrors.push(String(e.reason)));</script>"""


def chromium(folder, page, *options):
    command = [CHROMIUM, "--headless", "--disable-gpu", "--disable-dev-shm-usage", "--enable-logging=stderr",
               "--window-size=1400,1000", "--force-prefers-reduced-motion", f"--user-data-dir={folder}/profile", *options]
    if os.geteuid() == 0:
        command.append("--no-sandbox")
    run = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=240, check=False)
    return run.stdout, [line for line in run.stderr.splitlines() if ":CONSOLE" in line]


@unittest.skipUnless(CHROMIUM, "chromium is not installed (apt install chromium)")
class Report(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tilewright-report-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, *arguments):
        page = self.folder / "report.html"
        subprocess.run([PROGRAM, "report", *map(str, arguments), "-o", str(page)], check=True, timeout=240)
        return page

    def exercise(self, page):
        text = page.read_text(encoding="utf-8")
        script = (pathlib.Path(__file__).parent / "exercise.js").read_text(encoding="utf-8")
        tried = self.folder / "tried.html"
        self.assertEqual((text.count("<head>"), text.count("</body>")), (1, 1))
        tried.write_text(text.replace("<head>", "<head>" + ERRORS).replace("</body>", f"<script>{script}</script></body>"),
                         encoding="utf-8")
        dom, console = chromium(self.folder, tried, "--virtual-time-budget=60000", "--dump-dom")
        found = re.search(r'<script type="application/json" id="results">(.*?)</script>', dom, re.S)
        self.assertTrue(found, "the exercise came to no end: " + "\n".join(console))
        results = json.loads(found.group(1))
        for result in results:
            with self.subTest(result["name"]):
                self.assertTrue(result["ok"], result["detail"])
        self.assertEqual(console, [])
        return {result["name"] for result in results}

    def test_every_control_of_a_schedule(self):
        sample = SAMPLES / "schedule/attention-block.json"
        page = self.report(sample, SAMPLES / "schedule/attention-block.fused.schedule.json",
                           "--baseline", SAMPLES / "schedule/attention-block.one-by-one.schedule.json")
        self.assertLess(page.stat().st_size, 3_000_000)
        names = self.exercise(page)
        for name in ("graph: hover", "tiles: zoom in", "linked: graph", "player: plays", "steps: search", "find: Enter",
                     "roofline: a click", "theme: page and pictures change"):
            self.assertIn(name, names)
        self.assertIn("Compared with the baseline", page.read_text(encoding="utf-8"))

    def test_every_control_of_the_other_lenses(self):
        for file, *options in (("mapping/layers/gemm-1000.json",), ("npu/conv_net.json",),
                               ("schedule/attention-block.json", "--lens", "systolic")):
            with self.subTest(file):
                page = self.report(SAMPLES / file, *options)
                self.assertLess(page.stat().st_size, 15_000_000)
                self.assertGreater(len(self.exercise(page)), 30)

    def test_a_graph_of_150_ops(self):
        page = self.report(SAMPLES / "schedule/model-150-ops.json", SAMPLES / "schedule/model-150-ops.fused.schedule.json")
        self.assertLess(page.stat().st_size, 3_000_000)
        self.exercise(page)

    def test_a_graph_of_3000_ops(self):
        model = self.folder / "model.json"
        subprocess.run([CLI, "generate", "transformer", "--layers", "110", "-o", str(model)], check=True, timeout=60)
        page = self.report(model)
        self.assertLess(page.stat().st_size, 15_000_000)
        self.exercise(page)

    def test_names_that_look_like_markup(self):
        problem = json.loads((SAMPLES / "schedule/example-5.json").read_text(encoding="utf-8"))
        odd = ['</script><script>console.error("a")</script>', '"><img src=x onerror=console.error(1)>', "a & b' \\ \u2028 &lt;b&gt;"]
        problem["op_names"] = (odd * len(problem["op_names"]))[:len(problem["op_names"])]
        file = self.folder / "odd.json"
        file.write_text(json.dumps(problem), encoding="utf-8")
        self.exercise(self.report(file))

    def test_paper_has_no_controls(self):
        page = self.report(SAMPLES / "schedule/attention-block.json")
        pdf = self.folder / "report.pdf"
        _, console = chromium(self.folder, page, f"--print-to-pdf={pdf}", "--no-pdf-header-footer")
        self.assertEqual(console, [])
        self.assertGreater(pdf.stat().st_size, 50_000)


if __name__ == "__main__":
    unittest.main()
