// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/layer_table.h"

#include "canvas/sorted_rows.h"
#include "theme/number.h"
#include "theme/theme.h"
#include "views/mapping/nest_model.h"

#include <cmath>
#include <limits>

namespace tilewright::ui {

using namespace mapping;

void LayerTable::setModel(const Model& model)
{
    beginResetModel();
    m_model = model;
    m_found.clear();
    m_result = nullptr;
    endResetModel();
}

void LayerTable::add(const LayerResult& layer)
{
    if (static_cast<int>(m_found.size()) >= layerCount())
        return;
    m_found.push_back(layer);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

void LayerTable::setResult(std::shared_ptr<const ModelResult> result)
{
    m_result = std::move(result);
    m_found = m_result->layers;
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

void LayerTable::setMethods(int objective)
{
    m_methods = objective;
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1));
}

int LayerTable::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : layerCount() + (layerCount() > 0 ? kObjectives : 0);
}

int LayerTable::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : Columns;
}

double LayerTable::value(int row, int column) const
{
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    if (isTotal(row)) {
        if (!m_result || !m_result->complete)
            return none;
        const ModelTotals& t = m_result->totals[static_cast<std::size_t>(row - layerCount())];
        return column == Energy ? t.energy : column == Cycles ? t.cycles : t.edp;
    }
    if (row >= static_cast<int>(m_found.size()))
        return none;
    const SearchResult& search = m_found[static_cast<std::size_t>(row)].search;
    const int own = column == Energy ? 0 : column == Cycles ? 1 : 2;
    const auto& best = search.best[static_cast<std::size_t>(m_methods < 0 ? own : m_methods)];
    return best ? best->value(static_cast<Objective>(own)) : none;
}

double LayerTable::edpSum() const
{
    double out = 0;
    for (int row = 0; row < static_cast<int>(m_found.size()); ++row)
        if (const double v = value(row, Edp); std::isfinite(v))
            out += v * static_cast<double>(m_model.layers[static_cast<std::size_t>(row)].runs());
    return out;
}

QString LayerTable::cell(int row, int column, bool exact) const
{
    const auto text = [exact](double v, bool wide) {
        if (!std::isfinite(v))
            return exact ? QString() : QStringLiteral("–");
        return exact ? exactNumber(v) : wide ? scientific(v) : number(std::round(v));
    };
    const auto seconds = [exact](double s) { return exact ? exactNumber(s) : fixedNumber(s, 3); };
    if (column == Energy || column == Cycles || column == Edp)
        return text(value(row, column), column == Edp);
    if (isTotal(row)) {
        const std::array<QString, kObjectives> names{tr("Total, each layer at its least energy"),
                                                     tr("Total, each layer at its fewest cycles"),
                                                     tr("Total, each layer at its least EDP")};
        if (column == Name)
            return names[static_cast<std::size_t>(row - layerCount())];
        if (column == Proven && m_result)
            return m_result->proven ? tr("✓ all") : tr("not all");
        if (column == Seconds && m_result && row == layerCount())
            return seconds(m_result->seconds);
        return {};
    }
    const Layer& layer = m_model.layers[static_cast<std::size_t>(row)];
    const LayerResult* found =
        row < static_cast<int>(m_found.size()) ? &m_found[static_cast<std::size_t>(row)] : nullptr;
    switch (column) {
    case Name:
        return QString::fromStdString(layer.name);
    case Shape:
        return QString::fromStdString(describe(layer));
    case Count:
        return exact ? QString::number(layer.count) : number(layer.count);
    case Share: {
        const double sum = edpSum();
        const double v = value(row, Edp) * static_cast<double>(layer.runs());
        return std::isfinite(v) && sum > 0 ? percent(v / sum) : QString();
    }
    case Proven:
        return !found                   ? QString()
               : !found->search.best[0] ? (found->search.proven ? tr("✗ nothing fits") : tr("nothing found"))
               : found->search.proven
                   ? (found->search.reductions.any() ? tr("✓ reduced space") : tr("✓ proven"))
                   : tr("gap %1").arg(percent(found->search.gap(Objective::Edp)));
    case Seconds:
        return !found ? QString() : found->repeated ? tr("same shape") : seconds(found->search.seconds);
    default:
        return {};
    }
}

QVariant LayerTable::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const int row = index.row();
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return cell(row, column, false);
    case Qt::ToolTipRole:
        return isTotal(row) ? tr("%1: %2").arg(cell(row, Name, false), cell(row, column, true))
                            : tr("%1: %2\nDouble-click to edit the layer's loop nest.")
                                  .arg(cell(row, Name, false), cell(row, column, true));
    case Qt::TextAlignmentRole:
        if (column == Count || column == Energy || column == Cycles || column == Edp || column == Seconds ||
            column == Share)
            return QVariant::fromValue(Qt::Alignment(Qt::AlignRight | Qt::AlignVCenter));
        return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    case Qt::FontRole:
        if (isTotal(row) && column >= Energy)
            return uiFont(1, QFont::DemiBold);
        return {};
    case kShareRole:
        return share(row);
    case SortedRows::kSortRole:
        return sortValue(row, column);
    default:
        return {};
    }
}

QVariant LayerTable::share(int row) const
{
    if (isTotal(row))
        return {};
    const double v =
        value(row, Edp) * static_cast<double>(m_model.layers[static_cast<std::size_t>(row)].runs());
    const double sum = edpSum();
    return std::isfinite(v) && sum > 0 ? QVariant(v / sum) : QVariant();
}

QVariant LayerTable::sortValue(int row, int column) const
{
    switch (column) {
    case Count:
        return isTotal(row)
                   ? QVariant()
                   : QVariant(static_cast<qlonglong>(m_model.layers[static_cast<std::size_t>(row)].count));
    case Energy:
    case Cycles:
    case Edp: {
        const double v = value(row, column);
        return std::isfinite(v) ? QVariant(v) : QVariant();
    }
    case Share:
        return share(row);
    case Seconds:
        return row < static_cast<int>(m_found.size())
                   ? QVariant(m_found[static_cast<std::size_t>(row)].search.seconds)
                   : QVariant();
    default:
        return cell(row, column, false);
    }
}

QVariant LayerTable::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole && section == Share) // where its bars begin
        return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    if (role == Qt::TextAlignmentRole)
        return data(index(0, section), role);
    static const std::array<const char*, Columns> titles{
        QT_TR_NOOP("Layer"),        QT_TR_NOOP("Shape"),   QT_TR_NOOP("Count"),
        QT_TR_NOOP("Energy, pJ"),   QT_TR_NOOP("Cycles"),  QT_TR_NOOP("EDP"),
        QT_TR_NOOP("Share of EDP"), QT_TR_NOOP("Optimum"), QT_TR_NOOP("Time, s")};
    if (role == Qt::DisplayRole)
        return tr(titles[static_cast<std::size_t>(section)]);
    return {};
}

QString LayerTable::asText() const
{
    QString out;
    for (int c = 0; c < Columns; ++c)
        out += headerData(c, Qt::Horizontal, Qt::DisplayRole).toString() +
               QLatin1Char(c + 1 < Columns ? '\t' : '\n');
    for (int r = 0; r < rowCount(); ++r)
        for (int c = 0; c < Columns; ++c)
            out += cell(r, c, true) + QLatin1Char(c + 1 < Columns ? '\t' : '\n');
    return out;
}

} // namespace tilewright::ui
