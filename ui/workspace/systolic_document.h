// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/systolic.h"
#include "verbs/tile.h"
#include "workspace/latest_job.h"
#include "workspace/lens_document.h"

#include <array>
#include <memory>
#include <optional>

namespace tilewright::ui {

using SystolicSettings = systolic::Settings;

/// Commands of a unit of a resource, in order of time and without overlap.
struct PipelineLane
{
    struct Bar
    {
        std::int64_t start = 0;
        std::int64_t end = 0;
        /// Index of the command; for a run in parts, the Matrix of the work in a bucket of the overview.
        std::uint32_t command = 0;
    };
    systolic::Resource resource = systolic::Resource::Dma;
    std::int32_t unit = 0;
    std::vector<Bar> bars;
};
[[nodiscard]] std::vector<PipelineLane> pipelineLanes(const systolic::Program& program,
                                                      const systolic::PipelineRun& run,
                                                      const systolic::PipelineMachine& machine);

/// The program with barriers and the pipelined program with their runs; one of them may be missing. `error`:
/// reason why there is none.
struct PipelineResult
{
    SystolicSettings of;
    systolic::PipelineMachine machine;
    std::optional<systolic::PipelineComparison> comparison;
    /// Lanes of the run with barriers and of the pipelined run.
    std::array<std::vector<PipelineLane>, 2> lanes;
    std::vector<std::uint32_t> computes; ///< indices of the COMPUTE commands of the pipelined program
    /// If the programs were not run: an upper limit of their number of commands. It is above
    /// systolic::kMaxCommandsUnasked and the user has not requested the run. 0: they were run.
    std::int64_t waiting = 0;
    QString error;
};

/// Tile search: costs of all tiles (the landscape), the choices of the three methods, and the tile in use.
struct TileResult
{
    SystolicSettings of;
    systolic::TileLandscape landscape;
    std::array<std::optional<systolic::TileChoice>, 3> picks; ///< choice of each method, by TileMethod
    std::array<double, 3> microseconds{};                     ///< run time of each method, in microseconds
    std::optional<verbs::TileAnswer> current;
    QString error;
};

/// Analysis of the memories for a GEMM: L2 schedules, banks, roofline, dataflows, DRAM traffic, corrections.
struct LevelsResult
{
    SystolicSettings of;
    verbs::L2Figures l2;
    /// Bank conflicts in the layouts `seed` and `split`.
    std::array<std::optional<systolic::BankConflicts>, 2> conflicts;
    std::optional<verbs::TileAnswer> tile; ///< the tile to which the following fields refer
    std::optional<systolic::Roofline> roofline;
    std::optional<verbs::DataflowFigures> dataflows;
    /// DRAM traffic of each order of tiles; with Belady replacement only if it is small enough to simulate
    std::vector<verbs::DramOfOrder> orders;
    std::vector<systolic::Correction> corrections;
    QString error;
};

/// Simulation of the array at the level of registers, for playback, if the run is small enough.
struct Simulation
{
    SystolicSettings of;
    std::optional<systolic::PeSimulator> simulator;
    std::optional<systolic::EdgeClock> clock; ///< present if the bandwidth of the edge FIFOs is limited
    QString note;                             ///< reason why the simulator or the edge clock is missing
};

/// Maximum number of PE-cycles for the simulation at the level of registers (a few seconds in the
/// background).
inline constexpr std::int64_t kSimulatedPeCycles = 200'000'000;

/// Document of the Systolic lens, shared by its views: settings, cursors and results. Results are computed in
/// the background, and only if a visible view needs them.
class SystolicDocument : public LensDocument
{
    Q_OBJECT
public:
    SystolicDocument();
    ~SystolicDocument() override;

    /// Opens a settings file; or a memory hierarchy, which replaces the current one as an edit.
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;

    [[nodiscard]] const SystolicSettings& settings() const { return m_settings; }
    /// Applies the settings as one undo step. If they are invalid, sets error(), keeps the old settings and
    /// returns false.
    bool set(const SystolicSettings& settings);
    [[nodiscard]] const QString& error() const { return m_error; }
    void setGemm(const systolic::Gemm& gemm, const QString& origin);
    /// Energies of a multiply-accumulate and of moving an element: those of the machine, or else of the
    /// default table.
    [[nodiscard]] const Machine::Energy& energyTable() const { return m_energyTable; }
    void setEnergyTable(const Machine::Energy& table);
    /// The array, memories and energies for the table of all products of a model.
    [[nodiscard]] verbs::SystolicRequest networkRequest() const
    {
        verbs::SystolicRequest out;
        out.timing = m_settings.timing;
        out.hierarchy = m_settings.hierarchy;
        out.energy = m_energyTable;
        return out;
    }
    /// Sets the settings that belong to the current selection in the Schedule lens, without an undo step.
    void follow(const SystolicSettings& settings);
    /// Chooses the tile of the programs: `tile`, or the result of the search with `method`.
    void chooseTile(std::optional<systolic::TileShape> tile, std::optional<systolic::TileMethod> method = {});

    [[nodiscard]] const systolic::FoldPlan& plan() const { return m_plan; }
    [[nodiscard]] const systolic::ArrayTiming& timing() const { return m_timing; }
    /// The phases fill, steady and drain; nothing if the array has more than verbs::kMaxPhasesSide rows or
    /// columns.
    [[nodiscard]] const std::optional<systolic::ArrayPhases>& phases() const { return m_phases; }

    // -- cursors: the cycle of the array and the time of the pipeline, linked by the COMPUTE commands
    [[nodiscard]] std::int64_t cycles() const;
    [[nodiscard]] std::int64_t cycle() const { return m_cycle; }
    void setCycle(std::int64_t cycle);
    [[nodiscard]] std::int64_t pipelineTime() const { return m_pipelineTime; }
    void setPipelineTime(std::int64_t time);

    // -- results: null until they were requested and computed; may belong to older settings (compare `of`)
    [[nodiscard]] const std::shared_ptr<const PipelineResult>& pipeline() const { return m_pipeline; }
    [[nodiscard]] const std::shared_ptr<const TileResult>& tiles() const { return m_tiles; }
    [[nodiscard]] const std::shared_ptr<const LevelsResult>& levels() const { return m_levels; }
    /// The simulation for the current settings; null if there is none.
    [[nodiscard]] Simulation* simulation() const;
    /// The programs for the current settings; null if there are none.
    [[nodiscard]] const systolic::PipelineComparison* comparison() const;
    /// The earlier programs with which the current ones are compared; null if there are none.
    [[nodiscard]] const std::shared_ptr<const PipelineResult>& pinned() const { return m_pinned; }
    /// true: keeps the programs of the current settings as pinned(). false: removes the pinned programs.
    void setPinned(bool pinned);
    void needPipeline();
    /// Runs the programs of the current settings, however long they are.
    void runPipeline();
    void needTiles();
    void needLevels();
    void needSimulation();
    void waitIdle(); ///< waits for all background work; for exports and tests

Q_SIGNALS:
    void changed();      ///< emitted when settings() has changed
    void errorChanged(); ///< emitted when error() has changed
    void cycleChanged();
    void pipelineChanged(); ///< emitted when pipeline() or pinned() has changed
    void tilesChanged();
    void levelsChanged();
    void simulationChanged();

private:
    void assign(const SystolicSettings& settings);
    void refreshTiming();
    [[nodiscard]] bool cursorsLinked() const;

    SystolicSettings m_settings;
    Machine::Energy m_energyTable;
    QString m_error;
    systolic::FoldPlan m_plan;
    systolic::ArrayTiming m_timing;
    std::optional<systolic::ArrayPhases> m_phases;
    std::int64_t m_cycle = 0;
    std::int64_t m_pipelineTime = 0;

    std::shared_ptr<const PipelineResult> m_pipeline, m_pinned;
    std::shared_ptr<const TileResult> m_tiles;
    std::shared_ptr<const LevelsResult> m_levels;
    std::shared_ptr<Simulation> m_simulation;
    std::optional<SystolicSettings> m_askedPipeline, m_askedTiles, m_askedLevels, m_askedSimulation;
    bool m_longPipeline = false; ///< true after runPipeline(), which may run for minutes
    std::unique_ptr<LatestJob<std::shared_ptr<const PipelineResult>>> m_pipelineJob;
    std::unique_ptr<LatestJob<std::shared_ptr<const TileResult>>> m_tilesJob;
    std::unique_ptr<LatestJob<std::shared_ptr<const LevelsResult>>> m_levelsJob;
    std::unique_ptr<LatestJob<std::shared_ptr<Simulation>>> m_simulationJob;
};

// Pure functions that compute the results, for the background jobs and for tests.
[[nodiscard]] std::shared_ptr<const PipelineResult>
computePipeline(const SystolicSettings& settings, bool anyLength = false, const Progress& progress = {});
[[nodiscard]] std::shared_ptr<const TileResult> computeTiles(const SystolicSettings& settings);
[[nodiscard]] std::shared_ptr<const LevelsResult> computeLevels(const SystolicSettings& settings,
                                                                const Progress& progress = {});
/// Computes the simulation. Null if the work was stopped.
[[nodiscard]] std::shared_ptr<Simulation> computeSimulation(const SystolicSettings& settings,
                                                            const Progress& progress = {});

} // namespace tilewright::ui
