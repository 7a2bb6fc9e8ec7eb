// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/export_report.h"

#include "base/file.h"
#include "eval/evaluation.h"
#include "export/live_page.h"
#include "report/compare.h"
#include "report/evaluation_json.h"
#include "report/html_report.h"
#include "report/writers.h"
#include "theme/text.h"
#include "verbs/summary.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QDateTime>
#include <QFileInfo>
#include <QLocale>
#include <QPainter>
#include <QPdfWriter>
#include <QTextDocument>

namespace tilewright::ui {

namespace {

Error failed(const QString& path, const QString& why)
{
    return {ErrorCode::Io, why.toStdString(), {}, path.toStdString()};
}

// Views that the HTML page shows as tables, not as pictures, because they are lists and forms.
const QString kTableView = QStringLiteral("subgraphs"), kSummaryView = QStringLiteral("summary"),
              kMappingModelView = QStringLiteral("mapping-model");

bool hasChart(const View& view)
{
    const QString& name = view.viewName();
    return name != kTableView && name != kSummaryView && name != kMappingModelView;
}

ReportTable tableOf(View& view)
{
    view.catchUp();
    view.settle();
    return {view.title().toStdString(), view.tableText().toStdString()};
}

ReportCharts chartsOf(const std::vector<View*>& views)
{
    LivePage page;
    for (View* view : views)
        if (hasChart(*view))
            page.add(*view);
    return page.charts();
}

std::vector<ReportTable> tablesOf(const std::vector<View*>& views)
{
    std::vector<ReportTable> tables;
    tables.reserve(views.size());
    for (View* view : views)
        tables.push_back(tableOf(*view));
    return tables;
}

QString now()
{
    return QLocale::c().toString(QDateTime::currentDateTime(), QStringLiteral("yyyy-MM-dd HH:mm"));
}

std::string note(const Document& document)
{
    QStringList parts{QFileInfo(document.problemPath()).fileName(),
                      QFileInfo(document.schedulePath()).fileName(), now()};
    parts.removeAll(QString());
    return parts.join(QStringLiteral(" · ")).toStdString();
}

using Notes = std::vector<std::pair<std::string, std::string>>;

/// Returns the notes on subgraphs in the order of the schedule, then the notes on views.
Notes notesOf(const Document& document, const std::vector<View*>& views)
{
    Notes out;
    const auto add = [&](const QString& key, const QString& about) {
        if (const QString text = document.notes().value(key); !text.isEmpty())
            out.emplace_back(about.toStdString(), text.toStdString());
    };
    for (std::size_t i = 0; i < document.schedule().size(); ++i)
        add(Document::subgraphNote(document.schedule()[SubgraphId(i)]), QObject::tr("Subgraph %1").arg(i));
    for (const View* view : views)
        add(Document::viewNote(view->viewName()), view->title());
    return out;
}

/// Writes the notes on separate pages at the end of the PDF.
void writeNotes(QPdfWriter& writer, QPainter& painter, const Notes& notes, const QSizeF& page)
{
    QString html = QStringLiteral("<h2>%1</h2>").arg(QObject::tr("Notes"));
    for (const auto& [about, text] : notes)
        html += QStringLiteral("<h4>%1</h4><p style=\"white-space: pre-wrap\">%2</p>")
                    .arg(QString::fromStdString(about).toHtmlEscaped(),
                         QString::fromStdString(text).toHtmlEscaped());
    QTextDocument text;
    text.documentLayout()->setPaintDevice(&writer);
    text.setDefaultFont(uiFont());
    text.setHtml(html);
    text.setPageSize(page);
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette = Theme::light().palette();
    for (int i = 0; i < text.pageCount(); ++i) {
        writer.newPage();
        painter.save();
        painter.translate(0, -i * page.height());
        context.clip = QRectF(QPointF(0, i * page.height()), page);
        painter.setClipRect(context.clip);
        text.documentLayout()->draw(&painter, context);
        painter.restore();
    }
}

Status writePdf(const QString& title, const Notes& notes, const std::vector<View*>& views,
                const QString& path)
{
    QByteArray bytes;
    {
        constexpr int kDpi = 96;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        QPdfWriter writer(&buffer);
        writer.setTitle(title);
        writer.setResolution(kDpi);
        writer.setPageSize(QPageSize(QPageSize::A4));
        writer.setPageOrientation(QPageLayout::Landscape);
        writer.setPageMargins(QMarginsF(12, 12, 12, 12), QPageLayout::Millimeter);
        QPainter painter(&writer);
        const QRectF page(QPointF(0, 0), writer.pageLayout().paintRectPixels(kDpi).size());
        bool first = true;
        for (View* view : views) {
            if (!first)
                writer.newPage();
            first = false;
            view->catchUp();
            view->settle();
            painter.setFont(uiFont(1.2, QFont::DemiBold));
            painter.setPen(Theme::light().text);
            const double heading = QFontMetricsF(painter.font()).height() + 8;
            painter.drawText(QRectF(0, 0, page.width(), heading), Qt::AlignLeft | Qt::AlignTop,
                             view->title());
            const QSize size = view->exportSize();
            const double scale =
                std::min(page.width() / size.width(), (page.height() - heading) / size.height());
            painter.save();
            painter.translate(0, heading);
            painter.scale(scale, scale);
            view->paintExport(painter, size, Theme::light());
            painter.restore();
        }
        if (!notes.empty())
            writeNotes(writer, painter, notes, page.size());
    }
    return writeFileAtomically(path.toStdString(),
                               {bytes.constData(), static_cast<std::size_t>(bytes.size())});
}

/// The baseline that is compared.
const Baseline* baselineOf(const Document& document)
{
    const int at = document.baselineIndex();
    return at < 0 ? nullptr : &document.baselines()[static_cast<std::size_t>(at)];
}

/// Why a baseline is not compared with the schedule, as one sentence; empty if it is.
QString whyNotCompared(const Document& document, const Baseline& baseline)
{
    const Snapshot& snapshot = *baseline.snapshot;
    if (!snapshot.evaluation.valid())
        return QObject::tr("The baseline %1 is not compared, as it breaks a rule: %2.")
            .arg(document.nameOf(baseline), sentence(snapshot.evaluation.verdict()->text));
    if (snapshot.problem == document.problem())
        return {};
    const Evaluation here = evaluate(*document.problem(), snapshot.schedule, document.rules());
    return here.valid() ? QString()
                        : QObject::tr("The baseline %1 is not compared, as its schedule is not valid on the "
                                      "hardware of this report: %2.")
                              .arg(document.nameOf(baseline), sentence(here.verdict()->text));
}

/// A sentence on a baseline that is compared, if it is for other hardware; else empty.
QString otherHardware(const Document& document, const Baseline& baseline)
{
    const Snapshot& snapshot = *baseline.snapshot;
    if (snapshot.problem == document.problem())
        return {};
    return QObject::tr("The baseline %1 has the latency %2 there; here both schedules are on the hardware of "
                       "this report.")
        .arg(document.nameOf(baseline), number(snapshot.evaluation.total));
}

} // namespace

const QStringList& reportViews()
{
    static const QStringList names{
        QStringLiteral("graph"),       kTableView,
        QStringLiteral("memory"),      QStringLiteral("tiles"),
        QStringLiteral("latency"),     QStringLiteral("roofline"),
        QStringLiteral("granularity"),
    };
    return names;
}

QStringList reportViews(const Document& document)
{
    QStringList out = reportViews();
    if (document.model())
        out.prepend(kSummaryView);
    return out;
}

Status exportReport(const Document& document, const std::vector<View*>& views, const QString& path)
{
    if (!document.snapshot())
        return failed(path, QObject::tr("there is nothing to report: no problem is open"));
    const QString ending = QFileInfo(path).suffix().toLower();
    const Baseline* const baseline = baselineOf(document);
    const QString whyNot = baseline ? whyNotCompared(document, *baseline) : QString();
    if (ending == QLatin1String("pdf")) {
        Notes notes = notesOf(document, views);
        if (!whyNot.isEmpty())
            notes.emplace_back(QObject::tr("Baseline").toStdString(), whyNot.toStdString());
        return writePdf(QString::fromStdString(document.problem()->name()), notes, views, path);
    }
    if (ending != QLatin1String("html") && ending != QLatin1String("htm"))
        return failed(path, QObject::tr("the ending must be .html or .pdf"));
    HtmlReportOptions options;
    options.note = note(document);
    options.notes = notesOf(document, views);
    options.charts = chartsOf(views);
    if (!views.empty() && views.front()->viewName() == kSummaryView)
        options.summary = tablesOf({views.front()}).front();
    if (const Document::Proof* const proof = document.proof())
        options.provenSpace = proof->space.toStdString();
    if (document.model())
        options.figures = verbs::reportFigures(*document.model(), document.snapshot()->evaluation);
    Comparison comparison;
    if (baseline && whyNot.isEmpty()) {
        comparison = compareSchedules(document.problem(), baseline->snapshot->schedule, document.schedule(),
                                      document.rules());
        options.comparison = &comparison;
        options.baseline = otherHardware(document, *baseline).toStdString();
    } else {
        options.baseline = whyNot.toStdString();
    }
    return writeFileAtomically(path.toStdString(), htmlReport(*document.snapshot(), options));
}

Status exportLensReport(const Document& document, const QString& title, const std::vector<View*>& views,
                        const QString& path)
{
    const QString ending = QFileInfo(path).suffix().toLower();
    if (ending == QLatin1String("pdf"))
        return writePdf(title, {}, views, path);
    if (ending != QLatin1String("html") && ending != QLatin1String("htm"))
        return failed(path, QObject::tr("the ending must be .html or .pdf"));
    // The views are drawn one by one: the search of a later view may change what an earlier view shows.
    LivePage page;
    std::vector<ReportTable> tables;
    tables.reserve(views.size());
    for (View* view : views) {
        if (hasChart(*view))
            page.add(*view);
        tables.push_back(tableOf(*view));
    }
    QStringList about{QFileInfo(document.problemPath()).fileName(), now()};
    if (document.machine())
        about.insert(1, QString::fromStdString(document.machine()->name));
    about.removeAll(QString());
    return writeFileAtomically(path.toStdString(),
                               htmlPage(title.toStdString(), about.join(QStringLiteral(" · ")).toStdString(),
                                        page.charts(), tables));
}

std::string reportJson(const Document& document)
{
    return evaluationJson(*document.snapshot(), document.rulesReason().toStdString());
}

std::string lensReportJson(const QString& title, const std::vector<View*>& views)
{
    return tablesJson(title.toStdString(), tablesOf(views));
}

Status exportSubgraphsCsv(const Document& document, const QString& path)
{
    if (!document.snapshot())
        return failed(path, QObject::tr("there is nothing to export: no problem is open"));
    return writeFileAtomically(path.toStdString(), subgraphsCsv(*document.snapshot()));
}

} // namespace tilewright::ui
