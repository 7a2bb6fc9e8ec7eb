// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "eval/evaluation.h"
#include "workspace/selection.h"

#include <optional>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace tilewright::ui {

/// A button that fuses several selected subgraphs. It shows the effect on the total in advance, or why they
/// cannot be fused.
class FuseOffer : public QWidget
{
    Q_OBJECT
public:
    FuseOffer(const ViewContext& context, QWidget* parent);
    void refresh(bool wanted);
    void settle() { m_job.waitIdle(); }
    [[nodiscard]] QLabel* note() const { return m_note; }

private:
    struct Trial
    {
        std::uint64_t revision = 0;
        SelectionState selection;
        std::optional<Evaluation> after; ///< nullopt if the fusion is refused
        std::string refusal;
    };
    void show(const Trial& trial);

    ViewContext m_context;
    QLabel* m_note;
    QVBoxLayout* m_column;
    LatestJob<Trial> m_job;
    std::optional<Trial> m_shown; ///< the newest trial, if it still belongs to the document's state
};

} // namespace tilewright::ui
