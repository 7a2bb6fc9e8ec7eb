// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
#pragma once

#include "base/json_fields.h"
#include "mapping/layer.h"

#include <array>

namespace tilewright::mapping {

/// A list of operands by name. The names of a convolution or those of a product are accepted: ["W"] and ["B"]
/// mean the same operand.
struct OperandNames
{
};

/// The operand that the text at `at` names, or an Error at that place.
[[nodiscard]] inline Result<std::size_t> readOperand(const JsonCursor& at, const std::string& name)
{
    const int op = operandByName(name);
    if (op < 0)
        return at.error("expected an operand: I, W or O (A, B or C), got \"" + name.substr(0, 40) + "\"");
    return static_cast<std::size_t>(op);
}

[[nodiscard]] inline Status readJson(const JsonCursor& at, std::array<bool, kOperands>& out,
                                     const OperandNames&)
{
    if (Status s = at.list(); !s)
        return s;
    out = {};
    for (std::size_t i = 0; i < at.size(); ++i) {
        const auto name = at.at(i).string();
        if (!name)
            return name.error();
        const auto op = readOperand(at.at(i), *name);
        if (!op)
            return op.error();
        out[*op] = true;
    }
    return Unit{};
}

[[nodiscard]] inline Json writeJson(const std::array<bool, kOperands>& value, const OperandNames&)
{
    Json out = Json::array();
    for (std::size_t op = 0; op < kOperands; ++op)
        if (value[op])
            out.push_back(kOperandNames[op][0]);
    return out;
}

} // namespace tilewright::mapping
