# SPDX-License-Identifier: GPL-3.0-or-later
"""run.py FILE: the tests of a file by unittest, ending with the line that ./dev test counts."""

import importlib.util
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
spec = importlib.util.spec_from_file_location("tests", sys.argv[1])
module = importlib.util.module_from_spec(spec)
sys.modules["tests"] = module
spec.loader.exec_module(module)
result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout).run(
    unittest.defaultTestLoader.loadTestsFromModule(module)
)
bad = len({str(test) for test, _ in result.failures + result.errors})
skipped = len(result.skipped)
for test, reason in result.skipped:
    print(f"SKIP   : {test.id()} {reason}")
print(f"Totals: {result.testsRun - bad - skipped} passed, {bad} failed, {skipped} skipped")
sys.exit(1 if bad or result.testsRun == 0 else 0)
