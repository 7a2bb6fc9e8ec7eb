// SPDX-License-Identifier: GPL-3.0-or-later
// An answer of the Query pane as a plot of two of its columns.
#pragma once

#include "chart/plot_canvas.h"
#include "tables/database.h"

#include <memory>

namespace tilewright::ui {

using QueryResultPtr = std::shared_ptr<const tables::QueryResult>;

/// Rows beyond this are not drawn.
inline constexpr std::size_t kMostPlotted = 20'000;

/// Value of a cell as a number; nothing for texts and missing values.
[[nodiscard]] std::optional<double> numberIn(const TableValue& value);

/// The rows as marks: column `x` (nothing: the number of the row) against column `y`. The id of a mark is its
/// row.
[[nodiscard]] PlotModel queryPlot(const tables::QueryResult& result, std::optional<std::size_t> x,
                                  std::size_t y, std::optional<int> chosen, const Theme& theme);

/// The plot. A click chooses a row.
class QueryPlot : public PlotCanvas
{
    Q_OBJECT
public:
    QueryPlot(const ViewContext& context, QWidget* parent);

    /// `y`: nothing if the answer has no numbers.
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
