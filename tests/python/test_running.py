# SPDX-License-Identifier: GPL-3.0-or-later
"""While an engine works: other threads run, Ctrl+C and `stop` end it with the best so far, callbacks are called."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from support import SAMPLES, SCHEDULES

import tilewright

PROBLEM = SCHEDULES / "random-40.json"

CHILD = """
import sys, tilewright
problem = tilewright.Problem.load(sys.argv[1])
print("ready", flush=True)
solution = tilewright.solve(problem, seconds=60, on_improvement=lambda *a: print("better", flush=True))
print("interrupted", solution.interrupted, solution.stopped, tilewright.evaluate(problem, solution.schedule).valid)
"""


class Running(unittest.TestCase):
    def test_other_threads_run_during_a_solve(self):
        counted, done = [0], threading.Event()

        def count():
            while not done.is_set():
                counted[0] += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        tilewright.solve(PROBLEM, seconds=0.5, threads=1)
        during = counted[0] - before
        done.set()
        thread.join()
        self.assertGreater(during, 20)

    def test_two_solves_at_once(self):
        out = {}

        def work(seed):
            out[seed] = tilewright.solve(PROBLEM, seconds=0, iterations=500, threads=1, seed=seed).total

        threads = [threading.Thread(target=work, args=(seed,)) for seed in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for seed, total in out.items():
            self.assertAlmostEqual(total, tilewright.solve(PROBLEM, seconds=0, iterations=500, threads=1, seed=seed).total, places=6)

    def test_ctrl_c_keeps_the_best(self):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, str(PROBLEM)], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        self.assertEqual(child.stdout.readline(), "ready\n")
        self.assertEqual(child.stdout.readline(), "better\n")
        child.send_signal(signal.SIGINT)
        rest, _ = child.communicate(timeout=30)
        self.assertTrue(rest.endswith("interrupted True True True\n"), rest)
        self.assertEqual(child.returncode, 0)

    def interrupted(self, call, *arguments):
        """What a call prints that gets Ctrl+C after a moment."""
        code = (
            "import os, signal, sys, threading, tilewright\n"
            "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            f"try:\n    {call}\n"
            "except KeyboardInterrupt:\n    print('KeyboardInterrupt')\n"
        )
        command = [sys.executable, "-c", code, *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_ctrl_c_ends_what_has_no_part(self):
        problem = {
            "widths": [16384, 16384], "heights": [16384, 16384], "inputs": [[0]], "outputs": [[1]], "base_costs": [1],
            "op_types": ["Pointwise"], "fast_memory_capacity": 64, "slow_memory_bandwidth": 10,
            "native_granularity": [4, 4],
        }
        schedule = {"subgraphs": [[0]], "granularities": [[4, 4, 1]], "tensors_to_retain": [[]],
                    "traversal_orders": [None], "subgraph_latencies": [1]}
        call = (
            "p = tilewright.Problem.from_text(sys.argv[1]); s = tilewright.Schedule.from_text(p, sys.argv[2]); "
            "[tilewright.place(p, s, seconds=0) for _ in iter(int, 1)]"
        )
        done = self.interrupted(call, json.dumps(problem), json.dumps(schedule))
        self.assertEqual(done.stdout, "KeyboardInterrupt\n", done.stderr)

    def test_ctrl_c_keeps_the_best_tiles(self):
        call = "r = tilewright.npu(sys.argv[1], tiles='searched'); print(r.interrupted, r.makespan is None, r.lower_bound > 0)"
        done = self.interrupted(call, SAMPLES / "npu" / "llama_prefill.json")
        self.assertIn(done.stdout, ("True False True\n", "True True True\n"), done.stderr)

    def test_stop(self):
        event = threading.Event()
        threading.Timer(0.2, event.set).start()
        solution = tilewright.solve(PROBLEM, seconds=60, stop=event)
        self.assertEqual((solution.stopped, solution.interrupted), (True, False))
        self.assertLess(solution.seconds, 30)
        calls = []
        tilewright.solve(PROBLEM, seconds=60, stop=lambda: calls.append(1) or len(calls) > 2)
        self.assertGreater(len(calls), 2)

    def test_improvements(self):
        seen = []
        here = threading.get_ident()
        solution = tilewright.solve(
            PROBLEM,
            seconds=0.5,
            on_improvement=lambda seconds, total, schedule: seen.append(
                (seconds, total, schedule, threading.get_ident())
            ),
        )
        self.assertTrue(seen)
        self.assertEqual({thread for *_, thread in seen}, {here})
        totals = [total for _, total, *_ in seen]
        self.assertEqual(totals, sorted(totals, reverse=True))
        # A total is exact to its last bits (schedule.md, R10.3).
        self.assertAlmostEqual(totals[-1], solution.total, delta=1e-9 * solution.total)
        self.assertAlmostEqual(tilewright.evaluate(solution.problem, seen[-1][2], rules="final").total, totals[-1], places=6)

    def test_what_a_callback_raises_ends_the_solve(self):
        def fail(*_):
            raise KeyError("mine")

        start = time.monotonic()
        with self.assertRaises(KeyError):
            tilewright.solve(PROBLEM, seconds=60, on_improvement=fail)
        self.assertLess(time.monotonic() - start, 30)

    def test_stopped_sweep_says_what_is_left(self):
        plan = {
            "workload": str(PROBLEM),
            "axes": [{"name": "fast_memory_capacity", "from": 100000, "to": 900000, "points": 200}],
            "budget": {"iterations": 2000000},
        }
        table = tilewright.sweep(plan, threads=1, stop=lambda: True)
        self.assertGreater(table.to_do, 0)
        self.assertEqual(table.points, 200)

    def test_daemon_threads_end_with_the_program(self):
        work = {
            "in a solve": "tilewright.solve(problem, seconds=60)",
            "in a callback": "tilewright.solve(problem, seconds=60, on_improvement=lambda *a: time.sleep(0.01))",
            "in short calls": "[tilewright.evaluate(problem, best) for _ in iter(int, 1)]",
            "in a search of its own": "tilewright.bound(problem, seconds=60)",
        }
        for name, call in work.items():
            child = f"""
import sys, threading, time, tilewright
problem = tilewright.Problem.load(sys.argv[1])
best = tilewright.solve(problem, seconds=0.2).schedule
for _ in range(3):
    threading.Thread(target=lambda: {call}, daemon=True).start()
time.sleep(0.5)
print("end", flush=True)
"""
            start = time.monotonic()
            done = subprocess.run([sys.executable, "-c", child, str(PROBLEM)], capture_output=True, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "end\n", ""), name)
            self.assertLess(time.monotonic() - start, 30, name)
