// SPDX-License-Identifier: GPL-3.0-or-later
// Factors of the directives of a mapping, with four levels and with levels of an architecture.
#include "base/integer.h"
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

namespace tilewright::timeloop {

namespace {

Error messageOnly(std::string message)
{
    return {ErrorCode::Refused, std::move(message), {}, {}};
}

} // namespace

Result<DirectiveFactors> readDirectiveFactors(const mapping::LoopNest& nest, const YAML::Node& node,
                                              bool imperfect)
{
    const auto written = splitFactors(node);
    if (!written)
        return written.error();
    DirectiveFactors out;
    unsigned seen = 0;
    for (const FactorText& f : *written) {
        const int loop = loopNamed(nest, f.name);
        if (loop < 0)
            return messageOnly("this layer has no dimension \"" + f.name + "\"");
        if ((seen >> loop & 1u) != 0)
            return messageOnly("dimension " + f.name + " is named twice");
        seen |= 1u << loop;
        if (f.sign != "=")
            return messageOnly("expected a whole number after " + f.name);
        const auto l = static_cast<std::size_t>(loop);
        out.factors[l] = f.value == 0 ? nest.trips[l] : f.value;
        if (!f.residue)
            continue;
        if (*f.residue < 1 || *f.residue > out.factors[l])
            return messageOnly("the residue of " + f.name + " must be from 1 to its factor");
        if (!imperfect)
            return messageOnly("dimension " + f.name +
                               " has a residue: the last tile is smaller only with imperfect factors "
                               "(--imperfect)");
        out.residues[l] = *f.residue;
    }
    return out;
}

Status checkResidues(const mapping::LoopNest& nest, int loop, const std::vector<ResiduedFactor>& factors)
{
    const std::int64_t trips = nest.trips[static_cast<std::size_t>(loop)];
    std::int64_t value = 0;
    bool any = false;
    for (const ResiduedFactor& f : factors) {
        any = any || f.residue > 0;
        value = saturatingAdd(saturatingMul(value, f.factor), (f.residue > 0 ? f.residue : f.factor) - 1);
    }
    if (!any || value == trips - 1)
        return Unit{};
    return messageOnly("dimension " + std::string(dimensionOf(nest, loop)) + ": factors and residues make " +
                       std::to_string(value + 1) + ", the layer has " + std::to_string(trips));
}

std::string factorText(const mapping::LoopNest& nest, int loop, std::int64_t factor, std::int64_t residue)
{
    std::string out(dimensionOf(nest, loop));
    out.append("=").append(std::to_string(factor));
    if (residue != factor)
        out.append(",").append(std::to_string(residue));
    return out;
}

} // namespace tilewright::timeloop
