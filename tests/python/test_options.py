# SPDX-License-Identifier: GPL-3.0-or-later
"""Issue 34 c: each option is listed once (core/verbs/call_options.cpp), and one that can have no effect in a call is
refused with a sentence and exit code 2, by the command line and by Python alike."""

import inspect
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from support import SAMPLES, SCHEDULES, SOURCE, run_cli

import tilewright
from tilewright import _core

PROBLEM = str(SCHEDULES / "example-5.json")
SCHEDULE = str(SCHEDULES / "example-5.b-split-k.schedule.json")
MODEL = str(SAMPLES / "models" / "llama-block.json")
LAYER = str(SAMPLES / "mapping" / "layers" / "conv-3x3-64.json")
LEVELS = str(SAMPLES / "mapping" / "hierarchies" / "five-levels.json")
LAYERS = str(SAMPLES / "mapping" / "models" / "bert-base.json")
HIERARCHY = str(SOURCE / "tests" / "data" / "hierarchies" / "kpu.json")
GEMM = ["--gemm", "8x8x8"]
PROGRAM = [*GEMM, "--pipeline", "barriered"]

# The arguments of a verb, and the sentence with which they are refused. What follows the option in the sentence is what
# its description says; every such limit of every option is here, which test_every_limit_is_in_the_table checks.
TABLE = [
    (["info", PROBLEM, "--csv", "x.csv"], "--csv: needs --compare"),
    (["solve", PROBLEM, "--finish", "run", "--objective", "energy"], "--finish: needs --objective latency"),
    (["solve", PROBLEM, "--finish", "run", "--placeable"], "--finish: not with --placeable"),
    (["solve", PROBLEM, "--finish", "run", "--constraints", "x.json"], "--finish: not with --constraints"),
    (["solve", PROBLEM, "--constraint-costs"], "--constraint-costs: needs --constraints or --start"),
    (["systolic", *PROGRAM, "--explain"], "--explain: not with --pipeline"),
    (["npu", MODEL, "--schedule", SCHEDULE, "--explain"], "--explain: not with --schedule"),
    (["explain", PROBLEM, "--what-if"], "--what-if: needs a figure of the lens schedule"),
    (["place", "x.csv", "--capacity", "8", "--dim", "N=1"], "--dim: needs a schedule"),
    (["place", "x.csv", "--capacity", "8", "--machine", "edge"], "--machine: needs a schedule"),
    (["place", "x.csv", "--capacity", "8", "--rules", "seed"], "--rules: needs a schedule"),
    (["place", "x.csv", "--capacity", "8", "--set", "donation=yes"], "--set: needs a schedule"),
    (["place", PROBLEM, SCHEDULE, "--capacity", "8"], "--capacity: not with a schedule, whose problem has its own"),
    (["generate", "random", "--layers", "2"], "--layers: not with random"),
    (["generate", "diamond", "--hidden", "8"], "--hidden: not with diamond, fan-out and random"),
    (["generate", "bert", "--branches", "2"], "--branches: not with models"),
    (["generate", "mlp", "--branches", "2"], "--branches: not with mlp"),
    *(
        (["generate", "mlp", "--" + name, "2"], f"--{name}: needs a kind of model")
        for name in ("heads", "kv-heads", "cached", "experts", "batch", "size", "classes")
    ),
    (["generate", "resnet-18", "--kv-heads", "2"], "--kv-heads: not with networks for images"),
    (["generate", "resnet-18", "--cached", "2"], "--cached: not with networks for images"),
    (["generate", "mlp", "--ops", "9"], "--ops: needs random"),
    (["generate", "bert", "--ragged"], "--ragged: not with models"),
    (["generate", "mlp", "--seed", "2"], "--seed: needs random or --ragged"),
    *((["generate", "bert", "--" + name, "64"], f"--{name}: not with models") for name in ("native", "capacity", "bandwidth")),
    *(
        row
        for option in (["--phase", "decode"], ["--batch", "2"], ["--prompt", "8"], ["--cached", "8"], ["--tokens", "2"],
                       ["--layers", "2"], ["--chips", "2"], ["--stages", "2"], ["--expert-chips", "2"],
                       ["--expert-skew", "1"], ["--kv-bits", "8"],
                       ["--weight-bits", "4"], ["--activation-bits", "8"])
        for row in (
            (["systolic", *GEMM, *option], f"{option[0]}: needs a workload"),
            (["tile", *GEMM, *option], f"{option[0]}: needs a workload"),
            (["place", "x.csv", "--capacity", "8", *option], f"{option[0]}: needs a schedule"),
        )
    ),
    *(
        row
        for verb in ("systolic", "tile")
        for row in (
            ([verb, MODEL, *GEMM], "--gemm: not with a workload"),
            ([verb, *GEMM, "--layer", "q"], "--layer: needs a workload"),
            ([verb, *GEMM, "--dim", "N=1"], "--dim: needs a workload"),
            ([verb, *GEMM, "--strict"], "--strict: needs a workload"),
            ([verb, *GEMM, "--machine", "edge", "--array", "4x4"], "--array: not with --machine"),
            ([verb, *GEMM, "--machine", "edge", "--hierarchy", HIERARCHY], "--hierarchy: not with --machine"),
            ([verb, MODEL, "--tile", "4x4x4"], "--tile: needs --gemm or --layer"),
        )
    ),
    (["bound", PROBLEM, "--threads", "2"], "--threads: needs --seconds"),
    (["systolic", MODEL, "--simulate"], "--simulate: needs --gemm or --layer"),
    (["systolic", *PROGRAM, "--simulate"], "--simulate: not with --pipeline"),
    (["systolic", *GEMM, "--seed", "2"], "--seed: needs --simulate"),
    (["systolic", MODEL, "--fifo-depth", "8"], "--fifo-depth: needs --gemm or --layer"),
    (["systolic", MODEL, "--west-rate", "8"], "--west-rate: needs --gemm or --layer"),
    (["systolic", MODEL, "--north-rate", "8"], "--north-rate: needs --gemm or --layer"),
    (["systolic", *PROGRAM, "--west-rate", "8"], "--west-rate: not with --pipeline"),
    (["systolic", *PROGRAM, "--north-rate", "8"], "--north-rate: not with --pipeline"),
    (["systolic", MODEL, "--pipeline", "pipelined"], "--pipeline: needs --gemm or --layer"),
    (
        ["systolic", *PROGRAM, "--readout", "shift"],
        "--readout: not with --pipeline, whose programs read out by shadow registers",
    ),
    (["systolic", *GEMM, "--bandwidth", "unlimited"], "--bandwidth: needs --pipeline"),
    (["systolic", *GEMM, "--max-commands", "9"], "--max-commands: needs --pipeline"),
    (["systolic", MODEL, "--bank-layout", "seed"], "--bank-layout: needs --gemm or --layer"),
    (["systolic", *GEMM, "--schedule", "a"], "--schedule: needs --pipeline pipelined"),
    (["systolic", *PROGRAM, "--schedule", "a"], "--schedule: needs --pipeline pipelined"),
    (["systolic", *GEMM, "--pipeline", "pipelined", "--passes", "2"], "--passes: needs --schedule b"),
    (["systolic", *GEMM, "--depth", "4"], "--depth: needs --pipeline"),
    (["systolic", *GEMM, "--compare"], "--compare: needs --pipeline"),
    (["systolic", *GEMM, "--reports", "x"], "--reports: needs a workload without --layer"),
    (["systolic", MODEL, "--address-traces", "x"], "--address-traces: needs --gemm or --layer"),
    (
        ["systolic", *GEMM, "--west-rate", "4", "--address-traces", "x"],
        "--address-traces: not with --west-rate and --north-rate, whose edges stall",
    ),
    (["systolic", *GEMM, "--trace", "x.json"], "--trace: needs --pipeline"),
    (["systolic", *GEMM, "--progress"], "--progress: needs --simulate"),
    (["systolic", *GEMM, "--listing"], "--listing: needs --pipeline"),
    (["systolic", *PROGRAM, "--listing", "--json"], "--listing: not with --json"),
    (["systolic", "--corrections", *GEMM], "--corrections: not with --gemm", "alone, or with --json"),
    (["tile", *GEMM, "--level", "l3"], "--level: needs a workload, --machine or --hierarchy"),
    (["tile", *GEMM, "--machine", "edge", "--level", "l3", "--capacity", "9000"], "--level: not with --capacity"),
    (["tile", *GEMM, "--tile", "4x4x4", "--method", "learned"], "--method: not with --tile"),
    (["tile", MODEL, "--level-buffers", "0,0,1"], "--level-buffers: needs --gemm or --layer"),
    (["tile", MODEL, "--level-buffering", "1,1,2"], "--level-buffering: needs --gemm or --layer"),
    (["tile", "--held-out", "--json"], "--held-out: not with --json", "alone, or with --gemm or a workload"),
    (["tile", "--write-training-set", "x", *GEMM], "--write-training-set: not with --gemm", "alone"),
    (["npu", MODEL, "--machine", "edge", "--hardware", "x.json"], "--hardware: not with --machine"),
    (
        ["npu", MODEL, "--assignment", "round_robin"],
        "--assignment: needs --scheduler static, --scaling or --graph, unless head_parallel",
    ),
    (
        ["npu", MODEL, "--scheduler", "static", "--weights", "1,1,1"],
        "--weights: not with --scheduler static, unless with --scaling",
    ),
    (
        ["npu", MODEL, "--scheduler", "static", "--memory-bound-first"],
        "--memory-bound-first: not with --scheduler static, unless with --scaling",
    ),
    (["npu", MODEL, "--no-bursts"], "--no-bursts: needs --trace"),
    *(
        (["npu", MODEL, "--schedule", SCHEDULE, *option], f"{option[0]}: not with --schedule")
        for option in (
            ["--hardware", "x.json"],
            ["--scheduler", "static"],
            ["--assignment", "head_parallel"],
            ["--weights", "1,1,1"],
            ["--memory-bound-first"],
            ["--tiles", "searched"],
            ["--scaling", "1,2"],
            ["--graph", "x.json"],
            ["--no-bursts", "--trace", "x.json"],
            ["--csv", "x.csv"],
            ["--instructions"],
        )
    ),
    (["npu", MODEL, "--instructions", "--json"], "--instructions: not with --json"),
    (["map", LAYER, "x.json", "--machine", "edge"], "architecture: not with --machine"),
    *(
        (["map", LAYER, "--method", "x.json", *option], f"{option[0]}: not with --method")
        for option in (["--quick"], ["--seconds", "1"], ["--threads", "1"], ["--factor", "RF.C=1"],
                       ["--constraints", "c.yaml"], ["--progress"], ["--constraint-costs"])
    ),
    *(
        (["map", LAYER, LEVELS, *option], f"{option[0]}: not with an architecture with levels")
        for option in (["--reduction-tree"], ["--overlapped"])
    ),
    *(
        (["map", LAYER, *option], f"{option[0]}: needs an architecture with levels")
        for option in (["--order", "RF=C"], ["--axis", "RF.rows=C"], ["--constraint-costs"])
    ),
    (
        ["map", LAYER, LEVELS, "--constraint-costs"],
        "--constraint-costs: needs --factor, --order, --axis, --bypass, --constraints or a mapping document",
    ),
    (["map", LAYER, LEVELS, "--cost-model", "hierarchy"], "--cost-model: not with an architecture"),
    (["map", LAYER, LEVELS, "--method", "x.json", "--order", "SRAM=C"], "--order: not with --method"),
    (["map", LAYER, "--method", "x.json", "--objective", "energy"], "--objective: needs --json with --method"),
    (["sweep", "x.json", "--keep-schedules"], "--keep-schedules: needs --output"),
    *(
        (["sweep", "x.json", "-o", "x", "--slurm", *option], f"{option[0]}: not with --slurm")
        for option in (["--threads", "1"], ["--part", "1/2"], ["--progress"], ["--json"])
    ),
    *(
        (["sweep", "x.json", "-o", "x", *option], f"{option[0]}: needs --slurm")
        for option in (["--array-size", "2"], ["--sbatch", "x"], ["--dry-run"])
    ),
    (["sweep", "--status", "x", "--threads", "1"], "--status: not with --threads", "alone, or with --json"),
    (
        ["sweep", "--collect", "x", "--fresh"],
        "--collect: not with --fresh",
        "alone, or with --limit, --output and --json",
    ),
    (["tables", "--schema", "--json"], "--schema: not with --json", "alone"),
    (["overlay", MODEL, "x.csv", "--lens", "npu", "--schedule", "x.json"], "--schedule: needs --lens schedule"),
    (["overlay", MODEL, "x.csv", "--cores", "2"], "--cores: needs --lens npu or npu_searched"),
    (["summary", MODEL, "--schedule", "x.json", "--beside", "y.json"], "--schedule: not with --beside"),
    (["sweep", "plan.json", "--limit", "step_ms=50"], "--limit: needs --collect"),
    (["render", "--list-views", "--view", "graph"], "--list-views: not with --view", "alone"),
    (["render", PROBLEM, "--view", "graph", "-o", "x.svg", "--scale", "2"], "--scale: needs a PNG file"),
    (["render", PROBLEM, "--view", "window", "-o", "x.png", "--command", "x"], "--command: not with --view window"),
    (
        ["render", PROBLEM, "--view", "graph", "-o", "x.png", "--perspective", "Edit"],
        "--perspective: needs --view window",
    ),
    (["report", PROBLEM, SCHEDULE, "--lens", "npu", "--baseline", SCHEDULE], "--baseline: not with another lens"),
]
# Limits that no call can break: the verb has a workload always.
NEVER = "Needs a workload"
OF_WORKLOADS = ("--dim", "--strict", "--phase", "--batch", "--prompt", "--cached", "--tokens", "--layers", "--chips",
                "--stages", "--expert-chips", "--expert-skew", "--kv-bits", "--weight-bits", "--activation-bits")

WINDOW = os.environ.get("TILEWRIGHT_RENDER")


def run(arguments):
    if arguments[0] in ("render", "report", "demo"):
        return subprocess.run([WINDOW, *arguments], capture_output=True, text=True, timeout=120)
    return run_cli(*arguments)


def described(program):
    """(verb, option, its line) of what the program knows."""
    text = subprocess.run([program, "manual", "markdown"], capture_output=True, text=True, check=True).stdout
    verb = ""
    for line in text.splitlines():
        if line.startswith("### "):
            verb = line.split()[2]
        elif option := re.match(r"- (`-\w`, )?`([^`]+)`", line):
            yield verb, option[2], re.sub(r"\\(.)", r"\1", line)


def programs():
    return [os.environ["TILEWRIGHT_CLI"], *([WINDOW] if WINDOW else [])]


def python_call(arguments):
    """Positional and named arguments of the function of the verb; None where Python has not all of them."""
    verb, *rest = arguments
    if not hasattr(tilewright, verb):
        return None
    types = {name: (kind, many) for name, kind, many, *_ in _core.parameters(verb)}
    positional, named = [], {}
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            # the files of values of `overlay` are a list
            positional.append([word] if verb == "overlay" and len(positional) == 1 else word)
            continue
        name = "output" if word == "-o" else word[2:].replace("-", "_")
        if name not in types:
            return None
        kind, many = types[name]
        read = {"int": int, "float": float}.get(kind, str)
        value = True if kind == "bool" else rest.pop(0)
        if name == "dim":
            value = {value.split("=")[0]: int(value.split("=")[1])}
        elif many and kind != "str":
            value = [read(part) for part in value.split(",")]
        elif many and name != "machine":
            value = [value]
        elif kind != "bool":
            value = read(value)
        named[name] = value
    return positional, named


class Options(unittest.TestCase):
    def test_without_effect_is_refused(self):
        for arguments, sentence, *_ in TABLE:
            with self.subTest(" ".join(arguments)):
                if not WINDOW and arguments[0] in ("render", "report"):
                    continue
                done = run(arguments)
                name = "tilewright" if arguments[0] in ("render", "report") else "tilewright-cli"
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr, f"{name}: {sentence}\n")

    def test_python_refuses_with_the_same_sentence(self):
        seen = 0
        for arguments, sentence, *_ in TABLE:
            call = python_call(arguments)
            if call is None or "--json" in sentence:
                continue
            with self.subTest(" ".join(arguments)), self.assertRaises(tilewright.Error) as raised:
                getattr(tilewright, arguments[0])(*call[0], **call[1])
            self.assertEqual(str(raised.exception), sentence)
            seen += 1
        self.assertGreater(seen, 35)

    def test_every_limit_is_in_the_table(self):
        table = {(a[0], s.split(": ")[0], (more[0] if more else s.split(": ", 1)[1]).lower()) for a, s, *more in TABLE}
        for program in programs():
            for verb, option, line in described(program):
                for limit in re.findall(r"\. ((?:Needs|Not with|Alone).*?)(?=\. [A-Z]|$)", line):
                    if option not in OF_WORKLOADS or limit != NEVER or verb in ("systolic", "tile"):
                        self.assertIn((verb, option, limit.lower()), table)

    def test_values_that_are_not_legal(self):
        for arguments, sentence in (
            (["solve", PROBLEM, "--threads", "many"], '--threads: expected an integer from 0 to 1 024, got "many"'),
            (["solve", PROBLEM, "--seconds", "-1"], '--seconds: expected a number from 0 to 1 000 000 000, got "-1"'),
            (["solve", PROBLEM, "--rules", "own"], '--rules: expected auto, final, seed or machine, got "own"'),
            (["npu", MODEL, "--cores", "0"], '--cores: expected an integer from 1 to 1 024, got "0"'),
            (["npu", MODEL, "--weights", "1,2"], "--weights: expected three numbers w1,w2,w3"),
            (["npu", MODEL, "--weights", "1,2,nan"], '--weights: expected a finite number, got "nan"'),
            (["map", LAYER, "--objective", "time"], '--objective: expected edp, energy or cycles, got "time"'),
            (["systolic", *GEMM, "--weight-buffers", "3"], '--weight-buffers: expected an integer from 1 to 2, got "3"'),
        ):
            with self.subTest(" ".join(arguments)):
                done = run(arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(done.stderr.replace("\u202f", " "), f"tilewright-cli: {sentence}\n")

    def test_python_has_the_options_of_the_command_line(self):
        there = {(verb, option) for verb, option, _ in described(os.environ["TILEWRIGHT_CLI"])}
        for verb in ("solve", "bound", "place", "run", "systolic", "tile", "npu", "map", "sweep"):
            for name, parameter in inspect.signature(getattr(tilewright, verb)).parameters.items():
                if parameter.kind == parameter.KEYWORD_ONLY and name not in ("stop", "on_improvement", "on_state"):
                    self.assertIn((verb, "--" + name.replace("_", "-")), there)

    def test_none_and_false_are_as_if_not_given(self):
        plain = tilewright.systolic(gemm=(8, 8, 8))
        self.assertEqual(tilewright.systolic(gemm=(8, 8, 8), simulate=False, compare=False, passes=None), plain)

    def test_a_value_has_its_sizes(self):
        with self.assertRaisesRegex(tilewright.Error, "dim: "):
            tilewright.npu(tilewright.Model.load(MODEL), dim={"N": 1})

    def test_schedules_are_kept_in_a_folder_only(self):
        axes = [{"name": "fast_memory_capacity", "values": [30000]}]
        solve = {"workload": PROBLEM, "axes": axes, "budget": {"iterations": 5}}
        with self.assertRaisesRegex(tilewright.Error, "^--keep-schedules: needs --output$"):
            tilewright.sweep(solve, keep_schedules=True)
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(tilewright.Error, "^--keep-schedules: needs a plan that solves schedules$"):
                tilewright.sweep({**solve, "what": "bound", "budget": {}}, output=folder + "/bound", keep_schedules=True)
            tilewright.sweep(solve, output=folder + "/out", keep_schedules=True)
            self.assertEqual(len(os.listdir(folder + "/out/schedules")), 1)

    def test_nothing_is_written_of_a_schedule_with_format_errors(self):
        with tempfile.TemporaryDirectory() as folder:
            schedule = json.loads(pathlib.Path(SCHEDULE).read_text())
            schedule["granularities"][0] = [0, 1, 1]
            file, trace = pathlib.Path(folder, "s.json"), pathlib.Path(folder, "t.csv")
            file.write_text(json.dumps(schedule))
            done = run(["evaluate", PROBLEM, str(file), "--trace", str(trace)])
            self.assertEqual(done.returncode, 1)
            self.assertIn("nothing is written of a schedule with format errors", done.stderr)
            self.assertFalse(trace.exists())
