// SPDX-License-Identifier: GPL-3.0-or-later
// Plot of two columns of an answer in the Query pane.
#pragma once

#include "chart/plot_canvas.h"
#include "tables/database.h"

#include <memory>

namespace tilewright::ui {

using QueryResultPtr = std::shared_ptr<const tables::QueryResult>;

/// Maximum number of rows that are drawn.
inline constexpr std::size_t kMostPlotted = 20'000;

/// Returns the value of a cell as a number; nothing for texts and missing values.
[[nodiscard]] std::optional<double> numberIn(const TableValue& value);

/// Returns a plot with one mark per row: column `y` over column `x`, or over the number of the row without
/// `x`. The id of a mark is its row.
[[nodiscard]] PlotModel queryPlot(const tables::QueryResult& result, std::optional<std::size_t> x,
                                  std::size_t y, std::optional<int> chosen, const Theme& theme);

/// Plot of an answer. A click on a point selects its row.
class QueryPlot : public PlotCanvas
{
    Q_OBJECT
public:
    QueryPlot(const ViewContext& context, QWidget* parent);

    /// Shows an answer. `y`: column of the y axis; nothing if the answer has no column of numbers.
    void setAnswer(QueryResultPtr result, std::optional<std::size_t> x, std::optional<std::size_t> y);
    void choose(std::optional<int> row);
    [[nodiscard]] QPointF pointOf(int row) const; ///< position of a row's point, in widget coordinates

Q_SIGNALS:
    void chosen(int row);

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;

private:
    QueryResultPtr m_result;
    std::optional<std::size_t> m_x, m_y;
    std::optional<int> m_chosen;
};

} // namespace tilewright::ui
