// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/import/import_view.h"

#include "canvas/number_box.h"
#include "panels/import/coverage_bar.h"
#include "theme/number.h"
#include "theme/words.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScopedValueRollback>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

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
    view->verticalHeader()->setDefaultSectionSize(QFontMetrics(view->font()).height() + 6);
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
    auto* column = new QVBoxLayout(this);
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
    m_tabs->addTab(m_operators, tr("By &operator"));
    m_tabs->addTab(m_types, tr("By &type"));
    column->addWidget(m_tabs, 1);
    column->addWidget(m_notes);

    // When a filter hides the current row, Qt makes the next row current: that is not a choice of the user.
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
    for (QWidget* w : std::initializer_list<QWidget*>{m_coverage, m_filter, m_search, m_tabs, m_notes})
        w->setVisible(any);
    m_summary->setAlignment(any ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignCenter);
    if (!any) {
        m_shown = nullptr;
        m_summary->setText(document().hasProblem() ? tr("The open file is a problem, so nothing was lowered. "
                                                        "Open a model to see how its operators are lowered.")
                                                   : tr("Open a model (ONNX, model JSON, SCALE-Sim topology) "
                                                        "to see how its operators are lowered."));
        return;
    }
    fillForm();
    const lower::LoweringReport r = lower::reportOf(*model->workload, model->lowered.report);
    if (m_shown != model) {
        const bool sameNodes = m_shown && m_shown->workload == model->workload;
        m_shown = model;
        m_coverage->setCoverage(r.coverage, r.macs);
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
    m_noteTexts = notes;
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
    m_refused->setText(taken ? QString() : QStringLiteral("⚠ ") + sentence(taken.error().message));
    m_refused->setVisible(!taken);
    if (!taken)
        fillForm();
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
    // Fixed size: rows and length of notes do not depend on the font.
    const QSize size(900, 420);
    return (size * std::max(1.0, fontMetrics().height() / 17.0)).expandedTo(size);
}

QString ImportView::copyText() const
{
    return rowsAsText(*static_cast<QTableView*>(m_tabs->currentWidget())->model(), false);
}

} // namespace tilewright::ui
