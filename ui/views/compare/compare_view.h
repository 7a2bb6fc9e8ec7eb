// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/compare/compare_data.h"

#include <memory>

class QCheckBox;
class QComboBox;
class QLabel;
class QSplitter;

namespace tilewright::ui {

class ComparePanes;
class DifferenceList;

/// Two schedules of one problem side by side, and the list of differences with the exact share each has in
/// the change of the total; or two models, and what of the one is not as in the other.
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

    /// Selects the difference after or before the current one and brings it into sight in both graphs.
    void nextDifference(int by);
    void swap(); ///< the baseline becomes the current schedule and the other way round
    [[nodiscard]] DifferenceList* list() const { return m_list; }
    [[nodiscard]] ComparePanes* panes() const { return m_panes; }
    [[nodiscard]] const CompareData* data() const { return m_data.get(); }

protected:
    void bringUpToDate() override { refresh(); }
    void keyPressEvent(QKeyEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override; ///< a model, to be compared with

private:
    void addActions();
    void refresh();
    void fillBaselines();
    void showData(CompareDataPtr data);
    void showTexts();
    [[nodiscard]] QString summary() const;
    [[nodiscard]] QString totals() const; ///< of two models
    void lookAtCurrent();
    void placeSplitter();

    QComboBox* m_baseline;
    QLabel* m_summary;
    QLabel* m_totals;
    QCheckBox* m_onlyDifferences;
    QWidget* m_leave;
    ComparePanes* m_panes;
    DifferenceList* m_list;
    QSplitter* m_splitter;
    bool m_choosing = false; ///< the row follows a choice in the graphs
    CompareDataPtr m_data;
    lower::ModelsOnMachinePtr m_requested; ///< what m_data is of, or will be
    std::unique_ptr<LatestJob<CompareDataPtr>> m_job;
};

} // namespace tilewright::ui
