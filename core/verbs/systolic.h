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

/// The options of `systolic`, as text, for one product or for every product of a workload.
struct SystolicCall
{
    std::string gemm;      ///< "MxNxK"
    WorkloadCall workload; ///< used instead of `gemm`, or names only the machine
    std::string layer;     ///< name of one product of the workload
    /// Empty: those of the machine or hierarchy, else 16x16 and os.
    std::optional<std::string> array, dataflow;
    std::optional<systolic::Hierarchy> hierarchy;
    std::string hierarchyFile; ///< file from which readFiles() reads the hierarchy
    std::string readout = "shadow";
    std::string tile; ///< "TixTjxTk", or "search"
    std::string pipeline, bandwidth, schedule;
    std::string bankLayout = "split";
    std::int64_t passes = 0, depth = 0;
    /// Programs with more commands are refused; 0: no limit.
    std::int64_t maxCommands = systolic::kMaxCommandsUnasked;
    double dramGbPerSecond = 0; ///< 0: the bandwidth of the hierarchy
    int weightBuffers = 2;
    std::uint64_t seed = 1;
    systolic::EdgeSupply supply;
    bool simulate = false, compare = false;

    [[nodiscard]] bool ofNetwork() const noexcept { return workload.isNamed() && layer.empty(); }
};
void bindOptions(OptionList& o, SystolicCall& call);
[[nodiscard]] Status readFiles(SystolicCall& call);
/// Text that names the options which choose one product, for messages about options that need one.
inline constexpr const char* kOneProduct = "--gemm or --layer";

/// One product on one array with its memories, made from the command line or from the settings of the window.
struct SystolicRequest
{
    systolic::Gemm gemm;
    systolic::TimingOptions timing;
    systolic::Hierarchy hierarchy; ///< its array is the one that the options select
    systolic::EdgeSupply supply;
    std::optional<systolic::TileShape> tile; ///< empty: arrayTile() of the dataflow
    systolic::BankLayout layout = systolic::BankLayout::Split;
    /// Depth of a COMPUTE. 0: the largest for which L1 holds the operands of `tile`, or kTileDepth without a
    /// tile.
    std::int64_t depth = 0;
    bool unlimitedBandwidth = false; ///< true: the memories of a program have unlimited bandwidth
    /// L2 schedule of the pipelined OS program; nullopt: the default of programs.
    std::optional<systolic::L2Schedule> schedule;
    std::int64_t passes = 0; ///< passes of schedule B; 0: passesOfB()
    Machine::Energy energy;  ///< energies of the machine, or the defaults
};
/// Converts the settings of the window. Their depth is used only if no tile is given, so that programs use
/// the tile of the array.
[[nodiscard]] SystolicRequest requestOf(const systolic::Settings& settings);

/// Return the options of the program for a dataflow, and the machine that runs the program.
[[nodiscard]] systolic::ProgramOptions programOptions(const SystolicRequest& request,
                                                      systolic::Dataflow dataflow);
[[nodiscard]] systolic::PipelineMachine pipelineMachine(const SystolicRequest& request);

/// Maximum number of steps for which bank conflicts are counted.
inline constexpr std::int64_t kMaxCountedSteps = std::int64_t{1} << 24;
/// The L2 schedules and the banks of L2, for OS (docs/rules/systolic.md 3).
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
    /// Lists the bank conflicts, the first `listed` ones in full; empty if there are more than
    /// kMaxCountedSteps steps.
    [[nodiscard]] Result<std::optional<systolic::BankConflicts>> conflicts(systolic::BankLayout layout,
                                                                           std::size_t listed) const;
};
[[nodiscard]] Result<L2Figures> l2Figures(const SystolicRequest& request);

/// Return the traffic, the roofline and the comparison of dataflows for the tile of the request.
[[nodiscard]] Result<systolic::Roofline> rooflineOf(const SystolicRequest& request);
/// The program of one dataflow. If the program cannot be built, `refusal` has the reason and all figures are
/// 0.
struct ProgramOfDataflow
{
    systolic::Dataflow dataflow = systolic::Dataflow::Os;
    std::string refusal;
    std::string schedule;
    std::int64_t cycles = 0, arrayBusy = 0, dramBytes = 0;
};
/// A table with a row for each program: cycles, cycles in which operands enter the array, DRAM bytes, and the
/// schedule or the reason why there is no program.
[[nodiscard]] Table programRows(const std::vector<ProgramOfDataflow>& programs);
/// Share by which the OS program needs fewer cycles than the WS program; nullopt if one of them is missing.
[[nodiscard]] std::optional<double> osFewerOf(const std::vector<ProgramOfDataflow>& programs);

/// The comparison of the dataflows, with the program of each of them.
struct DataflowFigures : systolic::DataflowComparison
{
    /// Cycles of the `pipelined` program of each dataflow at the rates of the hierarchy; nullopt if none
    /// fits.
    std::array<std::optional<std::int64_t>, 3> programCycles;
    /// true: all programs were run; false: the cycles are the lower bounds of leastProgram()
    bool ran = false;
    std::vector<ProgramOfDataflow> programs; ///< the programs that ran, at the rates of the hierarchy

    [[nodiscard]] bool ofPrograms() const noexcept { return programCycles[0] && programCycles[1]; }
    /// Share by which OS needs fewer cycles than WS. If both programs were run, it compares these; if one
    /// does not fit, array and DRAM cycles. nullopt if only lower bounds are known, which do not decide which
    /// is less.
    [[nodiscard]] std::optional<double> osFewer() const noexcept;
    /// Text of what osFewer() compares: "by their programs".
    [[nodiscard]] std::string_view comparedBy() const noexcept;
};
/// Maximum number of commands of the three programs that the comparison runs.
inline constexpr std::int64_t kMaxComparedCommands = 300'000;
[[nodiscard]] Result<DataflowFigures> dataflowsOf(const SystolicRequest& request);
[[nodiscard]] systolic::DramQuery dramQueryOf(const SystolicRequest& request);
[[nodiscard]] lower::ArrayEnergy energyOf(const SystolicRequest& request, const systolic::Roofline& roofline);

/// All results that the text output and the JSON document show.
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

/// Largest side of an array for which the phases are computed, since the time for it grows with the array.
inline constexpr std::int64_t kMaxPhasesSide = 1 << 16;

/// A program of a dataflow, and its run.
struct SystolicPipeline
{
    systolic::Program program;
    systolic::PipelineRun run;
    systolic::PipelineMachine machine;
};
/// Bytes that a program moves into L2: whole tiles, partial sums, and sums. For an OS program, this is the
/// traffic that docs/rules/systolic.md 3 counts for the schedule.
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
    /// True if the simulation was interrupted. Then the cycles are those of the closed form.
    bool interrupted = false;
};
/// Analyses one product with the options of the call.
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
    /// Share by which OS needs fewer cycles than WS, including DRAM: 1 - os / ws; 0 if WS needs none.
    [[nodiscard]] double osFewerThanWs() const;
};
[[nodiscard]] Result<NetworkAnswer> systolicNetwork(const SystolicCall& call);
/// Like systolicNetwork(), for a model that is already lowered for a machine, with the array, memories and
/// energies of the request.
[[nodiscard]] Result<NetworkAnswer> networkOf(const lower::ModelOnMachine& model,
                                              const SystolicRequest& request);
/// A table with a row for each product and one for the total: sizes, cycles, utilisation, bytes, the limiting
/// resource, energy, and the cycles of each dataflow (docs/rules/workload.md 4.2). Bytes and cycles in a row
/// are those of one product.
[[nodiscard]] Table networkRows(const NetworkAnswer& answer);
/// Columns of networkRows() that the window shows first.
enum NetworkColumn {
    NetworkLayer = 0,
    NetworkUtilization = 6,
    NetworkBinding = 18,
    NetworkOs = 20,
    NetworkWs,
    NetworkIs
};
[[nodiscard]] std::string systolicJson(const NetworkAnswer& answer);

/// Converts a JSON document to lines "field,value". The parts of the path of a field are joined by dots.
[[nodiscard]] std::string flatCsv(const std::string& document);
/// Converts a JSON list of objects to a table with a row per object. The keys of the first object are the
/// columns.
[[nodiscard]] std::string tableCsv(const std::string& document);

} // namespace tilewright::verbs
