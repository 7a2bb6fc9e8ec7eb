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

/// Check boxes for the tensors that a subgraph can retain. Below each is the effect on the total, or the
/// reason why the tensor cannot be retained.
class RetainList : public QWidget
{
    Q_OBJECT
public:
    explicit RetainList(QWidget* parent = nullptr);

    /// Lists the retained tensors, the tensors that the next subgraph reads, and those with a reason against
    /// retention. Other tensors are omitted. `last`: there is no next subgraph. A row that stays in the list
    /// keeps its effect until setChanges().
    void setCandidates(const Problem& problem, const std::vector<RetainCandidate>& candidates, bool last);
    /// Sets the effect of each candidate on the total.
    void setChanges(std::span<const InspectorFacts::Retain> rows);

    [[nodiscard]] const std::vector<QCheckBox*>& boxes() const { return m_boxes; }
    [[nodiscard]] QString note(std::size_t i) const;

Q_SIGNALS:
    void toggled(tilewright::TensorId tensor);

private:
    void setRows(std::size_t count);

    QVBoxLayout* m_column;
    QLabel* m_none;
    std::vector<RetainCandidate> m_candidates; ///< one candidate per row
    std::vector<QCheckBox*> m_boxes;
    std::vector<QLabel*> m_notes;
};

} // namespace tilewright::ui
