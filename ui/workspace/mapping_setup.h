// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of the Mapping lens: a layer, a machine and a mapping, under either cost model.
#pragma once

#include "hierarchy/evaluate.h"
#include "hierarchy/figures.h"
#include "hierarchy/setup.h"
#include "mapping/evaluate.h"
#include "mapping/files.h"
#include "mapping/search.h"

#include <optional>
#include <string>
#include <variant>

namespace tilewright::ui {

/// A mapping of a layer: a method for four levels (docs/rules/mapping.md), or a mapping for an architecture
/// with any number of levels (docs/rules/hierarchy.md).
using AnyMapping = std::variant<mapping::Method, hierarchy::Mapping>;

/// Layer, machine and mapping. The inherited architecture, method and factors belong to the cost model of
/// four levels.
struct MappingSetup : mapping::Setup
{
    /// If set, this architecture with levels is used instead of the inherited one, and `mapping` instead of
    /// the method.
    std::optional<hierarchy::Architecture> levels = std::nullopt;
    hierarchy::Mapping mapping = {};
    hierarchy::ConstraintTexts asked = {}; ///< constraints of the search on `levels`

    /// The method or mapping that is in use.
    [[nodiscard]] AnyMapping shown() const { return levels ? AnyMapping(mapping) : AnyMapping(method); }
    /// Sets the method or mapping that is in use. False if it belongs to the other cost model.
    bool show(const AnyMapping& next);
    /// Sets the mapping that has all loops in the outermost level, for another layer or machine.
    void showTrivial(const mapping::LoopNest& nest);
    /// Adapts the method or mapping to the sizes of another layer of the same kind.
    void refit(const mapping::LoopNest& nest);
    /// True if both setups have the same hardware.
    [[nodiscard]] bool onSameHardware(const MappingSetup& other) const
    {
        return levels ? levels == other.levels : !other.levels && architecture == other.architecture;
    }
    /// True if both setups have the same space of mappings.
    [[nodiscard]] bool sameSpace(const MappingSetup& other) const
    {
        return layer == other.layer && onSameHardware(other) &&
               (levels ? asked == other.asked : factors == other.factors);
    }
    [[nodiscard]] const std::string& hardwareName() const
    {
        return levels ? levels->name : architecture.name;
    }
    /// Name of the cost model as in the answers of `map`: "four levels" or "hierarchy".
    [[nodiscard]] std::string_view costModel() const;
    /// Removes the constraints, because they refer to the loops of one kind of layer and to one hardware.
    void clearConstraints()
    {
        factors.clear();
        asked = {};
    }
    /// The setup in the file format of the document.
    [[nodiscard]] std::string text() const;
    /// The method or mapping in its file format, which `map -o` also writes.
    [[nodiscard]] std::string mappingText(const mapping::LoopNest& nest) const;

    bool operator==(const MappingSetup&) const = default;
};

/// Reads a setup of either cost model.
[[nodiscard]] Result<MappingSetup> readMappingSetup(std::string_view text, const std::string& file);

/// The figures that both cost models provide.
struct MappingFigures
{
    bool hasNumbers = false; ///< false if the factors do not multiply to the trip counts
    std::string code;        ///< code of the violation: "CAPACITY"; empty if there is none
    std::string violation;   ///< sentence on the violation; empty if the mapping is valid
    double energy = 0;       ///< energy in pJ
    double cycles = 0;
    double edp = 0;

    [[nodiscard]] bool valid() const noexcept { return hasNumbers && violation.empty(); }
};
[[nodiscard]] MappingFigures figuresOf(const mapping::MappingCost& cost);
[[nodiscard]] MappingFigures figuresOf(const hierarchy::Cost& cost);

/// The cost of a setup under its cost model. The cost under the other one has no numbers.
struct MappingEvaluation
{
    mapping::MappingCost cost;
    hierarchy::Cost levels;
    MappingFigures figures;
};
[[nodiscard]] MappingEvaluation evaluated(const mapping::LoopNest& nest, const MappingSetup& setup);

} // namespace tilewright::ui
