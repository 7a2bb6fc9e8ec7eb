# SPDX-License-Identifier: GPL-3.0-or-later
"""The stubs say what there is: every public name and member, both ways, and the parameters with their defaults."""

import ast
import inspect
import pathlib
import re
import unittest

import tilewright

STUB = ast.parse(pathlib.Path(tilewright.__file__).with_name("__init__.pyi").read_text())


def public(names):
    return {name for name in names if not name.startswith("_")}


def members(node):
    return {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)} | {
        n.target.id: n for n in node.body if isinstance(n, ast.AnnAssign)
    }


class Stubs(unittest.TestCase):
    classes = {n.name: n for n in STUB.body if isinstance(n, ast.ClassDef)}
    functions = {n.name: n for n in STUB.body if isinstance(n, ast.FunctionDef)}

    def test_public_names(self):
        self.assertEqual(public(self.classes) | public(self.functions), set(tilewright.__all__))
        there = {
            name
            for name in public(vars(tilewright))
            if not inspect.ismodule(getattr(tilewright, name))
        }
        self.assertEqual(there, set(tilewright.__all__))

    def test_members(self):
        for name, node in self.classes.items():
            kind = getattr(tilewright, name)
            base = set(dir(dict)) if issubclass(kind, dict) else set(dir(kind.__mro__[1]))
            there = public(set(dir(kind)) - base)
            if name == "Picture":
                there |= {"view"}
            self.assertEqual(public(members(node)), there, name)

    def test_kinds_of_members(self):
        for name, node in self.classes.items():
            for member, stub in members(node).items():
                if member.startswith("_") or isinstance(stub, ast.AnnAssign):
                    continue
                words = {d.id for d in stub.decorator_list if isinstance(d, ast.Name)}
                value = inspect.getattr_static(getattr(tilewright, name), member)
                self.assertEqual("property" in words, isinstance(value, property), f"{name}.{member}")
                self.assertEqual("staticmethod" in words, isinstance(value, staticmethod), f"{name}.{member}")

    def test_parameters(self):
        for name, node in self.functions.items():
            function = getattr(tilewright, name)
            if inspect.isbuiltin(function):  # of the module: pybind11 writes them into the docstring
                text = function.__doc__.splitlines()[0]
                there = re.findall(r"[(,] *(\w+):", text)
            else:
                there = list(inspect.signature(function).parameters)
            arguments = node.args
            stub = [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
            self.assertEqual(stub, there, name)

    def test_everything_has_a_docstring(self):
        for name in tilewright.__all__:
            self.assertTrue(getattr(tilewright, name).__doc__, name)

    def test_marked_as_typed(self):
        self.assertTrue(pathlib.Path(tilewright.__file__).with_name("py.typed").exists())
