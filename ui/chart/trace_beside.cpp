// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/trace_beside.h"

#include "base/file.h"
#include "canvas/control_bar.h"
#include "canvas/form.h"
#include "canvas/number_box.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <iterator>

namespace tilewright::ui {

namespace {

using overlay::SliceLength;

constexpr double kMost = 1e18;       // as the options of the verb traces
constexpr double kLeastScale = 1e-6; // the last decimal of the field
constexpr double kRow = 13;          // height of a row of slices in pixels
constexpr int kLines = 3;            // of the text above the lists

MarkStyle styleOf(std::size_t kind, const Theme& theme)
{
    switch (overlay::kSliceLengths[kind]) {
    case SliceLength::Equal:
        return {Theme::mix(theme.canvas, theme.muted, 0.55)};
    case SliceLength::Longer:
        return {theme.difference(0.7)};
    case SliceLength::Shorter:
        return {theme.difference(-0.7)};
    case SliceLength::Alone:
        break;
    }
    return {Theme::mix(theme.canvas, theme.muted, 0.2), Qt::BDiagPattern};
}

QString lengthText(SliceLength length)
{
    switch (length) {
    case SliceLength::Equal:
        return tr("as long as ours");
    case SliceLength::Longer:
        return tr("longer than ours");
    case SliceLength::Shorter:
        return tr("shorter than ours");
    case SliceLength::Alone:
        break;
    }
    return tr("only in the file");
}

std::vector<ChartKey> keysOfLengths(const Theme& theme)
{
    std::vector<ChartKey> out;
    for (std::size_t kind = 0; kind < std::size(overlay::kSliceLengths); ++kind) {
        const MarkStyle style = styleOf(kind, theme);
        out.push_back(patchKey(lengthText(overlay::kSliceLengths[kind]), style.fill, theme, style.pattern));
    }
    return out;
}

} // namespace

TraceBeside::TraceBeside(const QString& name, QWidget* parent)
    : QWidget(parent), m_job([this](Outcome outcome) { take(std::move(outcome)); }),
      m_bar(new ControlBar(this)), m_text(new WrappedLabel(this)), m_pairs(new TableModel(this)),
      m_sortedPairs(new SortedRows(*m_pairs, tr("what differs most"), this)),
      m_pairTable(new QTableView(this)), m_tracks(new TableModel(this)),
      m_sortedTracks(new SortedRows(*m_tracks, tr("the order of the tracks"), this)),
      m_trackTable(new QTableView(this))
{
    setObjectName(name + QStringLiteral(".trace"));
    setAccessibleName(tr("Trace beside the run"));
    setAutoFillBackground(true);
    addFields(name);
    m_text->setObjectName(name + QStringLiteral(".trace.text"));
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setContentsMargins(6, 0, 6, 0);
    m_pairTable->setObjectName(name + QStringLiteral(".trace.pairs"));
    asList(*m_pairTable, tr("What differs most"), *m_sortedPairs);
    m_sortedPairs->sortBy(*m_pairTable);
    m_trackTable->setObjectName(name + QStringLiteral(".trace.tracks"));
    asList(*m_trackTable, tr("Busy time by track"), *m_sortedTracks);
    m_sortedTracks->sortBy(*m_trackTable);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    column->addWidget(m_bar);
    column->addWidget(m_text);
    auto* lists = new QHBoxLayout;
    lists->addWidget(m_pairTable, 3);
    lists->addWidget(m_trackTable, 2);
    column->addLayout(lists, 1);
    connect(m_pairTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &TraceBeside::takeRow);
    hide();
}

void TraceBeside::addFields(const QString& name)
{
    const auto addBox = [&](const char* id, const QString& label, int decimals, double least,
                            const QString& tip) {
        auto* box = new DecimalBox(m_bar);
        box->setObjectName(name + QLatin1String(id));
        box->setDecimals(decimals);
        box->setRange(least, kMost);
        box->setMaximumWidth(TextMetrics(uiFont()).horizontalAdvance(QStringLiteral("0")) * 18);
        m_bar->addLabelled(label, box, tip);
        return box;
    };
    m_scaleBox = addBox(".trace.scale", tr("Scale"), 6, kLeastScale,
                        tr("A unit of time of the file in units of this chart: 1 000 for a file in "
                           "microseconds beside cycles of 1 GHz."));
    m_offsetBox = addBox(".trace.offset", tr("Offset"), 3, -kMost,
                         tr("Where the file begins on this axis. Dragging a lane of the file moves it."));
    connect(m_scaleBox, &QDoubleSpinBox::valueChanged, this, [this](double scale) { put(scale, m_offset); });
    connect(m_offsetBox, &QDoubleSpinBox::valueChanged, this,
            [this](double offset) { put(m_scale, offset); });
    const auto addButton = [&](const char* id, const QString& text, const QString& tip) {
        auto* button = new QToolButton(m_bar);
        button->setObjectName(name + QLatin1String(id));
        button->setText(text);
        m_bar->add(button, text, tip);
        return button;
    };
    connect(addButton(".trace.fit", tr("Fit the offset"),
                      tr("Put the file where the starts of the slices that both have differ least (least "
                         "squares).")),
            &QToolButton::clicked, this, [this] { put(m_scale, std::nullopt); });
    connect(addButton(".trace.remove", tr("Remove the trace"), tr("Show the run alone again.")),
            &QToolButton::clicked, this, &TraceBeside::remove);
}

// -- reading and matching
// ------------------------------------------------------------------------------------

void TraceBeside::open(const QString& path)
{
    m_job.cancel(); // what is being read is another file
    m_path = path;
    m_file.reset();
    m_shown.reset();
    m_scale = 1;
    m_offset.reset();
    request();
    showTexts();
    Q_EMIT changed();
}

void TraceBeside::remove()
{
    m_job.cancel();
    m_path.clear();
    m_file.reset();
    m_shown.reset();
    showTexts();
    Q_EMIT changed();
}

void TraceBeside::follow(OurTrace ours)
{
    const bool same = ours.of == m_ours.of;
    m_ours = std::move(ours);
    if (!same && isOpen())
        request();
}

void TraceBeside::request()
{
    m_job.request([path = m_path, file = m_file, ours = m_ours, scale = m_scale,
                   offset = m_offset](const std::stop_token&) mutable -> Outcome {
        if (!file) {
            const auto text = readFile(path.toStdString());
            if (!text)
                return {nullptr, nullptr, sentence(text.error().text())};
            auto read = overlay::readTrace(*text, QFileInfo(path).fileName().toStdString());
            if (!read)
                return {nullptr, nullptr, sentence(read.error().text())};
            file = std::make_shared<const overlay::Trace>(std::move(*read));
        }
        if (!ours.of)
            return {file, nullptr, tr("There is no run to compare with.")};
        auto a = overlay::readTrace(ours.text(), tr("this run").toStdString());
        if (!a)
            return {file, nullptr, sentence(a.error().text())};
        auto shown = std::make_shared<Shown>();
        shown->comparison = overlay::compareTraces(std::move(*a), *file, scale, offset);
        shown->tracks = overlay::trackRows(shown->comparison.b);
        shown->partner = overlay::partnersOf(shown->comparison);
        return {file, std::move(shown), {}};
    });
}

void TraceBeside::take(Outcome outcome)
{
    if (!outcome.file) {
        remove();
        Q_EMIT refused(outcome.error);
        return;
    }
    m_file = std::move(outcome.file);
    m_shown = std::move(outcome.shown);
    if (m_shown &&
        (m_shown->comparison.scale != m_scale || m_shown->comparison.fitted == m_offset.has_value() ||
         (m_offset && m_shown->comparison.offset != *m_offset)))
        put(m_scale, m_offset); // chosen since the request
    showTexts();
    if (!m_shown)
        m_text->setText(outcome.error);
    Q_EMIT changed();
}

void TraceBeside::put(double scale, std::optional<double> offset)
{
    m_scale = scale;
    m_offset = offset;
    if (!m_shown)
        return;
    m_shown->shift = 0;
    overlay::place(m_shown->comparison, m_scale, m_offset);
    m_shown->partner = overlay::partnersOf(m_shown->comparison);
    showTexts();
    Q_EMIT changed();
}

void TraceBeside::setShift(double shift)
{
    if (m_shown)
        m_shown->shift = shift;
}

void TraceBeside::takeShift()
{
    if (m_shown && m_shown->shift != 0)
        put(m_scale, m_shown->comparison.offset + m_shown->shift);
}

// -- lists
// ---------------------------------------------------------------------------------------------------

void TraceBeside::showTexts()
{
    m_updating = true;
    setVisible(isOpen());
    const overlay::TraceComparison* c = comparison();
    const QSignalBlocker noScale(m_scaleBox);
    const QSignalBlocker noOffset(m_offsetBox);
    m_scaleBox->setValue(m_scale);
    m_offsetBox->setValue(c ? c->offset : m_offset.value_or(0));
    QStringList lines;
    if (c)
        for (const std::string& text : overlay::textsOf(*c))
            lines << wholeSentence(text);
    m_text->setText(c ? lines.mid(0, kLines).join(QLatin1Char(' '))
                      : tr("Reading %1 …").arg(QFileInfo(m_path).fileName()));
    m_text->setToolTip(plain(lines.join(QLatin1Char('\n'))));
    m_pairs->setTable(c ? overlay::tracesTable(*c) : Table());
    m_tracks->setTable(c ? overlay::tracksTable(*c) : Table());
    m_pairTable->resizeColumnsToContents();
    m_trackTable->resizeColumnsToContents();
    m_updating = false;
}

void TraceBeside::takeRow()
{
    const QModelIndex at = m_pairTable->currentIndex();
    if (m_updating || !m_shown || !at.isValid())
        return;
    const overlay::TraceComparison& c = m_shown->comparison;
    const overlay::SlicePair& pair = c.pairs[static_cast<std::size_t>(m_sortedPairs->sourceRow(at.row()))];
    const overlay::Slice& a = c.a.slices[pair.a];
    Q_EMIT wantsRange(std::min(a.start, m_shown->start(pair.b)), std::max(a.end, m_shown->end(pair.b)));
}

void TraceBeside::choose(std::size_t slice)
{
    if (!m_shown || !m_shown->partner[slice].pair)
        return;
    m_updating = true; // a click on a slice does not zoom
    const int row = m_sortedPairs->rowOf(static_cast<int>(*m_shown->partner[slice].pair));
    m_pairTable->selectRow(row);
    m_pairTable->scrollTo(m_sortedPairs->index(row, 0));
    m_updating = false;
}

// -- lanes
// ---------------------------------------------------------------------------------------------------

QString TraceBeside::factsOf(const Shown& shown, std::size_t slice)
{
    const overlay::TraceComparison& c = shown.comparison;
    const double length = c.lengthOf(slice);
    const QString what = tr("%1: %2 – %3 (%4)")
                             .arg(QString::fromStdString(c.b.slices[slice].name), number(shown.start(slice)),
                                  number(shown.end(slice)), number(length));
    const overlay::SlicePartner& partner = shown.partner[slice];
    if (!partner.pair)
        return tr("%1, %2").arg(what, lengthText(SliceLength::Alone));
    const overlay::SlicePair& pair = c.pairs[*partner.pair];
    return tr("%1, ours at %2 (%3): starts %4, length %5")
        .arg(what, number(c.a.slices[pair.a].start), number(c.a.slices[pair.a].length()),
             signedNumber(c.startDifference(pair) + shown.shift), signedNumber(c.lengthDifference(pair)));
}

MarkRow TraceBeside::rowOf(const ShownPtr& shown, std::size_t track, std::size_t row)
{
    const std::vector<std::size_t>& slices = shown->tracks[track].rows[row]; // lives as long as `shown`
    Marks m;
    m.count = slices.size();
    m.start = [shown, &slices](std::size_t i) { return shown->start(slices[i]); };
    m.end = [shown, &slices](std::size_t i) { return shown->end(slices[i]); };
    m.kinds = std::size(overlay::kSliceLengths);
    m.kind = [shown, &slices](std::size_t i) {
        return static_cast<std::size_t>(shown->partner[slices[i]].length);
    };
    m.style = [](std::size_t kind, const Theme& theme) { return styleOf(kind, theme); };
    m.label = [shown, &slices](std::size_t i) {
        return QString::fromStdString(shown->comparison.b.slices[slices[i]].name);
    };
    m.facts = [shown, &slices](std::size_t i) { return factsOf(*shown, slices[i]); };
    MarkRow out;
    out.layers.push_back(std::move(m));
    return out;
}

void TraceBeside::addTo(LaneModel& lanes) const
{
    if (!m_shown || !lanes.hint.isEmpty())
        return;
    if (!lanes.lanes.empty())
        lanes.lanes.back().gap = std::max(lanes.lanes.back().gap, 8.0);
    const overlay::Trace& file = m_shown->comparison.b;
    lanes.lanes.push_back(headingLane(QString::fromStdString(file.file)));
    for (std::size_t track = 0; track < m_shown->tracks.size(); ++track) {
        const std::size_t rows = m_shown->tracks[track].rows.size();
        Lane lane;
        lane.name = QString::fromStdString(file.tracks[m_shown->tracks[track].track]);
        lane.inner = true;
        lane.height = std::max(kRow, TextMetrics(uiFont(0.85)).height()) * static_cast<double>(rows);
        lane.gap = 2;
        for (std::size_t row = 0; row < rows; ++row)
            lane.rows.push_back(rowOf(m_shown, track, row));
        lanes.lanes.push_back(std::move(lane));
    }
    if (lanes.least <= 0)
        lanes.least = 0.7; // lanes of a file may be many: they scroll
    for (std::size_t slice = 0; slice < file.slices.size(); ++slice)
        lanes.total = std::max(lanes.total, m_shown->end(slice));
    lanes.legends = [before = lanes.legends](const Theme& theme) {
        auto forms = before ? before(theme) : std::vector<std::vector<ChartKey>>(1);
        for (std::vector<ChartKey>& form : forms)
            std::ranges::move(keysOfLengths(theme), std::back_inserter(form));
        return forms;
    };
}

std::optional<std::size_t> TraceBeside::sliceOf(const LaneModel& lanes, std::size_t first,
                                                const LaneHit& hit) const
{
    if (!m_shown || !hit.marks || hit.lane <= first)
        return std::nullopt;
    const std::size_t track = hit.lane - first - 1;
    const std::vector<MarkRow>& rows = lanes.lanes[hit.lane].rows;
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (&rows[row].layers.front() == hit.marks)
            return m_shown->tracks[track].rows[row][hit.mark];
    return std::nullopt;
}

QJsonObject TraceBeside::settings() const
{
    if (!isOpen())
        return {};
    QJsonObject out{{QStringLiteral("file"), m_path}, {QStringLiteral("scale"), m_scale}};
    if (m_offset)
        out[QStringLiteral("offset")] = *m_offset;
    return out;
}

void TraceBeside::restore(const QJsonObject& settings)
{
    const QString path = settings[QStringLiteral("file")].toString();
    if (path.isEmpty() || !QFileInfo::exists(path)) // a file that is gone is no longer open
        return isOpen() ? remove() : void();
    open(path);
    m_scale = std::clamp(settings[QStringLiteral("scale")].toDouble(1), kLeastScale, kMost);
    if (const QJsonValue offset = settings[QStringLiteral("offset")]; offset.isDouble())
        m_offset = std::clamp(offset.toDouble(), -kMost, kMost);
}

} // namespace tilewright::ui
