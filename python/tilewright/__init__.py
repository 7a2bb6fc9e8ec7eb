# SPDX-License-Identifier: GPL-3.0-or-later
"""Tilewright from Python: the engines of tilewright-cli on values.

>>> import tilewright
>>> problem = tilewright.Problem.load("samples/schedule/example-5.json")
>>> solution = tilewright.solve(problem, seconds=1)
>>> solution.total, solution.proven_optimal

Verbs, options, defaults and the names in answers are those of the command line (`--dram-gb-per-s` is `dram_gb_per_s=`).
A workload is a Problem, a Model or a file of any kind. It is lowered to `machine`: a Machine, a file or the name of a
preset. Without `machine`, a model is lowered to the preset `edge`, and a problem is used unchanged. Bad input raises Error
with the sentence that the command line prints. While an engine works, other Python threads run. Ctrl+C stops the engine;
the results so far are returned with `interrupted`.
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
    """The JSON document of a verb as a dict. Its fields are also attributes (answer.lower_bound), except those that have
    the name of a method of dict (answer["items"]).

    `interrupted` is True if Ctrl+C ended the work; the fields then have the results so far.
    """

    interrupted = False

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the answer has no field {name!r}; it has {', '.join(self)}") from None


def _answer(document, interrupted=False):
    value = _json.loads(document)
    if isinstance(value, list):  # one row per layer
        return value
    answer = Answer(value)
    answer.__dict__["interrupted"] = interrupted
    return answer


def _arrays(tables):
    """Converts the columns of each table to a record array of numpy."""
    out = {}
    for name, columns in tables.items():
        arrays = [_np.array(values, dtype=object) if isinstance(values, list) else values for _, values in columns]
        out[name] = _np.rec.fromarrays(arrays, names=[column for column, _ in columns])
    return out


_TYPES = {"path": "_Path", "sizes": "_Sizes"}
# Types of parameters that take Python values, by name of the parameter or by verb and name.
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
    """Makes the function of a verb. Its parameters are the options of core/verbs, and `more`, which only Python has."""
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
    """Writes the type stubs of the package: the stubs of the classes in `source`, and those of the verbs."""
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
    _pathlib.Path(output).unlink(missing_ok=True)  # folders of older builds have a link here
    _pathlib.Path(output).write_text(text)


solve = _verb(
    "solve",
    """
    Searches for the schedule with the least total latency.

    `problem` is a Problem, or another workload (Model, file), which is lowered to `machine`. `start` is a Schedule or a
    file. One thread with `iterations` and without `seconds` gives the same result each time.
    `on_improvement(seconds, total, schedule)` is called for every better schedule. `stop()` is called about fifty times
    per second and returns True to stop the search. Ctrl+C also stops it: the best schedule so far is returned with
    `interrupted`, or KeyboardInterrupt is raised if there is none yet. Other threads run meanwhile. Raises Error for bad
    input, and if no schedule is valid.
    """,
    returns="Solution",
    on_improvement="Callable[[float, float, Schedule], object] | None",
)
bound = _verb(
    "bound",
    """
    Computes a latency that no valid schedule goes below, and its parts: lower_bound, compute, memory, parts. With
    `seconds` also searches for the best schedule, and returns its latency and what is proven about it.
    """,
)
place = _verb(
    "place",
    """
    Finds addresses in fast memory for every buffer of a schedule, or proves that there are none. The answer has fits,
    height, least_height, proven, peak, fragmentation, and items with their offsets, in elements.

    Without a schedule, `problem` is a CSV file with the columns id,lower,upper,size, and `capacity` is the size of the
    memory. Raises Error for an invalid schedule.
    """,
)
run = _verb(
    "run",
    """
    Runs a schedule unit by unit: loads, array, vector unit and stores work at the same time, while evaluate() adds up the
    steps. The answer has end, latency (that of evaluate()), units (busy time and waits of load, array, vector and store),
    and for each of the subgraphs begin, end, and the reasons why its length differs from its latency: start_up, drain,
    overlap.

    Raises Error for an invalid schedule.
    """,
)
systolic = _verb(
    "systolic",
    """
    Computes cycles, utilisation, traffic (bytes) and energy (pJ) of a product on a systolic array. The product is `gemm`
    (M, N, K) or one `layer` of the workload. For a workload without `layer` the answer has one row per product, and the
    total of each dataflow.

    `array` is (rows, columns), `tile` (Ti, Tj, Tk).
    """,
)
tile = _verb(
    "tile",
    """
    Chooses tile sizes Ti, Tj, Tk of a product for a memory level of `capacity` bytes; the answer has their traffic, reuse
    and constraints. The product is `gemm` (M, N, K) or one `layer` of the workload. For a workload without `layer` the
    answer is a list with one element per product.
    """,
    returns="Answer | list[dict[str, Any]]",
)
npu = _verb(
    "npu",
    """
    Runs the workload's tile graph on cores that share DRAM and NoC. The answer has the makespan (cycles), a lower bound, and
    the activity of every core and operator; a replay verifies it. With `schedule` (a file) that schedule is run instead, and
    the answer is that of run().
    """,
)
map = _verb(
    "map",
    """
    Tiles and orders the loops of a layer, or of every layer of a model, for `objective` edp, energy (pJ) or cycles.

    `architecture` and `method` are files; `factor` fixes factors (["SPATIAL.M=16"]), `bypass` names operands that skip
    the scratchpad (["I"] or ["SPM.W"]). If there is no valid method, best is None. An architecture with levels has a
    cost model of its own, and the answer has a mapping instead of a method; cost_model is the name of the cost model.
    With levels, factors and operands are named with the levels and axes of the file (["buffer.K=8", "buffer.rows.X=2"],
    ["buffer.W"]); `order` gives the innermost loops of levels (["buffer=K,X"]), `axis` the loops that axes may take
    (["buffer.rows=X,K"]). With `cost_model` "hierarchy" the levels are those of the machine; notes states what was
    assumed for them.
    """,
)
summary = _verb(
    "summary",
    """
    Returns one table of a model on a machine: summaries, each with its floors (cycles that no lens goes below) and one row
    per lens:
    cycles, ms, of_floor, tops, of_peak, dram_bytes, of_least_bytes, energy_pj, cores, binds, how, left_out.

    Without `solve` (seconds) or `search`, rows that need a search have the state "not_run". There is one summary for each of
    several machines (a list), and one for the model `beside`. With `explain` every figure has the tree of values from which
    it is computed.
    """,
)
validate = _verb(
    "validate",
    """
    Compares predictions of a lens with a table of measurements: ratio (geometric mean of predicted / measured), error and
    scaled_error (geometric means), pearson, pearson_of_logs, spearman, within_10_percent, within_25_percent, and points.
    """,
)
fit = _verb(
    "fit",
    """
    Fits rates and times of a machine to a table of measurements, by least squares of logarithms. The answer has values
    (field, before, after), error_before, error_after, error_left_out (for rows that were not used for the fit),
    spearman_after, and machine.
    """,
)
overlay = _verb(
    "overlay",
    """
    Compares files of values, which are given by names of operators, with the figures of a lens. The answer has overlays, one
    per file. Each has points (name, measured, predicted, difference, ratio, found_by), the figures of `validate` (ratio,
    error, pearson, spearman, ...), values_without_operator and operators_without_value.

    `VALUES` is a list of files: CSV, JSON, a report of SCALE-Sim, statistics of Timeloop.
    """,
)
traces = _verb(
    "traces",
    """
    Compares two traces (JSON trace events) on one time axis. The answer has offset, pairs of slices with the same name
    (those that differ most first: track, name, start, length, start_difference, length_difference), only_here and
    only_there.
    """,
)
explain = _verb(
    "explain",
    """
    Explains the meaning and the computation of a figure of a schedule, an NPU run or a systolic table. The answer has
    address, title, meaning, leaves_out, elsewhere, and explanation, a tree of values (name, unit, value, operation, rule,
    source, parts).

    `asked` is a list: the file of a schedule and the address of a figure ("subgraph.3.latency"), each optional. Without
    a figure the answer lists all figures. `what_if` adds how the figure changes if each value of the machine grows by 10 %.
    """,
)
tables = _verb(
    "tables",
    """
    Returns tables of ops, tensors, subgraphs, steps and more of a workload and a schedule, as a dict of numpy record arrays
    by the names of the tables (docs/handbook/query.md): tables["subgraphs"].latency_time_units.

    Without `schedule`, the tables are those of the schedule with one op per subgraph. Missing numbers are NaN (a column of
    integers with missing values has doubles), missing texts are None. `npu`, `map` and `place` add the results of these
    verbs with their default options, `sweep` the results in a folder.
    """,
    returns="dict[str, np.recarray[Any, Any]]",
)
sweep = _verb(
    "sweep",
    """
    Computes one workload on many machines: the points of a plan, collected as a table (rows with values and metrics).

    `plan` is a file, or its content as a dict; in a dict, file names are relative to the current folder. `output` is a
    folder for the results, from which a stopped sweep can be continued; without it the results are kept in memory. `part`
    "I/N" computes every N-th point from the I-th on. `on_state(done, failed, points)` is called about ten times per second.
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
