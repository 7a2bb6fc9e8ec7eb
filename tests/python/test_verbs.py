# SPDX-License-Identifier: GPL-3.0-or-later
"""Every verb gives what the command line prints for the same input, and refuses with the same sentence."""

import json
import pathlib
import pickle
import tempfile
import unittest

import numpy as np
from support import SAMPLES, SCHEDULES, SOURCE, cli_json, cli_sentence, run_cli, without

import tilewright

EXAMPLE = SCHEDULES / "example-5.json"
SPLIT_K = SCHEDULES / "example-5.b-split-k.schedule.json"
OUT_OF_MEMORY = SCHEDULES / "example-5.a-out-of-memory.schedule.json"
LLAMA = SAMPLES / "models" / "llama-block.json"
LAYER = SAMPLES / "mapping" / "layers" / "conv-3x3-64.json"
TIMES = ("seconds", "evaluation_seconds")


def pairs():
    """Every sample schedule with its problem."""
    for schedule in sorted(SCHEDULES.glob("*.schedule.json")):
        problem = SCHEDULES / (schedule.name.split(".")[0] + ".json")
        yield problem, schedule


class Evaluate(unittest.TestCase):
    def test_every_sample_as_on_the_command_line(self):
        for problem, schedule in pairs():
            with self.subTest(schedule.name):
                e = tilewright.evaluate(problem, schedule)
                expected = cli_json("evaluate", problem, schedule)
                self.assertEqual(e.to_dict(), expected)
                self.assertAlmostEqual(e.total, expected["total_latency"], places=6)
                self.assertEqual(e.valid, expected["valid"])
                self.assertEqual(e.lower_bound, expected["lower_bound"])
                self.assertEqual(json.loads(e.check_json()), cli_json("check", problem, schedule))

    def test_rules(self):
        problem = tilewright.Problem.load(SCHEDULES / "attention-block.json")
        file = SCHEDULES / "attention-block.fused.schedule.json"
        schedule = tilewright.Schedule.load(problem, file)
        for set_, switches in (("seed", {}), ("final", {"compute": "array"}), ("final", {"k_limit": "reduction"})):
            options = [f"--set={name}={value}" for name, value in switches.items()]
            expected = cli_json("evaluate", SCHEDULES / "attention-block.json", file, "--rules", set_, *options)
            e = tilewright.evaluate(problem, schedule, rules=tilewright.Rules(set_, **switches))
            self.assertEqual(without(e.to_dict(), "rules_reason"), without(expected, "rules_reason"))

    def test_invalid_is_no_error(self):
        e = tilewright.evaluate(EXAMPLE, OUT_OF_MEMORY)
        self.assertFalse(e.valid)
        self.assertIn(e.error, run_cli("check", EXAMPLE, OUT_OF_MEMORY).stdout)
        self.assertIn("OOM in subgraph 0", e.error)
        self.assertEqual(e.issues[0]["code"], "OOM")

    def test_workload_on_a_machine(self):
        lowered = tilewright.lower(LLAMA, machine="server")
        solution = tilewright.solve(lowered.problem, seconds=0, iterations=2000, threads=1)
        e = tilewright.evaluate(LLAMA, solution.schedule, machine="server")
        self.assertAlmostEqual(e.total, solution.total, places=6)

    def test_schedule_names_its_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "s.json"
            solved = cli_json("solve", LLAMA, "--machine", "server", "--iterations", "20", "-o", file)
            e = tilewright.evaluate(LLAMA, file)
            self.assertEqual(e.total, solved["total_latency"])
            self.assertEqual(e.to_dict(), cli_json("evaluate", LLAMA, file))
            edge = tilewright.evaluate(LLAMA, file, machine="edge")
            self.assertEqual(edge.to_dict(), cli_json("evaluate", LLAMA, file, "--machine", "edge"))
            self.assertNotEqual(edge.to_dict()["hardware"], solved["hardware"])

    def test_schedule_of_another_problem(self):
        schedule = tilewright.solve(EXAMPLE, seconds=0, iterations=10, threads=1).schedule
        with self.assertRaisesRegex(tilewright.Error, "another problem"):
            tilewright.evaluate(SCHEDULES / "mlp.json", schedule)


class Steps(unittest.TestCase):
    def setUp(self):
        self.file = SCHEDULES / "attention-block.json", SCHEDULES / "attention-block.fused.schedule.json"
        self.evaluation = tilewright.evaluate(*self.file)

    def test_steps_are_those_of_the_trace(self):
        steps = self.evaluation.steps
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder, "steps.csv")
            self.assertEqual(run_cli("evaluate", *self.file, "--trace", trace).returncode, 0)
            self.assertEqual(len(trace.read_text().splitlines()) - 1, len(steps))
        self.assertEqual(steps.shape, (len(steps),))
        self.assertEqual(steps.dtype["start"], np.float64)
        self.assertEqual(steps.dtype["working_set"], np.int64)
        for i, subgraph in enumerate(self.evaluation.subgraphs):
            mine = steps[steps["subgraph"] == i]
            self.assertEqual(len(mine), subgraph["steps"])
            self.assertEqual(mine["working_set"].max(), subgraph["peak_working_set"])
            self.assertEqual(mine["load_elements"].sum(), subgraph["load_elements"])
            self.assertEqual(mine["store_elements"].sum(), subgraph["store_elements"])
            self.assertAlmostEqual(mine["latency"].sum(), subgraph["latency"], places=6)
        np.testing.assert_allclose(steps["latency"], np.maximum(steps["compute"], steps["memory"]))
        np.testing.assert_allclose(steps["start"][1:], np.cumsum(steps["latency"])[:-1], atol=1e-6)

    def test_occupancy_is_a_staircase(self):
        o = self.evaluation.occupancy
        self.assertEqual(o["start"][0], 0)
        np.testing.assert_allclose(o["end"][:-1], o["start"][1:])
        self.assertAlmostEqual(o["end"][-1], self.evaluation.total, places=6)
        parts = sum(o[name] for name in ("resident", "retained", "input", "output", "accumulator", "interior"))
        parts = parts - o["donated"]
        np.testing.assert_array_equal(o["total"], parts)
        self.assertLessEqual(o["total"].max(), self.evaluation.capacity)
        self.assertEqual(o["total"].max(), max(s["peak_working_set"] for s in self.evaluation.subgraphs))

    def test_rule_9_9_interior_slices_are_parts(self):
        held = tilewright.evaluate(*self.file, rules="machine")
        for rows, names in (
            (held.occupancy, ("resident", "retained", "input", "output", "accumulator", "interior")),
            (held.steps, ("reserved", "input_elements", "output_elements", "accumulator_elements", "interior_elements")),
        ):
            self.assertGreater(rows[names[-1]].max(), 0)
            total, donated = ("total", "donated") if "total" in rows.dtype.names else ("working_set", "donated_elements")
            np.testing.assert_array_equal(rows[total], sum(rows[name] for name in names) - rows[donated])
        self.assertEqual(held.units_per_element, 1)

    def test_latencies(self):
        latencies = self.evaluation.latencies
        self.assertEqual(latencies.dtype, np.float64)
        self.assertEqual(latencies.tolist(), [s["latency"] for s in self.evaluation.subgraphs])
        self.assertAlmostEqual(latencies.sum(), self.evaluation.total)

    def test_format_errors_have_no_steps(self):
        problem = tilewright.Problem.load(EXAMPLE)
        text = json.loads(pathlib.Path(SPLIT_K).read_text())
        text["granularities"][0] = [0, 1, 1]
        e = tilewright.evaluate(problem, tilewright.Schedule.from_text(problem, json.dumps(text)))
        self.assertFalse(e.valid)
        with self.assertRaisesRegex(tilewright.Error, "errors of format"):
            e.steps


class Solve(unittest.TestCase):
    def test_the_same_as_on_the_command_line(self):
        problem = SCHEDULES / "attention-block.json"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "best.json")
            budget = ("--seconds", 0, "--iterations", 3000, "--threads", 1, "--seed", 7)
            expected = cli_json("solve", problem, "-o", file, *budget)
            solution = tilewright.solve(problem, seconds=0, iterations=3000, threads=1, seed=7)
            names = ("seconds", "curve", "start_latency", "evaluations")  # what the clock decides
            self.assertEqual(without(solution.to_dict(), *names), without(expected, *names))
            self.assertEqual(solution.schedule, tilewright.Schedule.load(solution.problem, file))
            solution.schedule.save(pathlib.Path(folder, "mine.json"))
            self.assertEqual(pathlib.Path(folder, "mine.json").read_text(), file.read_text())
        self.assertAlmostEqual(solution.start_latency, expected["start_latency"])
        self.assertEqual(solution.curve.shape[1], 2)
        self.assertAlmostEqual(solution.curve[-1, 1], solution.total, places=6)
        self.assertAlmostEqual(solution.latencies.sum(), solution.total)
        self.assertAlmostEqual(solution.evaluation.total, solution.total, places=6)
        self.assertFalse(solution.interrupted)

    def test_start_is_never_left_for_worse(self):
        problem = tilewright.Problem.load(SCHEDULES / "mlp.json")
        start = tilewright.Schedule.load(problem, SCHEDULES / "mlp.fused.schedule.json")
        solution = tilewright.solve(problem, start=start, seconds=0, iterations=5, threads=1)
        self.assertAlmostEqual(solution.start_latency, tilewright.evaluate(problem, start).total, places=6)
        self.assertLessEqual(solution.total, solution.start_latency)

    def test_objectives(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "energy.json")
            energy = {"slow": 10, "fast": 0.5, "mac": 0.02, "vector": 1}
            file.write_text(json.dumps({**json.loads(EXAMPLE.read_text()), "energy": energy}))
            budget = {"seconds": 0, "iterations": 300, "threads": 1}
            for objective in ("latency", "energy", "edp"):
                solution = tilewright.solve(file, objective=objective, **budget)
                self.assertEqual(solution.objective, objective)
                self.assertAlmostEqual(solution.edp, solution.total * solution.energy)
                self.assertLessEqual(solution.energy_bound, solution.energy * (1 + 1e-9))
                self.assertAlmostEqual(solution.to_dict()["energy_pj"], solution.energy, places=6)
                for latency, pj, schedule in solution.front:
                    evaluation = tilewright.evaluate(solution.problem, schedule)
                    self.assertAlmostEqual(evaluation.total, latency)
                    self.assertAlmostEqual(evaluation.to_dict()["energy_pj"], pj)
        with self.assertRaisesRegex(tilewright.Error, "states energies"):
            tilewright.solve(EXAMPLE, objective="edp", **budget)

    def test_placeable(self):
        solution = tilewright.solve(SCHEDULES / "example-1.json", placeable=True, seconds=0, iterations=200, threads=1)
        self.assertTrue(tilewright.place(solution.problem, solution.schedule).fits)

    def test_sentences(self):
        for options, arguments in (
            ({"start": SOURCE / "none.json"}, ["--start", SOURCE / "none.json"]),
            ({"rules": tilewright.Rules(), "machine": "nowhere"}, ["--machine", "nowhere"]),
        ):
            with self.assertRaises(tilewright.Error) as raised:
                tilewright.solve(EXAMPLE, **options)
            self.assertEqual(str(raised.exception), cli_sentence("solve", EXAMPLE, *arguments))


class BoundAndPlace(unittest.TestCase):
    def test_bound(self):
        for problem in (EXAMPLE, SCHEDULES / "model-150-ops.json"):
            self.assertEqual(tilewright.bound(problem), cli_json("bound", problem))
        value = tilewright.Problem.load(EXAMPLE)
        self.assertEqual(tilewright.bound(value).lower_bound, cli_json("bound", EXAMPLE)["lower_bound"])
        self.assertEqual(
            tilewright.bound(value, rules=tilewright.Rules("seed")), cli_json("bound", EXAMPLE, "--rules", "seed")
        )
        self.assertEqual(tilewright.bound(LLAMA, machine="server"), cli_json("bound", LLAMA, "--machine", "server"))

    def test_place(self):
        for problem, schedule in list(pairs())[:8]:
            if tilewright.evaluate(problem, schedule).valid:
                self.assertEqual(tilewright.place(problem, schedule), cli_json("place", problem, schedule))

    def test_place_buffers(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "buffers.csv")
            file.write_text("id,lower,upper,size\na,0,3,4\nb,2,5,4\nc,4,7,4\n")
            placed = tilewright.place(file, capacity=8)
            self.assertEqual(placed, cli_json("place", file, "--capacity", 8))
            self.assertEqual((placed.height, placed.proven, placed.interrupted), (8, True, False))
            with self.assertRaises(tilewright.Error) as raised:
                tilewright.place(file)
            self.assertEqual(str(raised.exception), cli_sentence("place", file))

    def test_only_valid_schedules_are_placed(self):
        with self.assertRaises(tilewright.Error) as raised:
            tilewright.place(EXAMPLE, OUT_OF_MEMORY)
        self.assertIn(str(raised.exception), cli_sentence("place", EXAMPLE, OUT_OF_MEMORY))


class Run(unittest.TestCase):
    def test_as_the_command_line(self):
        problem, schedule = SCHEDULES / "attention-block.json", SCHEDULES / "attention-block.fused.schedule.json"
        for options, arguments in (({}, []), ({"prefetch": 0}, ["--prefetch", "0"]), ({"rules": "machine"}, ["--rules", "machine"]), ({"cores": 2}, ["--cores", "2"])):
            run = tilewright.run(problem, schedule, **options)
            self.assertEqual(run, cli_json("run", problem, schedule, *arguments))
            self.assertAlmostEqual(run.latency, tilewright.evaluate(problem, schedule, rules=options.get("rules", "auto")).total)
        value = tilewright.Problem.load(problem)
        self.assertEqual(tilewright.run(value, tilewright.Schedule.load(value, schedule)).end, tilewright.run(problem, schedule).end)

    def test_refusals(self):
        for arguments, options in (((EXAMPLE, OUT_OF_MEMORY), {}),):
            with self.assertRaises(tilewright.Error) as raised:
                tilewright.run(*arguments, **options)
            self.assertIn(str(raised.exception), cli_sentence("run", *arguments))
        problem, schedule = SCHEDULES / "attention-block.json", SCHEDULES / "attention-block.fused.schedule.json"
        with self.assertRaises(tilewright.Error) as raised:
            tilewright.run(problem, schedule, cores=9)
        self.assertIn(str(raised.exception), cli_sentence("run", problem, schedule, "--cores", "9"))

    def test_cores_of_a_machine(self):
        with tempfile.TemporaryDirectory() as folder:
            schedule = pathlib.Path(folder) / "s.json"
            run_cli("convert", LLAMA, "--to", "schedule", "-o", schedule)
            run = tilewright.run(LLAMA, schedule, machine="edge", cores=4)
            self.assertEqual(run, cli_json("run", LLAMA, schedule, "--machine", "edge", "--cores", 4))
            self.assertEqual(len(run.per_core), 4)


class Finish(unittest.TestCase):
    def test_the_schedule_that_runs_fastest(self):
        options = {"machine": "edge", "seconds": 0, "iterations": 50, "threads": 1}
        plain, finished = tilewright.solve(LLAMA, **options), tilewright.solve(LLAMA, finish="run", **options)
        self.assertIsNone(plain.run_end)
        ends = [tilewright.run(LLAMA, s.schedule, machine="edge").end for s in (plain, finished)]
        self.assertLess(ends[1], ends[0])
        self.assertAlmostEqual(finished.run_end, ends[1])
        self.assertEqual(json.loads(pickle.loads(pickle.dumps(finished)).json())["finish"], json.loads(finished.json())["finish"])


class Lower(unittest.TestCase):
    def test_as_convert(self):
        with tempfile.TemporaryDirectory() as folder:
            lowered = tilewright.lower(LLAMA, machine="edge")
            for to, mine in (
                ("problem", json.loads(lowered.problem.to_text())),
                ("layers", lowered.layers),
                ("npu", lowered.npu),
                ("model", json.loads(tilewright.Model.load(LLAMA).to_text())),
            ):
                file = pathlib.Path(folder, to + ".json")
                report = cli_json("convert", LLAMA, "--to", to, "-o", file, "--machine", "edge")
                self.assertEqual(mine, json.loads(file.read_text()), to)
                if to == "problem":
                    self.assertEqual(lowered.report, report)
            table = pathlib.Path(folder, "gemms.csv")
            cli_json("convert", LLAMA, "--to", "gemms", "-o", table, "--machine", "edge")
            self.assertEqual(sum(g["count"] for g in lowered.gemms), len(table.read_text().splitlines()) - 1)

    def test_refusal(self):
        with self.assertRaises(tilewright.Error) as raised:
            tilewright.lower(SOURCE / "README.md")
        self.assertEqual(str(raised.exception), cli_sentence("bound", SOURCE / "README.md", "--machine", "edge"))


class Lenses(unittest.TestCase):
    def test_systolic_product(self):
        for options, arguments in (
            ({"gemm": (128, 96, 200)}, ["--gemm", "128x96x200"]),
            ({"gemm": "64x64x64", "array": (8, 8), "dataflow": "ws"}, "--gemm 64x64x64 --array 8x8 --dataflow ws".split()),
            ({"gemm": (40, 30, 20), "simulate": True}, "--gemm 40x30x20 --simulate".split()),
            (
                {"gemm": (256, 256, 256), "pipeline": "pipelined", "compare": True, "machine": "edge", "tile": (64, 64, 64)},
                "--gemm 256x256x256 --pipeline pipelined --compare --machine edge --tile 64x64x64".split(),
            ),
            ({"gemm": (32, 32, 64), "west_rate": 4, "fifo_depth": 8}, "--gemm 32x32x64 --west-rate 4 --fifo-depth 8".split()),
        ):
            self.assertEqual(tilewright.systolic(**options), cli_json("systolic", *arguments))

    def test_systolic_network(self):
        self.assertEqual(tilewright.systolic(LLAMA, machine="kpu"), cli_json("systolic", LLAMA, "--machine", "kpu"))
        model = tilewright.Model.load(LLAMA)
        layer = tilewright.systolic(model).layers[0]["operators"][0]
        self.assertEqual(tilewright.systolic(model, layer=layer), cli_json("systolic", LLAMA, "--layer", layer))

    def test_systolic_sentences(self):
        for options, arguments in (
            ({}, []),
            ({"gemm": "3x"}, ["--gemm", "3x"]),
            ({"gemm": (8, 8, 8), "dataflow": "xs"}, "--gemm 8x8x8 --dataflow xs".split()),
            ({"gemm": (8, 8, 8), "compare": True}, "--gemm 8x8x8 --compare".split()),
            ({"gemm": (8, 8, 8), "layer": "x"}, None),
        ):
            with self.assertRaises(tilewright.Error) as raised:
                tilewright.systolic(**options)
            if arguments is not None:
                self.assertEqual(str(raised.exception), cli_sentence("systolic", *arguments))

    def test_tile(self):
        for options, arguments in (
            ({"gemm": (512, 512, 512)}, ["--gemm", "512x512x512"]),
            ({"gemm": (100, 200, 300), "method": "learned"}, "--gemm 100x200x300 --method learned".split()),
            ({"gemm": (100, 200, 300), "tile": (16, 32, 64), "capacity": 9000}, "--gemm 100x200x300 --tile 16x32x64 --capacity 9000".split()),
            ({"gemm": (64, 64, 64), "level_buffers": (0, 0, 2)}, "--gemm 64x64x64 --level-buffers 0,0,2".split()),
        ):
            self.assertEqual(tilewright.tile(**options), cli_json("tile", *arguments))
        self.assertEqual(tilewright.tile(LLAMA), cli_json("tile", LLAMA))
        with self.assertRaisesRegex(tilewright.Error, "--level-buffers: expected three numbers"):
            tilewright.tile(gemm=(8, 8, 8), level_buffers=(1,))

    def test_overlay(self):
        seeds = SOURCE / "tests" / "fuzz" / "verbs" / "seeds"
        model, machine = str(seeds / "topology.csv"), str(seeds / "machine.json")
        values = [str(seeds / "values.csv"), str(seeds / "values.json")]
        answer = tilewright.overlay(model, values, machine=machine, lens="systolic")
        self.assertEqual(answer, cli_json("overlay", model, *values, "--machine", machine, "--lens", "systolic"))
        self.assertEqual([o["form"] for o in answer.overlays], ["table", "JSON"])

    def test_summary(self):
        model = SAMPLES / "models" / "llama-decode-block.json"
        self.assertEqual(
            tilewright.summary(model, machine="edge"), cli_json("summary", model, "--machine", "edge")
        )
        two = tilewright.summary(model, machine=["edge", "server"], cores=2, explain=True)
        self.assertEqual(
            two,
            cli_json("summary", model, "--machine", "edge", "--machine", "server", "--cores", 2, "--explain"),
        )
        self.assertEqual([s["machine"] for s in two.summaries], ["edge", "server"])
        row = two.summaries[0]["rows"][0]
        self.assertEqual(row["explanations"]["cycles"]["value"], row["cycles"])
        self.assertEqual(
            tilewright.summary(tilewright.Model.load(model), machine=tilewright.Machine.load("server"), cores=2, explain=True)
            .summaries[0],
            two.summaries[1],
        )
        found = tilewright.summary(model, machine="edge", solve=0.1, search=True)
        self.assertEqual({r["state"] for r in found.summaries[0]["rows"]}, {"done"})
        with self.assertRaises(tilewright.Error) as raised:
            tilewright.summary(model, machine="nowhere")
        self.assertEqual(str(raised.exception), cli_sentence("summary", model, "--machine", "nowhere"))

    def test_npu(self):
        model = SAMPLES / "npu" / "conv_net.json"
        self.assertEqual(tilewright.npu(model), cli_json("npu", model))
        self.assertEqual(
            tilewright.npu(model, cores=2, scheduler="static", scaling=[1, 2]),
            cli_json("npu", model, "--cores", 2, "--scheduler", "static", "--scaling", "1,2"),
        )
        with self.assertRaises(tilewright.Error) as raised:
            tilewright.npu(model, scheduler="none")
        self.assertEqual(str(raised.exception), cli_sentence("npu", model, "--scheduler", "none"))
        problem = SAMPLES / "schedule" / "attention-block.json"
        schedule = SAMPLES / "schedule" / "attention-block.fused.schedule.json"
        ran = tilewright.npu(problem, schedule=schedule)
        self.assertEqual(ran, cli_json("npu", problem, "--schedule", schedule))
        self.assertEqual(ran, tilewright.run(problem, schedule, cores=4))

    def test_names_in_another_encoding(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "l.csv")
            file.write_bytes(b"Layer, M, N, K,\nSchicht_\xe4\x1b, 96, 64, 32,\n")
            with self.assertWarnsRegex(UserWarning, "l.csv: line 2: bytes that are not UTF-8"):
                answer = tilewright.npu(file)
            self.assertIn("makespan", answer)
            self.assertIn("Schicht_ä␛", json.dumps(tilewright.map(file, quick=True), ensure_ascii=False))
            self.assertIn("Schicht_ä␛", tilewright.lower(file).npu_json())

    def test_map(self):
        for options, arguments in (
            ({}, []),
            ({"objective": "energy", "factor": ["SPATIAL.M=8"]}, "--objective energy --factor SPATIAL.M=8".split()),
            ({"quick": True, "bypass": ["I"]}, "--quick --bypass I".split()),
            ({"machine": "server"}, "--machine server".split()),
        ):
            mine = tilewright.map(LAYER, threads=1, **options)
            self.assertEqual(without(mine, *TIMES), without(cli_json("map", LAYER, "--threads", 1, *arguments), *TIMES))
        with self.assertRaises(tilewright.Error) as raised:
            tilewright.map(LAYER, bypass=["X"])
        self.assertEqual(str(raised.exception), cli_sentence("map", LAYER, "--bypass", "X"))

    def test_map_of_a_method(self):
        with tempfile.TemporaryDirectory() as folder:
            method = pathlib.Path(folder, "method.json")
            self.assertEqual(run_cli("map", LAYER, "-o", method).returncode, 0)
            mine = tilewright.map(LAYER, method=method)
            self.assertEqual(without(mine, *TIMES), without(cli_json("map", LAYER, "--method", method), *TIMES))
            with self.assertRaises(tilewright.Error) as raised:
                tilewright.map(LLAMA, method=method)
            self.assertEqual(str(raised.exception), cli_sentence("map", LLAMA, "--method", method))

    def test_map_on_a_hierarchy(self):
        levels = SAMPLES / "mapping" / "hierarchies" / "five-levels.json"
        layer = SAMPLES / "mapping" / "layers" / "conv-1x1-2048.json"
        mine = tilewright.map(layer, levels, threads=1, objective="energy")
        other = cli_json("map", layer, levels, "--threads", 1, "--objective", "energy")
        self.assertEqual(without(mine, *TIMES), without(other, *TIMES))
        limits = {"factor": ["cluster.rows.C=4"], "order": ["DRAM=C,M"], "axis": ["cluster.columns=M"], "bypass": ["SRAM.W"]}
        limited = tilewright.map(layer, levels, threads=1, **limits)
        self.assertEqual(limited["constraints"], ["cluster.rows.C=4", "DRAM=C,M"])
        arguments = [x for name, values in limits.items() for x in (f"--{name}", *values)]
        other = cli_json("map", layer, levels, "--threads", 1, *arguments)
        self.assertEqual(without(limited, *TIMES), without(other, *TIMES))
        of_machine = tilewright.map(layer, machine="eyeriss", cost_model="hierarchy", threads=1, quick=True)
        other = cli_json("map", layer, *"--machine eyeriss --cost-model hierarchy --threads 1 --quick".split())
        self.assertEqual(without(of_machine, *TIMES), without(other, *TIMES))
        self.assertEqual(mine["cost_model"], "hierarchy")
        with tempfile.TemporaryDirectory() as folder:
            mapping = pathlib.Path(folder, "mapping.json")
            mapping.write_text(json.dumps(mine["mapping"]))
            again = tilewright.map(layer, levels, method=mapping)
            self.assertEqual((again["energy"], again["cycles"]), (mine["energy"], mine["cycles"]))
            self.assertEqual(
                without(again, *TIMES), without(cli_json("map", layer, levels, "--method", mapping), *TIMES)
            )

    def test_map_of_a_model(self):
        model = SAMPLES / "mapping" / "models" / "bert-base.json"
        mine = tilewright.map(model, quick=True, threads=1)
        self.assertEqual(without(mine, *TIMES), without(cli_json("map", model, "--quick", "--threads", 1), *TIMES))


class Sweep(unittest.TestCase):
    PLAN = {
        "workload": str(SCHEDULES / "example-5.json"),
        "what": "bound",
        "axes": [{"name": "fast_memory_capacity", "values": [20000, 30000, 40000]}],
    }

    def test_in_memory_and_in_a_folder_as_on_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            plan, theirs, ours = (pathlib.Path(folder, name) for name in ("plan.json", "theirs", "ours"))
            plan.write_text(json.dumps(self.PLAN))
            self.assertEqual(run_cli("sweep", plan, "-o", theirs).returncode, 0)
            expected = cli_json("sweep", "--collect", theirs)
            states = []
            mine = tilewright.sweep(self.PLAN, on_state=lambda *state: states.append(state))
            self.assertEqual(mine, expected)
            self.assertEqual(states[-1], (3, 0, 3))
            self.assertEqual(tilewright.sweep(plan, output=ours), expected)
            self.assertEqual(cli_json("sweep", "--status", ours), {"points": 3, "done": 3, "failed": 0, "to_do": 0})

    def test_a_part_leaves_the_rest_to_do(self):
        table = tilewright.sweep(self.PLAN, part="2/3")
        self.assertEqual([row["state"] for row in table.rows], ["to do", "done", "to do"])

    def test_sentence(self):
        with self.assertRaisesRegex(tilewright.Error, "plan: "):
            tilewright.sweep({**self.PLAN, "axes": [{"name": "nonsense", "values": [1]}]})


class Sentences(unittest.TestCase):
    def test_every_invalid_file_as_on_the_command_line(self):
        for kind, load in (
            ("invalid", tilewright.Problem.load),
            ("invalid_machine", tilewright.Machine.load),
        ):
            files = sorted((SOURCE / "tests" / "data" / kind).glob("*.json"))
            self.assertTrue(files, kind)
            for file in files[:25]:
                arguments = ["bound", file] if kind == "invalid" else ["bound", EXAMPLE, "--machine", file]
                with self.subTest(file.name), self.assertRaises(tilewright.Error) as raised:
                    load(file)
                self.assertEqual(str(raised.exception), cli_sentence(*arguments))

    def test_wrong_types_are_type_errors(self):
        with self.assertRaises(TypeError):
            tilewright.solve(EXAMPLE, seconds="long")
        with self.assertRaisesRegex(TypeError, "passes: "):
            tilewright.systolic(gemm=(8, 8, 8), passes="many")
