// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {
constexpr int kMaxShown = 60;

/// All words of the query occur in the text; a lower score is a better match, -1 is none.
int score(const QString& text, const QStringList& words)
{
    int total = 0;
    for (const QString& word : words) {
        const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
        if (at < 0)
            return -1;
        const bool wordStart = at == 0 || !text[at - 1].isLetterOrNumber();
        const qsizetype end = at + word.size();
        const bool wordEnd = end == text.size() || !text[end].isLetterOrNumber();
        total += static_cast<int>(at) + (wordStart ? 0 : 50) + (wordEnd ? 0 : 10);
    }
    return total;
}

} // namespace

CommandPalette::CommandPalette(const ViewContext& context, QWidget* parent)
    : QDialog(parent), m_context(context)
{
    setWindowTitle(tr("Command palette"));
    setWindowFlag(Qt::WindowContextHelpButtonHint, false);
    resize(620, 420);
    auto* column = new QVBoxLayout(this);
    m_query = new QLineEdit(this);
    m_query->setPlaceholderText(tr("Type a command, \"op 4\", \"t7\" or \"subgraph 2\""));
    m_query->setClearButtonEnabled(true);
    m_query->setAccessibleName(tr("Search"));
    m_list = new QListWidget(this);
    m_list->setAccessibleName(tr("Matches"));
    m_list->setUniformItemSizes(true);
    column->addWidget(m_query);
    column->addWidget(m_list, 1);
    m_query->installEventFilter(this);
    connect(m_query, &QLineEdit::textChanged, this, &CommandPalette::filter);
    connect(m_query, &QLineEdit::returnPressed, this, &CommandPalette::runCurrent);
    connect(m_list, &QListWidget::itemActivated, this, &CommandPalette::runCurrent);
    collect();
    filter({});
}

void CommandPalette::collect()
{
    for (QAction* action : m_context.actions.all()) {
        if (!action->isEnabled() || action->objectName() == QLatin1String("edit.palette"))
            continue;
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        m_entries.push_back({Actions::menuOf(action) + QStringLiteral(": ") + text, keys, action->icon(),
                             [action] { action->trigger(); }});
    }
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot)
        return;
    Selection& selection = m_context.selection;
    const Problem& problem = *snapshot->problem;
    for (std::size_t i = 0; i < snapshot->schedule.size(); ++i) {
        const SubgraphId id(i);
        m_entries.push_back({tr("Subgraph %1").arg(i),
                             tr("%n op(s)", nullptr, static_cast<int>(snapshot->schedule[id].ops.size())),
                             {},
                             [&selection, id] { selection.selectSubgraph(id); }});
    }
    const auto labelled = [](const QString& name, const QString& plain) {
        return name == plain || name.isEmpty() ? plain : plain + QStringLiteral("  ") + name;
    };
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const OpId id(i);
        m_entries.push_back({labelled(QString::fromStdString(problem.op(id).name), tr("op %1").arg(i)),
                             problem.op(id).type == OpType::MatMul ? tr("MatMul") : tr("Pointwise"),
                             {},
                             [&selection, id] { selection.selectOps({id}); }});
    }
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
        const TensorId id(i);
        const Tensor& t = problem.tensor(id);
        m_entries.push_back({labelled(QString::fromStdString(t.name), QStringLiteral("t%1").arg(i)),
                             tr("tensor %1 × %2").arg(t.height).arg(t.width),
                             {},
                             [&selection, id] { selection.selectTensor(id); }});
    }
}

void CommandPalette::filter(const QString& query)
{
    const QStringList words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<std::pair<int, std::size_t>> matches;
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        if (const int s = score(m_entries[i].text, words); s >= 0)
            matches.emplace_back(s, i);
    std::stable_sort(matches.begin(), matches.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    m_list->clear();
    for (const auto& [s, index] : matches) {
        if (m_list->count() == kMaxShown)
            break;
        const Entry& entry = m_entries[index];
        auto* item = new QListWidgetItem(
            entry.icon,
            entry.detail.isEmpty() ? entry.text : entry.text + QStringLiteral("    ") + entry.detail, m_list);
        item->setData(Qt::UserRole, static_cast<qulonglong>(index));
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item)
        return;
    const auto run = m_entries[item->data(Qt::UserRole).toULongLong()].run;
    accept();
    run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    // Arrows move the choice while the caret stays in the field.
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Down || key == Qt::Key_Up || key == Qt::Key_PageDown || key == Qt::Key_PageUp) {
            const int step = key == Qt::Key_Down       ? 1
                             : key == Qt::Key_Up       ? -1
                             : key == Qt::Key_PageDown ? 10
                                                       : -10;
            m_list->setCurrentRow(
                std::clamp(m_list->currentRow() + step, 0, std::max(0, m_list->count() - 1)));
            return true;
        }
    }
    return QDialog::eventFilter(watched, event);
}

} // namespace tilewright::ui
