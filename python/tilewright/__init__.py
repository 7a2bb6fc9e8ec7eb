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

import inspect as _inspect
import json as _json
import pathlib as _pathlib

import numpy as _np

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
)
from ._pictures import Picture
from ._torch import from_torch


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


def _arrays(tables):
    """The columns of each table as one record array of numpy."""
    out = {}
    for name, columns in tables.items():
        arrays = [_np.array(values, dtype=object) if isinstance(values, list) else values for _, values in columns]
        out[name] = _np.rec.fromarrays(arrays, names=[column for column, _ in columns])
    return out


_TYPES = {"path": "_Path", "sizes": "_Sizes"}
# Parameters that take values of Python, by name or by verb and name.
_VALUES = {
    "problem": "_Workload",
    "workload": "_Workload",
    "machine": "_Machine",
    "dim": "_Dim",
    "rules": "_Rules",
    "plan": "_Path | dict[str, Any]",
    "start": "Schedule | _Path",
    "place schedule": "Schedule | _Path",
    "run schedule": "Schedule | _Path",
}
_VERBS = {}


def _verb(name, doc, returns="Answer", **more):
    """A function for the verb: parameters and defaults are the options of core/verbs, and `more` of Python alone."""
    parameters, lines = [], []
    for option, kind, many, default, positional, required, text in _core.parameters(name):
        kind = _TYPES.get(kind, kind)
        kind = _VALUES.get(f"{name} {option}") or _VALUES.get(option) or (f"Sequence[{kind}]" if many else kind)
        required = required or option == "plan"
        if default is None and not required:
            kind += " | None"
        where = _inspect.Parameter.POSITIONAL_OR_KEYWORD if positional else _inspect.Parameter.KEYWORD_ONLY
        default = _inspect.Parameter.empty if required else default
        parameters.append(_inspect.Parameter(option, where, default=default, annotation=kind))
        lines.append(f"{option}: {text}")
    for option, kind in {**more, "stop": "_Stop"}.items():
        where = _inspect.Parameter.KEYWORD_ONLY
        parameters.append(_inspect.Parameter(option, where, default=None, annotation=kind))
    signature = _inspect.Signature(sorted(parameters, key=lambda p: p.kind), return_annotation=returns)

    def verb(*arguments, **options):
        result = _core.call(name, signature.bind(*arguments, **options).arguments)
        if isinstance(result, dict):
            return _arrays(result)
        return result if isinstance(result, Solution) else _answer(*result)

    verb.__name__ = verb.__qualname__ = name
    verb.__signature__ = signature
    verb.__doc__ = doc.strip() + "\n\n" + "\n".join(lines) + "\n"
    _VERBS[name] = signature
    return verb


def _write_stubs(source, output):
    """Writes the types of the package: those of the source, which are of classes, and the verbs."""
    text = _pathlib.Path(source).read_text()
    for name, signature in _VERBS.items():
        text += f"def {name}(\n"
        kind = None
        for p in signature.parameters.values():
            if p.kind == p.KEYWORD_ONLY and kind != p.kind:
                text += "    *,\n"
            kind = p.kind
            text += f"    {p.name}: {p.annotation}" + ("" if p.default is p.empty else f" = {p.default!r}") + ",\n"
        text += f") -> {signature.return_annotation}: ...\n"
    _pathlib.Path(output).unlink(missing_ok=True)  # a link, in folders of older builds
    _pathlib.Path(output).write_text(text)


solve = _verb(
    "solve",
    """
    Searches for the schedule with the least total latency.

    `problem` is a Problem, or any workload (Model, file) to lower to `machine`; `start` a Schedule or a file. One thread
    with `iterations` and no `seconds` gives the same result each time. `on_improvement(seconds, total, schedule)` is
    called for every better schedule, `stop()` about fifty times a second; it says whether to stop. Ctrl+C stops too: the
    best so far is returned, with `interrupted`; before there is one, KeyboardInterrupt is raised. Other threads run
    meanwhile. Raises Error for bad input and where no schedule is valid.
    """,
    returns="Solution",
    on_improvement="Callable[[float, float, Schedule], object] | None",
)
bound = _verb(
    "bound",
    """
    A latency that no valid schedule goes below, and what it is made of: lower_bound, compute, memory, parts; with
    `seconds` also the best schedule's latency and what is proven of it.
    """,
)
place = _verb(
    "place",
    """
    Addresses in fast memory for every buffer of a schedule, or the proof that there are none: fits, height,
    least_height, proven, peak, fragmentation, items with their offset, in elements.

    Without a schedule `problem` is a CSV file id,lower,upper,size and `capacity` the memory. Raises Error for an invalid
    schedule.
    """,
)
run = _verb(
    "run",
    """
    Runs a schedule unit by unit, where evaluate() adds up step by step: loads, array, vector unit and stores work side
    by side. Its end, latency (that of evaluate()), units (busy and waits of load, array, vector and store), and for each
    of the subgraphs begin, end and why its length differs from its latency: start_up, drain, overlap.

    Raises Error for an invalid schedule.
    """,
)
systolic = _verb(
    "systolic",
    """
    Cycles, utilisation, traffic (bytes) and energy (pJ) of a product on a systolic array: `gemm` (M, N, K), or one
    `layer` of the workload; of a workload alone a row a product and the total of each dataflow.

    `array` is (rows, columns), `tile` (Ti, Tj, Tk).
    """,
)
tile = _verb(
    "tile",
    """
    Tile sizes Ti, Tj, Tk of a product for a memory level of `capacity` bytes, with traffic, reuse and constraints:
    `gemm` (M, N, K), or one `layer` of the workload; of a workload alone a list, one a product.
    """,
    returns="Answer | list[dict[str, Any]]",
)
npu = _verb(
    "npu",
    """
    Runs the workload's tile graph on cores that share DRAM and NoC: makespan (cycles), lower bound, what every core and
    operator did; verified by a replay. With `schedule` (a file) that schedule runs instead, and the answer is that of run().
    """,
)
map = _verb(
    "map",
    """
    Tiles and orders the loops of a layer, or of every layer of a model, for `objective` edp, energy (pJ) or cycles.

    `architecture` and `method` are files; `factor` fixes factors (["SPATIAL.M=16"]), `bypass` names operands that skip
    the scratchpad (["I"] or ["SPM.W"]). Without a valid method best is None. An architecture with levels has a cost model
    of its own, whose answer has a mapping instead of a method; cost_model says which one. Its factors and operands name
    levels and axes of the file (["buffer.K=8", "buffer.rows.X=2"], ["buffer.W"]); `order` gives the innermost loops of
    levels (["buffer=K,X"]), `axis` the loops that axes may take (["buffer.rows=X,K"]). With `cost_model` "hierarchy" the
    levels are those of the machine; notes says what was assumed for them.
    """,
)
summary = _verb(
    "summary",
    """
    One table of a model on a machine: summaries, each with its floors (cycles that no lens goes below) and a row a lens:
    cycles, ms, of_floor, tops, of_peak, dram_bytes, of_least_bytes, energy_pj, cores, binds, how, left_out.

    Rows that need a search have the state "not_run" without `solve` (seconds) or `search`. Several machines (a list) and
    the model `beside` give a summary each. With `explain` every figure has the tree of values that it is made of.
    """,
)
validate = _verb(
    "validate",
    """
    Predictions of a lens beside a table of measurements: ratio (geometric mean of predicted / measured), error and
    scaled_error (geometric means), pearson, pearson_of_logs, spearman, within_10_percent, within_25_percent, and points.
    """,
)
fit = _verb(
    "fit",
    """
    Rates and times of a machine, fitted to a table of measurements by least squares of logarithms: values (field, before,
    after), error_before, error_after, error_left_out (rows that a fit had not seen), spearman_after, and machine.
    """,
)
overlay = _verb(
    "overlay",
    """
    Files of values by the names of operators beside the figures of a lens: overlays, one a file, each with points (name,
    measured, predicted, difference, ratio, found_by), the figures of `validate` (ratio, error, pearson, spearman, ...),
    values_without_operator and operators_without_value.

    `VALUES` is a list of files: CSV, JSON, a report of SCALE-Sim, statistics of Timeloop.
    """,
)
traces = _verb(
    "traces",
    """
    Two traces (JSON trace events) on one axis: offset, pairs of slices with the same name (those that differ most first:
    track, name, start, length, start_difference, length_difference), only_here and only_there.
    """,
)
explain = _verb(
    "explain",
    """
    What a figure of a schedule, an NPU run or a systolic table is, and how it came about: address, title, meaning,
    leaves_out, elsewhere, and explanation, a tree of values (name, unit, value, operation, rule, source, parts).

    `asked` is a list: the file of a schedule and the address of a figure ("subgraph.3.latency"), each optional. Without
    a figure the answer lists all figures. `what_if` adds what 10 % more of each value of the machine changes.
    """,
)
tables = _verb(
    "tables",
    """
    Ops, tensors, subgraphs, steps and more of a workload and a schedule, as a dictionary of record arrays of numpy by the
    names of the tables (docs/handbook/query.md): tables["subgraphs"].latency_time_units.

    Without `schedule`, one op a subgraph. Missing numbers are NaN (a column of integers with missing ones is one of
    doubles), missing texts None. `npu`, `map` and `place` add what these verbs compute by default, `sweep` a folder of
    results.
    """,
    returns="dict[str, np.recarray[Any, Any]]",
)
sweep = _verb(
    "sweep",
    """
    One workload on many machines: the points of a plan, collected as a table (rows with values and metrics).

    `plan` is a file, or its content as a dict, whose files are then relative to the current folder. `output` is a folder
    of results, with which a sweep goes on where it stopped; without it they are kept in memory. `part` "I/N" takes every
    N-th point. `on_state(done, failed, points)` is called about ten times a second.
    """,
    on_state="Callable[[int, int, int], object] | None",
)

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
    "evaluate",
    "from_torch",
    "lower",
    *_VERBS,
]

_pictures.attach(_answer)
for _value in (Evaluation, Lowering, Machine, Model, Problem, Rules, Schedule, Solution):
    _value.__module__ = __name__
del _value
