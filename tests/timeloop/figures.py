#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cycles and energy of a mapping, read from Timeloop files alone.

    figures.py FOLDER...      one JSON line a folder: {"cycles": n, "energy": pJ}

A reader of its own for tests: it knows Timeloop's published mapping grammar (a list of directives with target,
type, factors "M=20 N=3", permutation with the innermost dimension first) and problem format (data spaces as
projections of dimensions), and computes docs/rules/mapping.md 3 to 5 from what they say. Nothing is shared with
the program.
"""
import json
import re
import sys
from fractions import Fraction
from math import ceil, prod
from pathlib import Path

try:
    import yaml
except ImportError:
    print("SKIP: python3-yaml is not installed")
    sys.exit(77)


def load(folder, name):
    return yaml.safe_load((Path(folder) / name).read_text())


def components(node, path, out):
    """Every component of the architecture tree by its dotted name."""
    for item in node.get("local", []):
        out[path + "." + item["name"]] = item.get("attributes", {})
    for child in node.get("subtree", []):
        components(child, (path + "." if path else "") + child["name"], out)


class Problem:
    def __init__(self, folder):
        problem = load(folder, "problem.yaml")["problem"]
        self.bounds = problem["instance"]
        self.dims = problem["shape"]["dimensions"]
        self.spaces = problem["shape"]["data-spaces"]
        self.written = [s["name"] for s in self.spaces if s.get("read-write")][0]

    def indexes(self, space):
        return {term[0] for rank in space["projection"] for term in rank}

    def span(self, rank, extents):
        """Elements along one rank: 1 + the sum of (extent - 1) x coefficient."""
        return 1 + sum((extents[t[0]] - 1) * (self.bounds[t[1]] if len(t) > 1 else 1) for t in rank)

    def elements(self, space, extents):
        return prod(self.span(rank, extents) for rank in space["projection"])


FACTOR = re.compile(r"([A-Za-z]+)\s*=*\s*([0-9]+)(,([0-9]+))?")


def mapping_of(folder, problem):
    """{(target, type): (factors, permutation outermost first)}"""
    out = {}
    for directive in load(folder, "mapping.yaml")["mapping"]:
        if directive["type"] not in ("temporal", "spatial"):
            sys.exit("unknown directive " + directive["type"])
        factors = {d: 1 for d in problem.dims}
        for name, value, _, residue in FACTOR.findall(directive["factors"]):
            if residue:
                sys.exit("residues are not read here")
            factors[name] = int(value) or problem.bounds[name]
        order = list(directive["permutation"])[::-1]
        out[directive["target"], directive["type"]] = (factors, order)
    for d in problem.dims:
        if prod(f[d] for f, _ in out.values()) != problem.bounds[d]:
            sys.exit("the factors of " + d + " do not multiply to its bound")
    return out


def reuse(problem, space, factors, order):
    out = 1
    for d in reversed(order):
        if factors[d] == 1:
            continue
        if d in problem.indexes(space):
            break
        out *= factors[d]
    return out


def figures(folder):
    p = Problem(folder)
    m = mapping_of(folder, p)
    parts = {}
    components({"subtree": load(folder, "arch.yaml")["architecture"]["subtree"]}, "", parts)
    ert = {t["name"].split(".")[-1]: {a["name"]: a["energy"] for a in t["actions"]}
           for t in load(folder, "ert.yaml")["ERT"]["tables"]}
    dram_part = next(v for k, v in parts.items() if k.endswith(".DRAM"))
    rf_part, pe_path = next((v, k) for k, v in parts.items() if k.endswith(".RF"))
    pes = int(re.search(r"\[0\.\.([0-9]+)\]", pe_path).group(1)) + 1
    element_bytes = dram_part["word-bits"] // 8

    dram, dram_order = m["DRAM", "temporal"]
    spm, spm_order = m["SPM", "temporal"]
    spatial, _ = m["SPM", "spatial"]
    rf, _ = m["RF", "temporal"]
    array = {d: rf[d] * spatial[d] for d in p.dims}
    tile = {d: array[d] * spm[d] for d in p.dims}
    passes, tiles, comp = prod(spm.values()), prod(dram.values()), prod(rf.values())
    used = prod(spatial.values())
    if used > pes:
        sys.exit("more PEs than there are")

    names = [s["name"] for s in p.spaces]
    out_space = next(s for s in p.spaces if s["name"] == p.written)
    groups = prod(spatial[d] for d in p.dims if d in p.indexes(out_space))
    shared = used // groups
    rspm = {s["name"]: reuse(p, s, spm, spm_order) for s in p.spaces}
    rdram = {s["name"]: reuse(p, s, dram, dram_order) for s in p.spaces}
    kept = {n: rspm[n] == passes and rdram[n] > 1 for n in names}
    noc = {s["name"]: p.elements(s, array) for s in p.spaces}
    red = p.elements(out_space, rf) * (shared - 1) * groups

    # One SPM pass.
    comm = {}
    for n in names:
        if not kept[n]:
            comm[rspm[n]] = max(comm.get(rspm[n], 0), noc[n])
    every = not kept[p.written] and rspm[p.written] == 1
    run = 0 if every else comp
    cycles = 0 if every else comp * passes
    for e in sorted(comm):
        if comm[e] > run:
            cycles += (comm[e] - run) * passes // e
            run = comm[e]
        if not kept[p.written] and rspm[p.written] == e:
            cycles += (comp + red) * passes // e
    spm_pass = cycles

    # DMA of one tile: ranks from the innermost outwards, one burst while they are whole.
    clocks = Fraction(str(dram_part["array_mhz"])) / Fraction(str(dram_part["dma_mhz"]))
    whole = {d: p.bounds[d] for d in p.dims}
    dma, moved = {}, {}
    for s in p.spaces:
        bursts = burst = 1
        full = True
        for i, rank in reversed(list(enumerate(s["projection"]))):
            span = p.span(rank, tile)
            if full:
                burst *= span
            else:
                bursts *= span
            stored = p.span(rank, whole)
            if "stored" in s:
                stored = s["stored"][i]
            full = full and span == stored
        one = (Fraction(str(dram_part["dma_init_cycles"])) +
               Fraction(str(dram_part["dma_cycles_per_byte"])) * burst * element_bytes) * clocks
        dma[s["name"]] = bursts * ceil(one)
        moved[s["name"]] = bursts * burst

    own = {}
    for n in names:
        twice = n == p.written and rdram[n] == 1
        own[rdram[n]] = own.get(rdram[n], 0) + dma[n] * (2 if twice else 1)
    cum = {e: sum(v for k, v in own.items() if k <= e) for e in own}
    base = max(cum.get(1, 0), spm_pass)
    total = base * tiles
    for n in names:
        e = rdram[n]
        if e == 1:
            continue
        d1 = cum[e]
        d2 = d1 if n == p.written else d1 - own[e]
        a1 = a2 = spm_pass
        if kept[n]:
            a2 += max(0, noc[n] - comm.get(1, 0))
            if n == p.written:
                a1 += comp + red
        total += (max(0, max(d1, a1) - base) + max(0, max(d2, a2) - base)) * tiles // e

    # Energy.
    macs = prod(p.bounds[d] for d in p.dims)
    energy = macs * ert["MACC"]["compute"] + macs * (3 * ert["RF"]["read"] + ert["RF"]["update"])
    for s in p.spaces:
        n = s["name"]
        written = n == p.written
        times = tiles // rdram[n] if kept[n] else tiles * passes // rspm[n]
        reached = p.elements(s, rf) * (groups if written else used) * times
        ways = 2 if written and not kept[n] else 1
        energy += reached * ways * rf_part["network_energy"]
        if written:
            energy += noc[n] * times * ((0 if kept[n] else ert["SPM"]["read"]) + ert["SPM"]["update"])
            energy += red * times * (2 * ert["RF"]["read"] + ert["RF"]["update"] + rf_part["network_energy"] +
                                     ert["MACC"]["compute"])
        else:
            energy += noc[n] * times * ert["SPM"]["read"]
        moves = tiles // rdram[n]
        if written:
            new = prod(dram[d] for d in p.dims if d in p.indexes(s))
            energy += moved[n] * (moves * ert["DRAM"]["update"] + max(0, moves - new) * ert["DRAM"]["read"])
        else:
            energy += moved[n] * moves * ert["DRAM"]["read"]
    return {"cycles": total, "energy": energy}


def main():
    for folder in sys.argv[1:]:
        print(json.dumps(figures(folder)))


if __name__ == "__main__":
    main()
