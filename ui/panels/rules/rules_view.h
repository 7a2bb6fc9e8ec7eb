// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "eval/rule_choice.h"
#include "workspace/latest_job.h"

#include <memory>
#include <vector>

class QComboBox;
class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

namespace tilewright::ui {

/// The rule switches: meaning, value, and the effect that another value would have on this schedule and its
/// subgraphs. A click on a subgraph selects it.
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
    void setValue(const RuleSwitch& rule, std::size_t value);
    void jump(QTreeWidgetItem* item);

    QLabel* m_summary;
    QTreeWidget* m_list;
    std::vector<QComboBox*> m_values; ///< combo box of each switch; null for switches with two values
    bool m_refreshing = false;
    std::unique_ptr<LatestJob<Effects>> m_effects;
};

} // namespace tilewright::ui
