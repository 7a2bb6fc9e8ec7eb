// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace tilewright::test {

struct OnnxFixture
{
    std::string name; ///< of the file, without ".onnx"
    std::string text; ///< the file
};

/// A model as an exporter writes it, without weights.
[[nodiscard]] std::string resnet18();
[[nodiscard]] std::string mobilenetV2();
/// 128 tokens, 12 heads of 64; norms and the activation written out.
[[nodiscard]] std::string bertBlock();
/// Free "batch" and "sequence"; heads are split by arithmetic on shapes, the mask is computed.
[[nodiscard]] std::string gpt2Block();
/// 128 tokens, 8 heads with 2 for keys and values of 64, hidden 512, SwiGLU of 1408, rotary embedding.
[[nodiscard]] std::string llamaBlock();
[[nodiscard]] std::string quantisedCnn();
[[nodiscard]] std::string lstm();
/// A branch that a shape decides, one that an input decides, and a loop of three steps.
[[nodiscard]] std::string branches();
[[nodiscard]] std::vector<OnnxFixture> onnxFixtures();

/// A file that is wrong, and a part of the sentence that says so.
struct MalformedOnnx
{
    std::string name, text, sentence;
};
[[nodiscard]] std::vector<MalformedOnnx> malformedOnnx();

/// So many operators in a chain of convolutions, norms, activations and arithmetic on shapes.
[[nodiscard]] std::string longChain(int operators);

} // namespace tilewright::test
