// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "edit/repair.h"
#include "eval/rule_choice.h"
#include "place/step_items.h"
#include "workspace/latest_job.h"

#include <memory>

class QLabel;
class QMenu;
class QPushButton;
class QToolButton;
class QTreeView;

namespace tilewright::ui {

/// The problems of the schedule and their fixes. A double click shows the place of a problem; Fix repairs it
/// if a repair is known. The line below the list says why a problem has no fix.
class ProblemsView : public View
{
    Q_OBJECT
public:
    explicit ProblemsView(const ViewContext& context, QWidget* parent = nullptr);
    ~ProblemsView() override;
    QSize exportSize() const override { return {900, 260}; }
    QString copyText() const override;
    void settle() override;

    [[nodiscard]] QTreeView* list() const { return m_list; }
    [[nodiscard]] QPushButton* fixButton() const { return m_fix; }
    [[nodiscard]] QString reason() const; ///< why the selected problem has no fix; empty if it has one

protected:
    void bringUpToDate() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Found
    {
        std::uint64_t revision = 0;
        int row = -1;
        Repairs repairs;
    };
    struct Placed
    {
        std::optional<std::uint64_t> revision; ///< revision of the snapshot that was checked
        std::optional<PlacementConflict> conflict;
    };
    void refresh();
    void checkPlacement();
    void searchRepairs();
    void showRepairs(Found found);
    void elideFix();
    [[nodiscard]] const Issue* currentIssue() const;
    [[nodiscard]] const LatencyDeviation* currentDeviation() const;
    [[nodiscard]] QString signOf(std::size_t row) const;
    void jump();
    void fix(std::size_t which);
    void fixAll();

    TableModel* m_rows;
    QTreeView* m_list; ///< the list of problems, which shows m_rows
    QLabel* m_hint;
    QLabel* m_reason;
    QPushButton* m_fix;
    QToolButton* m_others;
    QPushButton* m_fixAll;
    QMenu* m_menu;
    Found m_found;
    Placed m_placed; ///< the result of the placement, with the reason if the schedule has no addresses
    std::vector<LatencyDeviation> m_deviations;
    std::unique_ptr<LatestJob<Placed>> m_placeJob;
    std::unique_ptr<LatestJob<Found>> m_job;
    std::unique_ptr<LatestJob<std::pair<std::uint64_t, Schedule>>> m_allJob;
};

} // namespace tilewright::ui
