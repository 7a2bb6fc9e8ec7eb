# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs of PyTorch modules as models. PyTorch is imported only when from_torch() is called."""

import dis
import inspect
import json
import os
import tempfile

from . import _core

# Types of modules, names of functions and names of methods, each with the function of its elementwise operator.
_ACTIVATIONS = {
    "ReLU": "relu",
    "ReLU6": "relu6",
    "LeakyReLU": "leaky_relu",
    "ELU": "elu",
    "GELU": "gelu",
    "SiLU": "silu",
    "Mish": "mish",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "Hardswish": "hardswish",
    "Hardsigmoid": "hardsigmoid",
    "Softplus": "softplus",
}
_ELEMENTWISE = {
    *("add", "sub", "mul", "div", "truediv", "true_divide", "pow", "neg", "abs", "exp", "log", "sqrt", "rsqrt"),
    *("sin", "cos", "tanh", "sigmoid", "relu", "relu6", "gelu", "silu", "mish", "hardswish", "hardsigmoid", "elu"),
    *("leaky_relu", "softplus", "maximum", "minimum", "clamp", "where", "masked_fill", "iadd", "imul", "isub"),
    *("erf", "reciprocal", "square", "eq", "ne", "gt", "lt", "ge", "le"),
}
_SAME = {"dropout", "identity", "contiguous", "clone", "detach", "to", "float", "half", "type_as", "alias"}
_RESHAPE = {"reshape", "view", "flatten", "squeeze", "unsqueeze", "view_as", "unflatten"}
_SPLITS = {"chunk", "split", "unbind", "tensor_split"}
_REDUCE = {"mean", "sum", "amax", "amin", "prod"}


def from_torch(module, example_inputs, name=None):
    """Converts the graph of a PyTorch module to a Model that has the names of its submodules and parameters.

    `example_inputs` is a tensor or a tuple of tensors for module.forward(); their shapes are those of the model. The
    module is traced by torch.fx, so that control flow which depends on values is not possible. An operation that has no
    counterpart becomes an operator of type "unknown": info() states their share of the work, as for every model.

    Raises Error if PyTorch is not installed, or with the reason why the module cannot be traced.
    """
    try:
        import torch
        from torch import fx
        from torch.fx.passes.shape_prop import ShapeProp
    except ImportError as why:
        raise _core.Error(f"from_torch() needs PyTorch (Debian: python3-torch): {why}") from None
    inputs = (example_inputs,) if isinstance(example_inputs, torch.Tensor) else tuple(example_inputs)
    module = module.eval()

    class Tracer(fx.Tracer):
        def is_leaf_module(self, m, path):
            return m.__module__.startswith("torch.nn") and not isinstance(m, torch.nn.Sequential)

    unpack = fx.Proxy.__iter__
    fx.Proxy.__iter__ = _unpacked
    try:
        traced = fx.GraphModule(module, Tracer().trace(module))
        with torch.no_grad():
            ShapeProp(traced).propagate(*inputs)
    except Exception as why:  # the code of the module may raise anything
        sentence = (str(why).splitlines() or [type(why).__name__])[0]
        raise _core.Error(f"{type(module).__name__} cannot be traced: {sentence}") from why
    finally:
        fx.Proxy.__iter__ = unpack
    document = _Graph(torch, traced).document(name or type(module).__name__)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file)
        return _core.Model.load(path)


def _unpacked(proxy):
    """Unpacks a value of the graph ("b, t, w = x.shape"); torch.fx of PyTorch 1.13 cannot with Python 3.11."""
    frame = inspect.currentframe().f_back
    for instruction in dis.get_instructions(frame.f_code):
        if instruction.offset == frame.f_lasti and instruction.opname == "UNPACK_SEQUENCE":
            return iter([proxy[i] for i in range(instruction.argval)])
    return proxy.tracer.iter(proxy)


def _pair(value):
    return [int(v) for v in value] if isinstance(value, (tuple, list)) else [int(value)] * 2


def _swapped_axes(rank, a, b):
    """Returns the permutation of `rank` axes that exchanges two of them."""
    out = list(range(rank))
    out[a], out[b] = out[b], out[a]
    return out


class _Graph:
    """The model of a traced module."""

    def __init__(self, torch, traced):
        self.torch, self.traced = torch, traced
        self.modules = dict(traced.named_modules())
        self.tensors, self.constants, self.ops = {}, [], []
        self.of = {}  # by node: its tensor, list of tensors or value

    def document(self, name):
        for node in self.traced.graph.nodes:
            getattr(self, "_" + node.op)(node)
        return {
            "name": name,
            "tensors": [{"name": n, "shape": s or [1]} for n, s in self.tensors.items()],
            "constants": self.constants,
            "ops": self.ops,
        }

    # -- tensors

    def tensor(self, name, shape):
        """Adds a tensor. If the name is taken, it gets a number as suffix."""
        free, n = name, 1
        while free in self.tensors:
            n += 1
            free = f"{name}_{n}"
        self.tensors[free] = [int(s) for s in shape]
        return free

    def constant(self, name, shape):
        if name not in self.tensors:
            self.tensors[name] = [int(s) for s in shape]
            self.constants.append(name)
        return name

    def parameters(self, path, *names):
        """Returns those parameters of a submodule that exist."""
        out = []
        for name in names:
            value = getattr(self.modules[path], name, None)
            if value is not None:
                out.append(self.constant(f"{path}.{name}", value.shape))
        return out

    def value(self, argument):
        """Returns the tensor if an argument is a node, otherwise the argument itself."""
        return self.of.get(argument) if isinstance(argument, self.torch.fx.Node) else argument

    def names(self, arguments):
        """Returns the tensors among arguments, at any depth of nesting."""
        out = []
        for argument in arguments:
            if isinstance(argument, (tuple, list)):
                out += self.names(argument)
            elif isinstance(argument, self.torch.fx.Node):
                value = self.of.get(argument)
                out += self.names(value) if isinstance(value, list) else [value] if isinstance(value, str) else []
            elif isinstance(argument, str) and argument in self.tensors:
                out.append(argument)
        return out

    def add(self, kind, name, inputs, shape, **attributes):
        output = self.tensor(name, shape)
        self.ops.append({"type": kind, "name": output, "inputs": inputs, "outputs": [output], **attributes})
        return output

    def shape(self, node):
        """Returns the shape of the result of a node; None if it is not a tensor."""
        meta = node.meta.get("tensor_meta")
        shape = getattr(meta, "shape", None)
        return None if shape is None else list(shape)

    # -- nodes

    def _placeholder(self, node):
        shape = self.shape(node)
        self.of[node] = self.tensor(node.target, shape) if shape is not None else None

    def _get_attr(self, node):
        value = self.traced
        for part in node.target.split("."):
            value = getattr(value, part)
        self.of[node] = self.constant(node.target, value.shape) if hasattr(value, "shape") else value

    def _output(self, node):
        pass

    def _call_module(self, node):
        module, path = self.modules[node.target], str(node.target)
        kind = type(module).__name__
        inputs = self.names(node.args) + self.names(node.kwargs.values())
        if kind in _ACTIVATIONS:
            return self.result(node, path, "elementwise", inputs, function=_ACTIVATIONS[kind])
        do = getattr(self, "_module_" + kind.lower(), None)
        if do is None:
            kind = kind[:-2] if kind[-2:] in ("1d", "2d", "3d") and kind.startswith("Dropout") else kind
            do = {"Dropout": self._module_identity, "Flatten": self._module_flatten}.get(kind)
        if do is None:
            return self.unknown(node, path, inputs + self.parameters(path, *dict(module.named_parameters())))
        do(node, module, path, inputs)

    def result(self, node, name, kind, inputs, **attributes):
        shape = self.shape(node)
        if shape is None:
            return self.unknown(node, name, inputs)
        self.of[node] = self.add(kind, name, inputs, shape, **attributes)

    def unknown(self, node, name, inputs):
        """Adds an operator of type "unknown" for an operation without counterpart. It has all results of the operation."""
        meta = node.meta.get("tensor_meta")
        if meta is None:  # the result is a number or a size: nothing is computed
            self.of[node] = None
            return
        parts = [meta] if hasattr(meta, "shape") else [m for m in meta if hasattr(m, "shape")]
        outputs = [self.tensor(name if len(parts) == 1 else f"{name}.{i}", m.shape) for i, m in enumerate(parts)]
        self.ops.append({"type": "unknown", "name": name, "inputs": inputs, "outputs": outputs})
        self.of[node] = outputs[0] if hasattr(meta, "shape") else outputs

    def _module_identity(self, node, module, path, inputs):
        self.of[node] = inputs[0]

    def _module_flatten(self, node, module, path, inputs):
        self.result(node, path, "reshape", inputs)

    def _module_linear(self, node, module, path, inputs):
        weights = self.parameters(path, "weight", "bias")
        self.result(node, path, "matmul", inputs + weights, transpose_b=True)

    def _module_conv2d(self, node, module, path, inputs):
        if isinstance(module.padding, str) or module.padding_mode != "zeros":
            return self.unknown(node, path, inputs + self.parameters(path, "weight", "bias"))
        self.convolution(node, path, "conv2d", inputs + self.parameters(path, "weight", "bias"), module)

    def _module_convtranspose2d(self, node, module, path, inputs):
        weights = self.parameters(path, "weight", "bias")
        self.convolution(
            node, path, "conv_transpose2d", inputs + weights, module, output_padding=_pair(module.output_padding)
        )

    def convolution(self, node, path, kind, inputs, m, **more):
        self.result(
            node,
            path,
            kind,
            inputs,
            stride=_pair(m.stride),
            dilation=_pair(m.dilation),
            padding=_pair(m.padding),
            groups=int(m.groups),
            **more,
        )

    def _module_batchnorm2d(self, node, module, path, inputs):
        tables = self.parameters(path, "weight", "bias", "running_mean", "running_var")
        self.result(node, path, "batch_norm", inputs + tables)

    def _module_layernorm(self, node, module, path, inputs):
        self.result(node, path, "layer_norm", inputs + self.parameters(path, "weight", "bias"))

    def _module_softmax(self, node, module, path, inputs):
        self.softmax(node, path, inputs, module.dim)

    def softmax(self, node, path, inputs, axis):
        """Adds an operator along the last axis; for another axis, between two transpositions."""
        shape = self.shape(node)
        axis = -1 if axis is None else int(axis)
        if axis % len(shape) == len(shape) - 1:
            return self.result(node, path, "softmax", inputs)
        swap = _swapped_axes(len(shape), axis, -1)
        swapped = [shape[i] for i in swap]
        there = self.add("transpose", path + ".in", inputs, swapped, permutation=swap)
        rows = self.add("softmax", path, [there], swapped)
        self.of[node] = self.add("transpose", path + ".out", [rows], shape, permutation=swap)

    def pool(self, node, path, kind, inputs, m):
        self.result(
            node,
            path,
            kind,
            inputs,
            kernel=_pair(m.kernel_size),
            stride=_pair(m.stride),
            dilation=_pair(getattr(m, "dilation", 1)),
            padding=_pair(m.padding),
        )

    def _module_maxpool2d(self, node, module, path, inputs):
        self.pool(node, path, "max_pool", inputs, module)

    def _module_avgpool2d(self, node, module, path, inputs):
        self.pool(node, path, "average_pool", inputs, module)

    def _module_adaptiveavgpool2d(self, node, module, path, inputs):
        self.global_pool(node, path, inputs)

    def global_pool(self, node, path, inputs):
        if self.shape(node)[-2:] == [1, 1]:
            self.result(node, path, "global_pool", inputs)
        else:
            self.unknown(node, path, inputs)

    def _module_embedding(self, node, module, path, inputs):
        self.result(node, path, "gather", self.parameters(path, "weight") + inputs, axis=0)

    def _module_upsample(self, node, module, path, inputs):
        self.result(node, path, "resize", inputs)

    def _module_multiheadattention(self, node, module, path, inputs):
        """Adds the three input products, the attention of each head, and the output product; drops the attention weights."""
        meta = node.meta["tensor_meta"][0]
        shape, width, heads = list(meta.shape), module.embed_dim, module.num_heads
        if len(shape) != 3 or module.in_proj_weight is None or len(inputs) < 3:
            return self.unknown(node, path, inputs)
        parts = []
        for part, source in zip("qkv", inputs):
            weights = [self.constant(f"{path}.{part}.weight", [width, width])]
            if module.in_proj_bias is not None:
                weights.append(self.constant(f"{path}.{part}.bias", [width]))
            there = self.tensors[source]
            product = self.add("matmul", f"{path}.{part}", [source, *weights], there, transpose_b=True)
            split = self.add("reshape", f"{path}.{part}.split", [product], there[:2] + [heads, width // heads])
            permutation = [0, 2, 1, 3] if module.batch_first else [1, 2, 0, 3]
            shown = [(there[:2] + [heads, width // heads])[i] for i in permutation]
            parts.append(self.add("transpose", f"{path}.{part}.heads", [split], shown, permutation=permutation))
        context = self.add("attention", f"{path}.attention", parts, self.tensors[parts[0]], heads=heads)
        permutation = [0, 2, 1, 3] if module.batch_first else [2, 0, 1, 3]
        back = [self.tensors[context][i] for i in permutation]
        merged = self.add("transpose", f"{path}.merge", [context], back, permutation=permutation)
        rows = self.add("reshape", f"{path}.context", [merged], shape)
        out = self.parameters(path, "out_proj.weight") or [self.constant(f"{path}.out_proj.weight", [width, width])]
        if module.out_proj.bias is not None:
            out.append(self.constant(f"{path}.out_proj.bias", [width]))
        self.of[node] = [self.add("matmul", f"{path}.out_proj", [rows, *out], shape, transpose_b=True), None]

    # -- functions and methods

    def _call_function(self, node):
        self.call(node, getattr(node.target, "__name__", str(node.target)))

    def _call_method(self, node):
        self.call(node, str(node.target))

    def call(self, node, word):
        word = word.strip("_")
        inputs = self.names(node.args) + self.names(node.kwargs.values())
        if word == "getitem":
            return self.item(node, inputs)
        if word in _SAME and inputs:
            self.of[node] = inputs[0]
        elif self.shape(node) is None:
            if word in _SPLITS and isinstance(node.meta.get("tensor_meta"), (tuple, list)):
                return self.split(node, inputs)
            self.unknown(node, node.name, inputs)
        elif not inputs:  # computed from numbers only: known before the model runs
            self.of[node] = self.constant(node.name, self.shape(node))
        elif word in _ELEMENTWISE:
            self.result(node, node.name, "elementwise", inputs, function=word)
        elif word in _RESHAPE:
            self.result(node, node.name, "reshape", inputs[:1])
        elif word in ("matmul", "bmm", "mm") and len(inputs) == 2:
            self.result(node, node.name, "matmul", inputs)
        elif word == "linear":
            self.result(node, node.name, "matmul", inputs, transpose_b=True)
        elif word == "softmax":
            self.softmax(node, node.name, inputs[:1], self.option(node, 1, "dim"))
        elif word == "layer_norm":
            self.result(node, node.name, "layer_norm", inputs)
        elif word in ("permute", "transpose", "swapaxes", "t"):
            self.transpose(node, word, inputs)
        elif word in ("cat", "concat"):
            rank = len(self.shape(node))
            self.result(node, node.name, "concat", inputs, axis=int(self.option(node, 1, "dim") or 0) % rank)
        elif word in _REDUCE:
            self.reduce(node, inputs)
        elif word == "expand":
            self.result(node, node.name, "expand", inputs[:1])
        elif word == "interpolate":
            self.result(node, node.name, "resize", inputs[:1])
        elif word == "embedding":
            self.result(node, node.name, "gather", [inputs[1], inputs[0]], axis=0)
        elif word == "adaptive_avg_pool2d":
            self.global_pool(node, node.name, inputs)
        else:
            self.unknown(node, node.name, inputs)

    def option(self, node, place, name):
        """Returns an argument of a call by its position or name."""
        return node.args[place] if len(node.args) > place else node.kwargs.get(name)

    def transpose(self, node, word, inputs):
        rank = len(self.shape(node))
        if word == "permute":
            axes = node.args[1] if len(node.args) == 2 and isinstance(node.args[1], (tuple, list)) else node.args[1:]
            permutation = [int(a) % rank for a in axes]
        else:
            permutation = _swapped_axes(rank, *((0, 1) if word == "t" else map(int, node.args[1:3])))
        self.result(node, node.name, "transpose", inputs[:1], permutation=permutation)

    def reduce(self, node, inputs):
        axes, rank = self.option(node, 1, "dim"), len(self.tensors[inputs[0]])
        axes = list(range(rank)) if axes is None else [axes] if isinstance(axes, int) else list(axes)
        self.result(
            node,
            node.name,
            "reduce",
            inputs[:1],
            axes=[int(a) % rank for a in axes],
            keep=bool(self.option(node, 2, "keepdim")),
        )

    def split(self, node, inputs):
        shapes = [list(m.shape) for m in node.meta["tensor_meta"]]
        there = self.tensors[inputs[0]]
        axis = int(self.option(node, 2, "dim") or 0) % len(there)
        if len(shapes[0]) != len(there):
            return self.unknown(node, node.name, inputs)
        outputs = [self.tensor(f"{node.name}.{i}", s) for i, s in enumerate(shapes)]
        self.ops.append(
            {
                "type": "split",
                "name": node.name,
                "inputs": inputs[:1],
                "outputs": outputs,
                "axis": axis,
                "sizes": [s[axis] for s in shapes],
            }
        )
        self.of[node] = outputs

    def item(self, node, inputs):
        """Selects one of several results, or a part of a tensor."""
        source, index = self.value(node.args[0]), node.args[1]
        if isinstance(source, list):
            self.of[node] = source[index]
            return
        shape = self.shape(node)
        if not isinstance(source, str) or shape is None:
            self.of[node] = None
            return
        there = self.tensors[source]
        index = index if isinstance(index, tuple) else (index,)
        if any(not isinstance(i, (int, slice)) for i in index) or len(index) > len(there):
            return self.unknown(node, node.name, inputs)
        axes, starts, ends, steps = [], [], [], []
        for axis, i in enumerate(index):
            if i == slice(None):
                continue
            at = i if isinstance(i, slice) else slice(i % there[axis], i % there[axis] + 1)
            first, last, step = at.indices(there[axis])
            for values, value in ((axes, axis), (starts, first), (ends, last), (steps, step)):
                values.append(value)
        part = list(there)
        for axis, first, last, step in zip(axes, starts, ends, steps):
            part[axis] = len(range(first, last, step))
        if axes:
            source = self.add("slice", node.name, [source], part, axes=axes, starts=starts, ends=ends, steps=steps)
        self.of[node] = source if part == shape else self.add("reshape", node.name + ".flat", [source], shape)
