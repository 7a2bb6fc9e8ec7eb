// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/layer_table.h"

#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <array>
#include <cmath>

namespace tilewright::ui {

using namespace mapping;

LayerTable::LayerTable(QObject* parent)
    : TableModel(parent, [this](int row, int column, int role) -> QVariant {
          if (row == kHeading) // bars begin at the left
              return column == Share && role == Qt::TextAlignmentRole
                         ? QVariant(int(Qt::AlignLeft | Qt::AlignVCenter))
                         : QVariant();
          return role == Qt::FontRole && isTotal(row) && column >= Energy
                     ? QVariant(uiFont(1, QFont::DemiBold))
                     : QVariant();
      })
{
    alignHeadings();
    fill();
}

void LayerTable::setModel(const Model& model)
{
    m_model = model;
    m_found.clear();
    m_result = nullptr;
    fill();
}

void LayerTable::add(const LayerResult& layer)
{
    if (static_cast<int>(m_found.size()) < layerCount())
        m_found.push_back(layer);
    fill();
}

void LayerTable::setResult(std::shared_ptr<const ModelResult> result)
{
    m_result = std::move(result);
    m_found = m_result->layers;
    fill();
}

void LayerTable::setMethods(int objective)
{
    m_methods = objective;
    fill();
}

void LayerTable::fill()
{
    constexpr auto figure = ColumnKind::Number;
    Table out;
    out.columns = {{tr("Layer")},
                   {tr("Shape")},
                   {tr("Count"), figure},
                   {tr("Energy, pJ"), figure},
                   {tr("Cycles"), figure},
                   {tr("EDP"), figure},
                   {tr("Share of EDP"), ColumnKind::Percent},
                   {tr("Optimum")},
                   {tr("Time, s"), figure}};
    const auto rounded = [](const std::optional<double>& v, bool wide) {
        return TableCell(v, !v ? QStringLiteral("–") : wide ? scientific(*v) : number(std::round(*v)));
    };
    const auto seconds = [](double s) { return TableCell(s, fixedNumber(s, 3)); };
    std::vector<std::optional<double>> edps; // EDPs of all runs of all layers
    double sum = 0;
    for (std::size_t i = 0; i < m_found.size(); ++i) {
        const auto edp = best(i, Objective::Edp);
        edps.push_back(edp ? std::optional(*edp * static_cast<double>(m_model.layers[i].runs()))
                           : std::nullopt);
        sum += edps.back().value_or(0);
    }
    m_shares.assign(static_cast<std::size_t>(layerCount()), std::nullopt);
    for (std::size_t i = 0; i < m_shares.size(); ++i) {
        const Layer& layer = m_model.layers[i];
        const LayerResult* found = i < m_found.size() ? &m_found[i] : nullptr;
        if (found && edps[i] && sum > 0)
            m_shares[i] = *edps[i] / sum;
        const QString share = m_shares[i] ? percent(*m_shares[i]) : QString();
        out.add(layer.name, describe(layer), layer.count, rounded(best(i, Objective::Energy), false),
                rounded(best(i, Objective::Cycles), false), rounded(best(i, Objective::Edp), true),
                TableCell(share, share, m_shares[i] ? TableValue(*m_shares[i]) : TableValue()),
                found ? optimumOf(found->search) : QString(),
                !found            ? TableCell(TableValue())
                : found->repeated ? TableCell(tr("same shape"), tr("same shape"), found->search.seconds)
                                  : seconds(found->search.seconds));
    }
    const std::array names{tr("Total, minimum energy per layer"), tr("Total, fewest cycles per layer"),
                           tr("Total, minimum EDP per layer")};
    for (std::size_t o = 0; o < kObjectives && layerCount() > 0; ++o) {
        const bool known = m_result && m_result->complete;
        const auto total = [&](double ModelTotals::*member) {
            return known ? std::optional(m_result->totals[o].*member) : std::nullopt;
        };
        const QString proven = !m_result ? QString() : m_result->proven ? tr("✓ all") : tr("not all");
        out.add(names[o], TableValue(), TableValue(), rounded(total(&ModelTotals::energy), false),
                rounded(total(&ModelTotals::cycles), false), rounded(total(&ModelTotals::edp), true),
                TableValue(), proven,
                m_result && o == 0 ? seconds(m_result->seconds) : TableCell(TableValue()));
    }
    for (std::size_t row = 0; row < out.rows.size(); ++row)
        for (TableCell& cell : out.rows[row])
            cell.tip = plain(
                (isTotal(row) ? tr("%1: %2") : tr("%1: %2\nDouble-click to edit the layer's loop nest."))
                    .arg(QString::fromStdString(out.shown(row, Name)),
                         QString::fromStdString(cell.value.exact())));
    setTable(std::move(out));
}

std::optional<double> LayerTable::best(std::size_t layer, Objective objective) const
{
    if (layer >= m_found.size())
        return std::nullopt;
    const auto of = static_cast<std::size_t>(m_methods < 0 ? static_cast<int>(objective) : m_methods);
    const auto& cost = m_found[layer].search.best[of];
    return cost ? std::optional(cost->value(objective)) : std::nullopt;
}

QString LayerTable::optimumOf(const SearchResult& search)
{
    if (!search.best[0])
        return search.proven ? tr("✗ nothing fits") : tr("nothing found");
    if (search.proven)
        return search.reductions.any() ? tr("✓ reduced space") : tr("✓ proven");
    return tr("gap %1").arg(percent(search.gap(Objective::Edp)));
}

} // namespace tilewright::ui
