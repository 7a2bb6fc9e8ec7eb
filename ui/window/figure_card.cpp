// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/figure_card.h"

#include "canvas/figure_address.h"
#include "canvas/table_model.h"
#include "figures/mapping_figures.h"
#include "figures/npu_figures.h"
#include "figures/schedule_figures.h"
#include "figures/systolic_figures.h"
#include "panels/summary/explanation_model.h"
#include "theme/text.h"
#include "workspace/document.h"
#include "workspace/mapping_document.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"

#include <QApplication>
#include <QComboBox>
#include <QCompleter>
#include <QCursor>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QPushButton>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

#include <utility>

namespace tilewright::ui {

namespace {

constexpr std::size_t kOffered = 200; ///< maximum number of elements of a group in the list of figures
const QString kSchedule = QStringLiteral("schedule"), kNpu = QStringLiteral("npu"),
              kSystolic = QStringLiteral("systolic"), kMapping = QStringLiteral("mapping");

/// Returns all figures of the current content of a lens; nothing if the lens has no result.
std::optional<figures::Figures> figuresOf(Workspace& workspace, const QString& lens)
{
    if (lens == kSchedule) {
        const Document& document = workspace.schedule();
        if (!document.snapshot() || document.snapshot()->schedule.size() == 0)
            return {};
        return figures::scheduleFigures(document.snapshot(), document.model());
    }
    if (lens == kSystolic) {
        const lower::ModelOnMachinePtr& model = workspace.schedule().lensModel();
        if (!model)
            return {};
        auto answer = verbs::networkOf(*model, workspace.systolic().networkRequest());
        if (!answer)
            return {};
        return figures::systolicFigures(std::make_shared<const verbs::NetworkAnswer>(*std::move(answer)));
    }
    if (lens == kMapping) {
        if (!workspace.has(Lens::Mapping) || !workspace.mapping().evaluation().hasNumbers)
            return {};
        const MappingDocument& document = workspace.mapping();
        return figures::mappingFigures(
            {document.nest(), document.evaluation(), document.setup().architecture.energyPj.mac});
    }
    if (lens != kNpu || !workspace.has(Lens::Npu) || !workspace.npu().result())
        return {};
    const NpuResultPtr& r = workspace.npu().result();
    return figures::npuFigures(
        {r->graph, r->run, r->bounds, npu::opReports(*r->graph, *r->run), {}, r->schedulers});
}

Table whatIfTable(const std::vector<figures::WhatIf>& values)
{
    Table out;
    out.columns = {{tr("10 % more of"), ColumnKind::Text, tr("Field of the machine.")},
                   {tr("From"), ColumnKind::Text},
                   {tr("To"), ColumnKind::Text},
                   {tr("Figure"), ColumnKind::Number, tr("The figure with this value. The schedule stays.")},
                   {tr("Change"), ColumnKind::Change}};
    for (const figures::WhatIf& value : values)
        out.add(value.note.empty() ? value.field : value.field + " (" + value.note + ")", value.from,
                value.to, value.figure, value.change);
    return out;
}

} // namespace

FigureCard::FigureCard(Workspace& workspace, QWidget* window)
    : QDialog(window), m_workspace(workspace), m_window(*window),
      m_job(std::make_unique<LatestJob<std::vector<figures::WhatIf>>>(
          [this](const std::vector<figures::WhatIf>& values) {
              m_whatIfRows->setTable(whatIfTable(values));
              m_whatIf->setVisible(true);
              m_more->setText(tr("10 % more of each value"));
              refreshButtons();
          },
          true))
{
    setWindowTitle(tr("Figure"));
    setObjectName(QStringLiteral("figureCard"));
    build();
    qApp->installEventFilter(this);
}

FigureCard::~FigureCard() = default;

void FigureCard::build()
{
    m_address = new QComboBox(this);
    m_address->setEditable(true);
    m_address->setInsertPolicy(QComboBox::NoInsert);
    m_address->setAccessibleName(tr("Address of the figure"));
    m_address->setToolTip(tr("Choose a figure, or type its address as in the JSON document of the lens."));
    m_address->completer()->setFilterMode(Qt::MatchContains);
    m_address->completer()->setCompletionMode(QCompleter::PopupCompletion);
    m_back = new QPushButton(tr("Back"), this);
    m_back->setToolTip(tr("Show the figure before."));
    m_more = new QPushButton(tr("10 % more of each value"), this);
    m_more->setToolTip(tr("Compute this figure with 10 % more of each value of the machine."));
    const auto label = [this](const QString& name) {
        auto* l = new QLabel(this);
        l->setAccessibleName(name);
        l->setTextFormat(Qt::PlainText);
        l->setWordWrap(true);
        l->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return l;
    };
    m_title = label(tr("Name of the figure"));
    m_title->setFont(uiFont(1.15, QFont::DemiBold));
    m_value = label(tr("Value of the figure"));
    m_value->setFont(uiFont(1.5, QFont::DemiBold));
    m_text = label(tr("What the figure is"));
    m_explained = new ExplanationModel(this);
    m_tree = new QTreeView(this);
    asExplanation(*m_tree, tr("What the figure is made of"), *m_explained);
    m_whatIfRows = new TableModel(this);
    m_whatIfRows->alignHeadings();
    m_whatIfRows->setTable(whatIfTable({}));
    m_whatIf = new QTableView(this);
    asList(*m_whatIf, tr("Figure with 10 % more of each value of the machine"), *m_whatIfRows);
    m_whatIf->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_whatIf->setVisible(false);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_back, QDialogButtonBox::ActionRole);
    buttons->addButton(m_more, QDialogButtonBox::ActionRole);
    for (QPushButton* button : findChildren<QPushButton*>())
        button->setAutoDefault(false); // Enter in the tree or in the address must not press the button

    auto* column = new QVBoxLayout(this);
    column->addWidget(m_address);
    column->addWidget(m_title);
    column->addWidget(m_value);
    column->addWidget(m_text);
    column->addWidget(m_tree, 3);
    column->addWidget(m_whatIf, 2);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 96, fontMetrics().height() * 34);

    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_back, &QPushButton::clicked, this, &FigureCard::goBack);
    connect(m_more, &QPushButton::clicked, this, &FigureCard::showWhatIf);
    connect(m_address, &QComboBox::textActivated, this, [this](const QString& text) { ask(text); });
    connect(m_tree, &QTreeView::activated, this, &FigureCard::askLeaf);
}

bool FigureCard::ask(const QString& figure)
{
    const qsizetype colon = figure.indexOf(QLatin1Char(':'));
    const QString lens = figure.left(std::max<qsizetype>(colon, 0));
    const auto all = figuresOf(m_workspace, lens);
    const auto found = all ? all->find(figure.mid(colon + 1).toStdString())
                           : Result<figures::Figure>(Error{ErrorCode::Missing, {}, {}, {}});
    if (!found) {
        m_text->setText(all ? sentence(found.error().text()) : tr("Nothing is open that has this figure."));
        return false;
    }
    const QString address = lens + QLatin1Char(':') + QString::fromStdString(found->address);
    if (!m_shown.isEmpty() && m_shown != address)
        m_before.push_back(m_shown);
    m_shown = address;
    m_address->clear();
    for (const std::string& one : all->addresses(kOffered))
        m_address->addItem(lens + QLatin1Char(':') + QString::fromStdString(one));
    m_address->setCurrentText(address);

    const ExplainedValue& value = found->value;
    QString title = word(found->kind.title);
    title[0] = title[0].toUpper();
    m_title->setText(found->of.empty() ? title : tr("%1: %2").arg(title, QString::fromStdString(found->of)));
    m_value->setText(QStringLiteral("%1 %2")
                         .arg(QString::fromStdString(valueText(value)), QString::fromStdString(value.unit))
                         .trimmed());
    QStringList lines{word(found->kind.meaning)};
    if (!found->kind.leavesOut.empty())
        lines << tr("Leaves out: %1").arg(word(found->kind.leavesOut));
    if (!found->kind.elsewhere.empty())
        lines << tr("Elsewhere: %1").arg(word(found->kind.elsewhere));
    m_text->setText(lines.join(QLatin1Char('\n')));
    m_explained->setExplanation(value);
    m_tree->expandToDepth(1);
    m_job->cancel();
    m_whatIf->setVisible(false);
    refreshButtons();
    show();
    raise();
    return true;
}

void FigureCard::askHere()
{
    QWidget* const under = QApplication::widgetAt(QCursor::pos());
    QString figure;
    if (under && under->window() == &m_window)
        figure = figureAt(*under, under->mapFromGlobal(QCursor::pos()));
    if (QWidget* const focused = QApplication::focusWidget(); figure.isEmpty() && focused)
        figure = figureOfFocus(*focused);
    if (!figure.isEmpty() && ask(figure))
        return;
    const Lens lens = m_workspace.current().lens();
    if (!ask(lens == Lens::Npu        ? QStringLiteral("npu:makespan")
             : lens == Lens::Mapping  ? QStringLiteral("mapping:energy")
             : lens == Lens::Systolic ? QStringLiteral("systolic:total.cycles")
                                      : QStringLiteral("schedule:total_latency")))
        ask(QStringLiteral("schedule:total_latency"));
}

void FigureCard::askLeaf(const QModelIndex& index)
{
    const ExplainedValue* const value = m_explained->valueAt(index);
    const std::string_view address = value ? figures::figureOf(*value) : std::string_view();
    if (!address.empty())
        ask(m_shown.section(QLatin1Char(':'), 0, 0) + QLatin1Char(':') + word(address));
}

void FigureCard::goBack()
{
    if (m_before.isEmpty())
        return;
    const QString before = m_before.takeLast();
    m_shown.clear();
    ask(before);
}

void FigureCard::refreshButtons()
{
    m_back->setEnabled(!m_before.isEmpty());
    m_more->setEnabled(m_shown.startsWith(kSchedule));
}

void FigureCard::showWhatIf()
{
    m_more->setText(tr("Computing …"));
    const SnapshotPtr snapshot = m_workspace.schedule().snapshot();
    const lower::ModelOnMachinePtr model = m_workspace.schedule().model();
    m_job->request([snapshot, model, address = m_shown.section(QLatin1Char(':'), 1).toStdString()](
                       const std::stop_token& stop) {
        return figures::whatIf(*snapshot, model, address, {stop, {}});
    });
}

void FigureCard::done(int result)
{
    const QSignalBlocker quiet(m_address); // the address field would treat the loss of the focus as input
    QDialog::done(result);
}

bool FigureCard::eventFilter(QObject* object, QEvent* event)
{
    if (event->type() != QEvent::MouseButtonPress || !object->isWidgetType())
        return false;
    const auto* const press =
        static_cast<QMouseEvent*>(event); // NOLINT(cppcoreguidelines-pro-type-static-cast-downcast)
    const auto* const widget =
        static_cast<QWidget*>(object); // NOLINT(cppcoreguidelines-pro-type-static-cast-downcast)
    if (press->button() != Qt::LeftButton || press->modifiers() != Qt::AltModifier)
        return false;
    const QWidget* const top = widget->window(); // a dock that floats is a window of its own
    if (top != &m_window &&
        (qobject_cast<const QDockWidget*>(top) == nullptr || top->parentWidget() != &m_window))
        return false;
    const QString figure = figureAt(*widget, press->position().toPoint());
    return !figure.isEmpty() && ask(figure);
}

} // namespace tilewright::ui
