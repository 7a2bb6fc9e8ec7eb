// SPDX-License-Identifier: GPL-3.0-or-later
#include "explanation/explanation.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilewright {

namespace {

double combine(Operation operation, const std::vector<double>& values)
{
    if (values.empty())
        return 0;
    double out = values.front();
    for (std::size_t i = 1; i < values.size(); ++i)
        switch (operation) {
        case Operation::Sum:
            out += values[i];
            break;
        case Operation::Product:
            out *= values[i];
            break;
        case Operation::Largest:
            out = std::max(out, values[i]);
            break;
        case Operation::Smallest:
            out = std::min(out, values[i]);
            break;
        case Operation::Quotient:
        case Operation::Ceil:
        case Operation::Floor:
            out = values[i] == 0 ? 0 : out / values[i];
            break;
        case Operation::Leaf:
            break;
        }
    return operation == Operation::Ceil    ? std::ceil(out)
           : operation == Operation::Floor ? std::floor(out)
                                           : out;
}

template <typename ValueOf> double combineParts(const ExplainedValue& e, ValueOf&& valueOf)
{
    std::vector<double> values;
    values.reserve(e.parts.size());
    for (const ExplainedValue& part : e.parts)
        values.push_back(valueOf(part));
    return combine(e.operation, values);
}

} // namespace

std::string_view toString(Operation operation) noexcept
{
    static constexpr std::array<std::string_view, 8> kNames{"leaf",    "sum",      "product", "quotient",
                                                            "largest", "smallest", "ceil",    "floor"};
    return kNames[static_cast<std::size_t>(operation)];
}

double ExplainedValue::evaluate() const
{
    if (operation == Operation::Leaf)
        return value;
    return combineParts(*this, [](const ExplainedValue& part) { return part.evaluate(); });
}

std::size_t ExplainedValue::size() const noexcept
{
    std::size_t out = 1;
    for (const ExplainedValue& part : parts)
        out += part.size();
    return out;
}

ExplainedValue leaf(std::string name, std::string unit, double value, std::string source, std::string rule)
{
    return {std::move(name), std::move(unit), value, Operation::Leaf, {}, std::move(rule), std::move(source)};
}

ExplainedValue combined(Operation operation, std::string name, std::string unit,
                        std::vector<ExplainedValue> parts, std::string rule)
{
    ExplainedValue out{std::move(name), std::move(unit), 0, operation, std::move(parts), std::move(rule), {}};
    out.value = combineParts(out, [](const ExplainedValue& part) { return part.value; });
    return out;
}

ExplainedValue difference(std::string name, std::string unit, ExplainedValue whole, ExplainedValue part,
                          std::string rule)
{
    std::string less = "less " + part.name;
    ExplainedValue taken =
        combined(Operation::Product, std::move(less), unit,
                 {leaf("sign of what is taken off", "", -1, "a difference"), std::move(part)});
    return combined(Operation::Sum, std::move(name), std::move(unit), {std::move(whole), std::move(taken)},
                    std::move(rule));
}

std::string valueText(const ExplainedValue& e)
{
    const bool inFull = e.value == std::floor(e.value) || std::abs(e.value) >= 1000;
    return inFull ? formatGrouped(e.value) : significantNumber(e.value, 4);
}

std::string originText(const ExplainedValue& e)
{
    static constexpr std::array<std::string_view, 8> kWords{"",
                                                            "sum of",
                                                            "product of",
                                                            "quotient of",
                                                            "largest of",
                                                            "smallest of",
                                                            "quotient, rounded up, of",
                                                            "quotient, rounded down, of"};
    std::string out = e.operation == Operation::Leaf
                          ? e.source
                          : std::string(kWords[static_cast<std::size_t>(e.operation)]);
    if (!e.rule.empty())
        out += (out.empty() ? "" : " ") + ("(" + e.rule + ")");
    return out;
}

std::string explanationText(const ExplainedValue& e, std::size_t indent)
{
    std::string out =
        std::string(indent, ' ') + e.name + ": " + valueText(e) + (e.unit.empty() ? "" : " " + e.unit);
    if (const std::string origin = originText(e); !origin.empty())
        out += ", " + origin;
    out += '\n';
    for (const ExplainedValue& part : e.parts)
        out += explanationText(part, indent + 2);
    return out;
}

} // namespace tilewright
