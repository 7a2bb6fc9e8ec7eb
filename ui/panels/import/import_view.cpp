// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/import/import_view.h"

#include "canvas/number_box.h"
#include "lower/lens_coverage.h"
#include "panels/import/language_form.h"
#include "theme/text.h"

#include <QComboBox>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace tilewright::ui {

namespace {

/// Returns a pattern that is drawn over the colour, so that parts can be distinguished without colour vision.
QBrush hatch(const Theme& theme)
{
    return {theme.canvas, Qt::BDiagPattern};
}

} // namespace

CoverageBar::CoverageBar(const ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Coverage of the model"));
    connect(&themes, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

void CoverageBar::setCoverage(const lower::Coverage& coverage, std::int64_t macs)
{
    m_coverage = coverage;
    m_macs = macs;
    QStringList text;
    for (const Part& part : parts())
        text << QStringLiteral("%1 %2").arg(part.figure, part.name);
    setAccessibleDescription(text.join(QStringLiteral(", ")));
    update();
}

std::array<CoverageBar::Part, 3> CoverageBar::parts() const
{
    const Theme& t = m_themes.theme();
    // If the MACs of the dropped operators are not known, their share of the number of operators is drawn.
    const lower::Coverage& c = m_coverage;
    const std::size_t all = std::accumulate(c.operators.begin(), c.operators.end(), std::size_t{0});
    const bool known = c.unknown == 0;
    const double dropped =
        known ? c.dropped
              : std::max(c.dropped,
                         static_cast<double>(c.count(lower::NodeStatus::Dropped)) / static_cast<double>(all));
    const double rest = known ? 1 : 1 - dropped;
    return {Part{tr("mapped"), c.mapped * rest, percent(c.mapped), t.ok, false},
            Part{tr("approximated"), c.approximated * rest, percent(c.approximated), t.warning, true},
            Part{tr("dropped"), dropped, known ? percent(c.dropped) : tr("unknown"), t.error, false}};
}

QSize CoverageBar::sizeHint() const
{
    return {320, 2 * fontMetrics().height() + 14};
}

void CoverageBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = m_themes.theme();
    const double height = fontMetrics().height();
    const QRectF bar(0.5, 0.5, width() - 1.0, height + 2);
    painter.fillRect(bar, theme.raised);
    double x = bar.left();
    for (const Part& part : parts()) {
        // The rectangle of a share above zero is at least 3 pixels wide.
        const double w = part.share > 0 ? std::max(3.0, part.share * bar.width()) : 0;
        const QRectF piece(x, bar.top(), std::min(w, bar.right() - x), bar.height());
        if (w > 0) {
            painter.fillRect(piece, part.colour);
            if (part.hatched)
                painter.fillRect(piece, hatch(theme));
        }
        x += w;
    }
    painter.setPen(theme.outline);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(bar);
    // Percentages are not drawn in the bar, because the legend shows them.
    double at = 0;
    const double y = bar.bottom() + 4;
    painter.setFont(font());
    for (const Part& part : parts()) {
        const QString text = QStringLiteral("%1 %2").arg(part.name, part.figure);
        const QRectF mark(at, y + height * 0.2, height * 0.6, height * 0.6);
        painter.fillRect(mark, part.colour);
        if (part.hatched)
            painter.fillRect(mark, hatch(theme));
        painter.setPen(theme.text);
        painter.drawText(QPointF(mark.right() + 4, y + fontMetrics().ascent()), text);
        at = mark.right() + 4 + fontMetrics().horizontalAdvance(text) + 14;
    }
}

bool CoverageBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        QString text = QStringLiteral("<p>%1</p>")
                           .arg(tr("Of %1 multiply-accumulates of the model:").arg(number(m_macs)));
        for (const Part& part : parts())
            text += QStringLiteral("%1: %2<br>").arg(part.name, part.figure);
        if (m_coverage.unknown > 0)
            text += tr("The multiply-accumulates of %1 are not known.<br>")
                        .arg(counted(static_cast<std::int64_t>(m_coverage.unknown), tr("dropped operator"),
                                     tr("dropped operators")));
        text += tr("Folded: %1 of the operators.").arg(percent(m_coverage.folded));
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

using lower::NodeStatus;

namespace {

/// Returns a cell with the number; the cell is empty for zero and negative values.
TableCell figure(std::int64_t value)
{
    return value > 0 ? TableCell(value) : TableCell("", "", value);
}

} // namespace

QString statusText(NodeStatus status)
{
    switch (status) {
    case NodeStatus::Mapped:
        return tr("mapped");
    case NodeStatus::Folded:
        return tr("folded");
    case NodeStatus::Approximated:
        return tr("approximated");
    case NodeStatus::Dropped:
        break;
    }
    return tr("dropped");
}

OperatorTable::OperatorTable(const std::vector<lower::NodeReport>& nodes)
{
    columns = {{tr("Operator"), ColumnKind::Text,
                tr("Name in the model. A click on this heading sorts in the order of the model.")},
               {tr("Type"), ColumnKind::Text, tr("Type name in the file.")},
               {tr("Status"), ColumnKind::Text,
                tr("mapped: all its work is modelled; folded: no work is left of it; approximated: a "
                   "part of it is not modelled; dropped: none of it is modelled.")},
               {tr("MACs"), ColumnKind::Number, tr("Multiply-accumulates of the model.")},
               {tr("Bytes"), ColumnKind::Number, tr("Bytes of its operands and results.")},
               {tr("Note"), ColumnKind::Text, tr("What the lowering changed or left out.")}};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const lower::NodeReport& n = nodes[i];
        const QString note = sentence(n.note);
        add(TableCell(n.name, n.name, i), n.type,
            TableCell(statusText(n.status), statusText(n.status), static_cast<int>(n.status)), figure(n.macs),
            n.bytes, TableCell(plainNumbers(note), note));
    }
    rowTip = [nodes](std::size_t row) {
        const lower::NodeReport& n = nodes[row];
        const QString name = QString::fromStdString(n.name);
        return plain(n.note.empty() ? name : name + QStringLiteral(": ") + sentence(n.note));
    };
}

TypeTable::TypeTable(const std::vector<lower::TypeReport>& types, std::int64_t macs)
{
    columns = {{tr("Type")},
               {tr("Operators"), ColumnKind::Number},
               {tr("MACs"), ColumnKind::Number},
               {tr("Share of MACs"), ColumnKind::Percent},
               {tr("Bytes"), ColumnKind::Number},
               {tr("Notes")}};
    for (const lower::TypeReport& t : types) {
        const double share = macs > 0 ? static_cast<double>(t.macs) / static_cast<double>(macs) : 0;
        const QString shown = t.macs > 0 ? percent(share) : QString();
        QStringList became;
        for (const NodeStatus s :
             {NodeStatus::Mapped, NodeStatus::Folded, NodeStatus::Approximated, NodeStatus::Dropped})
            if (const std::size_t n = t.became[static_cast<std::size_t>(s)]; n > 0)
                became << QStringLiteral("%1 %2").arg(number(n), statusText(s));
        const QString all = became.join(QStringLiteral(", "));
        add(t.type, t.nodes, figure(t.macs), TableCell(plainNumbers(shown), shown, share), t.bytes,
            TableCell(plainNumbers(all), all));
    }
}

namespace {

enum Show { kAll, kNotQuite, kDropped };

QTableView* tableView(SortedRows& rows, const QString& name, int stretched, QWidget* parent)
{
    auto* view = new QTableView(parent);
    asList(*view, name, rows);
    view->setSelectionMode(QAbstractItemView::SingleSelection);
    view->setAlternatingRowColors(true);
    view->setTabKeyNavigation(false);
    view->setSortingEnabled(true);
    view->horizontalHeader()->setSectionResizeMode(stretched, QHeaderView::Stretch);
    return view;
}

} // namespace

ImportView::ImportView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("import"), tr("Import"), parent), m_summary(new QLabel(this)),
      m_coverage(new CoverageBar(context.themes, this)), m_filter(new QComboBox(this)),
      m_search(new QLineEdit(this)), m_tabs(new QTabWidget(this)), m_table(new TableModel(this)),
      m_typeTable(new TableModel(this)), m_rows(new SortedRows(*m_table, {}, this)), m_notes(new QLabel(this))
{
    // In a low pane the whole content scrolls, so that the form is not squeezed.
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setAccessibleName(tr("Import"));
    auto* content = new QWidget;
    scroll->setWidget(content);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(8, 8, 8, 4);
    column->setSpacing(6);
    for (QLabel* text : {m_summary, m_notes}) {
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    m_summary->setObjectName(QStringLiteral("import.summary"));
    m_notes->setTextFormat(Qt::PlainText);
    m_notes->setObjectName(QStringLiteral("import.notes"));
    column->addWidget(m_summary);
    m_form = new QWidget(this);
    m_form->setObjectName(QStringLiteral("import.dimensions"));
    new QHBoxLayout(m_form);
    m_form->layout()->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_form);
    m_language = new LanguageForm(document(), this);
    column->addWidget(m_language);
    connect(m_language, &LanguageForm::refused, this, &ImportView::tell);
    m_refused = new QLabel(this);
    m_refused->setTextFormat(Qt::PlainText);
    m_refused->setObjectName(QStringLiteral("import.refused"));
    m_refused->setWordWrap(true);
    m_refused->hide();
    column->addWidget(m_refused);
    column->addWidget(m_coverage);
    auto* row = new QHBoxLayout;
    m_filter->addItems({tr("All operators"), tr("Approximated or dropped"), tr("Dropped")});
    m_filter->setAccessibleName(tr("Filter by status"));
    m_filter->setToolTip(
        tr("Show all operators, those that are approximated or dropped, or the dropped ones only."));
    m_search->setPlaceholderText(tr("Find operator, type or note"));
    m_search->setAccessibleName(tr("Find operators"));
    m_search->setToolTip(tr("Show only operators whose name, type or note contains this text."));
    m_search->setClearButtonEnabled(true);
    row->addWidget(m_filter);
    row->addWidget(m_search, 1);
    column->addLayout(row);

    m_table->setTable(OperatorTable({}));
    m_typeTable->setTable(TypeTable({}, 0));
    m_operators = tableView(*m_rows, tr("Operators of the model"), OperatorTable::Note, m_tabs);
    auto* types = new SortedRows(*m_typeTable, {}, this);
    m_types = tableView(*types, tr("Types of operators"), TypeTable::Became, m_tabs);
    m_operators->sortByColumn(OperatorTable::Name, Qt::AscendingOrder);
    m_types->sortByColumn(TypeTable::Macs, Qt::DescendingOrder);
    const auto wide = [&](const QString& text) { return fontMetrics().horizontalAdvance(text) + 20; };
    m_operators->setColumnWidth(OperatorTable::Name, wide(QStringLiteral("layer0.attention_norm")));
    m_operators->setColumnWidth(OperatorTable::Type, wide(QStringLiteral("LayerNormalization")));
    m_tabs->setDocumentMode(true);
    m_tabs->setMinimumHeight(fontMetrics().height() * 7);
    m_tabs->addTab(m_operators, tr("By &operator"));
    m_tabs->addTab(m_types, tr("By &type"));
    column->addWidget(m_tabs, 1);
    column->addWidget(m_notes);

    // If a filter hides the current row, Qt makes the next row current. This must not count as a choice of
    // the user.
    connect(m_filter, &QComboBox::currentIndexChanged, this, &ImportView::filterRows);
    connect(m_search, &QLineEdit::textChanged, this, &ImportView::filterRows);
    connect(m_operators->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (now.isValid() && !m_following)
                    selectRow(m_rows->mapToSource(now).row());
            });
    connect(m_types, &QTableView::activated, this, [this, types](const QModelIndex& index) {
        showType(types->index(index.row(), TypeTable::Type).data().toString());
    });
    m_types->setToolTip(tr("Press Enter or double-click to list the operators of this type."));
    connect(&selection(), &Selection::changed, this, &ImportView::showSelected);
    document().whenChanged(this, Part::Problem | Part::Machine, &ImportView::outdate);
    refresh();
}

void ImportView::refresh()
{
    const lower::ModelOnMachinePtr& model = document().model();
    const bool any = model != nullptr;
    m_form->setVisible(any && !document().freeDimensions().empty());
    m_language->refresh();
    for (QWidget* w : std::initializer_list<QWidget*>{m_coverage, m_filter, m_search, m_tabs, m_notes})
        w->setVisible(any);
    m_summary->setAlignment(any ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter);
    if (!any) {
        m_shown = nullptr;
        m_summary->setText(
            document().hasProblem()
                ? tr("The open file is a problem, so nothing was lowered. "
                     "Open a model to see how its operators are lowered.")
                : tr("Open a model (ONNX, model JSON, SCALE-Sim topology, config.json of a language model) "
                     "to see how its operators are lowered."));
        return;
    }
    fillForm();
    const lower::LoweringReport r = lower::reportOf(*model->workload, model->lowered.report);
    if (m_shown != model) {
        const bool sameNodes = m_shown && m_shown->workload == model->workload;
        m_shown = model;
        m_coverage->setCoverage(r.coverage, r.macs);
        QStringList lenses;
        for (const lower::LensCoverage& lens : lower::lensCoverage(*model)) {
            QStringList counts;
            for (const NodeStatus s :
                 {NodeStatus::Mapped, NodeStatus::Folded, NodeStatus::Approximated, NodeStatus::Dropped})
                counts << number(lens.coverage.count(s));
            lenses << word(toString(lens.lens)) + QLatin1Char(' ') + counts.join(QStringLiteral(", "));
        }
        m_lensNote =
            tr("Operators mapped, folded, approximated, dropped: %1.").arg(lenses.join(QStringLiteral("; ")));
        if (!sameNodes || m_nodes.size() != r.nodes.size())
            m_search->clear();
        m_nodes = r.nodes;
        m_table->setTable(OperatorTable(m_nodes));
        m_typeTable->setTable(TypeTable(lower::typesOf(r), r.macs));
        for (const int c : {OperatorTable::Status, OperatorTable::Macs, OperatorTable::Bytes})
            m_operators->resizeColumnToContents(c);
    }
    QString text =
        tr("<b>%1</b>: %2 and %3 became %4; %5 MACs")
            .arg(QString::fromStdString(r.name.empty() ? std::string("model") : r.name).toHtmlEscaped(),
                 counted(static_cast<std::int64_t>(r.operators), tr("operator"), tr("operators")),
                 counted(static_cast<std::int64_t>(r.tensors), tr("tensor"), tr("tensors")),
                 counted(static_cast<std::int64_t>(model->problem->opCount()), tr("op"), tr("ops")),
                 number(r.macs));
    if (r.vectorMacs > 0)
        text += tr(", %1 of them vector work").arg(number(r.vectorMacs));
    if (r.opset > 0)
        text += tr(" (opset %1)").arg(r.opset);
    m_summary->setText(rich(text + QLatin1Char('.')));
    QStringList notes;
    if (r.leftOutBytes > 0)
        notes << tr("Left out: %1 of constants that are broadcast.").arg(bytesText(r.leftOutBytes));
    for (const std::string& note : r.notes)
        notes << wholeSentence(note);
    m_noteTexts = notes << m_lensNote;
    showNotes();
    showSelected();
}

void ImportView::filterRows()
{
    const QScopedValueRollback following(m_following, true);
    m_rows->setFilter(
        [this, shown = m_filter->currentIndex(), text = m_search->text().trimmed()](std::size_t row) {
            const lower::NodeReport& n = m_nodes[row];
            const bool dropped = n.status == lower::NodeStatus::Dropped;
            if ((shown == kDropped && !dropped) ||
                (shown == kNotQuite && !dropped && n.status != lower::NodeStatus::Approximated))
                return false;
            const std::array parts{&n.name, &n.type, &n.note};
            return std::ranges::any_of(parts, [&](const std::string* part) {
                return QString::fromStdString(*part).contains(text, Qt::CaseInsensitive);
            });
        });
}

void ImportView::showNotes()
{
    const QString all = m_noteTexts.join(QLatin1Char('\n'));
    constexpr int kLowLines = 20;
    const bool low = m_noteTexts.size() > 1 && height() < kLowLines * fontMetrics().height();
    m_notes->setText(low ? tr("%1 And %2.")
                               .arg(m_noteTexts.front(),
                                    counted(m_noteTexts.size() - 1, tr("more note"), tr("more notes")))
                         : all);
    m_notes->setToolTip(low ? plain(all) : QString());
}

void ImportView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    showNotes();
}

void ImportView::selectRow(int row)
{
    if (!m_shown)
        return;
    std::vector<OpId> ops;
    if (const auto op = operatorOf(static_cast<std::size_t>(row)))
        ops = m_shown->opsOf(*op);
    const QScopedValueRollback following(m_following, true);
    selection().selectOps({ops.begin(), ops.end()});
}

std::optional<OperatorId> ImportView::operatorOf(std::size_t row) const
{
    // The rows of an ONNX model are the nodes of its file; the rows of other models are operators.
    if (const auto& import = m_shown->workload->import)
        return row < import->nodes.size() ? import->nodes[row].op : std::nullopt;
    return OperatorId(row);
}

void ImportView::fillForm()
{
    const auto& free = document().freeDimensions();
    m_form->setVisible(!free.empty());
    const bool same = std::ranges::equal(free, m_sizes, {}, &onnx::FreeDimension::name,
                                         [](const auto& size) { return size.first; });
    if (!same) {
        qDeleteAll(m_form->findChildren<QWidget*>(Qt::FindDirectChildrenOnly));
        delete m_form->layout();
        auto* row = new QHBoxLayout(m_form);
        row->setContentsMargins(0, 0, 0, 0);
        m_sizes.clear();
        for (const onnx::FreeDimension& d : free) {
            const QString name = QString::fromStdString(d.name);
            auto* box = new NumberBox(m_form);
            box->setRange(1, 1 << 24);
            box->setAccelerated(true);
            box->setAccessibleName(tr("Size of %1").arg(name));
            QStringList inputs;
            for (const std::string& input : d.inputs)
                inputs << QString::fromStdString(input);
            box->setToolTip(plain(tr("The file does not fix this size (%1). A change is one undo step.")
                                      .arg(inputs.join(QStringLiteral(", ")))));
            auto* label = new QLabel(name, m_form);
            label->setTextFormat(Qt::PlainText);
            label->setBuddy(box);
            row->addWidget(label);
            row->addWidget(box);
            connect(box, &QSpinBox::valueChanged, this, &ImportView::takeForm);
            m_sizes.emplace_back(d.name, box);
        }
        row->addStretch();
    }
    for (const auto& [name, box] : m_sizes)
        if (const auto it = document().dimensions().find(name); it != document().dimensions().end()) {
            const QSignalBlocker blocker(box);
            box->setValue(static_cast<int>(it->second));
        }
}

void ImportView::takeForm()
{
    onnx::Dimensions dimensions;
    for (const auto& [name, box] : m_sizes)
        dimensions[name] = box->value();
    const Status taken = document().setDimensions(dimensions);
    tell(taken ? QString() : sentence(taken.error().message));
    if (!taken)
        fillForm();
}

void ImportView::tell(const QString& why)
{
    m_refused->setText(why.isEmpty() ? QString() : QStringLiteral("⚠ ") + why);
    m_refused->setVisible(!why.isEmpty());
}

void ImportView::showSelected()
{
    const auto& ops = selection().state().ops;
    if (m_following || !m_shown || ops.empty() || ops.begin()->index() >= m_shown->problem->opCount())
        return;
    const OperatorId wanted = m_shown->operatorOf(*ops.begin());
    int row = 0;
    while (row < m_table->rowCount() && operatorOf(static_cast<std::size_t>(row)) != wanted)
        ++row;
    const QModelIndex index = m_rows->mapFromSource(m_table->index(row, 0));
    if (!index.isValid())
        return;
    const QScopedValueRollback following(m_following, true);
    m_operators->setCurrentIndex(index);
    m_operators->scrollTo(index);
}

void ImportView::showType(const QString& type)
{
    m_search->setText(type);
    m_tabs->setCurrentWidget(m_operators);
    m_operators->setFocus();
}

QSize ImportView::exportSize() const
{
    // The size grows with the font, so that the rows and the length of the notes do not depend on it.
    const QSize size(900, 420);
    return (size * std::max(1.0, fontMetrics().height() / 17.0)).expandedTo(size);
}

QString ImportView::copyText() const
{
    return rowsAsText(*static_cast<QTableView*>(m_tabs->currentWidget())->model(), false);
}

} // namespace tilewright::ui
