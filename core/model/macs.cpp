// SPDX-License-Identifier: GPL-3.0-or-later
// Multiply-accumulates, and what they are counted by: windows, the letters of an einsum.
#include "model/model.h"

namespace tilewright::model {

std::int64_t windowOutput(std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                          std::int64_t dilation) noexcept
{
    const std::int64_t span = in + padding - dilation * (kernel - 1) - 1;
    return span < 0 ? 0 : span / stride + 1;
}

Result<EinsumRoles> einsumRoles(const std::string& equation)
{
    std::string text;
    std::copy_if(equation.begin(), equation.end(), std::back_inserter(text), [](char c) { return c != ' '; });
    const std::size_t comma = text.find(','), arrow = text.find("->");
    if (comma == std::string::npos || arrow == std::string::npos || arrow < comma ||
        text.find(',', comma + 1) != std::string::npos)
        return problemError({}, "the equation \"" + equation + "\" is not of the form \"ab,bc->ac\"");
    EinsumRoles r{text.substr(0, comma),
                  text.substr(comma + 1, arrow - comma - 1),
                  text.substr(arrow + 2),
                  {},
                  {},
                  {},
                  {}};
    for (const std::string* s : {&r.lhs, &r.rhs, &r.out})
        for (std::size_t i = 0; i < s->size(); ++i)
            if (!((*s)[i] >= 'a' && (*s)[i] <= 'z') && !((*s)[i] >= 'A' && (*s)[i] <= 'Z'))
                return problemError({}, "the equation \"" + equation + "\" has more than letters");
            else if (s->find((*s)[i], i + 1) != std::string::npos)
                return problemError({},
                                    "the equation \"" + equation + "\" repeats a letter within one tensor");
    const auto has = [](const std::string& s, char c) { return s.find(c) != std::string::npos; };
    for (const char c : r.lhs) {
        if (!has(r.rhs, c) && !has(r.out, c))
            return problemError({},
                                "the equation \"" + equation + "\" sums over a letter of one operand alone");
        (has(r.rhs, c) ? (has(r.out, c) ? r.batch : r.k) : r.m) += c;
    }
    for (const char c : r.rhs)
        if (!has(r.lhs, c)) {
            if (!has(r.out, c))
                return problemError({}, "the equation \"" + equation +
                                            "\" sums over a letter of one operand alone");
            r.n += c;
        }
    for (const char c : r.out)
        if (!has(r.lhs, c) && !has(r.rhs, c))
            return problemError({}, "the equation \"" + equation + "\" has a letter in the result alone");
    return r;
}

std::int64_t macsOf(const Model& model, const Operator& op)
{
    const auto in = [&](std::size_t i) -> const Shape& { return model.shape(op.inputs[i]); };
    const auto out = [&]() -> const Shape& { return model.shape(op.outputs[0]); };
    switch (op.kind) {
    case OperatorKind::MatMul: {
        const Shape& a = in(0);
        return saturatingMul(elementsOf(out()),
                             op.as<MatMulAttributes>().transposeA ? a[a.size() - 2] : a.back());
    }
    case OperatorKind::Einsum: {
        const auto roles = einsumRoles(op.as<EinsumAttributes>().equation);
        std::int64_t macs = elementsOf(out());
        for (const char c : roles->k)
            macs = saturatingMul(macs, in(0)[roles->lhs.find(c)]);
        return macs;
    }
    case OperatorKind::Conv2d:
        return saturatingMul(elementsOf(out()), elementsOf(std::span(in(1)).subspan(1)));
    case OperatorKind::ConvTranspose2d:
        return saturatingMul(elementsOf(in(0)), elementsOf(std::span(in(1)).subspan(1)));
    case OperatorKind::Attention: {
        const auto& a = op.as<AttentionAttributes>();
        const std::int64_t kvHeads = a.kvHeads > 0 ? a.kvHeads : a.heads;
        const HeadShape q = *headShape(in(0), a.heads), k = *headShape(in(1), kvHeads),
                        v = *headShape(in(2), kvHeads);
        return saturatingMul(saturatingMul(q.batch * q.heads, saturatingMul(q.tokens, k.tokens)),
                             saturatingAdd(q.dims, v.dims));
    }
    case OperatorKind::Lstm:
    case OperatorKind::Gru:
    case OperatorKind::Rnn: {
        const Shape &x = in(0), &w = in(1);
        return saturatingMul(saturatingMul(saturatingMul(x[0], x[1]), saturatingMul(w[0], w[1])),
                             saturatingAdd(w[2], op.as<RecurrentAttributes>().hidden));
    }
    default:
        return 0;
    }
}

std::int64_t macsOf(const Model& model)
{
    std::int64_t sum = 0;
    for (const Operator& op : model.operators)
        sum = saturatingAdd(sum, macsOf(model, op));
    return sum;
}

} // namespace tilewright::model
