# SPDX-License-Identifier: GPL-3.0-or-later
"""Tilewright from Python: the engines of tilewright-cli on values.

>>> import tilewright
>>> problem = tilewright.Problem.load("samples/schedule/example-5.json")
>>> solution = tilewright.solve(problem, seconds=1)
>>> solution.total, solution.proven_optimal

Verbs, options and defaults are those of the command line (`--dram-gb-per-s` is `dram_gb_per_s=`), and so are the names in
what comes back. Wherever a verb takes a workload it takes a Problem, a Model or a file of any kind, which is lowered to
`machine` (a Machine, a file, the name of a preset; without one: edge, and a problem stands as it is). Bad input raises
Error with the sentence that the command line prints. While an engine works, other threads of Python run; Ctrl+C stops it
and what is known by then is returned with `interrupted`.
"""

import json as _json
import os as _os

from . import _core
from . import _pictures
from ._core import (
    Error,
    Evaluation,
    Lowering,
    Machine,
    Model,
    Problem,
    Rules,
    Schedule,
    Solution,
    __version__,
    evaluate,
    lower,
    solve,
)
from ._pictures import Picture

__all__ = [
    "Answer",
    "Error",
    "Evaluation",
    "Lowering",
    "Machine",
    "Model",
    "Picture",
    "Problem",
    "Rules",
    "Schedule",
    "Solution",
    "bound",
    "evaluate",
    "lower",
    "map",
    "npu",
    "place",
    "solve",
    "sweep",
    "systolic",
    "tile",
]


class Answer(dict):
    """The JSON document of a verb as a dict, whose fields are attributes too: answer.lower_bound (answer["items"], which
    dict has a method for, is not).

    `interrupted` says whether Ctrl+C ended the work; the rest is then what was known.
    """

    interrupted = False

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the answer has no field {name!r}; it has {', '.join(self)}") from None


def _answer(document, interrupted=False):
    value = _json.loads(document)
    if isinstance(value, list):  # a row a layer
        return value
    answer = Answer(value)
    answer.__dict__["interrupted"] = interrupted
    return answer


def _sizes(value):
    """(128, 256, 64) as the command line writes it, 128x256x64."""
    return value if value is None or isinstance(value, str) else "x".join(str(n) for n in value)


def bound(problem, *, rules="final", machine=None, dim={}):
    """A latency that no valid schedule goes below, and what it is made of: lower_bound, compute, memory, parts."""
    return _answer(_core.bound(problem, rules, machine, dim))


def place(problem, schedule=None, *, capacity=None, seconds=10, rules="auto", machine=None, dim={}, stop=None):
    """Addresses in fast memory for every buffer of a schedule, or the proof that there are none: fits, height,
    least_height, proven, peak, fragmentation, items with their offset, in elements.

    Without a schedule `problem` is a CSV file id,lower,upper,size and `capacity` the memory. `seconds` 0: until it is
    proven. Raises Error for an invalid schedule.
    """
    if schedule is None:
        return _answer(*_core.place_buffers(problem, capacity or 0, seconds, stop))
    if capacity is not None:
        raise Error("--capacity is for a file of buffers; a problem has its own")
    evaluation = evaluate(problem, schedule, rules=rules, machine=machine, dim=dim)
    return _answer(*_core.place_schedule(evaluation, seconds, stop))


def systolic(
    workload=None,
    *,
    gemm=None,
    layer=None,
    array=None,
    dataflow=None,
    readout="shadow",
    tile=None,
    hierarchy=None,
    weight_buffers=2,
    dram_gb_per_s=None,
    simulate=False,
    seed=1,
    fifo_depth=32,
    west_rate=0,
    north_rate=0,
    pipeline=None,
    bandwidth=None,
    bank_layout="split",
    schedule=None,
    passes=None,
    depth=None,
    compare=False,
    machine=None,
    dim={},
    stop=None,
):
    """Cycles, utilisation, traffic (bytes) and energy (pJ) of a product on a systolic array: `gemm` (M, N, K), or one
    `layer` of the workload; of a workload alone a row a product and the total of each dataflow.

    `array` is (rows, columns), `tile` (Ti, Tj, Tk).
    """
    options = dict(gemm=_sizes(gemm), layer=layer, array=_sizes(array), dataflow=dataflow, readout=readout)
    options.update(tile=_sizes(tile), hierarchy=hierarchy, weight_buffers=weight_buffers, dram_gb_per_s=dram_gb_per_s)
    options.update(simulate=simulate, seed=seed, fifo_depth=fifo_depth, west_rate=west_rate, north_rate=north_rate)
    options.update(pipeline=pipeline, bandwidth=bandwidth, bank_layout=bank_layout, schedule=schedule, passes=passes)
    options.update(depth=depth, compare=compare)
    return _answer(*_core.systolic(workload, machine, dim, options, stop))


def tile(
    workload=None,
    *,
    gemm=None,
    layer=None,
    array=None,
    capacity=None,
    footprint="conservative",
    hierarchy=None,
    level="l2-buffer",
    tile=None,
    level_buffers=None,
    level_buffering=None,
    method="exhaustive",
    element_bytes=None,
    buffering=1,
    machine=None,
    dim={},
    stop=None,
):
    """Tile sizes Ti, Tj, Tk of a product for a memory level of `capacity` bytes, with traffic, reuse and constraints:
    `gemm` (M, N, K), or one `layer` of the workload; of a workload alone a list, one a product.
    """
    options = dict(gemm=_sizes(gemm), layer=layer, array=_sizes(array), capacity=capacity, footprint=footprint)
    options.update(hierarchy=hierarchy, level=level, tile=_sizes(tile), level_buffers=level_buffers)
    options.update(level_buffering=level_buffering, method=method, element_bytes=element_bytes, buffering=buffering)
    return _answer(*_core.tile(workload, machine, dim, options, stop))


def npu(
    workload,
    *,
    cores=None,
    scheduler="dynamic",
    assignment="cost_aware",
    weights=None,
    memory_bound_first=False,
    hardware=None,
    tiles="default",
    scaling=None,
    machine=None,
    dim={},
    stop=None,
):
    """Runs the workload's tile graph on cores that share DRAM and NoC: makespan (cycles), lower bound, what every core
    and operator did; verified by a replay.

    `scaling` also compares both schedulers on these numbers of cores.
    """
    options = dict(cores=cores, scheduler=scheduler, assignment=assignment, weights=weights, hardware=hardware)
    options.update(memory_bound_first=memory_bound_first, tiles=tiles, scaling=scaling)
    return _answer(*_core.npu(workload, machine, dim, options, stop))


def map(
    workload,
    *,
    architecture=None,
    objective="edp",
    method=None,
    quick=False,
    seconds=None,
    threads=0,
    imperfect=False,
    reduction_tree=False,
    overlapped=False,
    bypass=None,
    factor=None,
    machine=None,
    dim={},
    stop=None,
):
    """Tiles and orders the loops of a layer, or of every layer of a model, for `objective` edp, energy (pJ) or cycles.

    `architecture` and `method` are files; `factor` fixes factors (["SPATIAL.M=16"]), `bypass` names operands that skip
    the scratchpad (["I"] or ["SPM.W"]). Without a valid method best is None.
    """
    options = dict(architecture=architecture, objective=objective, method=method, quick=quick, seconds=seconds)
    options.update(threads=threads, imperfect=imperfect, reduction_tree=reduction_tree, overlapped=overlapped)
    options.update(bypass=bypass, factor=factor)
    return _answer(*_core.map(workload, machine, dim, options, stop))


def sweep(plan, *, output=None, threads=0, part=None, keep_schedules=False, on_state=None, stop=None):
    """One workload on many machines: the points of a plan, collected as a table (rows with values and metrics).

    `plan` is a file, or its content as a dict, whose files are then relative to the current folder. `output` is a folder
    of results, with which a sweep goes on where it stopped; without it they are kept in memory. `part` "I/N" takes every
    N-th point. `on_state(done, failed, points)` is called about ten times a second.
    """
    if isinstance(plan, dict):
        text, file = _json.dumps(plan, default=_os.fspath), "plan"
    else:
        text, file = _core.read_text(plan), _os.fspath(plan)
    output = None if output is None else _os.fspath(output)
    return _answer(*_core.sweep(text, file, output, threads, part or "", keep_schedules, on_state, stop))


_pictures.attach(_answer)
for _value in (Evaluation, Lowering, Machine, Model, Problem, Rules, Schedule, Solution):
    _value.__module__ = __name__
del _value
