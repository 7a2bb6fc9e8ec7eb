// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "mapping/evaluate.h"
#include "mapping/files.h"
#include "views/mapping/mapping_search.h"

#include <QUndoStack>

#include <optional>

namespace tilewright::ui {

/// What the lens is about: one method of one layer on one machine.
struct MappingSetup
{
    mapping::Layer layer;
    mapping::Architecture architecture;
    mapping::Method method;

    bool operator==(const MappingSetup&) const = default;
};

/// A pinned state, drawn as the ghost.
struct MappingBaseline
{
    MappingSetup setup;
    mapping::MappingCost evaluation;
};

/// The document of the mapping lens, shared by its views: layer, machine and method with undo, the model they
/// come from, the baseline, the selected operand, and the search for the optimum.
class MappingState : public QObject
{
    Q_OBJECT
public:
    /// The one of this document; made, with a sample layer, when first asked for.
    [[nodiscard]] static MappingState& of(const ViewContext& context);

    [[nodiscard]] const MappingSetup& setup() const { return m_setup; }
    [[nodiscard]] const mapping::LoopNest& nest() const { return m_nest; }
    [[nodiscard]] const mapping::MappingCost& evaluation() const { return m_evaluation; }
    [[nodiscard]] const std::optional<MappingBaseline>& baseline() const { return m_baseline; }
    [[nodiscard]] int operand() const { return m_operand; } ///< the selected one, -1 for none
    /// Layers of the model view, at least one after a model was opened.
    [[nodiscard]] const mapping::Model& model() const { return m_model; }
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    [[nodiscard]] MappingSearch& search() { return m_search; }

    // -- files and pasted text; on an Error nothing changes
    [[nodiscard]] Status openFile(const QString& path);
    /// A layer, model, architecture or method (JSON or as the seed prints it); `name` is used in errors.
    [[nodiscard]] Status openText(const std::string& text, const QString& name);
    void openLayers(const mapping::LayersFile& file);
    void openLayer(const mapping::Layer& layer); ///< starts from its method of least EDP once that is known
    void openModel(const mapping::Model& model);

    // -- edits; each is one undo step, those with the same non-empty key that follow one another merge
    void applyMethod(const mapping::Method& method, const QString& text, const QString& mergeKey = {});
    /// The method is refitted to the new sizes.
    [[nodiscard]] Status applyLayer(const mapping::Layer& layer, const QString& mergeKey = {});
    [[nodiscard]] Status applyArchitecture(const mapping::Architecture& architecture,
                                           const QString& mergeKey = {});

    void setOperand(int operand);
    void pinBaseline();
    void clearBaseline();
    /// Finishes the background work, a search to the end of its time.
    void settle();

Q_SIGNALS:
    void setupChanged();
    void spaceChanged(); ///< another layer or machine: another space of methods
    void baselineChanged();
    void operandChanged();
    void modelChanged();
    void refused(const QString& why);

private:
    friend class MappingCommand;
    MappingState(Document& document, Selection& selection);
    void setFromCommand(const MappingSetup& setup, bool searchAgain = false);
    void push(const MappingSetup& next, const QString& text, const QString& mergeKey);
    /// Shows this without an undo step, which forgets the steps so far.
    void reset(MappingSetup setup);
    void loadFound();
    [[nodiscard]] static Status check(const MappingSetup& setup);

    MappingSetup m_setup;
    mapping::LoopNest m_nest;
    mapping::MappingCost m_evaluation;
    std::optional<MappingBaseline> m_baseline;
    mapping::Model m_model;
    QUndoStack m_undo;
    MappingSearch m_search;
    int m_operand = -1;
    bool m_loadFound = false; ///< show the best method of the search that runs
};

} // namespace tilewright::ui
