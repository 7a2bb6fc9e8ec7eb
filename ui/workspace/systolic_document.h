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

/// What one unit of a resource does, in time order; commands of one unit never overlap.
struct PipelineLane
{
    struct Bar
    {
        std::int64_t start = 0;
        std::int64_t end = 0;
        std::uint32_t command = 0;
    };
    systolic::Resource resource = systolic::Resource::Dma;
    std::int32_t unit = 0;
    std::vector<Bar> bars;
};
[[nodiscard]] std::vector<PipelineLane> pipelineLanes(const systolic::Program& program,
                                                      const systolic::PipelineRun& run,
                                                      const systolic::PipelineMachine& machine);

/// Both programs and their runs, or why there are none.
struct PipelineResult
{
    SystolicSettings of;
    systolic::PipelineMachine machine;
    std::optional<systolic::PipelineComparison> comparison;
    std::array<std::vector<PipelineLane>, 2> lanes; ///< barriered, pipelined
    std::vector<std::uint32_t> computes;            ///< COMPUTE commands of the pipelined program in order
    QString error;
};

/// The landscape, the picks of the three methods and the tile in force.
struct TileResult
{
    SystolicSettings of;
    systolic::TileLandscape landscape;
    std::array<std::optional<systolic::TileChoice>, 3> picks; ///< indexed by TileMethod
    std::array<double, 3> microseconds{};                     ///< that each method took
    std::optional<verbs::TileAnswer> current;
    QString error;
};

/// The memory side of a GEMM: schedules of L2, banks, roofline, dataflows, DRAM, corrections.
struct LevelsResult
{
    SystolicSettings of;
    verbs::L2Figures l2;
    std::array<std::optional<systolic::BankConflicts>, 2> conflicts; ///< seed, split
    std::optional<verbs::TileAnswer> tile;                           ///< in force; of all that follows
    std::optional<systolic::Roofline> roofline;
    std::optional<systolic::DataflowComparison> dataflows;
    std::vector<verbs::DramOfOrder> orders; ///< with Belady only when small enough to simulate
    std::vector<systolic::Correction> corrections;
    QString error;
};

/// The register-level simulation behind the player, when the run is small enough.
struct Simulation
{
    SystolicSettings of;
    std::optional<systolic::PeSimulator> simulator;
    std::optional<systolic::EdgeClock> clock; ///< present when the supply of the edges is limited
    QString note;                             ///< why there is no simulator
};

/// Register-level simulation is used up to this many PE-cycles (a few seconds in the background).
inline constexpr std::int64_t kSimulatedPeCycles = 200'000'000;

/// The document of the Systolic lens: its settings; with the cursor and the results that all panes share.
/// Results are made in the background, and only those that a visible pane has asked for.
class SystolicDocument : public LensDocument
{
    Q_OBJECT
public:
    SystolicDocument();
    ~SystolicDocument() override;

    /// Settings; or a memory hierarchy, which takes the place of the one in force as an edit.
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;

    [[nodiscard]] const SystolicSettings& settings() const { return m_settings; }
    /// Legal settings are taken, as one undo step; a refusal is kept as error() and the settings stay.
    bool set(const SystolicSettings& settings);
    [[nodiscard]] const QString& error() const { return m_error; }
    void setGemm(const systolic::Gemm& gemm, const QString& origin);
    /// What a multiply-accumulate and an element moved cost: the machine's table, by default that of every
    /// machine that says nothing.
    [[nodiscard]] const Machine::Energy& energyTable() const { return m_energyTable; }
    void setEnergyTable(const Machine::Energy& table);
    /// Takes these settings without an undo step: those of what is selected elsewhere.
    void follow(const SystolicSettings& settings);
    void chooseTile(std::optional<systolic::TileShape> tile, std::optional<systolic::TileMethod> method = {});

    [[nodiscard]] const systolic::FoldPlan& plan() const { return m_plan; }
    [[nodiscard]] const systolic::ArrayTiming& timing() const { return m_timing; }
    /// Nothing for an array of more than verbs::kMaxPhasesSide a side.
    [[nodiscard]] const std::optional<systolic::ArrayPhases>& phases() const { return m_phases; }

    // -- cursors: a cycle of the array and a time of the pipeline, linked through the COMPUTE commands
    [[nodiscard]] std::int64_t cycles() const; ///< of the array, stalls of the edges included
    [[nodiscard]] std::int64_t cycle() const { return m_cycle; }
    void setCycle(std::int64_t cycle);
    [[nodiscard]] std::int64_t pipelineTime() const { return m_pipelineTime; }
    void setPipelineTime(std::int64_t time);

    // -- results: null until asked for and ready; may belong to older settings (compare `of`)
    [[nodiscard]] const std::shared_ptr<const PipelineResult>& pipeline() const { return m_pipeline; }
    [[nodiscard]] const std::shared_ptr<const TileResult>& tiles() const { return m_tiles; }
    [[nodiscard]] const std::shared_ptr<const LevelsResult>& levels() const { return m_levels; }
    /// The simulation of these settings, or null.
    [[nodiscard]] Simulation* simulation() const;
    /// The programs of these settings, or null.
    [[nodiscard]] const systolic::PipelineComparison* comparison() const;
    void needPipeline();
    void needTiles();
    void needLevels();
    void needSimulation();
    void waitIdle(); ///< for exports and tests

Q_SIGNALS:
    void changed();      ///< settings
    void errorChanged(); ///< error()
    void cycleChanged();
    void pipelineChanged();
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

    std::shared_ptr<const PipelineResult> m_pipeline;
    std::shared_ptr<const TileResult> m_tiles;
    std::shared_ptr<const LevelsResult> m_levels;
    std::shared_ptr<Simulation> m_simulation;
    std::optional<SystolicSettings> m_askedPipeline, m_askedTiles, m_askedLevels, m_askedSimulation;
    std::unique_ptr<LatestJob<std::shared_ptr<const PipelineResult>>> m_pipelineJob;
    std::unique_ptr<LatestJob<std::shared_ptr<const TileResult>>> m_tilesJob;
    std::unique_ptr<LatestJob<std::shared_ptr<const LevelsResult>>> m_levelsJob;
    std::unique_ptr<LatestJob<std::shared_ptr<Simulation>>> m_simulationJob;
};

// The work behind the results; free of state, for the jobs and the tests.
[[nodiscard]] std::shared_ptr<const PipelineResult> computePipeline(const SystolicSettings& settings);
[[nodiscard]] std::shared_ptr<const TileResult> computeTiles(const SystolicSettings& settings);
[[nodiscard]] std::shared_ptr<const LevelsResult> computeLevels(const SystolicSettings& settings,
                                                                const Progress& progress = {});
/// Null when stopped.
[[nodiscard]] std::shared_ptr<Simulation> computeSimulation(const SystolicSettings& settings,
                                                            const Progress& progress = {});

} // namespace tilewright::ui
