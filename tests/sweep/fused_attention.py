#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedules of attention, found and bounded: fused_attention.py PROGRAM [--seconds N] [--machines A,B].

One group of heads that share keys and values: 4 heads of Llama-3 8B and Mixtral 8x7B, of which there are 8, or one
head of GPT-3 6.7B, of which there are 32. Groups have nothing in common but their shape. Prints a Markdown table for
the handbook: found, bound, gap, seconds, and whether the scores stay on the chip."""

import argparse
import json
import pathlib
import subprocess
import tempfile
import time

HEADS = {"Llama-3 8B, Mixtral": 4, "GPT-3 6.7B": 1}
SIZE = 128
PROMPT, CACHED = 4096, 8192


def model(heads, decode):
    """The attention of one group as a model file."""
    if decode:
        shapes, attributes = {"q": [1, 1, heads, SIZE], "k": [1, 1, CACHED, SIZE], "v": [1, 1, CACHED, SIZE]}, {"heads": 1}
    else:
        shapes = {"q": [PROMPT, heads * SIZE], "k": [PROMPT, SIZE], "v": [PROMPT, SIZE]}
        attributes = {"heads": heads, "causal": True, **({"kv_heads": 1} if heads > 1 else {})}
    shapes["context"] = shapes["q"]
    return {"name": "attention", "dtype_bytes": 2,
            "tensors": [{"name": name, "shape": shape} for name, shape in shapes.items()],
            "ops": [{"type": "attention", "name": "attn", "inputs": ["q", "k", "v"], "outputs": ["context"], **attributes}]}


def stays(answer, heads, decode):
    """True if nothing but the result is stored: scores and their softmax never leave the chip."""
    return sum(one["store_elements"] for one in answer["subgraphs"]) <= heads * SIZE * (1 if decode else PROMPT)


def figures(answer, objective):
    """Value and bound of an answer of solve."""
    latency, energy = answer["total_latency"], answer["energy_pj"]
    least, least_energy = answer["lower_bound"], answer["energy_bound_pj"]
    return {"latency": (latency, least), "energy": (energy, least_energy), "edp": (latency * energy, least * least_energy)}[objective]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--seconds", default="5")
    arguments.add_argument("--machines", default="edge,tpu-v4i,a100")
    a = arguments.parse_args()
    print("| attention | phase | machine | least | found | bound | gap | seconds | scores stay |\n|---|---|---|---|--:|--:|--:|--:|---|")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "model.json")
        for name, heads in HEADS.items():
            for decode in (False, True):
                file.write_text(json.dumps(model(heads, decode)), encoding="utf-8")
                for machine in a.machines.split(","):
                    for objective in ("latency", "energy", "edp"):
                        began = time.monotonic()
                        done = subprocess.run([a.program, "solve", str(file), "--machine", machine, "--objective", objective,
                                               "--seconds", a.seconds, *(["--prove", a.seconds] if objective == "latency" else []),
                                               "--json"], capture_output=True, text=True)
                        seconds = time.monotonic() - began
                        phase = f"decode, {CACHED:,} cached" if decode else f"prefill, {PROMPT:,}"
                        if done.returncode == 2:
                            print(f"| {name} | {phase} | {machine} | {objective} | {done.stderr.strip()} ||||| ", flush=True)
                            continue
                        answer = json.loads(done.stdout)
                        value, bound = figures(answer, objective)
                        stay = "yes" if stays(answer, heads, decode) else "no"
                        print(f"| {name} | {phase} | {machine} | {objective} | {value:.6g} | {bound:.6g} | "
                              f"{(value / bound - 1) * 100 if bound else 0:.2f} % | {seconds:.1f} | {stay} |", flush=True)


main()
