# SPDX-License-Identifier: GPL-3.0-or-later
"""Issue 41 d: tilewright.tables() has the tables of the verb as record arrays."""

import pathlib
import sqlite3
import tempfile
import unittest

import numpy as np
from support import SAMPLES, SCHEDULES, run_cli

import tilewright

PROBLEM = SCHEDULES / "conv-net.json"
SCHEDULE = SCHEDULES / "conv-net.fused.schedule.json"
LAYERS = SAMPLES / "models" / "small-conv.csv"


class Tables(unittest.TestCase):
    def test_as_in_the_file_of_the_command_line(self):
        tables = tilewright.tables(PROBLEM, SCHEDULE)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "t.sqlite"
            self.assertEqual(run_cli("tables", PROBLEM, SCHEDULE, "-o", file).returncode, 0)
            there = sqlite3.connect(file)
            names = [row[0] for row in there.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            self.assertEqual(list(tables), names)
            for name, table in tables.items():
                cursor = there.execute(f"SELECT * FROM {name}")
                self.assertEqual(list(table.dtype.names), [column[0] for column in cursor.description])
                rows = cursor.fetchall()
                self.assertEqual(len(table), len(rows))
                for ours, row in zip(table, rows):
                    known = [None if isinstance(value, float) and np.isnan(value) else value for value in ours]
                    self.assertEqual(known, list(row), name)
            there.close()
        evaluation = tilewright.evaluate(PROBLEM, SCHEDULE)
        subgraphs = tables["subgraphs"]
        self.assertEqual(subgraphs.latency_time_units.sum(), evaluation.total)
        self.assertEqual(subgraphs.subgraph.dtype, np.int64)
        self.assertTrue(np.isnan(subgraphs.energy_pj).all())
        self.assertEqual(tables["ops"].name.dtype, object)

    def test_values_and_options(self):
        problem = tilewright.Problem.load(PROBLEM)
        tables = tilewright.tables(problem)
        self.assertEqual(len(tables["subgraphs"]), len(tables["ops"]))
        self.assertEqual(len(tables["stalls"]), 0)
        tables = tilewright.tables(LAYERS, machine="edge", npu=True, place=True)
        self.assertGreater(len(tables["stalls"]), 0)
        self.assertFalse(np.isnan(tables["buffers"].offset_elements).any())

    def test_refusals(self):
        with self.assertRaisesRegex(tilewright.Error, "nowhere"):
            tilewright.tables(PROBLEM, sweep="/nowhere")
        with self.assertRaisesRegex(tilewright.Error, "nothing.json"):
            tilewright.tables("nothing.json")


if __name__ == "__main__":
    unittest.main()
