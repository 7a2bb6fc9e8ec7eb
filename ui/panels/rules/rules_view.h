// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <memory>
#include <vector>

class QLabel;
class QTreeWidget;

namespace tilewright::ui {

/// The nine switches in which the rule sets differ: what each means, its value here, and what the other value
/// would do to this schedule.
class RulesView : public View
{
    Q_OBJECT
public:
    explicit RulesView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {1100, 380}; }
    void settle() override;
    [[nodiscard]] QTreeWidget* list() const { return m_list; }

protected:
    void showEvent(QShowEvent* event) override;

private:
    void refreshWhenSeen();
    void refresh();

    QLabel* m_summary;
    QTreeWidget* m_list;
    bool m_refreshing = false;
    std::unique_ptr<LatestJob<std::vector<QString>>> m_effects;
};

} // namespace tilewright::ui
