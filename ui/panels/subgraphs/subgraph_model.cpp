// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/subgraphs/subgraph_model.h"

#include "canvas/bound_mark.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "workload/index_map.h"

#include <QDataStream>
#include <QIODevice>
#include <QMimeData>
#include <QPainter>

#include <algorithm>
#include <utility>
#include <variant>

namespace tilewright::ui {

namespace {
const QString kMimeType = QStringLiteral("application/x-tilewright-subgraphs");
bool readsWindows(const Problem& problem)
{
    for (std::size_t t = 0; t < problem.tensorCount(); ++t)
        if (const IndexMap* const map = problem.map(TensorId(t));
            map && std::holds_alternative<WindowsMap>(*map))
            return true;
    return false;
}

constexpr std::size_t kFewRows = 8; ///< maximum number of changed rows that are announced one by one

/// Shortens a very large size, typed by mistake, so that it does not push other columns out of view.
QString shortSize(const Granularity& g)
{
    constexpr std::int64_t kLong = 1'000'000;
    QStringList parts;
    for (const std::int64_t size : {g.w, g.h, g.k})
        parts << (size < kLong ? number(size) : shortNumber(static_cast<double>(size)));
    return parts.join(QStringLiteral("×"));
}
} // namespace

SubgraphModel::SubgraphModel(Document& document, QObject* parent)
    : TableModel(parent,
                 [this](int row, int column, int role) {
                     const bool spoken = role == Qt::AccessibleTextRole && row >= 0 && column == Ops;
                     return spoken ? data(index(row, column), ExactRole) : QVariant();
                 }),
      m_document(document)
{
    setTable(subgraphs());
    document.whenChanged(this, Part::Problem | Part::Snapshot, &SubgraphModel::follow);
    document.whenChanged(this, Part::Baseline, &SubgraphModel::refreshBaseline);
    refreshBaseline();
    follow();
}

void SubgraphModel::follow()
{
    const SnapshotPtr before = m_snapshot;
    const SnapshotPtr next = m_document.snapshot();
    const std::size_t rows = next ? next->schedule.size() : 0;
    const bool reset = (before ? before->schedule.size() : 0) != rows;
    // The number of rows is unchanged: only changed data is announced, so that selection and scroll position
    // are kept.
    m_snapshot = next;
    keepWaste(before.get());
    const auto sharesBefore = std::exchange(m_shares, {});
    share();
    const double longestBefore = std::exchange(m_longest, 0);
    const auto coloursBefore = std::exchange(m_colours, m_document.colours());
    if (m_snapshot)
        for (const SubgraphEvaluation& e : m_snapshot->evaluation.subgraphs)
            m_longest = std::max({m_longest, e.latency, e.compute, e.memory});
    if (m_snapshot && m_named != m_snapshot->problem) {
        m_named = m_snapshot->problem;
        m_prefix = commonPrefix(*m_named);
        m_hasHalos = readsWindows(*m_named);
        return setTable(subgraphs()); // the column of energies is copied only if the problem has energies
    }
    if (reset)
        return setCount(rows);
    if (rows == 0)
        return;
    // Only rows that changed are announced and repainted.
    std::vector<int> changed;
    const bool all = before->problem != next->problem || m_longest != longestBefore ||
                     m_colours != coloursBefore || before->evaluation.issues != next->evaluation.issues;
    for (std::size_t i = 0; i < rows && !all && changed.size() <= kFewRows; ++i)
        if (before->schedule.subgraphs[i] != next->schedule.subgraphs[i] ||
            before->evaluation.subgraphs[i] != next->evaluation.subgraphs[i] ||
            (!m_shares.empty() && (sharesBefore.empty() || sharesBefore[i].share != m_shares[i].share)))
            changed.push_back(static_cast<int>(i));
    if (all || changed.size() > kFewRows)
        refresh();
    else
        for (const int row : changed)
            Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

/// What a row wastes depends on its subgraph, what is resident before it, and the problem and rules.
void SubgraphModel::keepWaste(const Snapshot* before)
{
    std::vector<std::optional<Waste>> waste(m_snapshot ? m_snapshot->schedule.size() : 0);
    if (before && m_snapshot && before->problem == m_snapshot->problem &&
        before->evaluation.rules == m_snapshot->evaluation.rules)
        for (std::size_t i = 0; i < std::min(waste.size(), m_waste.size()); ++i)
            if (before->schedule.subgraphs[i] == m_snapshot->schedule.subgraphs[i] &&
                std::ranges::equal(before->residentBefore(SubgraphId(i)),
                                   m_snapshot->residentBefore(SubgraphId(i))))
                waste[i] = m_waste[i];
    m_waste = std::move(waste);
}

const Waste& SubgraphModel::waste(std::size_t row) const
{
    std::optional<Waste>& out = m_waste[row];
    if (!out)
        out = wasteOf(*m_snapshot->problem, m_snapshot->schedule, m_snapshot->evaluation, SubgraphId(row));
    return *out;
}

OpNames SubgraphModel::names(std::size_t row) const
{
    return shortOpNames(*m_snapshot->problem, m_snapshot->schedule[SubgraphId(row)].ops, m_prefix);
}

bool SubgraphModel::hasMarks() const
{
    return m_snapshot &&
           (std::any_of(m_snapshot->evaluation.issues.begin(), m_snapshot->evaluation.issues.end(),
                        [](const Issue& i) { return i.subgraph.has_value(); }) ||
            std::any_of(m_snapshot->schedule.subgraphs.begin(), m_snapshot->schedule.subgraphs.end(),
                        [](const SubgraphPtr& s) { return s->locked; }));
}

void SubgraphModel::refreshBaseline()
{
    share();
    refresh(Change, Change);
}

void SubgraphModel::share()
{
    const SnapshotPtr baseline = m_document.baseline();
    m_shares = baseline && m_snapshot ? baselineShares(*m_snapshot, *baseline) : std::vector<BaselineShare>();
}

std::optional<double> SubgraphModel::change(std::size_t row) const
{
    if (row >= m_shares.size() || !m_shares[row].share ||
        !m_snapshot->evaluation.subgraphs[row].structurallyValid)
        return std::nullopt;
    return ui::change(*m_shares[row].share * m_document.unitOfBaseline(),
                      m_snapshot->evaluation.subgraphs[row].latency);
}

const Issue* SubgraphModel::issue(std::size_t row) const
{
    for (const Issue& issue : m_snapshot->evaluation.issues)
        if (issue.subgraph && issue.subgraph->index() == row)
            return &issue;
    return nullptr;
}

std::size_t SubgraphModel::colour(std::size_t row) const
{
    const auto& colours = m_document.colours();
    return row < colours.size() ? colours[row] : 0;
}

Table SubgraphModel::subgraphs()
{
    Table out;
    out.count = m_snapshot ? m_snapshot->schedule.size() : 0;
    out.columns = {
        {tr("#")},
        {tr("Ops")},
        {tr("w×h×k"), ColumnKind::Text,
         tr("Tile: width × height × part of the reduction that one step computes.")},
        {tr("Latency"), ColumnKind::Number},
        {tr("Δ"), ColumnKind::Change, tr("Latency against the same ops in the pinned baseline.")},
        {tr("Time"), ColumnKind::Text,
         tr("Upper bar: compute time. Lower bar: load and store time. Full width: the slowest "
            "subgraph. A triangle up means compute-bound, a triangle down memory-bound.")},
        {tr("Memory"), ColumnKind::Text,
         tr("Peak working set against the capacity of fast memory (the line).")},
        {tr("Energy"), ColumnKind::Number, tr("Energy in pJ.")},
        {tr("Padding"), ColumnKind::Number,
         tr("Compute time of padding of ragged tiles and of repeated work.")},
        {tr("Again"), ColumnKind::Number, tr("Elements that are loaded more than once, halos included.")},
        {tr("Halo"), ColumnKind::Number,
         tr("Elements that are read twice because windows of neighbouring tiles overlap.")},
        {tr("Measured"), ColumnKind::Number,
         tr("What an overlay says of the ops: %1.").arg(shownTitle(m_shown))}};
    out.nameColumns(tr("subgraph\tops\tw×h×k\tlatency\tchange\tcompute\tmemory\tbound\tpeak working set"));
    // A copied table has three columns in place of the column of times.
    out.columns[Time].name = tr("compute\tmemory\tbound");
    out.columns[Memory].name = tr("peak working set");
    out.columns[Energy].name = tr("energy in pJ");
    out.columns[Energy].copied = hasEnergy();
    out.columns[Padding].name = tr("padding time");
    out.columns[Again].name = tr("elements loaded again");
    out.columns[Halo].name = tr("halo elements");
    out.columns[Padding].copied = out.columns[Again].copied = true;
    out.columns[Halo].copied = hasHalos();
    out.columns[Measured].name = shownTitle(m_shown);
    out.columns[Measured].copied = hasMeasured();
    for (std::size_t c = 0; c < ColumnCount; ++c)
        out.columns[c].cell = [this, c](std::size_t row) { return cellOf(row, static_cast<Column>(c)); };
    for (const auto& [column, field] :
         {std::pair{Latency, "latency"}, std::pair{Time, "latency"}, std::pair{Memory, "peak_working_set"},
          std::pair{Energy, "energy_pj"}, std::pair{Padding, "padding_time"},
          std::pair{Again, "reloaded_elements"}, std::pair{Halo, "halo_elements"}})
        out.columns[column].figure = std::string("schedule:subgraphs.*.") + field;
    out.rowTip = [this](std::size_t row) { return tipOf(row); };
    return out;
}

TableCell SubgraphModel::cellOf(std::size_t row, Column column) const
{
    const SubgraphEvaluation& e = m_snapshot->evaluation.subgraphs[row];
    const Subgraph& s = m_snapshot->schedule[SubgraphId(row)];
    const auto& [w, h, k] = s.granularity;
    const auto known = [&](double value) { return e.structurallyValid ? TableValue(value) : TableValue(); };
    const auto orDash = [](const std::optional<double>& value) {
        return TableCell(value, value ? number(*value) : QStringLiteral("–"));
    };
    switch (column) {
    case Number:
        return {row, QString::number(row)};
    case Ops:
        return {fullOpNames(*m_snapshot->problem, s.ops, s.ops.size()), names(row).names};
    case Size:
        return {sizeText({w, h, k}, QStringLiteral("×")), shortSize(s.granularity), w * h * k};
    case Latency:
        return {e.latency, e.structurallyValid ? number(e.latency) : QStringLiteral("–"), known(e.latency)};
    case Time: {
        const QString bound = e.structurallyValid ? boundText(e.bound) : QString();
        const QStringList times{exactNumber(e.compute), exactNumber(e.memory), bound};
        return {times.join(QLatin1Char('\t')), bound, known(std::max(e.compute, e.memory))};
    }
    case Memory: {
        const auto capacity = static_cast<double>(m_snapshot->problem->hardware().fastMemoryCapacity);
        return {e.peakWorkingSet, percent(static_cast<double>(e.peakWorkingSet) / capacity)};
    }
    case Energy:
        return {e.energy, e.structurallyValid ? number(e.energy) : QStringLiteral("–"), known(e.energy)};
    case Padding:
        return orDash(e.structurallyValid ? std::optional(waste(row).padding) : std::nullopt);
    case Again:
        return orDash(e.structurallyValid ? waste(row).again() : std::nullopt);
    case Halo:
        return orDash(e.structurallyValid ? waste(row).halo() : std::nullopt);
    case Measured: {
        const auto value = measured(row);
        return {value, value ? shownText(*value, m_shown) : QStringLiteral("–")};
    }
    default:
        return change(row);
    }
}

void SubgraphModel::setMeasured(std::vector<std::optional<double>> ofOps, overlay::Shown shown)
{
    if (ofOps == m_measured && shown == m_shown)
        return;
    m_measured = std::move(ofOps);
    m_shown = shown;
    setTable(subgraphs());
}

std::optional<double> SubgraphModel::measured(std::size_t row) const
{
    for (const OpId op : m_snapshot->schedule[SubgraphId(row)].ops)
        if (op.index() < m_measured.size() && m_measured[op.index()])
            return m_measured[op.index()];
    return std::nullopt;
}

QString SubgraphModel::tipOf(std::size_t row) const
{
    const SubgraphEvaluation& e = m_snapshot->evaluation.subgraphs[row];
    const Subgraph& s = m_snapshot->schedule[SubgraphId(row)];
    const Granularity& g = s.granularity;
    QString text = tr("<b>Subgraph %1</b>: %2<br>tile %3 (w×h×k)")
                       .arg(QString::number(row), fullOpNames(*m_snapshot->problem, s.ops).toHtmlEscaped(),
                            sizeText({g.w, g.h, g.k}, QStringLiteral("×")));
    if (e.structurallyValid)
        text += tr(", %1 × %2 tiles, %3<br>latency %4<br>compute %5, memory %6 (%7 in, %8 out): %11<br>"
                   "working set %9 of %10")
                    .arg(number(e.rows), number(e.cols), counted(e.steps, tr("step"), tr("steps")),
                         exactNumber(e.latency), number(e.compute), number(e.memory), number(e.loadElements),
                         number(e.storeElements), number(e.peakWorkingSet))
                    .arg(number(m_snapshot->problem->hardware().fastMemoryCapacity), boundText(e.bound));
    if (e.structurallyValid && hasEnergy())
        text += tr("<br>energy %1 pJ").arg(exactNumber(e.energy));
    if (const auto by = change(row))
        text += (m_shares[row].latency
                     ? tr("<br>%1 against the baseline")
                     : tr("<br>%1 against its share of the baseline, where its ops ran together with others"))
                    .arg(signedNumber(*by));
    if (const Issue* problem = issue(row))
        text += tr("<br><b>%1</b>").arg(sentence(problem->text).toHtmlEscaped());
    return rich(text);
}

Qt::ItemFlags SubgraphModel::flags(const QModelIndex& index) const
{
    if (!index.isValid())
        return Qt::ItemIsDropEnabled; // drops are allowed between rows only
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled;
}

QStringList SubgraphModel::mimeTypes() const
{
    return {kMimeType};
}

QMimeData* SubgraphModel::mimeData(const QModelIndexList& indexes) const
{
    std::set<int> rows;
    for (const QModelIndex& i : indexes)
        rows.insert(i.row());
    QByteArray bytes;
    QDataStream out(&bytes, QIODevice::WriteOnly);
    for (const int row : rows)
        out << row;
    auto* mime = new QMimeData;
    mime->setData(kMimeType, bytes);
    return mime;
}

std::optional<SubgraphModel::Move> SubgraphModel::moveOf(const QMimeData* data, int row) const
{
    if (!data->hasFormat(kMimeType))
        return std::nullopt;
    Move move;
    QDataStream in(data->data(kMimeType));
    while (!in.atEnd()) {
        int r = 0;
        in >> r;
        move.rows.emplace_back(static_cast<std::size_t>(r));
    }
    const auto before = static_cast<std::size_t>(row < 0 ? rowCount() : row);
    // The target position counts only the rows that stay in place.
    const auto moved = std::ranges::count_if(move.rows, [&](SubgraphId r) { return r.index() < before; });
    move.position = before - static_cast<std::size_t>(moved);
    return move;
}

bool SubgraphModel::dropMimeData(const QMimeData* data, Qt::DropAction, int row, int,
                                 const QModelIndex& parent)
{
    const auto move = parent.isValid() ? std::nullopt : moveOf(data, row);
    if (move)
        Q_EMIT reorderRequested(move->rows, move->position);
    return false; // the document moves the rows, so the view must not remove them
}

namespace {
constexpr double kApart = 8; // pixels between the names of the ops and the name of their block
} // namespace

SubgraphDelegate::SubgraphDelegate(const SubgraphModel& model, const ThemeSource& themes, QObject* parent)
    : TableDelegate(
          themes,
          [this](QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index,
                 const Theme&) { return paintCell(painter, option, index); },
          parent),
      m_model(model)
{
}

QSize SubgraphDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    QSize size = TableDelegate::sizeHint(option, index);
    size.setHeight(std::max(26, option.fontMetrics.height() + 10));
    return size;
}

bool SubgraphDelegate::paintCell(QPainter& painter, const QStyleOptionViewItem& option,
                                 const QModelIndex& index) const
{
    const std::size_t row = index.data(SubgraphModel::RowRole).toUInt(); // the table may be sorted
    const Snapshot* snapshot = m_model.snapshot();
    if (!snapshot || row >= snapshot->evaluation.subgraphs.size())
        return true;
    const bool selected = option.state & QStyle::State_Selected;
    const QRectF cell = QRectF(option.rect);
    // A pale selection colour, so that bars and colours stay readable.
    painter.fillRect(cell, selected          ? theme().selection
                           : index.row() % 2 ? Theme::mix(theme().canvas, theme().text, 0.025)
                                             : theme().canvas);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const SubgraphEvaluation& e = snapshot->evaluation.subgraphs[row];
    switch (index.column()) {
    case SubgraphModel::Number:
        paintNumber(painter, cell, row);
        break;
    case SubgraphModel::Ops:
        paintOps(painter, cell.adjusted(4, 0, -4, 0), option.font, row);
        break;
    case SubgraphModel::Time:
        paintTime(painter, cell.adjusted(4, 5, -6, -5), e);
        break;
    case SubgraphModel::Memory:
        paintMemory(painter, cell.adjusted(4, 7, -4, -7), e);
        break;
    default: {
        QColor colour = theme().text;
        if (index.column() == SubgraphModel::Change)
            if (const auto by = m_model.change(row))
                colour = *by < 0 ? theme().ok : *by > 0 ? theme().warning : theme().muted;
        if (index.column() == SubgraphModel::Latency && (!e.structurallyValid || !e.fits))
            colour = theme().error;
        painter.setPen(colour);
        painter.setFont(numberFont());
        const QRectF text = cell.adjusted(4, 0, -4, 0);
        QString shown = index.data().toString();
        const TextMetrics fm(painter.font()); // the digits of this font all have the same width
        if (fm.horizontalAdvance(QLatin1Char('0')) * static_cast<double>(shown.size()) > text.width())
            shown = fm.elidedText(shown, Qt::ElideMiddle, text.width());
        const Qt::Alignment side = index.column() == SubgraphModel::Size ? Qt::AlignLeft : Qt::AlignRight;
        painter.drawText(text, static_cast<int>(side | Qt::AlignVCenter), shown);
    }
    }
    painter.restore();
    return true;
}

void SubgraphDelegate::paintNumber(QPainter& painter, const QRectF& cell, std::size_t row) const
{
    const QString text = QString::number(row);
    painter.setFont(numberFont(0.95));
    const TextMetrics fm(painter.font());
    const double h = fm.height() + 2;
    const QRectF badge(cell.left() + 6, cell.center().y() - h / 2,
                       std::max(h, fm.horizontalAdvance(text) + 12), h);
    const std::size_t colour = m_model.colour(row);
    painter.setPen(QPen(theme().categoryBorder(colour), 1));
    painter.setBrush(theme().category(colour));
    painter.drawRoundedRect(badge, 4, 4);
    painter.setPen(theme().ink);
    painter.drawText(badge, Qt::AlignCenter, text);
    double x = badge.right() + 3;
    if (m_model.issue(row)) {
        painter.setPen(theme().error);
        painter.setFont(uiFont());
        const double w = TextMetrics(painter.font()).horizontalAdvance(QStringLiteral("⚠"));
        painter.drawText(QRectF(x, cell.top(), w + 2, cell.height()), Qt::AlignVCenter | Qt::AlignLeft,
                         QStringLiteral("⚠"));
        x += w + 2;
    }
    if (m_model.snapshot()->schedule[SubgraphId(row)].locked) {
        const double side = std::min(h, cell.right() - x);
        paintIcon(painter, QStringLiteral("lock"), {x, cell.center().y() - side / 2, side, side},
                  theme().text);
    }
}

void SubgraphDelegate::paintOps(QPainter& painter, const QRectF& cell, const QFont& font,
                                std::size_t row) const
{
    const auto [names, where] = opsIn(row, font, cell.width());
    painter.setFont(font);
    painter.setPen(theme().text);
    painter.drawText(cell, static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft), names);
    if (where.isEmpty())
        return;
    painter.setPen(theme().muted);
    painter.drawText(cell.adjusted(TextMetrics(font).horizontalAdvance(names) + kApart, 0, 0, 0),
                     static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft), where);
}

OpNames SubgraphDelegate::opsIn(std::size_t row, const QFont& font, double width) const
{
    // The distinctive parts of the names get the width first. The common block ("head0"), shown behind the
    // names, is cut first.
    const OpNames text = m_model.names(row);
    const TextMetrics fm(font);
    const auto fits = [&](const QString& shown, double room) { return fm.horizontalAdvance(shown) <= room; };
    // The number of "pointwise12" is never cut. Of several names, as many as fit are shown in full; if none
    // fits, the first one is cut.
    const qsizetype comma = text.names.indexOf(QLatin1Char(','));
    const QString name = comma < 0 ? text.names : text.names.left(comma);
    const QString more = comma < 0 ? QString() : QStringLiteral(", …");
    const double room = width - fm.horizontalAdvance(more);
    const QString cut = fittingName(name, fm, room);
    const QString names = fits(name + more, width) ? fm.elidedText(text.names, Qt::ElideRight, width)
                          : cut.isEmpty()          ? fittingName(name, fm, width)
                                                   : cut + more;
    const double beside = width - fm.horizontalAdvance(names) - kApart;
    if (text.where.isEmpty() || beside >= fm.horizontalAdvance(QStringLiteral("mmm")))
        return {names, text.where.isEmpty() ? QString() : fm.elidedText(text.where, Qt::ElideLeft, beside)};
    // If there is no room for the block behind the names, its abbreviation precedes the first name, because
    // equal blocks differ in nothing else: "head1.query, scores" becomes "h1.query, …".
    const QString whole = text.where + QLatin1Char('.') + name;
    const QString dots(QChar(u'…'));
    for (const QString& sign : {more, comma < 0 ? QString() : dots})
        if (const QString shown = fittingName(whole, fm, width - fm.horizontalAdvance(sign));
            !shown.isEmpty() && !shown.contains(dots))
            return {shown + sign, {}};
    return {names, {}};
}

double SubgraphDelegate::nameWidth(std::size_t row, const QFont& font) const
{
    const OpNames text = m_model.names(row);
    const QString first = text.names.section(QLatin1Char(','), 0, 0);
    const QString more = first.size() < text.names.size() ? QStringLiteral(", …") : QString();
    const QString place = text.where.isEmpty() ? QString() : text.where + QLatin1Char('.');
    return TextMetrics(font).horizontalAdvance(place + first + more);
}

void SubgraphDelegate::paintTime(QPainter& painter, const QRectF& whole, const SubgraphEvaluation& e) const
{
    if (!e.structurallyValid || m_model.longest() <= 0)
        return;
    paintBoundMark(painter, QPointF(whole.left() + 5, whole.center().y()), 4.5, e.bound,
                   boundColour(e.bound, theme()));
    const QRectF cell = whole.adjusted(14, 0, 0, 0);
    const double scale = cell.width() / m_model.longest();
    const double half = (cell.height() - 2) / 2;
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(cell, Theme::mix(theme().canvas, theme().text, 0.05));
    painter.fillRect(QRectF(cell.left(), cell.top(), std::max(1.0, e.compute * scale), half),
                     theme().computeTime);
    const double traffic = static_cast<double>(e.loadElements + e.storeElements);
    const double load = traffic > 0 ? e.memory * static_cast<double>(e.loadElements) / traffic : 0;
    const double y = cell.bottom() - half;
    painter.fillRect(QRectF(cell.left(), y, load * scale, half), theme().loadTime);
    painter.fillRect(QRectF(cell.left() + load * scale, y, (e.memory - load) * scale, half),
                     theme().storeTime);
    const double x = cell.left() + std::min(cell.width() - 1, e.latency * scale);
    painter.setPen(theme().text);
    painter.drawLine(QPointF(x, cell.top() - 1), QPointF(x, cell.bottom()));
}

void SubgraphDelegate::paintMemory(QPainter& painter, const QRectF& cell, const SubgraphEvaluation& e) const
{
    if (!e.structurallyValid)
        return;
    const auto capacity = static_cast<double>(m_model.snapshot()->problem->hardware().fastMemoryCapacity);
    // The capacity line is at 80 % of the cell, so that an overflow is visible.
    const double line = cell.width() * 0.8;
    const double used = std::min(cell.width(), static_cast<double>(e.peakWorkingSet) / capacity * line);
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.fillRect(QRectF(cell.left(), cell.top(), line, cell.height()),
                     Theme::mix(theme().canvas, theme().text, 0.07));
    const QRectF bar(cell.left(), cell.top(), used, cell.height());
    painter.fillRect(bar, e.fits ? theme().retained : theme().error);
    painter.setPen(QPen(theme().text, 1));
    painter.drawLine(QPointF(cell.left() + line, cell.top() - 3),
                     QPointF(cell.left() + line, cell.bottom() + 3));
}

} // namespace tilewright::ui
