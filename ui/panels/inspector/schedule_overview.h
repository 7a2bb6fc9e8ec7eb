// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "edit/advice.h"
#include "explain/critical_resources.h"

#include <QList>
#include <QTimer>

#include <optional>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace tilewright::ui {

/// The whole schedule, while nothing of it is selected: what it costs, what limits it, the single changes
/// that help most (each applies at a click), and how to change it by hand.
class ScheduleOverview : public QWidget
{
    Q_OBJECT
public:
    ScheduleOverview(const ViewContext& context, QWidget* parent);

    /// Shows the document's snapshot; what takes time follows when edits pause.
    void refresh();
    void cancel(); ///< nobody looks
    void settle(); ///< for tests and pictures

    [[nodiscard]] QLabel* figures() const { return m_figures; }

private:
    struct Facts
    {
        std::uint64_t revision = 0;
        BestChanges best;
        std::optional<CriticalResources> resources;
        bool measured = false; ///< whether the resources were asked for
    };
    void request();
    void show(const Facts& facts);

    ViewContext m_context;
    QLabel* m_figures;
    QLabel* m_limits;
    QLabel* m_none; ///< instead of changes
    QVBoxLayout* m_changes;
    LatestJob<Facts> m_job;
    QTimer m_timer;
    bool m_proven = false;                ///< and what was said of it
    std::optional<std::uint64_t> m_shown; ///< revision whose facts are on screen
};

} // namespace tilewright::ui
