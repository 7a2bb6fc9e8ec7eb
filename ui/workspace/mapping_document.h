// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/evaluate.h"
#include "mapping/files.h"
#include "mapping/setup.h"
#include "workspace/lens_document.h"
#include "workspace/mapping_search.h"

#include <optional>

namespace tilewright::ui {

using MappingSetup = mapping::Setup;

/// A pinned state, drawn as the ghost.
struct MappingBaseline
{
    MappingSetup setup;
    mapping::MappingCost evaluation;
};

/// The document of the mapping lens, shared by its views: layer, machine and method with undo, the model they
/// come from, the baseline, the selected operand, and the search for the optimum.
class MappingDocument : public LensDocument
{
    Q_OBJECT
public:
    MappingDocument(); ///< with a sample layer

    [[nodiscard]] const MappingSetup& setup() const { return m_setup; }
    [[nodiscard]] const mapping::LoopNest& nest() const { return m_nest; }
    [[nodiscard]] const mapping::MappingCost& evaluation() const { return m_evaluation; }
    [[nodiscard]] const std::optional<MappingBaseline>& baseline() const { return m_baseline; }
    [[nodiscard]] int operand() const { return m_operand; } ///< the selected one, -1 for none
    /// Layers of the model view, at least one after a model was opened.
    [[nodiscard]] const mapping::Model& model() const { return m_model; }
    [[nodiscard]] MappingSearch& search() { return m_search; }
    void startSearch();

    // -- files and pasted text; on an Error nothing changes
    [[nodiscard]] Status open(const LensFile& file) override;
    [[nodiscard]] Status openFile(const QString& path);
    [[nodiscard]] Result<std::string> fileText() const override;
    [[nodiscard]] QString suggestedName() const override;
    /// A layer, model, architecture or method (JSON or as the seed prints it); `name` is used in errors.
    [[nodiscard]] Status openText(std::string_view text, const QString& name);
    void openLayers(const mapping::LayersFile& file);
    /// A layer of model(), to look at: an undo step, but none that there is to save. Starts from its method
    /// of least EDP once that is known.
    void openLayer(const mapping::Layer& layer);
    void openModel(const mapping::Model& model);
    /// The layer on the machine, as something that was opened; the method of least EDP once that is known.
    [[nodiscard]] Status follow(const mapping::Layer& layer, const mapping::Architecture& architecture);

    // -- edits; each is one undo step, those with the same non-empty key that follow one another merge
    void applyMethod(const mapping::Method& method, const QString& text, const QString& mergeKey = {});
    /// The method is refitted to the new sizes.
    [[nodiscard]] Status applyLayer(const mapping::Layer& layer, const QString& mergeKey = {});
    [[nodiscard]] Status applyArchitecture(const mapping::Architecture& architecture,
                                           const QString& mergeKey = {});

    /// Factors that the search must keep, as parseConstraints() reads them.
    [[nodiscard]] Status applyFactors(const std::vector<std::string>& factors);

    void setOperand(int operand);
    void pinBaseline();
    void clearBaseline();
    /// Finishes the background work, a search to the end of its time.
    void settle();

    /// Its method only stands until the search has found the best one.
    [[nodiscard]] bool isSearchingFirst() const { return m_loadFound.has_value(); }

protected:
    [[nodiscard]] bool isOfTheFile(const QUndoCommand& step) const override;

Q_SIGNALS:
    void setupChanged();
    void edited();       ///< by a person, not by undo
    void spaceChanged(); ///< another layer, machine or other factors asked for: another space of methods
    void baselineChanged();
    void operandChanged();
    void modelChanged();

private:
    void assign(const MappingSetup& setup, bool searchAgain = false);
    enum class Step { Edit, Look }; ///< a look changes nothing that would be lost
    void push(const MappingSetup& next, const QString& text, const QString& mergeKey, Step step = Step::Edit);
    void takeLayer(const mapping::Layer& layer, Step step);
    /// Shows this without an undo step, which forgets the steps so far.
    void reset(const MappingSetup& setup, const QString& path = {});
    void loadFound();
    [[nodiscard]] static Status check(const MappingSetup& setup);

    MappingSetup m_setup;
    mapping::LoopNest m_nest;
    mapping::MappingCost m_evaluation;
    std::optional<MappingBaseline> m_baseline;
    mapping::Model m_model;
    MappingSearch m_search;
    int m_operand = -1;
    /// Show the best method of the search that runs: as part of the undo step of this merge key, or, when
    /// that is empty, as part of what was opened.
    std::optional<QString> m_loadFound;
    int m_opened = 0; ///< layers so far
};

} // namespace tilewright::ui
