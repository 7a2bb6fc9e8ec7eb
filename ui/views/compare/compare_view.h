// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/compare/compare_data.h"

#include <memory>

class QComboBox;
class QLabel;
class QSplitter;

namespace tilewright::ui {

class ComparePanes;
class DifferenceList;

/// Two schedules of one problem side by side, and the list of differences with the exact share each has in
/// the change of the total.
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

private:
    void addActions();
    void refresh();
    void showData(std::shared_ptr<const CompareData> data);
    void lookAtCurrent();
    void placeSplitter();

    QComboBox* m_baseline;
    QLabel* m_summary;
    ComparePanes* m_panes;
    DifferenceList* m_list;
    QSplitter* m_splitter;
    bool m_choosing = false; ///< the row follows a choice in the graphs
    std::shared_ptr<const CompareData> m_data;
    std::unique_ptr<LatestJob<std::shared_ptr<const CompareData>>> m_job;
};

} // namespace tilewright::ui
