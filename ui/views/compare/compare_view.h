// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/compare/compare_data.h"

#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QSplitter;
class QToolButton;

namespace tilewright::ui {

class ComparePanes;
class ControlBar;
class DifferenceList;

/// Two schedules of one problem side by side, with a list of differences and the exact contribution of each
/// to the change of the total. Or two models side by side, with a list of the operators that differ.
class CompareView : public View
{
    Q_OBJECT
public:
    explicit CompareView(const ViewContext& context, QWidget* parent = nullptr);
    ~CompareView() override;
    QSize exportSize() const override { return {1280, 800}; }
    void settle() override;
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    QString copyText() const override;

    /// Moves to the next (1) or previous (-1) difference and shows it in both graphs.
    void nextDifference(int by);
    void swap(); ///< exchanges the baseline and the current schedule
    [[nodiscard]] DifferenceList* list() const { return m_list; }
    [[nodiscard]] ComparePanes* panes() const { return m_panes; }
    [[nodiscard]] const CompareData* data() const { return m_data.get(); }

protected:
    void bringUpToDate() override { refresh(); }
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override; ///< compares the open model with the dropped one

private:
    void addActions();
    void refresh();
    void fillBaselines();
    void showData(CompareDataPtr data);
    void showTexts();
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString totals() const; ///< text with the totals of the two models
    void showCurrent();
    void placeSplitter();

    ControlBar* m_bar;
    QComboBox* m_baseline;
    QLabel* m_summary;
    QLabel* m_totals;
    QCheckBox* m_onlyDifferences;
    QToolButton* m_leave = nullptr; ///< button that leaves the comparison of two models
    ComparePanes* m_panes;
    DifferenceList* m_list;
    QSplitter* m_splitter;
    bool m_choosing = false; ///< true while a selection in the graphs changes the current row
    CompareDataPtr m_data;
    /// The models that m_data compares, or will compare when the job has finished.
    lower::ModelsOnMachinePtr m_requested;
    std::unique_ptr<LatestJob<CompareDataPtr>> m_job;
};

} // namespace tilewright::ui
