// SPDX-License-Identifier: GPL-3.0-or-later
// Feed forward: two or three matrices, or routed experts (docs/rules/llm.md 6.3).
#include "llm/builder.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright::llm {

using model::OperatorKind;

namespace {

/// Number of passes of the vector unit for an activation function, as in the networks of core/model.
std::int64_t passesOf(const std::string& activation)
{
    return activation == "gelu" ? 4 : 1;
}

} // namespace

LlmBuilder::Tensor LlmBuilder::feedForward(const std::string& name, Tensor x)
{
    return feedForward(name, name, x);
}

/// Adds a feed forward. `name` is the prefix of its operators, `matrices` that of its matrices.
LlmBuilder::Tensor LlmBuilder::feedForward(const std::string& name, const std::string& matrices, Tensor x)
{
    const auto product = [&](const char* which, Tensor in) {
        const std::string matrix = matrices + which;
        return linear(named(name + which), in, *find(matrix), m_layer->bits[indexOf(matrix)]);
    };
    const std::int64_t passes = passesOf(m_c.activation);
    Tensor inner{};
    if (!m_c.gated) {
        inner = m_b.elementwise(m_c.activation, named(name + m_c.activation), {product("up", x)}, passes);
    } else {
        std::vector<Tensor> both;
        if (m_c.fusedGateUp) {
            const Tensor fused = product("gate_up", x);
            const std::int64_t half = shape(fused).back() / 2;
            both = split(named(name + "gate_up_split"), fused, {half, half});
        } else {
            both.push_back(product("gate", x));
            both.push_back(product("up", x));
        }
        const std::string function = m_c.activation + "_mul";
        inner = m_b.elementwise(function, named(name + function), both, passes + 1);
    }
    return product("down", inner);
}

/// Adds the routed experts. Which experts are chosen depends on the input, so the tokens are distributed to
/// the experts as expected.
LlmBuilder::Tensor LlmBuilder::experts(Tensor x)
{
    const LlmExperts& e = *m_c.experts;
    const std::int64_t tokens = rows();
    const std::vector<std::int64_t> shares = expertTokens(e, tokens);
    const bool direct = tokens == 1 && e.chips == 1; // each expert of the token processes only this token
    const Tensor gates = m_b.add(OperatorKind::Softmax, named("mlp.gates"), {linear("mlp.router", x)});
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        const std::string name = "mlp.experts." + std::to_string(i) + ".";
        Tensor mine = x;
        if (!direct)
            mine = m_b.add(OperatorKind::Gather, named(name + "tokens"),
                           {x, m_b.input(named(name + "chosen"), {shares[i]})}, model::AxisAttributes{});
        parts.push_back(feedForward(name, "mlp.experts.", mine));
    }
    const Tensor all = !direct ? concat(named("mlp.experts.all"), parts, 0) : parts.front();
    std::optional<Tensor> sum;
    for (std::int64_t i = 0; i < e.perToken; ++i) {
        const std::string name = "mlp.choice." + std::to_string(i);
        Tensor back = !direct ? all : parts[static_cast<std::size_t>(i)];
        if (!direct)
            back = m_b.add(OperatorKind::Gather, named(name),
                           {all, m_b.input(named(name + ".place"), {tokens})}, model::AxisAttributes{});
        const Tensor gate = slice(named(name + ".gate"), gates, 1, i, i + 1);
        sum = sum ? m_b.elementwise("mul_add", named(name + ".add"), {back, gate, *sum}, 2)
                  : m_b.elementwise("mul", named(name + ".mul"), {back, gate});
    }
    if (e.shared > 0) {
        Tensor shared = feedForward("mlp.shared.", x);
        if (e.sharedGate) {
            const Tensor gate =
                m_b.elementwise("sigmoid", named("mlp.shared_gate.sigmoid"), {linear("mlp.shared_gate", x)});
            shared = m_b.elementwise("mul", named("mlp.shared_gate.mul"), {shared, gate});
        }
        sum = add(named("mlp.experts.add"), *sum, shared);
    }
    return *sum;
}

} // namespace tilewright::llm
