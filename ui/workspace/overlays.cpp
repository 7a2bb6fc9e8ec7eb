// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/overlays.h"

#include "base/file.h"
#include "base/utf8.h"
#include "theme/text.h"

#include <QJsonArray>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr std::chrono::milliseconds kAtOnce(8); // time that an edit waits for the figures of its overlays
Result<overlay::NamedValues> readValues(const QString& path)
{
    const std::string file = path.toStdString();
    const auto text = readFile(file);
    if (!text)
        return text.error();
    return overlay::readNamedValues(textOfBytes(*text, file), file);
}

constexpr const char* kShownNames[] = {"value", "difference", "ratio"};

} // namespace

Overlays& Overlays::of(Workspace& workspace)
{
    if (auto* known = workspace.findChild<Overlays*>({}, Qt::FindDirectChildrenOnly))
        return *known;
    return *new Overlays(workspace);
}

Overlays::Overlays(Workspace& workspace)
    : QObject(&workspace), m_workspace(workspace), m_problemPath(workspace.schedule().problemPath()),
      m_job([this](Figures figures) { take(std::move(figures)); }, true)
{
    workspace.schedule().whenChanged(this, Part::Problem, [this] {
        // Each workload has its own overlays. Overlays that were opened before any workload are used for the
        // first one.
        const QString path = m_workspace.schedule().problemPath();
        if (!m_problemPath.isEmpty() && path != m_problemPath)
            m_files.clear();
        m_problemPath = path;
        m_job.cancel(); // the figures that are being computed belong to other ops
        take({});
    });
    workspace.schedule().whenChanged(this, Part::Problem | Part::Machine | Part::Snapshot, [this] {
        if (!m_files.empty())
            request();
    });
}

Status Overlays::open(const QString& path)
{
    auto values = readValues(path);
    if (!values)
        return values.error();
    auto at = std::ranges::find(m_files, path, &OverlayFile::path);
    if (at == m_files.end())
        at = m_files.insert(m_files.end(), OverlayFile{path, true, {}, {}, {}});
    at->isOn = true;
    at->values = std::move(*values);
    request();
    return Unit{};
}

void Overlays::close(std::size_t at)
{
    m_files.erase(m_files.begin() + static_cast<std::ptrdiff_t>(at));
    Q_EMIT changed();
}

void Overlays::setOn(std::size_t at, bool on)
{
    if (m_files[at].isOn == on)
        return;
    m_files[at].isOn = on;
    Q_EMIT changed();
}

void Overlays::setLens(verbs::SummaryKind lens)
{
    if (m_lens == lens)
        return;
    m_lens = lens;
    request();
}

void Overlays::setFigure(std::optional<overlay::Figure> figure)
{
    m_figure = figure;
    compare();
}

void Overlays::setShown(overlay::Shown shown)
{
    m_shown = shown;
    Q_EMIT changed();
}

void Overlays::request()
{
    Document& document = m_workspace.schedule();
    lower::ModelOnMachinePtr model = document.lensModel();
    const SnapshotPtr& snapshot = document.snapshot();
    if (!model || !snapshot) {
        m_job.cancel();
        take({});
        return;
    }
    m_job.request([model, snapshot, subject = subject(), kind = m_lens](const std::stop_token& stop) {
        Figures out{model, {}, {}};
        if (kind == verbs::SummaryKind::Schedule) {
            // The plain problem has the same ops as its derived model, in its own units.
            if (snapshot->evaluation.valid())
                out.ours = overlay::figuresOf(*model, snapshot->schedule, snapshot->evaluation);
            else
                out.refusal = sentence(snapshot->evaluation.verdict()->text);
            return out;
        }
        auto ours = verbs::operatorFigures(subject, kind, {stop, {}});
        if (ours)
            out.ours = std::move(*ours);
        else
            out.refusal = wholeSentence(ours.error().message);
        return out;
    });
    if (m_lens == verbs::SummaryKind::Schedule)
        m_job.deliverWithin(kAtOnce);
    Q_EMIT changed();
}

verbs::SummarySubject Overlays::subject() const
{
    Document& document = m_workspace.schedule();
    verbs::SummarySubject out;
    out.model = document.lensModel();
    if (!out.model)
        return out;
    out.workload.workload = out.model->workload;
    out.workload.machine = out.model->machine;
    out.rules = document.rules();
    out.schedule = document.schedule();
    return out;
}

void Overlays::take(Figures figures)
{
    m_figures = std::move(figures);
    m_refusal = m_figures.refusal;
    compare();
}

void Overlays::compare()
{
    for (OverlayFile& file : m_files) {
        file.compared.reset();
        if (!m_figures.model || file.values.values.empty())
            continue;
        auto compared = overlay::overlayOf(file.values, *m_figures.model, m_figures.ours,
                                           std::string(verbs::toString(m_lens)), m_figure);
        file.error.clear();
        if (compared)
            file.compared = std::move(*compared);
        else
            file.error = wholeSentence(compared.error().text());
    }
    Q_EMIT changed();
}

const OverlayFile* Overlays::first() const
{
    const auto at = std::ranges::find_if(
        m_files, [](const OverlayFile& f) { return f.isOn && f.compared && !f.compared->parts.empty(); });
    return at == m_files.end() ? nullptr : &*at;
}

std::vector<OpId> Overlays::opsOf(const overlay::Overlay& of, std::size_t row) const
{
    std::vector<OpId> out;
    if (m_figures.model)
        for (const OperatorId op : of.parts[row].operators)
            for (const OpId o : m_figures.model->opsOf(op))
                out.push_back(o);
    return out;
}

std::vector<std::optional<double>> Overlays::valuesOfOps() const
{
    const OverlayFile* file = first();
    if (!file)
        return {};
    std::vector<std::optional<double>> out(m_figures.model->problem->opCount());
    for (std::size_t row = 0; row < file->compared->parts.size(); ++row) {
        const auto value = overlay::shownValue(file->compared->comparison.rows[row], m_shown);
        for (const OpId op : opsOf(*file->compared, row))
            out[op.index()] = value;
    }
    return out;
}

OpValuesPtr Overlays::opColours() const
{
    using overlay::Shown;
    using Scale = OpValues::Scale;
    return std::make_shared<const OpValues>(
        OpValues{shownTitle(m_shown), valuesOfOps(),
                 m_shown == Shown::Value        ? Scale::Logarithm
                 : m_shown == Shown::Difference ? Scale::AroundZero
                                                : Scale::AroundOne,
                 [shown = m_shown](double value) { return shownText(value, shown); }, tr("not measured")});
}

QJsonObject Overlays::settings() const
{
    if (m_files.empty())
        return {};
    QJsonArray files;
    for (const OverlayFile& file : m_files)
        files.append(QJsonObject{{QStringLiteral("file"), file.path}, {QStringLiteral("on"), file.isOn}});
    return {{QStringLiteral("files"), files},
            {QStringLiteral("lens"), word(verbs::toString(m_lens))},
            {QStringLiteral("figure"), m_figure ? word(toString(*m_figure)) : QString()},
            {QStringLiteral("shown"), QLatin1String(kShownNames[static_cast<std::size_t>(m_shown)])}};
}

void Overlays::restore(const QJsonObject& settings)
{
    m_files.clear();
    for (const QJsonValue value : settings[QStringLiteral("files")].toArray()) {
        const QJsonObject entry = value.toObject();
        const QString path = entry[QStringLiteral("file")].toString();
        auto values = readValues(path);
        if (values) // a file that no longer exists or is broken is closed
            m_files.push_back({path, entry[QStringLiteral("on")].toBool(true), std::move(*values), {}, {}});
    }
    const QString lens = settings[QStringLiteral("lens")].toString();
    for (const verbs::SummaryKind kind : verbs::overlayLenses())
        if (word(verbs::toString(kind)) == lens)
            m_lens = kind;
    const QString figure = settings[QStringLiteral("figure")].toString();
    m_figure.reset();
    for (const overlay::Figure known : overlay::kFigures)
        if (word(toString(known)) == figure)
            m_figure = known;
    const QString shown = settings[QStringLiteral("shown")].toString();
    for (const overlay::Shown known : overlay::kShown)
        if (shown == QLatin1String(kShownNames[static_cast<std::size_t>(known)]))
            m_shown = known;
    request();
}

QString shownText(double value, overlay::Shown shown)
{
    switch (shown) {
    case overlay::Shown::Ratio:
        return QStringLiteral("× ") + significantNumber(value);
    case overlay::Shown::Difference:
        return (value > 0 ? QStringLiteral("+") : QString()) + significantNumber(value);
    case overlay::Shown::Value:
        break;
    }
    return significantNumber(value);
}

QString shownTitle(overlay::Shown shown)
{
    return shown == overlay::Shown::Ratio        ? tr("Ours ÷ measured")
           : shown == overlay::Shown::Difference ? tr("Ours less measured")
                                                 : tr("Measured");
}

} // namespace tilewright::ui
