// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "panels/inspector/inspector_facts.h"

#include <QTimer>

#include <memory>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tilewright::ui {

class ChoiceSpinBox;

/// The current subgraph in full: what it costs and why, its granularity, what it retains, its traversal, and
/// the single change that helps most.
class InspectorView : public View
{
    Q_OBJECT
public:
    explicit InspectorView(const ViewContext& context, QWidget* parent = nullptr);
    ~InspectorView() override;
    QSize exportSize() const override { return {380, 1000}; }
    void settle() override;

    [[nodiscard]] ChoiceSpinBox* widthBox() const { return m_w; }
    [[nodiscard]] ChoiceSpinBox* heightBox() const { return m_h; }
    [[nodiscard]] ChoiceSpinBox* depthBox() const { return m_k; }
    [[nodiscard]] QComboBox* traversalBox() const { return m_traversal; }

private:
    void build();
    void refresh();
    void refreshGranularity(const Snapshot& snapshot, SubgraphId id);
    void refreshRetain(const Snapshot& snapshot, SubgraphId id);
    void showFacts(const InspectorFacts& facts);
    void requestFacts();
    void applyGranularity();
    [[nodiscard]] std::optional<SubgraphId> current() const;

    QLabel* m_hint = nullptr;
    QWidget* m_body = nullptr;
    QLabel* m_title = nullptr;
    QLabel* m_numbers = nullptr;
    QLabel* m_arithmetic = nullptr;
    QLabel* m_binds = nullptr;
    QVBoxLayout* m_suggestions = nullptr;
    ChoiceSpinBox* m_w = nullptr;
    ChoiceSpinBox* m_h = nullptr;
    ChoiceSpinBox* m_k = nullptr;
    QLabel* m_grid = nullptr;
    QComboBox* m_traversal = nullptr;
    QPushButton* m_bestTraversal = nullptr;
    QVBoxLayout* m_retain = nullptr;
    QLabel* m_tensors = nullptr;
    QPushButton* m_openGemm = nullptr;
    std::vector<QCheckBox*> m_retainBoxes;
    std::unique_ptr<LatestJob<InspectorFacts>> m_facts;
    InspectorFacts m_shown;
    QTimer m_factsTimer; ///< facts wait until a burst of edits is over
    bool m_refreshing = false;
};

} // namespace tilewright::ui
