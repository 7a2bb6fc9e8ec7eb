// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/array_energy.h"
#include "systolic/pipeline.h"
#include "systolic/roofline.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace tilewright::cli {

/// What `systolic --gemm` was asked.
struct SystolicRequest
{
    systolic::Gemm gemm;
    systolic::TimingOptions timing;
    systolic::Hierarchy hierarchy; ///< with the array that counts
    systolic::EdgeSupply supply;
    std::optional<systolic::TileShape> tile; ///< none: arrayTile() of the dataflow
    systolic::BankLayout layout = systolic::BankLayout::Split;
    Machine::Energy energy; ///< the machine's table, or the default one
};

/// Every figure that the text and the JSON document give, computed once for both.
struct SystolicFigures
{
    systolic::ArrayTiming timing;
    std::int64_t cycles = 0; ///< with the stalls of the edge FIFOs, or of the program
    std::int64_t stalled = 0;
    std::optional<systolic::ArrayPhases> phases; ///< none for an array too large to sweep
    systolic::EdgeSizes edges;
    std::int64_t l2Bytes = 0; ///< docs/rules/systolic.md 3.4
    systolic::DramQuery dramQuery;
    systolic::DramTraffic dram;
    systolic::TileShape l2Tile; ///< of the schedules and of the banks, output-stationary
    std::vector<systolic::L2Plan> plans;
    std::optional<systolic::BankConflicts> conflicts; ///< none: too many steps to count
    systolic::Roofline roofline;
    systolic::DataflowComparison dataflows;
    lower::ArrayEnergy energy;

    [[nodiscard]] double utilization(const SystolicRequest& request) const;
};

/// The sweep for fill and drain grows with the array.
inline constexpr std::int64_t kMaxPhasesSide = 1 << 16;

[[nodiscard]] Result<SystolicFigures> systolicFigures(const SystolicRequest& request);
[[nodiscard]] nlohmann::ordered_json systolicJson(const SystolicRequest& request, const SystolicFigures& f);
/// The lines up to the DRAM traffic; `note` follows the cycles.
void printSystolicFigures(const SystolicRequest& request, const SystolicFigures& f, const std::string& note);
/// The L2 schedules, the roofs and the comparison of dataflows.
void printSystolicContext(const SystolicRequest& request, const SystolicFigures& f);

/// A program and its run.
struct SystolicPipeline
{
    systolic::Program program;
    systolic::PipelineRun run;
};
/// Bytes of a program's DMA.
[[nodiscard]] std::int64_t dramBytesOf(const systolic::Program& program);
void addPipelineJson(nlohmann::ordered_json& out, const SystolicPipeline& pipeline);
void printPipeline(const SystolicPipeline& pipeline);

/// The program of each dataflow on the same machine; nothing for one that cannot be built, and why.
struct ProgramOfDataflow
{
    systolic::Dataflow dataflow = systolic::Dataflow::Os;
    std::string refusal;
    std::string schedule;
    std::int64_t cycles = 0, arrayBusy = 0, dramBytes = 0;
};
void addProgramsJson(nlohmann::ordered_json& out, const std::vector<ProgramOfDataflow>& programs);
void printPrograms(const std::vector<ProgramOfDataflow>& programs);

/// A JSON document as lines "field,value"; the parts of a field's path are joined by dots.
[[nodiscard]] std::string flatCsv(const nlohmann::ordered_json& document);

} // namespace tilewright::cli
