// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/start_page.h"

#include "canvas/control_bar.h"
#include "layout/layout.h"
#include "panels/inspector/controls.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "workload/problem_json.h"
#include "workspace/installed_files.h"

#include <QDir>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QScrollArea>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

namespace tilewright::ui {

namespace {

const QString kScheduleEnding = QStringLiteral(".schedule.json");

void addFiles(QMenu& menu, const QString& text, const QStringList& files, const OpenFiles& open)
{
    QObject::connect(menu.addAction(text), &QAction::triggered, &menu, [open, files] { open(files); });
}

} // namespace

QFileInfoList sampleProblems()
{
    QFileInfoList files = QDir(samplesFolder() + QStringLiteral("/schedule"))
                              .entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
    files.removeIf([](const QFileInfo& file) { return file.fileName().endsWith(kScheduleEnding); });
    // Small examples for beginners come first.
    std::stable_partition(files.begin(), files.end(), [](const QFileInfo& file) {
        return file.fileName().startsWith(QLatin1String("example-"));
    });
    return files;
}

QStringList schedulesBeside(const QFileInfo& problem)
{
    const QString base = problem.completeBaseName();
    QStringList paths;
    for (const QFileInfo& file :
         problem.dir().entryInfoList({base + kScheduleEnding, base + QStringLiteral(".*") + kScheduleEnding},
                                     QDir::Files, QDir::Name))
        paths << file.filePath();
    return paths;
}

QString problemBeside(const QFileInfo& schedule)
{
    const QString name = schedule.fileName();
    if (!name.endsWith(kScheduleEnding))
        return {};
    QString base = name.chopped(kScheduleEnding.size());
    while (!base.isEmpty()) {
        QString problem = schedule.dir().filePath(base + QStringLiteral(".json"));
        if (QFileInfo::exists(problem))
            return problem;
        base.truncate(std::max<qsizetype>(base.lastIndexOf(QLatin1Char('.')), 0));
    }
    return {};
}

QString scheduleTitle(const QFileInfo& problem, const QString& schedule)
{
    const QString name = QFileInfo(schedule).fileName().mid(problem.completeBaseName().size() + 1);
    if (name.size() <= kScheduleEnding.size())
        return tr("With its schedule");
    const QString own = name.chopped(kScheduleEnding.size());
    const bool lettered = own.size() > 2 && own[1] == QLatin1Char('-');
    const QString words = QString(lettered ? own.mid(2) : own).replace(QLatin1Char('-'), QLatin1Char(' '));
    return lettered ? own[0].toUpper() + QStringLiteral(": ") + words : words;
}

void addSchedules(QMenu& menu, const QFileInfo& problem, const OpenFiles& open)
{
    const QStringList schedules = schedulesBeside(problem);
    addFiles(menu, tr("Start with one op per subgraph"), {problem.filePath()}, open);
    for (const QString& path : schedules)
        addFiles(menu, scheduleTitle(problem, path), {problem.filePath(), path}, open);
    if (schedules.size() > 1) {
        menu.addSeparator();
        addFiles(menu, tr("Compare all schedules"), QStringList{problem.filePath()} + schedules, open);
    }
}

std::vector<SampleKind> sampleKinds()
{
    return {{QStringLiteral("models"), tr("Models"), tr("A network on a machine, for all lenses.")},
            {QStringLiteral("language"), tr("Language models"),
             tr("A config.json of Hugging Face: phases, tokens a second, batches.")},
            {QStringLiteral("npu"), tr("NPU models"), tr("Simulate a model tile by tile on several cores.")},
            {QStringLiteral("mapping/layers"), tr("Layers to map"),
             tr("Tile and order the loops of one layer for the least energy or the fewest cycles.")},
            {QStringLiteral("mapping/models"), tr("Networks to map"),
             tr("Map every layer of a network, each with a proof of optimality.")}};
}

void addSamples(QMenu& menu, const SampleKind& kind, const OpenFiles& open)
{
    for (const QFileInfo& file : QDir(samplesFolder() + QLatin1Char('/') + kind.folder)
                                     .entryInfoList({QStringLiteral("*.json"), QStringLiteral("*.csv"),
                                                     QStringLiteral("*.onnx"), QStringLiteral("*.mlir")},
                                                    QDir::Files, QDir::Name))
        addFiles(menu,
                 (file.suffix() == QLatin1String("onnx") || file.suffix() == QLatin1String("mlir")
                      ? file.fileName()
                      : file.completeBaseName())
                     .remove(QStringLiteral(".config"))
                     .replace(QLatin1Char('_'), QLatin1Char('-')),
                 {file.filePath()}, open);
}

void addAllSamples(QMenu& menu, const OpenFiles& open)
{
    for (const QFileInfo& problem : sampleProblems()) {
        if (schedulesBeside(problem).isEmpty())
            addFiles(menu, problem.completeBaseName(), {problem.filePath()}, open);
        else
            addSchedules(*menu.addMenu(problem.completeBaseName()), problem, open);
    }
    menu.addSeparator();
    for (const SampleKind& kind : sampleKinds()) {
        QMenu* some = menu.addMenu(kind.text);
        addSamples(*some, kind, open);
        some->menuAction()->setVisible(!some->isEmpty());
    }
}

namespace {

constexpr QSize kPicture(208, 104);

/// Returns an empty picture in the colours of the theme.
QPixmap blankPicture(const Theme& theme, double ratio)
{
    QPixmap pixmap(kPicture * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(theme.canvas);
    return pixmap;
}

/// Returns a thumbnail of the graph as the Graph view lays it out, from left to right: squares for MatMul,
/// circles for Pointwise, lines for tensors.
QPixmap thumbnail(const Problem& problem, const Theme& theme, double ratio)
{
    LayoutGraph graph;
    constexpr double kSide = 18;
    graph.nodes.assign(problem.opCount(), {kSide, kSide});
    for (std::size_t i = 0; i < problem.opCount(); ++i)
        for (const OpId c : problem.readers(problem.op(OpId(i)).output))
            graph.edges.push_back({static_cast<std::uint32_t>(i), c.value, static_cast<std::int32_t>(i)});
    LayoutOptions options;
    options.orientation = LayoutOptions::Orientation::LeftToRight;
    options.layerGap = 2 * kSide;
    const auto laid = layeredLayout(graph, options);
    QPixmap pixmap = blankPicture(theme, ratio);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF room = QRectF(QPointF(0, 0), kPicture).adjusted(10, 8, -10, -8);
    const LayoutRect& all = laid->bounds;
    // A long graph is squeezed in one direction, but its ops stay squares and circles.
    const double sx = std::min(2.5, room.width() / std::max(1.0, all.width));
    const double sy = std::min({2.5, 3 * sx, room.height() / std::max(1.0, all.height)});
    const QPointF origin = room.center() - QPointF(all.width * sx, all.height * sy) / 2;
    const auto at = [&](const LayoutPoint& p) {
        return origin + QPointF((p.x - all.x) * sx, (p.y - all.y) * sy);
    };
    painter.setPen(QPen(Theme::mix(theme.canvas, theme.outline, 0.7), 1));
    painter.setBrush(Qt::NoBrush);
    for (const LayoutRoute& route : laid->edges) {
        if (route.empty())
            continue;
        QPainterPath line(at(route.front()));
        for (std::size_t i = 0; i + 3 < route.size(); i += 3)
            line.cubicTo(at(route[i + 1]), at(route[i + 2]), at(route[i + 3]));
        painter.drawPath(line);
    }
    const double r = std::clamp(kSide / 2 * std::min(sx, sy), 1.5, 9.0);
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const bool matMul = problem.op(OpId(i)).type == OpType::MatMul;
        const QPointF centre = at(laid->nodes[i].center());
        painter.setBrush(theme.category(matMul ? 2 : 0));
        painter.setPen(QPen(theme.categoryBorder(matMul ? 2 : 0), 1));
        if (matMul)
            painter.drawRect(QRectF(centre - QPointF(r, r), QSizeF(2 * r, 2 * r)));
        else
            painter.drawEllipse(centre, r, r);
    }
    return pixmap;
}

/// Returns the thumbnail of a recent file: the graph, if it is a small problem or a schedule beside its
/// problem; otherwise a picture of the kind of file, because reading the file would take too long.
QIcon recentIcon(const QFileInfo& file, const Theme& theme, double ratio)
{
    constexpr qint64 kSmall = 256 * 1024;
    constexpr std::size_t kFewOps = 600;
    const QString beside = problemBeside(file);
    const QFileInfo shown = beside.isEmpty() ? file : QFileInfo(beside);
    if (shown.suffix() == QLatin1String("json") && shown.size() <= kSmall)
        if (const auto problem = loadProblem(shown.filePath().toStdString());
            problem && (*problem)->opCount() <= kFewOps)
            return QIcon(thumbnail(**problem, theme, ratio));
    QPixmap pixmap = blankPicture(theme, ratio);
    QPainter painter(&pixmap);
    painter.setPen(theme.muted);
    // Large, because the picture is shown at a third of its size.
    painter.setFont(uiFont(2.2, QFont::DemiBold));
    painter.drawText(QRectF(QPointF(0, 0), kPicture), Qt::AlignCenter, file.suffix().toUpper());
    return QIcon(pixmap);
}

QString opsOf(const Problem& problem)
{
    return counted(static_cast<std::int64_t>(problem.opCount()), StartPage::tr("op"), StartPage::tr("ops"));
}

QLabel* wrapped(const QString& text, QWidget* page)
{
    auto* label = new QLabel(text, page);
    label->setWordWrap(true);
    return label;
}

QLabel* heading(const QString& text, QWidget* page)
{
    auto* label = new QLabel(text, page);
    label->setFont(uiFont(1.2, QFont::DemiBold));
    return label;
}

} // namespace

StartPage::StartPage(const ViewContext& context, QWidget* parent) : QWidget(parent), m_context(context)
{
    setAccessibleName(tr("Start page"));
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setAccessibleName(tr("Start page"));
    scroll->setFrameShape(QFrame::NoFrame);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    auto* page = new QWidget(scroll);
    scroll->setWidget(page);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(32, 28, 32, 28);
    column->setSpacing(12);

    auto* title = new QLabel(tr("Tilewright"), page);
    title->setFont(uiFont(2.0, QFont::DemiBold));
    column->addWidget(title);
    column->addWidget(wrapped(tr("Group the ops of a tensor graph into subgraphs, choose their tiles, and "
                                 "watch latency and memory change as you edit."),
                              page));
    auto* first = new ControlBar(page);
    for (const auto& [text, tip] :
         {std::pair{tr("Open a model…"),
                    tr("Open a model (ONNX or JSON), a problem with its hardware, a schedule, "
                       "a layer to map, a machine or a table of measurements.")},
          {tr("Open a Hugging Face config…"),
           tr("Open the config.json of a language model: no weights are needed. Phase, batch and "
              "tokens are chosen in the dock Import.")}}) {
        auto* button = new QPushButton(icon(QStringLiteral("open")), text, page);
        connect(button, &QPushButton::clicked, this, &StartPage::openRequested);
        first->add(button, text, tip);
    }
    for (const auto& [id, text, tip] :
         {std::tuple{"help.demo", tr("Play the demo"), tr("Watch the first minute; Esc or a click ends it.")},
          {"help.tour.fuse", tr("Take a tour"),
           tr("Do the first steps yourself, with a pointer to each control.")}}) {
        auto* button = new QPushButton(icon(QStringLiteral("play")), text, page);
        connect(button, &QPushButton::clicked, this, [this, id = QLatin1String(id)] {
            if (QAction* action = m_context.actions.find(id))
                action->trigger();
        });
        first->add(button, text, tip);
    }
    column->addWidget(first);
    column->addWidget(wrapped(tr("You can also drop files on this window."), page));

    m_recentBox = new QWidget(page);
    m_recent = new QVBoxLayout(m_recentBox);
    m_recent->setContentsMargins(0, 8, 0, 0);
    m_recent->setSpacing(2);
    column->addWidget(m_recentBox);

    addLensSamples(*column, page);
    column->addWidget(heading(tr("Problems of the Schedule lens"), page));
    column->addWidget(wrapped(tr("Click a problem to open it with one op per subgraph, then drag an op onto "
                                 "another one to fuse them. The "
                                 "arrow beside it opens ready-made schedules. Squares are MatMul ops, "
                                 "circles are Pointwise ops."),
                              page));
    m_samples = new QGridLayout;
    m_samples->setSpacing(12);
    column->addLayout(m_samples);
    column->addStretch();
    fillSamples();
    connect(&m_context.themes, &ThemeSource::changed, this, [this] {
        fillSamples();
        setRecent(std::vector(m_recentFiles));
    });
}

/// Adds a button for each of a few models, and a menu for each group of further samples.
void StartPage::addLensSamples(QVBoxLayout& column, QWidget* page)
{
    QLabel* title = heading(tr("Models, for every lens"), page);
    auto* models = new ControlBar(page);
    auto* more = new ControlBar(page);
    bool any = false;
    const auto open = [this](const QStringList& paths) { Q_EMIT filesRequested(paths); };
    for (const char* name : {"mobilenet-v2.onnx", "resnet-18.onnx", "llama-block.json", "gpt2-block.onnx",
                             "bert-block.onnx", "llama-decode-block.json"}) {
        const QFileInfo file(samplesFolder() + QStringLiteral("/models/") + QLatin1String(name));
        if (!file.exists())
            continue;
        auto* button = new QPushButton(file.completeBaseName(), page);
        connect(button, &QPushButton::clicked, this, [open, path = file.filePath()] { open({path}); });
        models->add(button, file.completeBaseName(),
                    tr("Open %1 on the machine edge, for all lenses.").arg(file.fileName()));
    }
    for (const SampleKind& kind : sampleKinds()) {
        auto* menu = new QMenu(page);
        addSamples(*menu, kind, open);
        if (menu->isEmpty())
            continue;
        const bool all = kind.folder == QLatin1String("models");
        auto* button = new QPushButton(all ? tr("All models") : kind.text, page);
        button->setObjectName(kind.folder);
        button->setMenu(menu);
        more->add(button, button->text(), kind.tip);
        any = true;
    }
    title->setVisible(any);
    column.addWidget(title);
    column.addWidget(models);
    column.addWidget(more);
}

void StartPage::fillSamples()
{
    clearLayout(m_samples);
    m_sampleButtons.clear();
    m_cell = kPicture.width() + 16;
    for (const QFileInfo& file : sampleProblems()) {
        const auto problem = loadProblem(file.filePath().toStdString());
        if (!problem)
            continue;
        auto* button = new QToolButton(this);
        button->setToolButtonStyle(Qt::ToolButtonTextUnderIcon);
        button->setIconSize(kPicture);
        button->setIcon(QIcon(thumbnail(**problem, m_context.themes.theme(), devicePixelRatioF())));
        const QString name = file.completeBaseName();
        button->setText(name + QStringLiteral(" · ") + opsOf(**problem));
        button->setAccessibleName(name);
        button->setToolTip(plain(QString::fromStdString((*problem)->name())));
        button->setAutoRaise(true);
        button->setFixedHeight(kPicture.height() + fontMetrics().height() + 20);
        m_cell = std::max(m_cell, fontMetrics().horizontalAdvance(button->text()) + 24);
        connect(button, &QToolButton::clicked, this,
                [this, path = file.filePath()] { Q_EMIT filesRequested({path}); });
        // The menu has the schedules in the folder of the problem.
        if (!schedulesBeside(file).isEmpty()) {
            auto* menu = new QMenu(button);
            addSchedules(*menu, file, [this](const QStringList& paths) { Q_EMIT filesRequested(paths); });
            button->setMenu(menu);
            button->setPopupMode(QToolButton::MenuButtonPopup);
        }
        m_sampleButtons.push_back(button);
    }
    for (QWidget* button : m_sampleButtons)
        button->setFixedWidth(m_cell);
    m_columns = 0;
    arrangeSamples();
    if (m_sampleButtons.empty())
        m_samples->addWidget(new QLabel(tr("The samples folder was not found beside the program."), this), 0,
                             0);
}

void StartPage::arrangeSamples()
{
    const int columns = std::max(1, (width() - 80) / (m_cell + 12));
    if (columns == m_columns)
        return;
    for (int c = 0; c <= m_columns; ++c)
        m_samples->setColumnStretch(c, 0);
    m_columns = columns;
    m_samples->setColumnStretch(columns, 1);
    for (std::size_t i = 0; i < m_sampleButtons.size(); ++i)
        m_samples->addWidget(m_sampleButtons[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns,
                             Qt::AlignLeft);
}

void StartPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::FontChange && m_samples)
        fillSamples();
    QWidget::changeEvent(event);
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrangeSamples();
}

void StartPage::setRecent(const std::vector<RecentFile>& files)
{
    m_recentFiles = files;
    clearLayout(m_recent);
    m_recentBox->setVisible(!files.empty());
    if (files.empty())
        return;
    m_recent->addWidget(heading(tr("Recent"), m_recentBox));
    constexpr std::size_t kShown = 6;
    int widest = 0; // width of all links, so that the figures beside them are aligned
    std::vector<QToolButton*> links;
    for (std::size_t i = 0; i < files.size() && i < kShown; ++i) {
        const QFileInfo file(files[i].path);
        auto* row = new QHBoxLayout;
        auto* link = new QToolButton(m_recentBox);
        link->setAutoRaise(true);
        link->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        link->setIconSize(kPicture / 3);
        link->setIcon(recentIcon(file, m_context.themes.theme(), devicePixelRatioF()));
        link->setText(file.fileName());
        link->setToolTip(
            plain(file.exists() ? files[i].path : tr("%1 no longer exists.").arg(files[i].path)));
        link->setAccessibleName(file.fileName());
        link->setAccessibleDescription(files[i].figures + QLatin1Char(' ') + file.path());
        link->setEnabled(file.exists());
        connect(link, &QToolButton::clicked, this,
                [this, path = files[i].path] { Q_EMIT filesRequested({path}); });
        auto* what = new QLabel(m_recentBox);
        const QString muted = m_context.themes.theme().muted.name();
        what->setText(rich(QStringLiteral("%1 <span style='color:%2'>%3</span>")
                               .arg(files[i].figures.toHtmlEscaped(), muted, file.path().toHtmlEscaped())));
        what->setSizePolicy(QSizePolicy::Ignored,
                            QSizePolicy::Preferred); // ignored, so that a long path does not widen the page
        row->addWidget(link);
        row->addWidget(what, 1);
        m_recent->addLayout(row);
        links.push_back(link);
        widest = std::max(widest, link->sizeHint().width());
    }
    for (QToolButton* link : links)
        link->setFixedWidth(widest);
}

} // namespace tilewright::ui
