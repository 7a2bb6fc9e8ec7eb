# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for notebooks: views of the window, drawn by `tilewright render`; without that program, a table of text."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from . import _core

_MOST_ROWS = 40


def _program():
    return os.environ.get("TILEWRIGHT_RENDER") or shutil.which("tilewright")


class Picture:
    """A view of a problem, or of a schedule of it. Notebooks show it; `save` writes it.

    The program tilewright draws the picture: the one that TILEWRIGHT_RENDER names, or else the installed one. Without the
    program the picture is a table of text.
    """

    def __init__(self, view, problem, schedule=None, table=None):
        self.view = view
        self._problem, self._schedule, self._table = problem, schedule, table

    def save(self, path):
        """Draws the picture to a .svg, .png or .pdf file. Raises Error."""
        program = _program()
        if not program:
            raise _core.Error("the program tilewright, which draws, is not installed; TILEWRIGHT_RENDER may name it")
        with tempfile.TemporaryDirectory() as folder:
            files = [os.path.join(folder, "problem.json")]
            self._problem.save(files[0])
            if self._schedule is not None:
                files.append(os.path.join(folder, "problem.schedule.json"))
                self._schedule.save(files[1])
            command = [program, "render", *files, "--view", self.view, "--output", os.fspath(path)]
            done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise _core.Error((done.stderr or done.stdout).strip() or f"{program} render ended with {done.returncode}")

    @property
    def svg(self):
        """The picture as SVG text. Raises Error."""
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "picture.svg")
            self.save(file)
            return file.read_text(encoding="utf-8")

    def _repr_svg_(self):
        return self.svg if _program() else None

    def __repr__(self):
        return self._table() if self._table else repr(self._problem)


def table(document):
    """A table of text with the subgraphs of an `evaluate --json` document."""
    head = ("#", "ops", "w x h x k", "steps", "compute", "memory", "latency", "bound", "working set")
    rows = [head]
    for i, s in enumerate(document["subgraphs"][:_MOST_ROWS]):
        ops = ",".join(str(op) for op in s["ops"][:6]) + (",..." if len(s["ops"]) > 6 else "")
        figures = [s.get(name) for name in ("steps", "compute", "memory", "latency", "bound", "peak_working_set")]
        cells = ["-" if f is None else f"{f:,.1f}" if isinstance(f, float) else str(f) for f in figures]
        rows.append((str(i), ops, " x ".join(str(n) for n in s["granularity"]), *cells))
    widths = [max(len(row[c]) for row in rows) for c in range(len(head))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)) for row in rows]
    more = len(document["subgraphs"]) - _MOST_ROWS
    if more > 0:
        lines.append(f"and {more} more")
    error = document["error"]
    total = document["total_latency"]
    lines.append(f"invalid: {error['message']}" if error else f"total {total:,.1f}")
    return "\n".join(lines)


def attach(answer):
    """Adds methods to the classes of the module that are easier to write in Python."""
    evaluation, solution, problem = _core.Evaluation, _core.Solution, _core.Problem

    def to_dict(self):
        """The document that the verb prints with --json."""
        return answer(self.json())

    def save(self, path):
        """Writes the value to a file in its own format. Raises Error."""
        _core.write_text(path, self.to_text())

    def text(self):
        return table(self.to_dict())

    def view(name, what):
        return property(lambda self: Picture(name, self.problem, self.schedule, lambda: repr(self)), doc=what)

    for kind in (problem, _core.Schedule, _core.Model, _core.Machine):
        kind.save = save
    for kind in (evaluation, solution):
        kind.to_dict = to_dict
        kind.graph = view("graph", "The graph with the subgraphs.")
        kind.memory = view("memory", "What fills fast memory over time.")
        kind.roofline = view("roofline", "The subgraphs under the roofs of compute and memory.")
        kind._repr_svg_ = lambda self: self.memory._repr_svg_()
    evaluation.__repr__ = text
    evaluation.issues = property(lambda self: answer(self.check_json())["issues"], doc="[{code, message, subgraph}]")
    evaluation.subgraphs = property(lambda self: self.to_dict()["subgraphs"], doc="A dict a subgraph.")
    evaluation.lower_bound = property(lambda self: self.to_dict()["lower_bound"], doc="Of the problem.")
    evaluation.array_total = property(
        lambda self: self.to_dict()["array_total"], doc="The total with compute=array; None when there is none."
    )
    solution.evaluation = property(
        lambda self: _core.evaluate(self.problem, self.schedule, rules=self.rules), doc="Its schedule, evaluated."
    )
    solution.__repr__ = lambda self: (
        f"<tilewright.Solution total {self.total:,.1f}"
        + (", proven optimal" if self.proven_optimal else f", {100 * self.gap:.1f} % above the bound")
        + ">"
    )
    problem.graph = property(lambda self: Picture("graph", self), doc="The graph.")
    problem._repr_svg_ = lambda self: self.graph._repr_svg_()
    _core.Schedule._repr_svg_ = lambda self: Picture("graph", self.problem, self)._repr_svg_()
    for name in ("report", "layers", "npu"):
        setattr(
            _core.Lowering,
            name,
            property(lambda self, name=name: answer(getattr(self, name + "_json")()), doc=_LOWERED[name]),
        )


_LOWERED = {
    "report": "What became of every operator: the document of `convert --json`.",
    "layers": "The layers of the Mapping lens, as `convert --to layers` writes them.",
    "npu": "The model of the NPU lens, as `convert --to npu` writes it.",
}
