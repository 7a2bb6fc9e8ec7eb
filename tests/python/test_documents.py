# SPDX-License-Identifier: GPL-3.0-or-later
"""What README and handbook show of Python runs as it stands there."""

import os
import pathlib
import re
import tempfile
import unittest

from support import SAMPLES, SOURCE


class Documents(unittest.TestCase):
    def run_blocks(self, document):
        blocks = re.findall(r"```python\n(.*?)```", (SOURCE / document).read_text(encoding="utf-8"), re.DOTALL)
        self.assertTrue(blocks, document)
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(SAMPLES, pathlib.Path(folder, "samples"))
            os.chdir(folder)
            try:
                exec(compile("\n".join(blocks), document, "exec"), {})
            finally:
                os.chdir(before)

    def test_readme(self):
        self.run_blocks("README.md")

    def test_handbook(self):
        self.run_blocks("docs/handbook/python.md")
