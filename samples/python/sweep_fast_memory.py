# SPDX-License-Identifier: GPL-3.0-or-later
"""How much fast memory is enough? sweep_fast_memory.py MODEL.onnx PICTURE.png"""
import sys

import matplotlib

matplotlib.use("Agg")  # to a file, without a display
import matplotlib.pyplot as plt
import tilewright

file, picture = sys.argv[1:] if len(sys.argv) == 3 else ("samples/models/llama-block.onnx", "fast-memory.png")
model = tilewright.Model.load(file)
lowered = tilewright.lower(model, machine="edge")
print(f"{model.name}: {model.operator_count} operators, {lowered.problem.op_count} ops")

axis = {"name": "fast_memory_capacity", "from": 2**16, "to": 2**22, "points": 7, "scale": "log2"}
plan = {"workload": file, "machine": "edge", "axes": [axis], "budget": {"iterations": 3000}}
rows = [row for row in tilewright.sweep(plan).rows if row["state"] == "done"]
capacity = [row["values"]["fast_memory_capacity"] for row in rows]
latency = [row["metrics"]["latency"] for row in rows]
for elements, total in zip(capacity, latency):
    print(elements, total)

plt.plot(capacity, latency, marker="o", label="schedules found")
plt.axhline(tilewright.bound(lowered.problem).lower_bound, linestyle="--", label="lower bound on edge")
plt.xscale("log", base=2)
plt.xlabel("fast memory, elements")
plt.ylabel("latency")
plt.legend()
plt.savefig(picture)
