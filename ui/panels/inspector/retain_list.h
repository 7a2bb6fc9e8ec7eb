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

    /// Those that are kept, that the next subgraph reads, or that something speaks against: what nobody reads
    /// next is nothing to choose. `last`: there is no next subgraph. A change that is shown stays until
    /// setChanges() where the box is the same.
    void setCandidates(const Problem& problem, const std::vector<RetainCandidate>& candidates, bool last);
    /// The changes of the total.
    void setChanges(std::span<const InspectorFacts::Retain> rows);

    [[nodiscard]] const std::vector<QCheckBox*>& boxes() const { return m_boxes; }
    [[nodiscard]] QString note(std::size_t i) const;

Q_SIGNALS:
    void toggled(tilewright::TensorId tensor);

private:
    void setRows(std::size_t count);

    QVBoxLayout* m_column;
    QLabel* m_none;
    std::vector<RetainCandidate> m_candidates; ///< a row each
    std::vector<QCheckBox*> m_boxes;
    std::vector<QLabel*> m_notes;
};

} // namespace tilewright::ui
