// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "eval/rule_effects.h"
#include "workspace/latest_job.h"

#include <memory>
#include <vector>

class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace tilewright::ui {

/// The nine switches in which the rule sets differ: what each means, its value here, and what the other value
/// would do to this schedule, down to the subgraphs it changes (click one to go there).
class RulesView : public View
{
    Q_OBJECT
public:
    explicit RulesView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {1100, 380}; }
    void settle() override;
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QTreeWidget* list() const { return m_list; }

protected:
    void bringUpToDate() override { refresh(); }

private:
    struct Effects
    {
        SnapshotPtr snapshot;
        std::vector<RuleEffect> effects;
    };
    void refresh();
    void showEffects(const Effects& effects);
    void toggle(QTreeWidgetItem* item, int column);
    void jump(QTreeWidgetItem* item);

    QLabel* m_summary;
    QTreeWidget* m_list;
    bool m_refreshing = false;
    std::unique_ptr<LatestJob<Effects>> m_effects;
};

} // namespace tilewright::ui
