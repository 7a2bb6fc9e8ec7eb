# SPDX-License-Identifier: GPL-3.0-or-later
"""Problem, Schedule, Model, Machine, Rules and what comes back are values: they compare, save, load and pickle."""

import copy
import gc
import inspect
import json
import os
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

    def test_real_machines(self):
        edge = tilewright.Machine.load("edge")
        self.assertEqual(edge.left_out("NPU"), [])
        real = edge.with_field("array.kind", "dot_product").with_field("dram.pipelined_hits", True)
        real = real.with_field("launch_us.product", 21)
        self.assertEqual([f["path"] for f in real.left_out("NPU")],
                         ["launch_us.product"])
        self.assertEqual([f["path"] for f in real.left_out("Mapping")], ["array.kind", "launch_us.product"])
        sourced = real.with_source("cores", "paper", "JSSC 52(1)", year=2017)
        fields = {f["path"]: f for f in sourced.fields}
        self.assertEqual(fields["cores"]["source"],
                         {"kind": "paper", "source": "JSSC 52(1)", "year": 2017, "note": ""})
        self.assertEqual(fields["launch_us.product"]["lenses"], [])
        self.assertEqual(fields["cores"]["lenses"], ["NPU"])
        self.assertFalse(fields["array.row_granule"]["given"])
        self.assertEqual(tilewright.Machine.from_text(sourced.to_text()), sourced)
        with self.assertRaisesRegex(tilewright.Error, "kind: expected one of measured"):
            edge.with_source("cores", "rumour")
        with self.assertRaisesRegex(tilewright.Error, "lens: expected one of Schedule"):
            edge.left_out("Roofline")

    def test_missing_operators(self):
        text = json.dumps({
            "name": "odd", "tensors": [{"name": n, "shape": [64, 64]} for n in "xwyz"], "constants": ["w"],
            "ops": [{"type": "matmul", "name": "known", "inputs": ["x", "w"], "outputs": ["y"]},
                    {"type": "unknown", "name": "riddle", "inputs": ["y"], "outputs": ["z"]}]})
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "odd.json")
            path.write_text(text)
            model = tilewright.Model.load(path)
        self.assertIsNone(tilewright.lower(model).report["coverage"]["dropped"])
        self.assertEqual(tilewright.lower(model).report["lenses"]["NPU"]["missing"], 1)
        tilewright.npu(model)
        with self.assertRaisesRegex(tilewright.Error, "riddle"):
            tilewright.npu(model, strict=True)

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

    def test_comparison_with_anything(self):
        problem = tilewright.Problem.load(EXAMPLE)
        schedule = tilewright.Schedule.load(problem, SCHEDULES / "example-5.b-split-k.schedule.json")
        for value in (problem, schedule, tilewright.Machine.load("edge"), tilewright.Rules()):
            for other in (None, 3, "text", object(), problem if value is not problem else schedule):
                self.assertFalse(value == other)
                self.assertTrue(value != other)
            self.assertNotIn(value, [None, 1])

    def test_answers_pickle(self):
        problem = tilewright.Problem.load(EXAMPLE)
        solution = tilewright.solve(problem, seconds=0.2, threads=1)
        again = pickle.loads(pickle.dumps(solution))
        for field in ("schedule", "problem", "rules", "total", "start_latency", "lower_bound", "gap", "proven_optimal",
                      "proven_space", "interrupted", "stopped", "seconds", "evaluations", "energy", "energy_bound", "edp",
                      "objective", "front"):
            self.assertEqual(getattr(again, field), getattr(solution, field), field)
        self.assertEqual(again.curve.tolist(), solution.curve.tolist())
        self.assertEqual(again.json(), solution.json())
        for name in ("b-split-k", "a-out-of-memory"):
            evaluation = tilewright.evaluate(problem, SCHEDULES / f"example-5.{name}.schedule.json")
            again = pickle.loads(pickle.dumps(evaluation))
            self.assertEqual(again.json(), evaluation.json())
            self.assertEqual(again.check_json(), evaluation.check_json())
            self.assertEqual((again.rules, again.schedule), (evaluation.rules, evaluation.schedule))
        broken = tilewright.Schedule.from_text(problem, solution.schedule.to_text().replace("[[0", "[[7", 1))
        evaluation = tilewright.evaluate(problem, broken)
        self.assertIsNotNone(evaluation.error)
        self.assertEqual(pickle.loads(pickle.dumps(evaluation)).check_json(), evaluation.check_json())

    def test_models_pickle(self):
        files = [SAMPLES / "models" / "llama-block.json", SAMPLES / "models" / "small-conv.csv", EXAMPLE]
        files += [*(SAMPLES / "mapping" / "layers").glob("*.json")][:2] + [SAMPLES / "npu" / "attention-decode.json"]
        for file in filter(pathlib.Path.exists, files):
            model = tilewright.Model.load(file)
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual((again.name, again.operator_count, repr(again)),
                             (model.name, model.operator_count, repr(model)), file)
            try:
                expected = tilewright.lower(model).report_json()
            except tilewright.Error as error:
                with self.assertRaisesRegex(tilewright.Error, str(error)[-20:].replace("(", ".").replace(")", ".")):
                    tilewright.lower(again)
            else:
                self.assertEqual(tilewright.lower(again).report_json(), expected, file)
        model = tilewright.Model.of(tilewright.Problem.load(EXAMPLE))
        self.assertEqual(pickle.loads(pickle.dumps(model)).to_text(), model.to_text())
        for file in ("resnet-18.onnx", "llama-block.mlir"):
            try:
                model = tilewright.Model.load(SAMPLES / "models" / file)
            except tilewright.Error:  # built without ONNX
                self.assertTrue(file.endswith(".onnx"))
                continue
            again = pickle.loads(pickle.dumps(model))
            self.assertEqual(again.to_text(), model.to_text())
            self.assertEqual(tilewright.lower(again).report_json(), tilewright.lower(model).report_json())

    def test_a_value_is_its_own_copy(self):
        problem = tilewright.Problem.load(EXAMPLE)
        solution = tilewright.solve(problem, seconds=0.1, threads=1)
        for value in (problem, solution, solution.schedule, solution.evaluation, tilewright.Rules(),
                      tilewright.Machine.load("edge"), tilewright.Model.of(problem), tilewright.lower(problem)):
            self.assertIs(copy.copy(value), value)
            self.assertIs(copy.deepcopy([value])[0], value)

    def test_empty_objects_are_refused(self):
        for kind in (tilewright.Problem, tilewright.Schedule, tilewright.Model, tilewright.Machine, tilewright.Rules,
                     tilewright.Evaluation, tilewright.Solution, tilewright.Lowering):
            empty = kind.__new__(kind)
            names = [n for n in dir(kind) if isinstance(getattr(kind, n), property) and
                     not inspect.isfunction(getattr(kind, n).fget)]  # which draw later
            self.assertTrue(names)
            for name in names:
                with self.assertRaises(TypeError, msg=f"{kind.__name__}.{name}"):
                    getattr(empty, name)
            for use in (repr, pickle.dumps, hash) if kind in (tilewright.Problem, tilewright.Machine) else (repr,):
                try:
                    use(empty)
                except TypeError:
                    pass
        with self.assertRaises(TypeError):
            tilewright.evaluate(tilewright.Problem.__new__(tilewright.Problem), EXAMPLE)

    def test_arrays_outlive_their_owner(self):
        problem = tilewright.Problem.load(EXAMPLE)
        evaluation = tilewright.evaluate(problem, SCHEDULES / "example-5.b-split-k.schedule.json")
        arrays = [evaluation.latencies, evaluation.steps["latency"], evaluation.occupancy["total"]]
        expected = [a.tolist() for a in arrays]
        del evaluation, problem
        gc.collect()
        junk = [bytearray(b"x" * 5000) for _ in range(200)]
        self.assertEqual([a.tolist() for a in arrays], expected)
        del junk
        arrays[0][0] = 1  # its own memory

    def test_wrong_types_are_said(self):
        half = "\udcff"  # no character: what a byte that is no UTF-8 becomes in a file name
        schedule = SCHEDULES / "example-5.b-split-k.schedule.json"
        calls = {
            "rules": lambda v: tilewright.evaluate(EXAMPLE, schedule, rules=v),
            "set": lambda v: tilewright.Rules(v),
            "switch": lambda v: tilewright.Rules(compute=v),
            "verb's rules": lambda v: tilewright.bound(EXAMPLE, rules=v),
            "method": lambda v: tilewright.tile(gemm="8x8x8", method=v),
            "gemm": lambda v: tilewright.tile(gemm=v),
            "seconds": lambda v: tilewright.bound(EXAMPLE, seconds=v),
            "threads": lambda v: tilewright.solve(EXAMPLE, seconds=0.1, threads=v),
            "dim": lambda v: tilewright.lower(EXAMPLE, dim=v),
            "verb's dim": lambda v: tilewright.bound(EXAMPLE, dim=v),
            "path": lambda v: tilewright.Problem.load(v),
            "machine": lambda v: tilewright.Machine.load(v),
            "text": lambda v: tilewright.Problem.from_text(v),
            "start": lambda v: tilewright.solve(EXAMPLE, seconds=0.1, start=v),
        }
        for name, call in calls.items():
            for value in (3j, object(), half, [half], {half: half}, b"\0"):
                with self.assertRaises((TypeError, ValueError), msg=f"{name}={value!r}") as raised:
                    call(value)
                self.assertGreater(len(str(raised.exception)), 10, f"{name}={value!r}")
        with self.assertRaisesRegex(TypeError, "rules: expected a text, got 3"):
            tilewright.evaluate(EXAMPLE, schedule, rules=3)

    def test_names_of_files_are_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(os.fsencode(folder), b"caf\xe9.json")
            tilewright.Problem.load(EXAMPLE).save(os.fsdecode(file))
            self.assertEqual(tilewright.Problem.load(os.fsdecode(file)), tilewright.Problem.load(EXAMPLE))
            self.assertEqual(os.listdir(os.fsencode(folder)), [b"caf\xe9.json"])
            with self.assertRaisesRegex(tilewright.Error, "cannot be opened"):
                tilewright.Problem.load(os.fsdecode(file) + ".none")

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
