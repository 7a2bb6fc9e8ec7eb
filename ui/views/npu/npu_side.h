// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "canvas/view.h"
#include "npu/instructions.h"
#include "workspace/npu_document.h"

#include <QTabWidget>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QTableView;

namespace tilewright::ui {

/// The lists beside the chart: cycles by state, selected node, operators, instructions, verified rules.
class NpuSide : public QTabWidget
{
    Q_OBJECT
public:
    NpuSide(const ViewContext& context, NpuDocument& state, QWidget* parent);
    void settle();
    /// Returns the cycles by core and state as tab-separated text.
    [[nodiscard]] static QString stallsAsText(const NpuResult& result);

private:
    void refreshStalls();
    void refreshNode();
    void refreshInstructions();
    void refreshChecks();
    void followCursor();

    ViewContext m_context;
    NpuDocument& m_state;
    QTableView* m_stalls = nullptr;
    TableModel* m_shares = nullptr; ///< rows of m_stalls: cycles as shares of the makespan
    QLabel* m_node = nullptr;
    QPushButton* m_systolic = nullptr;
    QWidget* m_listPage = nullptr; ///< the tab of the instructions
    QComboBox* m_core = nullptr;
    QTableView* m_list = nullptr;
    TableModel* m_instructions = nullptr;
    QPushButton* m_verify = nullptr;
    QListWidget* m_checks = nullptr;
    using Programs = std::vector<std::vector<npu::Instruction>>;
    using Made = std::pair<NpuResultPtr, std::shared_ptr<const Programs>>;
    /// the program that m_instructions shows
    std::shared_ptr<const std::vector<npu::Instruction>> m_program =
        std::make_shared<const std::vector<npu::Instruction>>();
    Made m_made;
    NpuResultPtr m_requestedResult;
    std::unique_ptr<LatestJob<Made>> m_job;
    bool m_following = false;
};

} // namespace tilewright::ui
