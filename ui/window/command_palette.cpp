// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/command_palette.h"

#include "model/machine.h"
#include "theme/text.h"
#include "workspace/document.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMap>
#include <QPainter>
#include <QRegularExpression>
#include <QStyle>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

constexpr int kMaxShown = 60;
constexpr int kDetailRole = Qt::UserRole;

/// Match score of a word in a text: lower is better, -1 means no match.
int score(const QString& text, const QString& word)
{
    const qsizetype at = text.indexOf(word, 0, Qt::CaseInsensitive);
    if (at < 0)
        return -1;
    const bool wordStart = at == 0 || !text[at - 1].isLetterOrNumber();
    const qsizetype end = at + word.size();
    const bool wordEnd = end == text.size() || !text[end].isLetterOrNumber();
    return static_cast<int>(at) + (wordStart ? 0 : 50) + (wordEnd ? 0 : 10);
}

/// Match score of a query: every word must occur in the label, in the name, or (with a penalty) in `more`.
/// Returns -1 if a word is missing.
int score(const QString& label, const QString& name, const QString& more, const QStringList& words)
{
    constexpr int kMorePenalty = 1000, kMenuPenalty = 20;
    int total = 0;
    for (const QString& word : words) {
        const int inLabel = score(label, word);
        const int inName = score(name, word);
        if (inLabel < 0 && inName < 0) {
            const int inMore = score(more, word);
            if (inMore < 0)
                return -1;
            total += kMorePenalty + inMore;
        } else {
            // The label of a command consists of its menu and its name. Matches in the name rank first:
            // "Lens: Wavefront of the product" before "Wavefront: First cycle" and "Wavefront: Play the
            // wavefront".
            const bool command = !name.isEmpty() && label.endsWith(name);
            if (inName < 0)
                total += inLabel + (name.isEmpty() ? 0 : kMenuPenalty);
            else
                total += inLabel < 0 || command ? inName : std::min(inLabel, inName);
        }
    }
    return total;
}

/// Returns synonyms by which a command can be found.
QString synonymsOf(const QString& command)
{
    static const QMap<QString, QString> words{
        {QStringLiteral("schedule.duplicate"), CommandPalette::tr("recompute copy again twice")},
        {QStringLiteral("schedule.fuse"), CommandPalette::tr("merge join combine group together")},
        {QStringLiteral("schedule.split"), CommandPalette::tr("ungroup separate break unfuse")},
        {QStringLiteral("schedule.splitApart"), CommandPalette::tr("ungroup explode unfuse")},
        {QStringLiteral("schedule.retain"), CommandPalette::tr("keep resident hold cache")},
        {QStringLiteral("schedule.lock"), CommandPalette::tr("freeze protect fix")},
        {QStringLiteral("schedule.delete"), CommandPalette::tr("erase drop")},
        {QStringLiteral("schedule.normalise"), CommandPalette::tr("clean tidy sort")},
        {QStringLiteral("solve.auto"), CommandPalette::tr("optimise optimize search improve best run")},
        {QStringLiteral("solve.stop"), CommandPalette::tr("cancel abort end")},
        {QStringLiteral("compare.pin"), CommandPalette::tr("snapshot remember reference ghost")},
        {QStringLiteral("view.fit"), CommandPalette::tr("zoom whole everything")},
        {QStringLiteral("view.resetLayout"), CommandPalette::tr("panes windows lost")},
        {QStringLiteral("view.dock.import"),
         CommandPalette::tr(
             "language model phase prefill decode batch prompt cached tokens layers bits chips "
             "dimensions")},
        {QStringLiteral("view.dock.machine"), CommandPalette::tr("hardware chip preset")},
        {QStringLiteral("file.export"), CommandPalette::tr("save image picture screenshot")},
        {QStringLiteral("file.report"), CommandPalette::tr("print html summary")},
        {QStringLiteral("file.open"), CommandPalette::tr("load import onnx")},
        {QStringLiteral("edit.preferences"), CommandPalette::tr("settings options font dark")},
        {QStringLiteral("help.handbook"), CommandPalette::tr("manual documentation guide")},
        {QStringLiteral("help.shortcuts"), CommandPalette::tr("keys keyboard hotkeys")},
        {QStringLiteral("lens.systolic"), CommandPalette::tr("array cycles utilisation")},
        {QStringLiteral("lens.mapping"), CommandPalette::tr("loops energy nest")},
        {QStringLiteral("lens.npu"), CommandPalette::tr("cores simulate makespan")}};
    return words.value(command);
}

/// Paints a row: icon, text, and right-aligned detail (keys, type or reason).
class RowDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {200, option.fontMetrics.height() + 8};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const QStyle& style = *option.widget->style();
        style.drawPrimitive(QStyle::PE_PanelItemViewItem, &option, painter, option.widget);
        const bool enabled = option.state & QStyle::State_Enabled;
        const bool selected = option.state & QStyle::State_Selected;
        const auto ink = [&](QPalette::ColorRole role) {
            return option.palette.color(selected ? QPalette::HighlightedText : role);
        };
        const QColor muted = ink(QPalette::PlaceholderText);
        const int side = option.fontMetrics.height();
        QRect room = option.rect.adjusted(6, 0, -8, 0);
        index.data(Qt::DecorationRole)
            .value<QIcon>()
            .paint(painter, QRect(room.left(), room.center().y() - side / 2, side, side), Qt::AlignCenter,
                   enabled ? QIcon::Normal : QIcon::Disabled);
        room.setLeft(room.left() + side + 8);
        const QString detail = index.data(kDetailRole).toString();
        const int width = std::min(option.fontMetrics.horizontalAdvance(detail) + 14, room.width() / 2);
        painter->setFont(option.font);
        painter->setPen(muted);
        const QRect right(room.right() - width + 12, room.top(), width - 12, room.height());
        painter->drawText(right, Qt::AlignRight | Qt::AlignVCenter,
                          option.fontMetrics.elidedText(detail, Qt::ElideRight, right.width()));
        painter->setPen(enabled ? ink(QPalette::Text) : muted);
        room.setWidth(room.width() - width);
        painter->drawText(
            room, Qt::AlignLeft | Qt::AlignVCenter,
            option.fontMetrics.elidedText(index.data().toString(), Qt::ElideMiddle, room.width()));
    }
};

} // namespace

CommandPalette::CommandPalette(const ViewContext& context, QWidget* parent)
    : QDialog(parent), m_context(context)
{
    setWindowTitle(tr("Command palette"));
    setWindowFlag(Qt::WindowContextHelpButtonHint, false);
    resize(fontMetrics().averageCharWidth() * 90, fontMetrics().height() * 26);
    auto* column = new QVBoxLayout(this);
    m_query = new QLineEdit(this);
    m_query->setPlaceholderText(tr("Type a command, \"op 4\", \"t7\" or \"subgraph 2\""));
    m_query->setClearButtonEnabled(true);
    m_query->setAccessibleName(tr("Search"));
    m_list = new QListWidget(this);
    m_list->setAccessibleName(tr("Matches"));
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setItemDelegate(new RowDelegate(m_list));
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
        if (!Actions::isCommand(action) || action->objectName() == QLatin1String("edit.palette"))
            continue;
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        const bool on = action->isEnabled();
        m_entries.push_back({on ? Kind::Command : Kind::Unavailable,
                             Actions::menuOf(action) + QStringLiteral(": ") + text, text,
                             on ? Actions::keysOf(action) : action->statusTip(), action->icon(),
                             [action] { action->trigger(); },
                             action->whatsThis() + QLatin1Char(' ') + synonymsOf(action->objectName())});
    }
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!snapshot)
        return;
    if (m_context.document.model())
        for (const MachinePreset& preset : machinePresets())
            m_entries.push_back({Kind::Command,
                                 tr("Machine: %1").arg(word(preset.name)),
                                 {},
                                 word(preset.text),
                                 {},
                                 [&document = m_context.document, name = preset.name] {
                                     if (const auto machine = machinePreset(name))
                                         (void)document.setMachine(*machine,
                                                                   tr("Machine %1").arg(word(name)));
                                 },
                                 tr("hardware chip preset")});
    for (std::size_t i = 0; i < ruleSwitches().size(); ++i) {
        const RuleSwitch& rule = ruleSwitches()[i];
        m_entries.push_back({Kind::Rule,
                             tr("Rule: ") + word(rule.words),
                             {},
                             word(rule.values()[rule.get(m_context.document.rules())]),
                             {},
                             [this, i] { Q_EMIT ruleChosen(static_cast<int>(i)); },
                             word(rule.name) + QLatin1Char(' ') + word(rule.meaning)});
    }
    Selection& selection = m_context.selection;
    const Problem& problem = *snapshot->problem;
    for (std::size_t i = 0; i < snapshot->schedule.size(); ++i) {
        const SubgraphId id(i);
        QStringList ops;
        for (const OpId op : snapshot->schedule[id].ops)
            ops << QString::fromStdString(problem.opName(op));
        m_entries.push_back({Kind::Subgraph,
                             tr("Subgraph %1").arg(i),
                             {},
                             ops.join(QStringLiteral(", ")),
                             {},
                             [&selection, id] { selection.selectSubgraph(id); }});
    }
    // Returns the name, or an empty text if it only repeats the label ("op 4").
    const auto nameBeside = [](const std::string& name, const QString& label) {
        const QString text = QString::fromStdString(name);
        return QString(text).remove(QLatin1Char(' ')) == QString(label).remove(QLatin1Char(' ')) ? QString()
                                                                                                 : text;
    };
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const OpId id(i);
        const QString label = tr("op %1").arg(i);
        m_entries.push_back({Kind::Op,
                             label,
                             nameBeside(problem.op(id).name, label),
                             problem.op(id).type == OpType::MatMul ? tr("MatMul") : tr("Pointwise"),
                             {},
                             [&selection, id] { selection.selectOps({id}); }});
    }
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
        const TensorId id(i);
        const Tensor& t = problem.tensor(id);
        const QString label = QStringLiteral("t%1").arg(i);
        m_entries.push_back({Kind::Tensor,
                             label,
                             nameBeside(t.name, label),
                             tr("tensor %1 × %2").arg(number(t.height), number(t.width)),
                             {},
                             [&selection, id] { selection.selectTensor(id); }});
    }
}

std::optional<CommandPalette::Entry> CommandPalette::numbered(const QString& query) const
{
    static const QRegularExpression form(QStringLiteral("^(op|o|tensor|t|subgraph|s|step)\\s*#?(\\d{1,9})$"),
                                         QRegularExpression::CaseInsensitiveOption);
    const auto match = form.match(query.trimmed());
    const SnapshotPtr snapshot = m_context.document.snapshot();
    if (!match.hasMatch() || !snapshot)
        return std::nullopt;
    const QString what = match.captured(1).toLower();
    const std::size_t n = match.captured(2).toULongLong();
    Selection& selection = m_context.selection;
    if (what == QLatin1String("step")) {
        const auto current = selection.state().subgraph;
        if (!current || current->index() >= snapshot->schedule.size() ||
            static_cast<std::int64_t>(n) >= snapshot->evaluation.subgraphs[current->index()].steps)
            return std::nullopt;
        return Entry{Kind::Subgraph,
                     tr("Step %1 of subgraph %2").arg(n).arg(current->index()),
                     {},
                     {},
                     {},
                     [&selection, n] { selection.setStep(static_cast<std::int64_t>(n)); }};
    }
    const Kind kind = what.startsWith(QLatin1Char('o'))   ? Kind::Op
                      : what.startsWith(QLatin1Char('t')) ? Kind::Tensor
                                                          : Kind::Subgraph;
    std::size_t at = n;
    for (const Entry& entry : m_entries)
        if (entry.kind == kind && at-- == 0)
            return entry;
    return std::nullopt;
}

void CommandPalette::filter(const QString& query)
{
    m_list->clear();
    m_runs.clear();
    const auto direct = numbered(query);
    if (direct)
        addRow(*direct, direct->run);
    const QStringList words = query.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    struct Match
    {
        bool unavailable;
        int score;
        Kind kind;
        std::size_t index;
        auto operator<=>(const Match&) const = default;
    };
    std::vector<Match> matches;
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        if (const Entry& e = m_entries[i]; !direct || e.label != direct->label)
            if (const int s = score(e.label, e.name, e.more, words); s >= 0)
                matches.push_back({e.kind == Kind::Unavailable, s, e.kind, i});
    std::sort(matches.begin(), matches.end());
    for (const Match& match : matches) {
        if (m_list->count() >= kMaxShown)
            break;
        addRow(m_entries[match.index], m_entries[match.index].run);
    }
    m_list->setCurrentRow(0);
    if (m_list->count() == 0)
        addRow({Kind::Unavailable, tr("Nothing has this name."), {}, {}, {}, {}}, {});
}

void CommandPalette::addRow(const Entry& entry, std::function<void()> run)
{
    const bool named = (entry.kind == Kind::Op || entry.kind == Kind::Tensor) && !entry.name.isEmpty();
    auto* item = new QListWidgetItem(
        entry.icon, named ? entry.label + QStringLiteral("  ") + entry.name : entry.label, m_list);
    item->setData(kDetailRole, entry.detail);
    item->setToolTip(plain(entry.detail));
    item->setData(Qt::AccessibleDescriptionRole, entry.detail);
    if (entry.kind == Kind::Unavailable)
        item->setFlags(item->flags() & ~(Qt::ItemIsEnabled | Qt::ItemIsSelectable));
    m_runs.push_back(std::move(run));
}

void CommandPalette::runCurrent()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !(item->flags() & Qt::ItemIsEnabled))
        return;
    const auto run = m_runs[static_cast<std::size_t>(m_list->currentRow())];
    accept();
    run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    // Arrow keys move the selection of the list while the search field keeps the focus.
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
