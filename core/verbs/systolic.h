// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/progress.h"
#include "base/table.h"
#include "lower/network_table.h"
#include "systolic/pe_simulator.h"
#include "systolic/pipeline.h"
#include "systolic/settings.h"
#include "verbs/workload.h"

#include <array>
#include <vector>

namespace tilewright::verbs {

/// The options of `systolic`, for one product or for every product of a workload, in their textual form.
struct SystolicCall
{
    std::string gemm;      ///< "MxNxK"
    WorkloadCall workload; ///< used instead of `gemm`; or names only the machine
    std::string layer;     ///< one product of the workload
    /// empty: those of the machine or hierarchy, else 16x16 and os
    std::optional<std::string> array, dataflow;
    std::optional<systolic::Hierarchy> hierarchy;
    std::string hierarchyFile; ///< file from which readFiles() reads the hierarchy
    std::string readout = "shadow";
    std::string tile; ///< "TixTjxTk", or "search"
    std::string pipeline, bandwidth, schedule;
    std::string bankLayout = "split";
    std::int64_t passes = 0, depth = 0;
    std::int64_t maxCommands = systolic::kMaxCommandsUnasked; ///< longer programs are refused; 0: none is
    double dramGbPerSecond = 0;                               ///< 0: the bandwidth of the hierarchy
    int weightBuffers = 2;
    std::uint64_t seed = 1;
    systolic::EdgeSupply supply;
    bool simulate = false, compare = false;

    [[nodiscard]] bool ofNetwork() const noexcept { return workload.isNamed() && layer.empty(); }
};
void bindOptions(OptionList& o, SystolicCall& call);
[[nodiscard]] Status readFiles(SystolicCall& call);
/// Names the options that choose one product, for messages about options that need one.
inline constexpr const char* kOneProduct = "--gemm or --layer";

/// One product on one array with its memories, from the command line or from the settings of the window. The
/// functions below serve both.
struct SystolicRequest
{
    systolic::Gemm gemm;
    systolic::TimingOptions timing;
    systolic::Hierarchy hierarchy; ///< its array is the one that the options select
    systolic::EdgeSupply supply;
    std::optional<systolic::TileShape> tile; ///< empty: arrayTile() of the dataflow
    systolic::BankLayout layout = systolic::BankLayout::Split;
    /// depth of a COMPUTE; 0: the largest for which L1 holds the operands of `tile`, or kTileDepth without a
    /// tile
    std::int64_t depth = 0;
    bool unlimitedBandwidth = false; ///< true: the memories of a program have unlimited bandwidth
    /// L2 schedule of the pipelined os program; nullopt: the one that it prefers
    std::optional<systolic::L2Schedule> schedule;
    std::int64_t passes = 0; ///< passes of schedule B; 0: passesOfB()
    Machine::Energy energy;  ///< the machine's table, or the default one
};
/// Converts the settings of the window. Their depth applies only if the programs move the tile of the array.
[[nodiscard]] SystolicRequest requestOf(const systolic::Settings& settings);

/// Return the options of the program of a dataflow, and the machine that runs it.
[[nodiscard]] systolic::ProgramOptions programOptions(const SystolicRequest& request,
                                                      systolic::Dataflow dataflow);
[[nodiscard]] systolic::PipelineMachine pipelineMachine(const SystolicRequest& request);

/// Maximum number of steps for which bank conflicts are counted.
inline constexpr std::int64_t kMaxCountedSteps = std::int64_t{1} << 24;
/// The schedules of L2 and its banks, output-stationary (docs/rules/systolic.md 3).
struct L2Figures
{
    systolic::TileShape tile;
    std::int64_t nM = 0, nN = 0, nK = 0; ///< numbers of tiles along M, N and K
    std::int64_t banks = 2;
    std::vector<systolic::L2Plan> plans;

    [[nodiscard]] systolic::BankMap bankMap(systolic::BankLayout layout) const
    {
        return {layout, banks, nN, nK};
    }
    /// Bank conflicts, with a list of the first `listed` ones; empty for more than kMaxCountedSteps steps.
    [[nodiscard]] Result<std::optional<systolic::BankConflicts>> conflicts(systolic::BankLayout layout,
                                                                           std::size_t listed) const;
};
[[nodiscard]] Result<L2Figures> l2Figures(const SystolicRequest& request);

/// Return the traffic, the roofline and the comparison of dataflows for the tile of the request.
[[nodiscard]] Result<systolic::Roofline> rooflineOf(const SystolicRequest& request);
/// The program of one dataflow. If it cannot be built, `refusal` has the reason and the figures are 0.
struct ProgramOfDataflow
{
    systolic::Dataflow dataflow = systolic::Dataflow::Os;
    std::string refusal;
    std::string schedule;
    std::int64_t cycles = 0, arrayBusy = 0, dramBytes = 0;
};
/// A row for each program: cycles, cycles in which the array is fed, DRAM bytes, and its schedule or why
/// there is no program.
[[nodiscard]] Table programRows(const std::vector<ProgramOfDataflow>& programs);
/// Share by which the program of os needs fewer cycles than that of ws; nullopt if one of them is missing.
[[nodiscard]] std::optional<double> osFewerOf(const std::vector<ProgramOfDataflow>& programs);

/// The comparison of dataflows, with the program of each one.
struct DataflowFigures : systolic::DataflowComparison
{
    /// cycles of the `pipelined` program at the rates of the hierarchy; nullopt if none fits
    std::array<std::optional<std::int64_t>, 3> programCycles;
    /// true: all programs ran; false: their cycles are the least that leastProgram() allows
    bool ran = false;
    std::vector<ProgramOfDataflow> programs; ///< the programs that ran, at the rates of the hierarchy

    [[nodiscard]] bool ofPrograms() const noexcept { return programCycles[0] && programCycles[1]; }
    /// Share by which os needs fewer cycles than ws: of the programs if both ran, of array and DRAM if one
    /// does not fit. nullopt if there are only lower bounds of programs, which do not tell which is less.
    [[nodiscard]] std::optional<double> osFewer() const noexcept;
    /// Says what osFewer() compares: "by their programs".
    [[nodiscard]] std::string_view comparedBy() const noexcept;
};
/// Maximum number of commands of the three programs that the comparison runs.
inline constexpr std::int64_t kMaxComparedCommands = 300'000;
[[nodiscard]] Result<DataflowFigures> dataflowsOf(const SystolicRequest& request);
[[nodiscard]] systolic::DramQuery dramQueryOf(const SystolicRequest& request);
[[nodiscard]] lower::ArrayEnergy energyOf(const SystolicRequest& request, const systolic::Roofline& roofline);

/// All results in the text output and in the JSON document.
struct SystolicFigures
{
    systolic::ArrayTiming timing;
    lower::ArrayPadding padding;
    std::int64_t cycles = 0; ///< cycles with the stalls of the edge FIFOs, or cycles of the program
    std::int64_t stalled = 0;
    std::optional<systolic::ArrayPhases> phases; ///< empty for an array that is too large to compute them
    systolic::EdgeSizes edges;
    std::int64_t l2Bytes = 0; ///< L2 traffic in bytes (docs/rules/systolic.md 3.4)
    systolic::DramQuery dramQuery;
    systolic::DramTraffic dram;
    L2Figures l2;
    std::optional<systolic::BankConflicts> conflicts; ///< empty if there are too many steps to count
    systolic::Roofline roofline;
    DataflowFigures dataflows;
    lower::ArrayEnergy energy;

    [[nodiscard]] double utilization(const SystolicRequest& request) const;
};

/// Largest side of an array for which the phases are computed; their computation grows with the array.
inline constexpr std::int64_t kMaxPhasesSide = 1 << 16;

/// A program and its run.
struct SystolicPipeline
{
    systolic::Program program;
    systolic::PipelineRun run;
    systolic::PipelineMachine machine;
};
/// Bytes of whole tiles and partial sums into L2, and of sums into L2: the traffic that
/// docs/rules/systolic.md 3 counts for the schedule of an os program.
[[nodiscard]] std::int64_t l2BytesOf(const systolic::Program& program);
/// Bytes that the DMA of a program moves.
[[nodiscard]] std::int64_t dramBytesOf(const systolic::Program& program);
/// Bytes that the commands of one kind move in a program.
[[nodiscard]] std::int64_t movedBy(const systolic::Program& program, systolic::CommandKind kind);

struct SystolicAnswer
{
    SystolicRequest request;
    SystolicFigures figures;
    std::optional<SystolicPipeline> pipeline;
    std::vector<ProgramOfDataflow> programs; ///< programs of all dataflows; empty without `compare`
    /// true if the simulation was interrupted; the cycles are then those of the closed form
    bool interrupted = false;
};
/// Analyses one product.
[[nodiscard]] Result<SystolicAnswer> systolicProduct(const SystolicCall& call, const Progress& progress = {});
/// The documents of `systolic --json` (docs/design.md 3.2).
[[nodiscard]] std::string systolicJson(const SystolicAnswer& answer);

/// The products of a workload, and their totals for each dataflow.
struct NetworkAnswer
{
    std::string name;
    SystolicRequest request; ///< `gemm` is not used
    lower::NetworkTable table;
    std::array<lower::NetworkTable, 3> dataflows; ///< the table of each systolic::Dataflow
    std::vector<std::string> notes; ///< what the lens leaves out of the model and of the machine
    /// Share by which os needs fewer cycles than ws, DRAM included: 1 - os / ws; 0 if ws needs none.
    [[nodiscard]] double osFewerThanWs() const;
};
[[nodiscard]] Result<NetworkAnswer> systolicNetwork(const SystolicCall& call);
/// Same as systolicNetwork() for a model that is already on a machine, with the array, memories and energies
/// of the request.
[[nodiscard]] Result<NetworkAnswer> networkOf(const lower::ModelOnMachine& model,
                                              const SystolicRequest& request);
/// A row for each product and one for the total: sizes, cycles, utilisation, bytes, what binds, energy, and
/// the cycles of each dataflow (docs/rules/workload.md 4.2). Bytes and cycles of a row are those of one
/// product.
[[nodiscard]] Table networkRows(const NetworkAnswer& answer);
/// Columns of networkRows() that the window puts first.
enum NetworkColumn {
    NetworkLayer = 0,
    NetworkUtilization = 6,
    NetworkBinding = 18,
    NetworkOs = 20,
    NetworkWs,
    NetworkIs
};
[[nodiscard]] std::string systolicJson(const NetworkAnswer& answer);

/// A JSON document as lines "field,value"; the parts of a field's path are joined by dots.
[[nodiscard]] std::string flatCsv(const std::string& document);
/// A JSON list of objects as a table with a row for each object. The keys of the first object are the
/// columns.
[[nodiscard]] std::string tableCsv(const std::string& document);

} // namespace tilewright::verbs
