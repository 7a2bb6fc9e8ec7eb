# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules of PyTorch as models: shapes, names and work, where PyTorch is installed."""

import json
import subprocess
import sys
import unittest

import tilewright

try:
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError:
    torch = None


def ops(model):
    return {op["name"]: op for op in json.loads(model.to_text())["ops"]}


def shapes(model):
    return {t["name"]: t["shape"] for t in json.loads(model.to_text())["tensors"]}


class WithoutTorch(unittest.TestCase):
    def test_torch_is_imported_only_when_it_is_used(self):
        code = "import sys, tilewright; sys.exit('torch' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)

    def test_without_torch_a_sentence(self):
        code = (
            "import sys; sys.modules['torch'] = None\nimport tilewright\n"
            "try:\n    tilewright.from_torch(None, ())\nexcept tilewright.Error as e:\n    print(e)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("from_torch() needs PyTorch (Debian: python3-torch)", done.stdout, done.stderr)


@unittest.skipIf(torch is None, "python3-torch is not installed")
class Modules(unittest.TestCase):
    def macs(self, model):
        report = tilewright.lower(model, machine="edge").report
        self.assertEqual(report["coverage"]["dropped"], 0)
        return report["macs"]

    def test_products(self):
        module = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 64), nn.Dropout(0.1))
        model = tilewright.from_torch(module, torch.zeros(32, 64), name="mlp")
        self.assertEqual(model.name, "mlp")
        self.assertEqual(list(ops(model)), ["0", "1", "2"])
        self.assertEqual(shapes(model)["2.weight"], [64, 256])
        self.assertEqual(self.macs(model), 2 * 32 * 64 * 256)
        self.assertTrue(tilewright.solve(model, machine="edge", iterations=200, threads=1).total > 0)

    def test_residual_convolutions(self):
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv1 = nn.Conv2d(16, 32, 3, stride=2, padding=1, bias=False)
                self.bn1 = nn.BatchNorm2d(32)
                self.conv2 = nn.Conv2d(32, 32, 3, padding=1, bias=False)
                self.bn2 = nn.BatchNorm2d(32)
                self.down = nn.Conv2d(16, 32, 1, stride=2, bias=False)
                self.pool = nn.AdaptiveAvgPool2d(1)
                self.fc = nn.Linear(32, 10)

            def forward(self, x):
                y = F.relu(self.bn1(self.conv1(x)))
                y = F.relu(self.bn2(self.conv2(y)) + self.down(x))
                return self.fc(torch.flatten(self.pool(y), 1))

        model = tilewright.from_torch(Block(), torch.zeros(1, 16, 32, 32))
        self.assertEqual(ops(model)["conv1"]["stride"], [2, 2])
        expected = 16 * 16 * 32 * 16 * 9 + 16 * 16 * 32 * 32 * 9 + 16 * 16 * 32 * 16 + 320
        self.assertEqual(self.macs(model), expected)

    def test_depthwise_and_concatenation(self):
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.depth = nn.Conv2d(24, 24, 3, padding=1, groups=24)
                self.point = nn.Conv2d(24, 8, 1)
                self.up = nn.ConvTranspose2d(8, 8, 2, stride=2)
                self.act = nn.Hardswish()

            def forward(self, x):
                low = self.act(self.point(self.act(self.depth(x))))
                high = F.interpolate(x, scale_factor=2)
                return torch.cat([self.up(low), high], dim=1)[:, :16]

        model = tilewright.from_torch(Net(), torch.zeros(2, 24, 14, 14))
        self.assertEqual(ops(model)["depth"]["groups"], 24)
        self.assertEqual(self.macs(model), 2 * 14 * 14 * (24 * 9 + 24 * 8 + 8 * 8 * 4))
        self.assertEqual([o["type"] for o in ops(model).values()].count("unknown"), 0)

    def test_attention_by_hand(self):
        class Attention(nn.Module):
            def __init__(self, width=96, heads=4):
                super().__init__()
                self.heads = heads
                self.norm = nn.LayerNorm(width)
                self.qkv = nn.Linear(width, 3 * width)
                self.out = nn.Linear(width, width)

            def forward(self, x):
                b, t, w = x.shape
                q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
                split = lambda y: y.view(b, t, self.heads, w // self.heads).transpose(1, 2)
                scores = torch.matmul(split(q), split(k).transpose(-2, -1)) / 4.9
                y = torch.matmul(torch.softmax(scores, dim=-1), split(v))
                return x + self.out(y.transpose(1, 2).reshape(b, t, w))

        model = tilewright.from_torch(Attention(), torch.zeros(2, 48, 96))
        self.assertEqual(self.macs(model), 2 * 48 * 96 * 4 * 96 + 2 * 2 * 48 * 48 * 96)
        self.assertEqual([o["type"] for o in ops(model).values()].count("unknown"), 0)

    def test_multihead_attention_of_the_library(self):
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.embed = nn.Embedding(1000, 64)
                self.attention = nn.MultiheadAttention(64, 4, batch_first=True)
                self.norm = nn.LayerNorm(64)
                self.head = nn.Linear(64, 1000, bias=False)

            def forward(self, tokens):
                x = self.embed(tokens)
                y, _ = self.attention(x, x, x)
                return self.head(self.norm(x + y)).mean(dim=1)

        model = tilewright.from_torch(Encoder(), torch.zeros(1, 32, dtype=torch.long))
        self.assertEqual(self.macs(model), 4 * 32 * 64 * 64 + 2 * 32 * 32 * 64 + 32 * 64 * 1000)
        self.assertEqual(shapes(model)["embed.weight"], [1000, 64])

    def test_what_has_no_counterpart_is_said(self):
        class Sorted(nn.Module):
            def forward(self, x):
                return torch.sort(x @ x, dim=-1)[0]

        model = tilewright.from_torch(Sorted(), torch.zeros(16, 16))
        self.assertEqual([o["type"] for o in ops(model).values()], ["matmul", "unknown"])
        report = tilewright.lower(model, machine="edge").report
        self.assertIn("sort", json.dumps(report))

    def test_control_flow_is_refused(self):
        class Branches(nn.Module):
            def forward(self, x):
                return x if x.sum() > 0 else -x

        with self.assertRaisesRegex(tilewright.Error, "Branches cannot be traced: symbolically traced variables"):
            tilewright.from_torch(Branches(), torch.zeros(2))


if __name__ == "__main__":
    unittest.main()
