// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/npu_document.h"

#include <QAbstractTableModel>
#include <QTabWidget>

class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QTableView;
class QTableWidget;

#include "npu/instructions.h"

namespace tilewright::ui {

/// One core's program as rows: cycle, opcode, what it is about.
class InstructionModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    using Programs = std::vector<std::vector<npu::Instruction>>;
    void set(NpuResultPtr result, std::shared_ptr<const Programs> programs, std::size_t core);
    [[nodiscard]] const npu::Instruction* at(int row) const;
    /// Last row issued at or before the time; -1 before the first.
    [[nodiscard]] int rowAt(npu::Cycle time) const;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    NpuResultPtr m_result;
    std::shared_ptr<const Programs> m_programs;
    std::size_t m_core = 0;
};

/// The lists beside the chart: cycles by state, the selected node, instructions, the verified rules.
class NpuSide : public QTabWidget
{
    Q_OBJECT
public:
    NpuSide(const ViewContext& context, NpuDocument& state, QWidget* parent);
    void settle();
    /// Cycles per core and state, tab-separated.
    [[nodiscard]] static QString stallsAsText(const NpuResult& result);

private:
    void refreshStalls();
    void refreshNode();
    void refreshInstructions();
    void refreshChecks();
    void followCursor();

    ViewContext m_context;
    NpuDocument& m_state;
    QTableWidget* m_stalls = nullptr;
    QLabel* m_node = nullptr;
    QPushButton* m_systolic = nullptr;
    QComboBox* m_core = nullptr;
    QTableView* m_list = nullptr;
    InstructionModel* m_instructions = nullptr;
    QPushButton* m_verify = nullptr;
    QListWidget* m_checks = nullptr;
    using Made = std::pair<NpuResultPtr, std::shared_ptr<const InstructionModel::Programs>>;
    Made m_made;
    NpuResultPtr m_asked;
    std::unique_ptr<LatestJob<Made>> m_job;
    bool m_following = false;
};

} // namespace tilewright::ui
