// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "timeloop/timeloop.h"
#include "timeloop/yaml.h"

#include <yaml-cpp/yaml.h>

namespace tilewright::timeloop {

using namespace mapping;

namespace {

std::string text(std::string_view v)
{
    return std::string(v);
}

/// Writes one rank of a data space, a sum of products: [[P, Hstride], [R, Hdilation]].
void writeRank(YAML::Emitter& out, const LoopNest& nest, const Dimension& d)
{
    const auto term = [&](int loop, const char* coefficient) {
        out << YAML::Flow << YAML::BeginSeq << text(dimensionOf(nest, loop));
        if (coefficient)
            out << coefficient;
        out << YAML::EndSeq;
    };
    constexpr int kRow = 3; // index of the loop over output rows among N M C Ox Oy Fx Fy
    const bool window = d.filterLoop >= 0;
    out << YAML::Flow << YAML::BeginSeq;
    term(d.loop, !window ? nullptr : d.loop == kRow ? "Hstride" : "Wstride");
    if (window)
        term(d.filterLoop, d.loop == kRow ? "Hdilation" : "Wdilation");
    out << YAML::EndSeq;
}

} // namespace

std::string problemText(const Layer& layer, const LoopNest& nest)
{
    const bool product = nest.kind == LayerKind::Gemm;
    YAML::Emitter out;
    out << YAML::BeginMap << YAML::Key << "problem" << YAML::Value << YAML::BeginMap;
    out << YAML::Key << "shape" << YAML::Value << YAML::BeginMap;
    out << YAML::Key << "name" << YAML::Value << text(kindName(nest.kind));
    out << YAML::Key << "dimensions" << YAML::Value << YAML::Flow << YAML::BeginSeq;
    for (int l = 0; l < nest.loopCount; ++l)
        out << text(dimensionOf(nest, l));
    out << YAML::EndSeq;
    if (!product) {
        out << YAML::Key << "coefficients" << YAML::Value << YAML::BeginSeq;
        for (const char* name : {"Hstride", "Wstride", "Hdilation", "Wdilation"})
            out << YAML::Flow << YAML::BeginMap << YAML::Key << "name" << YAML::Value << name << YAML::Key
                << "default" << YAML::Value << 1 << YAML::EndMap;
        out << YAML::EndSeq;
    }
    out << YAML::Key << "data-spaces" << YAML::Value << YAML::BeginSeq;
    for (int op = 0; op < kOperands; ++op) {
        const Operand& operand = nest.operands[static_cast<std::size_t>(op)];
        out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << text(dataSpaceOf(nest, op));
        out << YAML::Key << "projection" << YAML::Value << YAML::Flow << YAML::BeginSeq;
        for (int i = 0; i < operand.dimensionCount; ++i)
            writeRank(out, nest, operand.dimensions[static_cast<std::size_t>(i)]);
        out << YAML::EndSeq;
        if (op == 0 && !product) { // the size of the padded input, which Timeloop ignores
            out << YAML::Key << "stored" << YAML::Value << YAML::Flow << YAML::BeginSeq;
            for (int i = 0; i < operand.dimensionCount; ++i)
                out << operand.dimensions[static_cast<std::size_t>(i)].stored;
            out << YAML::EndSeq;
        }
        if (op == kWritten)
            out << YAML::Key << "read-write" << YAML::Value << true;
        out << YAML::EndMap;
    }
    out << YAML::EndSeq << YAML::EndMap;
    out << YAML::Key << "instance" << YAML::Value << YAML::BeginMap;
    for (int l = 0; l < nest.loopCount; ++l)
        out << YAML::Key << text(dimensionOf(nest, l)) << YAML::Value
            << nest.trips[static_cast<std::size_t>(l)];
    if (!product)
        out << YAML::Key << "Hstride" << YAML::Value << layer.stride[0] << YAML::Key << "Wstride"
            << YAML::Value << layer.stride[1] << YAML::Key << "Hdilation" << YAML::Value << layer.dilation[0]
            << YAML::Key << "Wdilation" << YAML::Value << layer.dilation[1]
            << YAML::Comment("one group of the layer");
    out << YAML::EndMap << YAML::EndMap << YAML::EndMap;
    return text(out.c_str()) + "\n";
}

namespace {

/// A component of the architecture. Attributes unknown to Timeloop belong to this program
/// (docs/rules/mapping.md 11).
class Component
{
public:
    Component(YAML::Emitter& out, const std::string& name, const char* kind) : m_out(out)
    {
        m_out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << name << YAML::Key << "class"
              << YAML::Value << kind << YAML::Key << "attributes" << YAML::Value << YAML::BeginMap;
    }
    template <typename T> Component& with(const char* key, const T& value)
    {
        m_out << YAML::Key << key << YAML::Value << formatNumber(value);
        return *this;
    }
    void end() { m_out << YAML::EndMap << YAML::EndMap; }

private:
    YAML::Emitter& m_out;
};

std::string architectureText(const LoopNest& nest, const Architecture& a)
{
    const std::int64_t bits = a.elementBytes * 8;
    YAML::Emitter out;

    const auto level = [&](const char* name) {
        out << YAML::BeginMap << YAML::Key << "name" << YAML::Value << name << YAML::Key << "local"
            << YAML::Value << YAML::BeginSeq;
    };
    const auto below = [&] {
        out << YAML::EndSeq << YAML::Key << "subtree" << YAML::Value << YAML::BeginSeq;
    };
    out << YAML::BeginMap << YAML::Key << "architecture" << YAML::Value << YAML::BeginMap << YAML::Key
        << "version" << YAML::Value << "0.3" << YAML::Key << "subtree" << YAML::Value << YAML::BeginSeq;
    level("system");
    Component(out, "DRAM", "DRAM")
        .with("word-bits", bits)
        .with("width", bits)
        .with("dma_init_cycles", a.dmaInitCycles)
        .with("dma_cycles_per_byte", a.dmaCyclesPerByte)
        .with("dma_mhz", a.dmaMhz)
        .with("array_mhz", a.arrayMhz)
        .end();
    below();
    level("chip");
    Component(out, "SPM", "SRAM")
        .with("word-bits", bits)
        .with("width", bits)
        .with("depth", a.spmElements())
        .with("n_banks", a.spmBanks)
        .with("bank_bytes", a.spmBankBytes)
        .end();
    below();
    level(("PE[0.." + std::to_string(a.pes - 1) + "]").c_str());
    Component(out, "RF", "regfile")
        .with("word-bits", bits)
        .with("width", bits)
        .with("depth", a.rfElements())
        .with("network_energy", a.energyPj.noc)
        .end();
    Component(out, "MACC", "intmac").with("datawidth", bits).end();
    for (int i = 0; i < 3; ++i)
        out << YAML::EndSeq << YAML::EndMap;
    // Closes the map that was opened for `architecture`.
    out << YAML::EndMap;
    (void)nest;
    return text(out.c_str()) + "\n";
}

std::string energiesText(const Architecture& a)
{
    const EnergyTable& pj = a.energyPj;
    const std::string pe = "system.chip.PE[0.." + std::to_string(a.pes - 1) + "].";
    return energyTablesText(
        {{"system.DRAM",
          {{"read", pj.dram}, {"write", pj.writeDram()}, {"update", pj.writeDram()}, {"leak", 0}}},
         {"system.chip.SPM",
          {{"read", pj.spm}, {"write", pj.writeSpm()}, {"update", pj.writeSpm()}, {"leak", 0}}},
         {pe + "RF", {{"read", pj.rf}, {"write", pj.writeRf()}, {"update", pj.writeRf()}, {"leak", 0}}},
         {pe + "MACC", {{"compute", pj.mac}, {"leak", pj.leakage / static_cast<double>(a.pes)}}}});
}

/// Text of the factors of one level. A residue (the size of the last tile) is written if it differs from the
/// factor.
std::string factorsText(const LoopNest& nest, const Factors& factors, const Factors& residues)
{
    std::string out;
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
        out += l == 0 ? "" : " ";
        out += factorText(nest, static_cast<int>(l), factors[l], residues[l]);
    }
    return out;
}

/// Text of a loop order, innermost first, as Timeloop expects it.
std::string permutationText(const LoopNest& nest, const LoopOrder& order)
{
    std::string out;
    for (int i = nest.loopCount - 1; i >= 0; --i)
        out += dimensionOf(nest, order[static_cast<std::size_t>(i)]);
    return out;
}

std::string mappingText(const LoopNest& nest, const Architecture& a, const Method& method)
{
    // Computes the residues: trip - 1 is written as a mixed-radix number in the factors, innermost digit
    // first. A residue is its digit plus 1.
    std::array<Factors, kLevels> residues = method.tiling;
    for (std::size_t l = 0; l < static_cast<std::size_t>(nest.loopCount); ++l) {
        std::int64_t rest = nest.trips[l] - 1;
        for (const Level level : {Level::Rf, Level::Spatial, Level::Spm, Level::Dram}) {
            const std::int64_t factor = method.at(level)[l];
            residues[static_cast<std::size_t>(level)][l] = rest % factor + 1;
            rest /= factor;
        }
    }
    YAML::Emitter out;
    out << YAML::BeginMap << YAML::Key << "mapping" << YAML::Value << YAML::BeginSeq;
    const LoopOrder natural{0, 1, 2, 3, 4, 5, 6};
    const auto directive = [&](const char* target, const char* type, Level level, const LoopOrder& order) {
        const auto i = static_cast<std::size_t>(level);
        out << YAML::BeginMap << YAML::Key << "target" << YAML::Value << target << YAML::Key << "type"
            << YAML::Value << type << YAML::Key << "factors" << YAML::Value
            << factorsText(nest, method.tiling[i], residues[i]) << YAML::Key << "permutation" << YAML::Value
            << permutationText(nest, order);
        if (level == Level::Spatial)
            out << YAML::Key << "split" << YAML::Value << nest.loopCount;
        out << YAML::EndMap;
    };
    directive("DRAM", "temporal", Level::Dram, method.dramOrder);
    directive("SPM", "temporal", Level::Spm, method.spmOrder);
    directive("SPM", "spatial", Level::Spatial, natural);
    directive("RF", "temporal", Level::Rf, natural);
    if (a.options.bypasses()) {
        out << YAML::BeginMap << YAML::Key << "target" << YAML::Value << "SPM" << YAML::Key << "type"
            << YAML::Value << "bypass";
        for (const bool skips : {false, true}) {
            out << YAML::Key << (skips ? "bypass" : "keep") << YAML::Value << YAML::Flow << YAML::BeginSeq;
            for (int op = 0; op < kOperands; ++op)
                if (a.options.bypassSpm[static_cast<std::size_t>(op)] == skips)
                    out << text(dataSpaceOf(nest, op));
            out << YAML::EndSeq;
        }
        out << YAML::EndMap;
    }
    out << YAML::EndSeq << YAML::EndMap;
    return text(out.c_str()) + "\n";
}

} // namespace

Files writeFiles(const Layer& layer, const LoopNest& nest, const Architecture& architecture,
                 const Method& method)
{
    return {problemText(layer, nest), architectureText(nest, architecture), energiesText(architecture),
            mappingText(nest, architecture, method)};
}

} // namespace tilewright::timeloop
