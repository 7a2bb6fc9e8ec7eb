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

/// A file of samples/mapping that is compiled into the program as a Qt resource.
struct MappingSample
{
    QString name; ///< "conv-3x3-64"
    QString path; ///< path of the Qt resource
};

/// Returns the samples of a folder ("layers", "models", "architectures" or "hierarchies"), sorted by name.
[[nodiscard]] std::vector<MappingSample> mappingSamples(const QString& folder);
/// Returns the text of a file of samples/mapping, for example "layers/gemm-1000.json"; empty if there is
/// none.
[[nodiscard]] std::string mappingSampleText(const QString& path);

/// A pinned mapping that views draw as a ghost.
struct MappingBaseline
{
    MappingSetup setup;
    mapping::LoopNest nest;
    MappingEvaluation evaluation;
};

/// Document of the Mapping lens, shared by its views: layer, architecture and mapping with undo, the
/// evaluation of the mapping, the baseline, the selected operand, and the search for the optimum. The
/// architecture selects the cost model: four levels (docs/rules/mapping.md), or any number of levels
/// (docs/rules/hierarchy.md).
class MappingDocument : public LensDocument
{
    Q_OBJECT
public:
    MappingDocument(); ///< creates a document that contains a sample layer

    [[nodiscard]] const MappingSetup& setup() const { return m_setup; }
    [[nodiscard]] const mapping::LoopNest& nest() const { return m_nest; }
    [[nodiscard]] const MappingFigures& figures() const { return m_evaluation.figures; }
    /// The cost under the cost model of four levels, and the cost on an architecture with levels. The one
    /// whose cost model is not in use has no numbers.
    [[nodiscard]] const mapping::MappingCost& evaluation() const { return m_evaluation.cost; }
    [[nodiscard]] const hierarchy::Cost& levelsCost() const { return m_evaluation.levels; }
    [[nodiscard]] const std::optional<MappingBaseline>& baseline() const { return m_baseline; }
    [[nodiscard]] int operand() const { return m_operand; } ///< index of the selected operand; -1 for none
    /// The model whose layers the view mapping-model lists. It has layers after openModel().
    [[nodiscard]] const mapping::Model& model() const { return m_model; }
    [[nodiscard]] MappingSearch& search() { return m_search; }
    [[nodiscard]] const MappingSearch& search() const { return m_search; }
    void startSearch();

    // -- files and pasted text; on an Error nothing changes
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Status openFile(const QString& path);
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;
    /// Opens a text: a layer, model, architecture, method or mapping, in JSON or in the notation of the
    /// source document. `name` appears in error messages.
    [[nodiscard]] Status openText(std::string_view text, const QString& name);
    void openLayers(const mapping::LayersFile& file);
    /// Shows a layer of model(). This is an undo step that does not count as a modification. The search then
    /// loads the method with the least EDP.
    void openLayer(const mapping::Layer& layer);
    void openModel(const mapping::Model& model);
    /// Shows the layer of the open workload without an undo step. The search then loads the best mapping. If
    /// an architecture with levels is open, it is kept. `architecture`: that of the machine.
    [[nodiscard]] Status follow(const mapping::Layer& layer, const mapping::Architecture& architecture);
    /// Shows the followed layer on an architecture with levels, without an undo step.
    [[nodiscard]] Status followOn(const hierarchy::Architecture& levels);

    // -- edits; each is one undo step; consecutive steps with the same non-empty mergeKey are merged
    /// Sets a method or mapping. It is ignored if it belongs to the other cost model.
    void applyMapping(const AnyMapping& mapping, const QString& text, const QString& mergeKey = {});
    /// Changes the layer and adapts the method to the new sizes.
    [[nodiscard]] Status applyLayer(const mapping::Layer& layer, const QString& mergeKey = {});
    /// Changes the hardware and with it the cost model. If the cost model or the levels change, the search
    /// then loads the best mapping.
    [[nodiscard]] Status applyArchitecture(const mapping::Architecture& architecture,
                                           const QString& mergeKey = {});
    [[nodiscard]] Status applyLevels(const hierarchy::Architecture& levels, const QString& mergeKey = {});
    /// Writes the current method or mapping to a separate file, like `map -o`.
    [[nodiscard]] Status saveMapping(const QString& path) const;

    /// Sets tiling factors that the search must keep, in the notation of parseConstraints().
    [[nodiscard]] Status applyFactors(const std::vector<std::string>& factors);
    /// Adds the constraints of a Timeloop file. For four levels: tiling factors, and operands that bypass the
    /// SPM. For an architecture with levels: tiling factors and loop orders. Returns notes on parts of the
    /// file that have no effect.
    [[nodiscard]] Result<std::vector<std::string>> applyConstraints(std::string_view text,
                                                                    const std::string& file);

    /// Sets the constraints of the search on an architecture with levels.
    [[nodiscard]] Status applyAsked(const hierarchy::ConstraintTexts& asked);
    /// Fixes the factor of a loop at a place of the levels for the search, or frees it.
    void toggleFactor(const hierarchy::Place& place, int loop);
    /// Fixes the current order of the temporal loops of a level for the search, or frees it.
    void toggleOrder(std::size_t level);

    void setOperand(int operand);
    void pinBaseline();
    void clearBaseline();
    /// Waits for the background work, including the whole time of a search.
    void settle();

    /// True if the method is temporary, because the running search will replace it by the best one.
    [[nodiscard]] bool isSearchingFirst() const { return m_loadFound.has_value(); }

protected:
    [[nodiscard]] bool changesFile(const QUndoCommand& step) const override;

Q_SIGNALS:
    void setupChanged();
    void edited(); ///< emitted after an edit by the user, but not after undo and redo
    /// emitted when the search space has changed: layer, architecture or required factors
    void spaceChanged();
    void baselineChanged();
    void operandChanged();
    void modelChanged();

private:
    void assign(const MappingSetup& setup, bool searchAgain = false);
    enum class Step { Edit, Look }; ///< kind of undo step; a Look does not modify the document
    void push(const MappingSetup& next, const QString& text, const QString& mergeKey, Step step = Step::Edit);
    void takeLayer(const mapping::Layer& layer, Step step);
    /// Pushes an edit. The search then loads the best mapping as part of the same undo step.
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
    /// If set, loadFound() loads the best method of the running search. It becomes part of the undo step with
    /// this merge key or, if the key is empty, of the opened state.
    std::optional<QString> m_loadFound;
    int m_opened = 0; ///< number of layers opened so far, for unique merge keys
};

} // namespace tilewright::ui
