// SPDX-License-Identifier: GPL-3.0-or-later
// The document of the Mapping lens, and its samples.
#pragma once

#include "workspace/lens_document.h"
#include "workspace/mapping_search.h"
#include "workspace/mapping_setup.h"

#include <QObject>
#include <QString>

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

/// Samples of a folder ("layers", "models", "architectures" or "hierarchies"), sorted by name.
[[nodiscard]] std::vector<MappingSample> mappingSamples(const QString& folder);
/// Text of a file of samples/mapping ("layers/gemm-1000.json"); empty if there is none.
[[nodiscard]] std::string mappingSampleText(const QString& path);

/// A pinned mapping that views draw as a ghost.
struct MappingBaseline
{
    MappingSetup setup;
    mapping::LoopNest nest;
    MappingEvaluation evaluation;
};

/// Document of the Mapping lens, shared by its views: layer, architecture and mapping with undo, the model of
/// the layer, the baseline, the selected operand, and the search for the optimum. The architecture selects
/// the cost model: four levels (docs/rules/mapping.md), or levels of its own (docs/rules/hierarchy.md).
class MappingDocument : public LensDocument
{
    Q_OBJECT
public:
    MappingDocument(); ///< contains a sample layer

    [[nodiscard]] const MappingSetup& setup() const { return m_setup; }
    [[nodiscard]] const mapping::LoopNest& nest() const { return m_nest; }
    [[nodiscard]] const MappingFigures& figures() const { return m_evaluation.figures; }
    /// The cost under the cost model of four levels, and that of an architecture with levels. The one that is
    /// not used has no numbers.
    [[nodiscard]] const mapping::MappingCost& evaluation() const { return m_evaluation.cost; }
    [[nodiscard]] const hierarchy::Cost& levelsCost() const { return m_evaluation.levels; }
    [[nodiscard]] const std::optional<MappingBaseline>& baseline() const { return m_baseline; }
    [[nodiscard]] int operand() const { return m_operand; } ///< index of the selected operand; -1 for none
    /// Model whose layers the view mapping-model lists; has layers after openModel().
    [[nodiscard]] const mapping::Model& model() const { return m_model; }
    [[nodiscard]] MappingSearch& search() { return m_search; }
    [[nodiscard]] const MappingSearch& search() const { return m_search; }
    void startSearch();

    // -- files and pasted text; on an Error nothing changes
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Status openFile(const QString& path);
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;
    /// Opens the text of a layer, model, architecture, method or mapping (JSON or the notation of the source
    /// document). `name` appears in error messages.
    [[nodiscard]] Status openText(std::string_view text, const QString& name);
    void openLayers(const mapping::LayersFile& file);
    /// Shows a layer of model(): an undo step that does not count as a modification. Its search then loads
    /// the method with the least EDP.
    void openLayer(const mapping::Layer& layer);
    void openModel(const mapping::Model& model);
    /// Shows the layer of the open workload without an undo step. Its search then loads the best mapping. An
    /// open architecture with levels stays; `architecture` is that of the machine.
    [[nodiscard]] Status follow(const mapping::Layer& layer, const mapping::Architecture& architecture);
    /// Shows the followed layer on an architecture with levels, without an undo step.
    [[nodiscard]] Status followOn(const hierarchy::Architecture& levels);

    // -- edits; each is one undo step; consecutive steps with the same non-empty mergeKey are merged
    /// A method or mapping of the other cost model is ignored.
    void applyMapping(const AnyMapping& mapping, const QString& text, const QString& mergeKey = {});
    /// Changes the layer and adapts the method to the new sizes.
    [[nodiscard]] Status applyLayer(const mapping::Layer& layer, const QString& mergeKey = {});
    /// Changes the hardware, and with it the cost model. Under another cost model, or on other levels, the
    /// search then loads the best mapping.
    [[nodiscard]] Status applyArchitecture(const mapping::Architecture& architecture,
                                           const QString& mergeKey = {});
    [[nodiscard]] Status applyLevels(const hierarchy::Architecture& levels, const QString& mergeKey = {});
    /// Writes the shown method or mapping to a file of its own, as `map -o` does.
    [[nodiscard]] Status saveMapping(const QString& path) const;

    /// Sets tiling factors that the search must keep, in the notation of parseConstraints().
    [[nodiscard]] Status applyFactors(const std::vector<std::string>& factors);
    /// Adds the constraints of a file of Timeloop: tiling factors, and operands that bypass the SPM; with
    /// levels tiling factors and orders. Returns notes on parts of the file that have no effect.
    [[nodiscard]] Result<std::vector<std::string>> applyConstraints(std::string_view text,
                                                                    const std::string& file);

    /// Sets the constraints of the search on an architecture with levels.
    [[nodiscard]] Status applyAsked(const hierarchy::ConstraintTexts& asked);
    /// Fixes the factor that a loop has at a place of the levels, or frees it.
    void toggleFactor(const hierarchy::Place& place, int loop);
    /// Fixes the order of the temporal loops of a level as it is, or frees it.
    void toggleOrder(std::size_t level);

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
    /// Pushes an edit whose search then loads the best mapping into the same step.
    void pushAndSearch(const MappingSetup& next, const QString& text, Step step);
    [[nodiscard]] Status openLevels(std::string_view text, const std::string& file);
    /// Sets the content without an undo step and clears the undo stack.
    void reset(const MappingSetup& setup, const QString& path = {}, std::string_view text = {});
    void loadFound();
    [[nodiscard]] static Status check(const MappingSetup& setup);

    MappingSetup m_setup;
    mapping::LoopNest m_nest;
    MappingEvaluation m_evaluation;
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
