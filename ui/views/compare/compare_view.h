// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "views/compare/compare_data.h"

#include <memory>

class QComboBox;
class QLabel;
class QSplitter;
class QTreeWidget;

namespace tilewright::ui {

class ComparePanes;

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
    void nextDifference(int by);
    [[nodiscard]] QTreeWidget* list() const { return m_list; }

private:
    void refresh();
    void show(std::shared_ptr<const CompareData> data);

    QComboBox* m_baseline;
    QLabel* m_summary;
    ComparePanes* m_panes;
    QTreeWidget* m_list;
    std::shared_ptr<const CompareData> m_data;
    std::unique_ptr<LatestJob<std::shared_ptr<const CompareData>>> m_job;
};

} // namespace tilewright::ui
