// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/inspector/inspector_facts.h"

#include <QWidget>

#include <span>
#include <vector>

class QCheckBox;
class QLabel;
class QVBoxLayout;

namespace tilewright::ui {

/// The tensors that a subgraph may keep in fast memory: a box each, and under it what keeping brings or why
/// it cannot be.
class RetainList : public QWidget
{
    Q_OBJECT
public:
    explicit RetainList(QWidget* parent = nullptr);

    void setCandidates(const Problem& problem, const std::vector<RetainCandidate>& candidates);
    /// The changes of the total; `rows` belong to the candidates, in their order.
    void setChanges(std::span<const InspectorFacts::Retain> rows);

    [[nodiscard]] const std::vector<QCheckBox*>& boxes() const { return m_boxes; }
    [[nodiscard]] QString note(std::size_t i) const;

Q_SIGNALS:
    void toggled(tilewright::TensorId tensor);

private:
    QVBoxLayout* m_column;
    std::vector<QCheckBox*> m_boxes;
    std::vector<QLabel*> m_notes;
};

} // namespace tilewright::ui
