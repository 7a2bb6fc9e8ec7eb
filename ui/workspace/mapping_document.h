// SPDX-License-Identifier: GPL-3.0-or-later
// The document of the Mapping lens, its samples and its search.
#pragma once

#include "mapping/density.h"
#include "mapping/evaluate.h"
#include "mapping/files.h"
#include "mapping/padding.h"
#include "verbs/map.h"
#include "workspace/latest_job.h"
#include "workspace/lens_document.h"

#include <QObject>
#include <QString>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::ui {

/// A file of samples/mapping that is compiled into the program.
struct MappingSample
{
    QString name; ///< "conv-3x3-64"
    QString path; ///< path of the Qt resource
};

/// Samples of a folder ("layers", "models" or "architectures"), sorted by name.
[[nodiscard]] std::vector<MappingSample> mappingSamples(const QString& folder);
/// Text of a file of samples/mapping ("layers/gemm-1000.json"); empty if there is none.
[[nodiscard]] std::string mappingSampleText(const QString& path);

enum class SearchMode { Proven, Quick, Custom };

/// Settings of the search. `reductions` is used in Custom mode only.
struct SearchSettings
{
    SearchMode mode = SearchMode::Proven;
    double seconds = verbs::kLayerSeconds;
    mapping::Reductions reductions = mapping::quickReductions();

    bool operator==(const SearchSettings&) const = default;
};

using SearchResultPtr = std::shared_ptr<const mapping::SearchResult>;
using DensityPtr = std::shared_ptr<const mapping::Density>;

/// Background search of one space of execution methods, with the density of its costs and a padding hint.
class MappingSearch : public QObject
{
    Q_OBJECT
public:
    MappingSearch();

    [[nodiscard]] const SearchSettings& settings() const { return m_settings; }
    void setSettings(const SearchSettings& settings);

    /// Starts the search of another space. Cancels a running search and drops its result. `asked`: tiling
    /// factors that must be kept.
    void start(const mapping::LoopNest& nest, const mapping::Architecture& architecture,
               const mapping::Constraints& asked = {});
    void stop() { m_job->finishEarly(); } ///< stops the search and keeps the best method so far
    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    void settle();        ///< waits for the search
    void settleDensity(); ///< waits for density and padding hint too

    /// Result; null until a search of this space has ended.
    [[nodiscard]] const SearchResultPtr& result() const { return m_result; }
    /// Latest status of the running search or of the one that ended.
    [[nodiscard]] const std::optional<mapping::SearchStatus>& status() const { return m_status; }
    [[nodiscard]] const DensityPtr& density() const { return m_density; }
    /// Hint that padding the layer would lower its cost; nothing if it would not.
    [[nodiscard]] const std::optional<mapping::PaddingHint>& padding() const { return m_padding; }

Q_SIGNALS:
    void changed();  ///< status(), density() or padding() has changed
    void finished(); ///< result() is available

private:
    SearchSettings m_settings;
    std::unique_ptr<LatestJob<SearchResultPtr>> m_job;
    std::unique_ptr<LatestJob<DensityPtr>> m_densityJob;
    std::unique_ptr<LatestJob<std::optional<mapping::PaddingHint>>> m_paddingJob;
    mapping::LoopNest m_nest;
    mapping::Architecture m_architecture;
    SearchResultPtr m_result;
    std::optional<mapping::SearchStatus> m_status;
    DensityPtr m_density;
    std::optional<mapping::PaddingHint> m_padding;
};

using MappingSetup = mapping::Setup;

/// A pinned mapping that views draw as a ghost.
struct MappingBaseline
{
    MappingSetup setup;
    mapping::MappingCost evaluation;
};

/// Document of the Mapping lens, shared by its views: layer, architecture and execution method with undo, the
/// model of the layer, the baseline, the selected operand, and the search for the optimum.
class MappingDocument : public LensDocument
{
    Q_OBJECT
public:
    MappingDocument(); ///< contains a sample layer

    [[nodiscard]] const MappingSetup& setup() const { return m_setup; }
    [[nodiscard]] const mapping::LoopNest& nest() const { return m_nest; }
    [[nodiscard]] const mapping::MappingCost& evaluation() const { return m_evaluation; }
    [[nodiscard]] const std::optional<MappingBaseline>& baseline() const { return m_baseline; }
    [[nodiscard]] int operand() const { return m_operand; } ///< index of the selected operand; -1 for none
    /// Model whose layers the view mapping-model lists; has layers after openModel().
    [[nodiscard]] const mapping::Model& model() const { return m_model; }
    [[nodiscard]] MappingSearch& search() { return m_search; }
    void startSearch();

    // -- files and pasted text; on an Error nothing changes
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Status openFile(const QString& path);
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;
    /// Opens the text of a layer, model, architecture or method (JSON or the notation of the source
    /// document). `name` appears in error messages.
    [[nodiscard]] Status openText(std::string_view text, const QString& name);
    void openLayers(const mapping::LayersFile& file);
    /// Shows a layer of model(): an undo step that does not count as a modification. Its search then loads
    /// the method with the least EDP.
    void openLayer(const mapping::Layer& layer);
    void openModel(const mapping::Model& model);
    /// Shows the layer of the open workload without an undo step. Its search then loads the method with the
    /// least EDP.
    [[nodiscard]] Status follow(const mapping::Layer& layer, const mapping::Architecture& architecture);

    // -- edits; each is one undo step; consecutive steps with the same non-empty mergeKey are merged
    void applyMethod(const mapping::Method& method, const QString& text, const QString& mergeKey = {});
    /// Changes the layer and adapts the method to the new sizes.
    [[nodiscard]] Status applyLayer(const mapping::Layer& layer, const QString& mergeKey = {});
    [[nodiscard]] Status applyArchitecture(const mapping::Architecture& architecture,
                                           const QString& mergeKey = {});

    /// Sets tiling factors that the search must keep, in the notation of parseConstraints().
    [[nodiscard]] Status applyFactors(const std::vector<std::string>& factors);
    /// Adds the constraints of a file of Timeloop: tiling factors, and operands that bypass the SPM. Returns
    /// notes on parts of the file that have no effect.
    [[nodiscard]] Result<std::vector<std::string>> applyConstraints(std::string_view text,
                                                                    const std::string& file);

    void setOperand(int operand);
    void pinBaseline();
    void clearBaseline();
    /// Waits for the background work, including the whole time of a search.
    void settle();

    /// True if the method is temporary: the running search will replace it by the best one.
    [[nodiscard]] bool isSearchingFirst() const { return m_loadFound.has_value(); }

protected:
    [[nodiscard]] bool changesFile(const QUndoCommand& step) const override;

Q_SIGNALS:
    void setupChanged();
    void edited();       ///< emitted for edits of the user, not for undo and redo
    void spaceChanged(); ///< the search space has changed: layer, architecture or required factors
    void baselineChanged();
    void operandChanged();
    void modelChanged();

private:
    void assign(const MappingSetup& setup, bool searchAgain = false);
    enum class Step { Edit, Look }; ///< Look: a step that does not modify the document
    void push(const MappingSetup& next, const QString& text, const QString& mergeKey, Step step = Step::Edit);
    void takeLayer(const mapping::Layer& layer, Step step);
    /// Sets the content without an undo step and clears the undo stack.
    void reset(const MappingSetup& setup, const QString& path = {}, std::string_view text = {});
    void loadFound();
    [[nodiscard]] static Status check(const MappingSetup& setup);

    MappingSetup m_setup;
    mapping::LoopNest m_nest;
    mapping::MappingCost m_evaluation;
    std::optional<MappingBaseline> m_baseline;
    mapping::Model m_model;
    MappingSearch m_search;
    int m_operand = -1;
    /// If set, loadFound() will load the best method of the running search: merged into the undo step with
    /// this merge key, or, if the key is empty, into the opened state.
    std::optional<QString> m_loadFound;
    int m_opened = 0; ///< number of layers opened so far, for unique merge keys
};

} // namespace tilewright::ui
