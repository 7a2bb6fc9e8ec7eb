// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "views/systolic/systolic_view.h"
#include "workspace/latest_job.h"

#include <memory>
#include <optional>

class QLabel;
class QTableView;

namespace tilewright::ui {

/// The table of the network: one row per product of the open workload, on the array and memories of the lens,
/// with its cycles, utilisation and limiting resource. Selecting a row selects its layer in every lens.
class NetworkPane : public SystolicPaneOf<View>
{
    Q_OBJECT
public:
    explicit NetworkPane(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override; ///< large enough to show every row
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    [[nodiscard]] QString copyText() const override;

    [[nodiscard]] QTableView* table() const { return m_view; }
    /// The answer that the table shows; null if there is none.
    [[nodiscard]] const verbs::NetworkAnswer* answer() const
    {
        return m_outcome.answer ? &*m_outcome.answer : nullptr;
    }
    [[nodiscard]] bool isComputing() const { return m_computing; }

protected:
    void rebuild() override;

private:
    /// The inputs on which the table depends.
    struct Subject
    {
        lower::ModelOnMachinePtr model;
        verbs::SystolicRequest request;
        bool operator==(const Subject& other) const;
    };
    struct Outcome
    {
        std::optional<verbs::NetworkAnswer> answer;
        QString error;
    };
    void showOutcome(Outcome outcome);
    void showSelected(); ///< selects the row of the product that the lens shows
    void select(int row);
    /// The product of a row; null for the row of the total.
    [[nodiscard]] const lower::NetworkRow* product(int row) const;
    [[nodiscard]] std::optional<double> utilization(int row) const;
    [[nodiscard]] QString summary() const;

    Outcome m_outcome;
    std::optional<Subject> m_asked;
    TableModel* m_model = nullptr;
    SortedRows* m_rows = nullptr; ///< the rows of m_model in sorted order
    QTableView* m_view = nullptr;
    TableDelegate* m_bars = nullptr; ///< delegate that paints the utilisation as bars
    QLabel* m_title = nullptr;
    std::unique_ptr<LatestJob<Outcome>> m_job;
    bool m_computing = false;
    bool m_showing = false; ///< true while a selected op selects its row
};

} // namespace tilewright::ui
