# SPDX-License-Identifier: GPL-3.0-or-later
"""Problem, Schedule, Model, Machine and Rules are values: they compare, save, load and pickle."""

import pathlib
import pickle
import tempfile
import timeit
import unittest

from support import SAMPLES, SCHEDULES

import tilewright

EXAMPLE = SCHEDULES / "example-5.json"


class Values(unittest.TestCase):
    def test_problem(self):
        problem = tilewright.Problem.load(EXAMPLE)
        self.assertEqual((problem.op_count, problem.tensor_count), (2, 5))
        self.assertEqual(problem, tilewright.Problem.load(str(EXAMPLE)))
        self.assertNotEqual(problem, tilewright.Problem.load(SCHEDULES / "mlp.json"))
        self.assertEqual(len({problem, tilewright.Problem.from_text(problem.to_text())}), 1)
        self.assertEqual(pickle.loads(pickle.dumps(problem)), problem)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "copy.json")
            problem.save(file)
            self.assertEqual(tilewright.Problem.load(file), problem)
            with self.assertRaises(tilewright.Error):
                problem.save(pathlib.Path(folder, "none", "copy.json"))

    def test_problem_of_any_workload(self):
        for file in ("llama-block.json", "small-conv.csv"):
            lowered = tilewright.lower(SAMPLES / "models" / file, machine="server").problem
            self.assertEqual(tilewright.Problem.load(SAMPLES / "models" / file, machine="server"), lowered)

    def test_schedule(self):
        problem = tilewright.Problem.load(EXAMPLE)
        schedule = tilewright.Schedule.load(problem, SCHEDULES / "example-5.b-split-k.schedule.json")
        self.assertEqual(len(schedule), 1)
        self.assertEqual(schedule.problem, problem)
        self.assertEqual(pickle.loads(pickle.dumps(schedule)), schedule)
        self.assertEqual(tilewright.Schedule.from_text(problem, schedule.to_text()), schedule)
        self.assertNotEqual(
            schedule, tilewright.Schedule.load(problem, SCHEDULES / "example-5.a-out-of-memory.schedule.json")
        )

    def test_model(self):
        model = tilewright.Model.load(SAMPLES / "models" / "llama-block.json")
        self.assertGreater(model.operator_count, 10)
        with tempfile.TemporaryDirectory() as folder:
            model.save(pathlib.Path(folder, "model.json"))
            self.assertEqual(tilewright.Model.load(pathlib.Path(folder, "model.json")).to_text(), model.to_text())
        problem = tilewright.Problem.load(EXAMPLE)
        self.assertEqual(tilewright.Model.of(problem).operator_count, problem.op_count)

    def test_machine(self):
        self.assertIn("edge", tilewright.Machine.presets())
        edge = tilewright.Machine.load("edge")
        self.assertEqual(edge, tilewright.Machine.load(["edge"]))
        self.assertEqual(pickle.loads(pickle.dumps(edge)), edge)
        wide = edge.with_field("array.cols", 48)
        self.assertNotEqual(wide, edge)
        self.assertEqual(wide, tilewright.Machine.from_text(wide.to_text()))
        with self.assertRaisesRegex(tilewright.Error, "unknown field \"nonsense\""):
            edge.with_field("array.nonsense", 1)

    def test_rules(self):
        final, custom = tilewright.Rules(), tilewright.Rules(compute="array")
        self.assertEqual((final.set, custom.set, tilewright.Rules("seed").set), ("final", "custom", "seed"))
        self.assertEqual(custom, tilewright.Rules("final", compute="array"))
        self.assertEqual(pickle.loads(pickle.dumps(custom)), custom)
        self.assertEqual(custom.to_dict()["compute"], "array")
        self.assertEqual({final: 1}[tilewright.Rules("final")], 1)
        with self.assertRaisesRegex(tilewright.Error, "compute"):
            tilewright.Rules(compute="never")
        with self.assertRaisesRegex(tilewright.Error, "nonsense"):
            tilewright.Rules(nonsense="on")

    def test_error_is_a_value_error(self):
        self.assertTrue(issubclass(tilewright.Error, ValueError))

    def test_answers_have_attributes(self):
        answer = tilewright.bound(EXAMPLE)
        self.assertEqual(answer.lower_bound, answer["lower_bound"])
        with self.assertRaisesRegex(AttributeError, "it has lower_bound"):
            answer.nonsense

    def test_time_of_an_evaluation_is_told(self):
        problem = tilewright.Problem.load(SCHEDULES / "model-150-ops.json")
        schedule = tilewright.Schedule.load(problem, SCHEDULES / "model-150-ops.fused.schedule.json")
        best = min(timeit.repeat(lambda: tilewright.evaluate(problem, schedule).total, number=50, repeat=5)) / 50
        print(f"evaluation of 150 ops from Python: {best * 1e6:.0f} µs")
