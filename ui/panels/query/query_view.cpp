// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/query/query_view.h"

#include "canvas/control_bar.h"
#include "tables/examples.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "workspace/npu_document.h"

#include <QAction>
#include <QComboBox>
#include <QFontDatabase>
#include <QHeaderView>
#include <QJsonArray>
#include <QLabel>
#include <QMenu>
#include <QPlainTextEdit>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace tilewright::ui {

namespace {

constexpr int kMostRemembered = 50;
constexpr int kQuestionLines = 5;
enum Page : std::uint8_t { TablePage, PlotPage };

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Shortens a question to one line for a menu.
QString briefly(const QString& question)
{
    constexpr int kLetters = 70;
    QString line = question.simplified();
    if (line.size() > kLetters)
        line = line.left(kLetters) + QChar(u'…');
    return line.replace(QLatin1Char('&'), QStringLiteral("&&"));
}

/// Returns a table of the answer that creates its cells only when they are shown.
Table tableOf(const QueryResultPtr& answer)
{
    Table out;
    out.count = answer->rows.size();
    for (std::size_t c = 0; c < answer->columns.size(); ++c) {
        TableColumn column;
        column.title = answer->columns[c];
        column.kind = answer->isNumeric(c) ? ColumnKind::Number : ColumnKind::Text;
        column.cell = [answer, c](std::size_t row) { return answer->cell(row, c); };
        out.columns.push_back(std::move(column));
    }
    return out;
}

/// Returns the number of an op or subgraph from the column of this name; nothing if the row has none.
std::optional<std::size_t> numberOf(const tables::QueryResult& answer, std::size_t row,
                                    std::string_view column)
{
    const std::size_t c = answer.indexOf(column);
    if (c == answer.columns.size())
        return {};
    const auto* const number = std::get_if<std::int64_t>(&answer.rows[row][c]);
    return number != nullptr && *number >= 0 ? std::optional(static_cast<std::size_t>(*number))
                                             : std::nullopt;
}

} // namespace

QueryView::QueryView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("query"), tr("Query"), parent),
      m_asked(textOf(tables::examples().front().sql)), m_bar(new ControlBar(this)),
      m_question(new QPlainTextEdit(this)), m_state(new QLabel(this)), m_pages(new QStackedWidget(this)),
      m_rows(new TableModel(this)), m_sorted(new SortedRows(*m_rows, tr("the order of the answer"), this)),
      m_table(new QTableView(this)), m_plot(new QueryPlot(context, this))
{
    m_pool.setMaxThreadCount(1);
    m_job = std::make_unique<LatestJob<Outcome>>([this](Outcome outcome) { take(std::move(outcome)); }, true,
                                                 &m_pool);
    addControls();
    m_question->setObjectName(QStringLiteral("query.question"));
    m_question->setAccessibleName(tr("Question in SQL"));
    m_question->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_question->setTabChangesFocus(true);
    m_question->setPlainText(m_asked);
    m_question->setMinimumHeight(2 * fontMetrics().height());
    m_question->setMaximumHeight((kQuestionLines + 1) * fontMetrics().height());
    m_state->setObjectName(QStringLiteral("query.state"));
    m_state->setTextFormat(Qt::PlainText);
    m_state->setWordWrap(true);
    m_state->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_table->setObjectName(QStringLiteral("query.table"));
    asList(*m_table, tr("Answer"), *m_sorted);
    m_sorted->sortBy(*m_table);
    m_table->setAlternatingRowColors(true);
    m_pages->addWidget(m_table);
    m_pages->addWidget(m_plot);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 0, 8, 0);
    column->setSpacing(4);
    column->addWidget(m_bar);
    column->addWidget(m_question);
    column->addWidget(m_state);
    column->addWidget(m_pages, 1);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& row) {
                if (row.isValid())
                    selectRow(row.data(TableModel::RowRole).toUInt());
            });
    connect(m_plot, &QueryPlot::chosen, this, [this](int row) { selectRow(static_cast<std::size_t>(row)); });
    document().whenChanged(this, Part::Problem, [this] { workspace().opColours().set(nullptr); });
    document().whenChanged(this, Part::Problem | Part::Snapshot | Part::Machine | Part::RuleSet,
                           &QueryView::outdate);
    connect(&workspace().opColours(), &OpColours::changed, &registry(), &Actions::refresh);
    askAgain();
}

QueryView::~QueryView()
{
    m_job->cancel();
}

void QueryView::addControls()
{
    ActionSpec ask{QStringLiteral("query.ask"),
                   tr("Schedule"),
                   tr("Ask"),
                   QStringLiteral("play"),
                   {QKeySequence(Qt::CTRL | Qt::Key_Return)},
                   tr("Answer the question in the field. Press again to stop.")};
    ask.available = [&d = document()] { return Availability(d.hasProblem(), tr("Open a problem first.")); };
    m_ask = addCommand(ask, [this](bool) { this->ask(); });
    m_bar->addButton(m_ask)->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    const auto menu = [this](const QString& title, const QString& name, const QString& tip) {
        auto* button = new QToolButton(this);
        button->setObjectName(QStringLiteral("query.") + name);
        button->setText(title);
        button->setPopupMode(QToolButton::InstantPopup);
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
        auto* out = new QMenu(button);
        out->setToolTipsVisible(true);
        button->setMenu(out);
        m_bar->add(button, title, tip);
        return out;
    };
    m_examples = menu(tr("Examples"), QStringLiteral("examples"), tr("Questions that an architect asks."));
    m_earlier = menu(tr("History"), QStringLiteral("history"), tr("Questions that were asked before."));
    m_shown =
        m_bar->addChoice(tr("&Show"), {tr("table"), tr("plot")}, tr("The answer as a table or as a plot."));
    m_shown->setObjectName(QStringLiteral("query.shown"));
    m_x = m_bar->addChoice(tr("&x"), {}, tr("Column along the horizontal axis of the plot."));
    m_y = m_bar->addChoice(tr("&y"), {},
                           tr("Column along the vertical axis of the plot, and colour of the graph."));
    m_x->setObjectName(QStringLiteral("query.x"));
    m_y->setObjectName(QStringLiteral("query.y"));
    for (QComboBox* const choice : {m_x, m_y})
        choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    ActionSpec colour{
        QStringLiteral("query.colour"),
        tr("Schedule"),
        tr("Colour the graph by the answer of Query"),
        QStringLiteral("palette"),
        {},
        tr("Colour each op of the graph by the column y of the answer, which needs a column named op.")};
    colour.checkable = true;
    colour.available = [this] {
        return Availability(colourColumn().has_value(),
                            tr("The answer has no column named op beside a column of numbers."));
    };
    colour.checked = [this] { return workspace().opColours().values() != nullptr; };
    m_colour = addCommand(colour, [this](bool on) { colourGraph(on); });
    m_colour->setIconText(tr("Colour the graph")); // text on the button, shorter than that of the menu item
    m_bar->addButton(m_colour)->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    connect(m_shown, &QComboBox::currentIndexChanged, this, [this](int page) {
        m_pages->setCurrentIndex(page);
        m_bar->setShown(m_x, page == PlotPage);
    });
    connect(m_x, &QComboBox::activated, this, &QueryView::showPlot);
    connect(m_y, &QComboBox::activated, this, [this] {
        showPlot();
        if (workspace().opColours().values())
            colourGraph(true);
    });
    m_bar->setShown(m_x, false);
    fillMenus();
}

void QueryView::fillMenus()
{
    const auto add = [this](QMenu& menu, const QString& title, const QString& question) {
        QAction* const action = menu.addAction(title);
        action->setToolTip(plain(question));
        connect(action, &QAction::triggered, this, [this, question] {
            m_question->setPlainText(question);
            if (m_ask->isEnabled())
                askNow();
        });
    };
    if (m_examples->isEmpty())
        for (const tables::Example& example : tables::examples())
            add(*m_examples, textOf(example.question), textOf(example.sql));
    m_earlier->clear();
    for (const QString& question : std::as_const(m_history))
        add(*m_earlier, briefly(question), question);
    m_earlier->setEnabled(!m_history.isEmpty());
}

tables::Subject QueryView::subject() const
{
    tables::Subject out;
    out.snapshot = document().snapshot();
    out.model = document().model();
    if (workspace().has(Lens::Npu))
        if (const NpuResultPtr& result = workspace().npu().result())
            out.npu = tables::NpuPart{result->graph, result->run};
    return out;
}

void QueryView::ask()
{
    if (isBusy() && m_question->toPlainText() == m_asked)
        m_job->finishEarly();
    else
        askNow();
}

void QueryView::askNow()
{
    m_asked = m_question->toPlainText();
    m_history.removeAll(m_asked);
    m_history.prepend(m_asked);
    m_history = m_history.mid(0, kMostRemembered);
    fillMenus();
    askAgain();
}

void QueryView::askAgain()
{
    tables::Subject now = subject();
    if (!now.snapshot) {
        m_job->cancel();
        m_answer = nullptr;
        m_database = nullptr;
        showAnswer();
        showState(tr("Open a problem to ask questions about it."), false);
        return;
    }
    const auto run = [](const tables::Subject& s) { return s.npu ? s.npu->run : nullptr; };
    if (now.snapshot != m_of.snapshot || now.model != m_of.model || run(now) != run(m_of))
        m_database = nullptr;
    m_of = now;
    m_ask->setText(tr("Stop"));
    m_ask->setIcon(icon(QStringLiteral("stop")));
    m_job->request([now = std::move(now), database = m_database,
                    question = m_asked.toStdString()](const std::stop_token& stop) {
        Outcome out{database, nullptr, {}, 0};
        const double begun = wallClock();
        try {
            if (!out.database)
                out.database = tables::Database::of(now, {stop, {}});
            auto answer = out.database
                              ? out.database->query(question, {}, stop)
                              : Result<tables::QueryResult>(Error{ErrorCode::Refused, "stopped", {}, {}});
            if (answer)
                out.answer = std::make_shared<const tables::QueryResult>(*std::move(answer));
            else
                out.error = QString::fromStdString(answer.error().message);
        } catch (const std::bad_alloc&) {
            out.error = tr("not enough memory");
        }
        out.seconds = wallClock() - begun;
        return out;
    });
}

void QueryView::take(Outcome outcome)
{
    m_ask->setText(tr("Ask"));
    m_ask->setIcon(icon(QStringLiteral("play")));
    m_database = std::move(outcome.database);
    m_answer = std::move(outcome.answer);
    showAnswer();
    if (!m_answer)
        return showState(wholeSentence(outcome.error.toStdString()), true);
    QString text = counted(static_cast<std::int64_t>(m_answer->rows.size()), tr("row"), tr("rows"));
    if (m_answer->more)
        text = tr("The first %1; the others are left out").arg(text);
    showState(tr("%1 · %2").arg(text, secondsText(outcome.seconds)), false);
}

void QueryView::showState(const QString& text, bool isError)
{
    m_state->setText(text);
    m_state->setAccessibleName(isError ? tr("Error: %1").arg(text) : text);
    QPalette colours = palette();
    if (isError)
        colours.setColor(QPalette::WindowText, theme().error);
    m_state->setPalette(colours);
}

void QueryView::showAnswer()
{
    m_rows->setTable(m_answer ? tableOf(m_answer) : Table());
    m_table->resizeColumnsToContents();
    showChoices();
    showPlot();
    if (workspace().opColours().values())
        colourGraph(true);
    registry().refresh();
}

void QueryView::showChoices()
{
    const QString x = m_x->currentText(), y = m_y->currentText();
    for (QComboBox* const choice : {m_x, m_y})
        choice->clear();
    m_x->addItem(tr("row"));
    const std::size_t op = m_answer ? m_answer->indexOf("op") : 0;
    int last = -1;
    for (std::size_t c = 0; m_answer && c < m_answer->columns.size(); ++c)
        if (m_answer->isNumeric(c)) {
            const QString name = QString::fromStdString(m_answer->columns[c]);
            m_x->addItem(name, static_cast<int>(c));
            m_y->addItem(name, static_cast<int>(c));
            if (c != op)
                last = m_y->count() - 1;
        }
    m_x->setCurrentIndex(std::max(0, m_x->findText(x)));
    m_y->setCurrentIndex(m_y->findText(y) >= 0 ? m_y->findText(y) : last);
}

std::optional<std::size_t> QueryView::chosenColumn(const QComboBox& choice) const
{
    const QVariant column = choice.currentData();
    return column.isValid() ? std::optional(static_cast<std::size_t>(column.toInt())) : std::nullopt;
}

void QueryView::showPlot()
{
    m_plot->setAnswer(m_answer, chosenColumn(*m_x), chosenColumn(*m_y));
}

std::optional<std::size_t> QueryView::colourColumn() const
{
    if (!m_answer || m_answer->indexOf("op") == m_answer->columns.size())
        return {};
    const auto column = chosenColumn(*m_y);
    return column != m_answer->indexOf("op") ? column : std::nullopt;
}

void QueryView::colourGraph(bool on)
{
    const auto column = colourColumn();
    const ProblemPtr problem = document().problem();
    if (!on || !column || !problem)
        return workspace().opColours().set(nullptr);
    auto out = std::make_shared<OpValues>();
    out->title = QString::fromStdString(m_answer->columns[*column]);
    out->text = shortNumber;
    out->unknown = tr("no value");
    out->values.resize(problem->opCount());
    for (std::size_t row = 0; row < m_answer->rows.size(); ++row)
        if (const auto op = numberOf(*m_answer, row, "op"); op && *op < out->values.size())
            out->values[*op] = numberIn(m_answer->rows[row][*column]);
    workspace().opColours().set(std::move(out));
}

void QueryView::selectRow(std::size_t row)
{
    if (!m_answer || row >= m_answer->rows.size() || !document().hasProblem())
        return;
    m_plot->choose(static_cast<int>(row));
    if (const auto op = numberOf(*m_answer, row, "op"); op && *op < document().problem()->opCount())
        selection().selectOps({OpId(*op)});
    else if (const auto subgraph = numberOf(*m_answer, row, "subgraph");
             subgraph && *subgraph < document().schedule().size())
        selection().selectSubgraph(SubgraphId(*subgraph));
}

QString QueryView::copyText() const
{
    return m_answer ? rowsAsText(*m_sorted, true) : QString();
}

QJsonObject QueryView::settings() const
{
    if (m_history.isEmpty())
        return {};
    return {{QStringLiteral("history"), QJsonArray::fromStringList(m_history)},
            {QStringLiteral("plot"), m_shown->currentIndex() == PlotPage}};
}

void QueryView::restoreSettings(const QJsonObject& settings)
{
    m_history.clear();
    const QJsonArray history = settings.value(QStringLiteral("history")).toArray();
    for (const auto& question : history)
        if (question.isString() && m_history.size() < kMostRemembered)
            m_history << question.toString();
    fillMenus();
    m_shown->setCurrentIndex(settings.value(QStringLiteral("plot")).toBool() ? PlotPage : TablePage);
    if (m_history.isEmpty())
        return;
    m_asked = m_history.front();
    m_question->setPlainText(m_asked);
    outdate();
}

} // namespace tilewright::ui
