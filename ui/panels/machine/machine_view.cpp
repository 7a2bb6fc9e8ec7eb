// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/machine/machine_view.h"

#include "base/file.h"
#include "model/machine_text.h"
#include "panels/machine/machine_source.h"
#include "panels/machine/value_delegate.h"
#include "theme/icon.h"
#include "theme/text.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

MachineView::MachineView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("machine"), tr("Machine"), parent), m_presets(new QComboBox(this)),
      m_state(new QLabel(this)), m_error(new QLabel(this)), m_list(new QTreeWidget(this)),
      m_problems(new QLabel(this)), m_notes(new QLabel(this)), m_footer(new QScrollArea(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(8, 8, 8, 0);
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("&Preset"), this);
    label->setBuddy(m_presets);
    m_presets->setObjectName(QStringLiteral("machine.preset"));
    m_presets->setAccessibleName(tr("Preset of the machine"));
    m_presets->setToolTip(tr("Put the model on a machine that comes with Tilewright. The schedule is kept."));
    for (const MachinePreset& preset : machinePresets()) {
        m_presets->addItem(word(preset.name), word(preset.name));
        const auto m = machinePreset(preset.name);
        m_presets->setItemData(m_presets->count() - 1,
                               tr("%1 with an array of %2, %3 of fast memory, %4 GB/s to external memory")
                                   .arg(counted(m->cores, tr("core"), tr("cores")),
                                        sizeText({m->rows, m->cols}), bytesText(m->scratchpadBytes()),
                                        number(m->at(MachineLevel::External).gbPerSecond)),
                               Qt::ToolTipRole);
    }
    connect(m_presets, &QComboBox::activated, this,
            [this](int i) { choosePreset(m_presets->itemData(i).toString()); });
    row->addWidget(label);
    row->addWidget(m_presets, 1);
    const auto command = [&](const char* id, const QString& text, const QString& iconName, const QString& tip,
                             void (MachineView::*run)()) {
        ActionSpec spec;
        spec.id = QStringLiteral("machine.") + QLatin1String(id);
        spec.menu = tr("Machine");
        spec.text = text;
        spec.iconName = iconName;
        spec.tip = tip;
        auto* button = new QToolButton(this);
        button->setDefaultAction(addCommand(spec, [this, run](bool) { (this->*run)(); }));
        button->setAutoRaise(true);
        row->addWidget(button);
    };
    command("open", tr("Open a machine…"), QStringLiteral("open"),
            tr("Put the model on the machine of a file: a machine, a memory hierarchy, NPU hardware or a "
               "mapping architecture."),
            &MachineView::openMachine);
    command("save", tr("Save the machine…"), QStringLiteral("save"),
            tr("Write the machine to its own file. A saved schedule contains it as well."),
            &MachineView::saveMachine);
    column->addLayout(row);

    for (QLabel* text : {m_state, m_error, m_problems, m_notes}) {
        text->setWordWrap(true);
        text->setTextInteractionFlags(Qt::TextBrowserInteraction);
        text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    m_state->setObjectName(QStringLiteral("machine.state"));
    m_error->setTextFormat(Qt::PlainText);
    m_notes->setTextFormat(Qt::PlainText);
    m_error->setObjectName(QStringLiteral("machine.error"));
    m_problems->setObjectName(QStringLiteral("machine.problems"));
    connect(m_state, &QLabel::linkActivated, this,
            [this] { choosePreset(QString::fromStdString(machine()->name)); });
    connect(m_problems, &QLabel::linkActivated, this, &MachineView::problemsWanted);
    column->addWidget(m_state);

    m_list->setAccessibleName(tr("Values of the machine"));
    m_list->setHeaderLabels({tr("Field"), tr("Value"), tr("Origin")});
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setAlternatingRowColors(true);
    m_list->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed |
                            QAbstractItemView::SelectedClicked | QAbstractItemView::AnyKeyPressed);
    m_list->setItemDelegate(new ValueDelegate(m_list));
    m_list->header()->setStretchLastSection(true);
    m_list->setIndentation(12);
    m_list->viewport()->installEventFilter(this);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->header()->setSectionResizeMode(kValue, QHeaderView::ResizeToContents);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_list, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item, int c) {
        if (c == kValue && !m_filling)
            setField(item);
    });
    connect(m_list, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item, int) {
        if (item->flags().testFlag(Qt::ItemIsEditable))
            m_list->editItem(item, kValue);
    });
    connect(m_list, &QTreeWidget::customContextMenuRequested, this, [this](const QPoint& at) {
        QTreeWidgetItem* item = m_list->itemAt(at);
        if (!item || item->data(kField, kPath).toString().isEmpty())
            return;
        QMenu menu(this);
        const auto field = std::ranges::find(m_shown, item->data(kField, kPath).toString().toStdString(),
                                             &MachineField::path);
        menu.addAction(tr("Edit"), this, [this, item] { m_list->editItem(item, kValue); })
            ->setEnabled(item->flags().testFlag(Qt::ItemIsEditable));
        menu.addAction(tr("Source of the value…"), this, [this, item] { editSource(item); })
            ->setEnabled(field != m_shown.end() && field->given && !field->summary);
        QAction* back =
            menu.addAction(tr("Reset to the preset's value"), this, [this, item] { resetField(item); });
        const auto changes = base() ? machineChanges(*base(), *machine()) : std::vector<MachineChange>();
        const std::string path = item->data(kField, kPath).toString().toStdString();
        back->setEnabled(std::ranges::find(changes, path, &MachineChange::path) != changes.end());
        menu.exec(m_list->viewport()->mapToGlobal(at));
    });
    column->addWidget(m_list, 1);
    column->addWidget(m_error); // below the rows, which keep their places under the mouse
    m_error->hide();
    // The problems are below the values, so that the values do not move when problems appear.
    column->addWidget(m_problems);
    m_footer->setFrameShape(QFrame::NoFrame);
    m_footer->setWidgetResizable(true);
    m_footer->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_footer->setFocusPolicy(Qt::NoFocus);
    m_footer->setAccessibleName(tr("Notes on the machine"));
    m_notes->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_footer->setWidget(m_notes);
    column->addWidget(m_footer);
    // A refused value belongs to the previous machine: its message is removed.
    document().whenChanged(this, Part::Problem | Part::Machine, [this] {
        m_error->clear();
        m_error->hide();
    });
    document().whenChanged(this, Part::Problem | Part::Machine | Part::Snapshot, &MachineView::outdate);
    connect(&context.themes, &ThemeSource::changed, this, &MachineView::outdate);
    refresh();
}

void MachineView::resizeEvent(QResizeEvent* event)
{
    View::resizeEvent(event);
    fitColumns();
}

/// Fits the columns when the list is resized: the list has its new width only after the view's own resize
/// event.
bool MachineView::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Resize)
        if (const auto* resized = static_cast<QResizeEvent*>(event);
            resized->size().width() != resized->oldSize().width())
            fitColumns();
    return View::eventFilter(watched, event);
}

void MachineView::changeEvent(QEvent* event)
{
    View::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        fitColumns();
}

/// In a narrow pane names are cut before values, and notes before both.
void MachineView::fitColumns()
{
    // If the column of origins is hidden, the tooltip shows the origin.
    m_list->setColumnHidden(kFrom, width() < 58 * fontMetrics().averageCharWidth());
    int widest = 0, widestValue = 0;
    for (const MachineField& f : m_shown) {
        widest = std::max(widest, fontMetrics().horizontalAdvance(word(f.label)));
        widestValue = std::max(widestValue, fontMetrics().horizontalAdvance(machineValueText(f)));
    }
    const int gap = 2 * fontMetrics().averageCharWidth();
    const int room = m_list->viewport()->width();
    m_list->setColumnWidth(kField, std::min(widest + 2 * m_list->indentation() + gap,
                                            room - std::min(widestValue + gap, room / 2)));
    constexpr int kNoteLines = 5;
    m_footer->setFixedHeight(std::min(m_notes->heightForWidth(std::max(1, m_footer->width() - 16)),
                                      std::min(kNoteLines * fontMetrics().lineSpacing() + 4, height() / 4)));
}

const Machine* MachineView::machine() const
{
    if (!document().hasProblem())
        return &document().nextMachine();
    return document().machine() ? &*document().machine() : nullptr;
}

std::optional<Machine> MachineView::base() const
{
    return machine() ? machinePreset(machine()->name) : std::nullopt;
}

QString MachineView::message() const
{
    return m_error->text();
}

QString MachineView::copyText() const
{
    QString out;
    for (const MachineField& f : m_shown)
        out += QString::fromStdString(f.path) + QLatin1Char('\t') + QString::fromStdString(f.value) +
               QLatin1Char('\t') + QString::fromStdString(f.given ? std::string() : f.formula) +
               QLatin1Char('\n');
    return out;
}

void MachineView::refresh()
{
    const QScopedValueRollback filling(m_filling, true);
    const Machine* m = machine();
    m_list->setEnabled(m != nullptr);
    if (!m) {
        m_state->setText(tr("No array matches the costs of this problem."));
        m_list->clear();
        m_shown.clear();
        m_problems->hide();
        m_notes->clear();
        fitColumns();
        return;
    }
    const auto preset = base();
    fillList(*m, preset);
    showState(*m, preset);
    fitColumns();
}

void MachineView::fillList(const Machine& machine, const std::optional<Machine>& base)
{
    std::vector<MachineField> fields = machineFields(machine);
    const bool same =
        fields.size() == m_shown.size() &&
        std::equal(fields.begin(), fields.end(), m_shown.begin(),
                   [](const MachineField& a, const MachineField& b) { return a.path == b.path; });
    m_shown = std::move(fields);
    const auto before = base ? machineFields(*base) : std::vector<MachineField>();
    if (!same) {
        m_list->clear();
        QTreeWidgetItem* group = nullptr;
        for (const MachineField& f : m_shown) {
            if (!group || group->data(kField, kRaw).toString() != word(f.group)) {
                group = new QTreeWidgetItem(m_list);
                group->setData(kField, kRaw, word(f.group));
                group->setFirstColumnSpanned(true);
                group->setFlags(Qt::ItemIsEnabled);
                QFont bold = font();
                bold.setBold(true);
                group->setFont(kField, bold);
            }
            auto* item = new QTreeWidgetItem(group);
            item->setFlags(item->flags().setFlag(Qt::ItemIsEditable, f.editable));
            item->setData(kField, kPath, QString::fromStdString(f.path));
        }
        m_list->expandAll();
    }
    std::size_t next = 0;
    for (int g = 0; g < m_list->topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = m_list->topLevelItem(g);
        nameGroup(*group, machine);
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* item = group->child(i);
            const MachineField& f = m_shown[next++];
            const QString raw = QString::fromStdString(f.value);
            const QString text = machineValueText(f);
            item->setText(kField, word(f.label));
            item->setText(kValue, text);
            // Shows "256 KiB" instead of 262144 if that is exact.
            const auto read = typedMachineValue(text, f.unit, NumberStyle());
            const bool asShown = f.unit == MachineUnit::Bytes && read && *read == raw;
            item->setData(kValue, kRaw, asShown ? text : raw);
            QStringList words;
            for (const std::string_view w : f.words)
                words << word(w);
            item->setData(kValue, kWords, words);
            const auto was = std::find_if(before.begin(), before.end(),
                                          [&](const MachineField& b) { return b.path == f.path; });
            const bool changed = !f.summary && was != before.end() && was->value != f.value;
            QString from;
            if (!f.given || f.source)
                from = QString::fromStdString(originText(f));
            if (changed) {
                const QString preset = tr("%1 in the preset").arg(machineValueText(*was));
                from = from.isEmpty() ? preset : preset + QStringLiteral("; ") + from;
            }
            item->setText(kFrom, from);
            QFont style = font();
            style.setItalic(!f.given);
            style.setBold(changed);
            item->setFont(kValue, style);
            item->setForeground(kFrom, theme().muted);
            const QString tip =
                QStringLiteral("<p>%1</p><p>%2: %3%4</p>")
                    .arg(word(f.meaning).toHtmlEscaped(), QString::fromStdString(f.path).toHtmlEscaped(),
                         raw.toHtmlEscaped(),
                         from.isEmpty() ? QString() : QStringLiteral("<br>") + from.toHtmlEscaped()) +
                QStringLiteral("<p>%1</p>").arg(tr("Used by: %1.").arg(QString::fromStdString(usedBy(f))));
            for (const int c : {kField, kValue, kFrom})
                item->setToolTip(c, tip);
        }
    }
}

/// Marks the memory level that is the fast memory of the schedule.
void MachineView::nameGroup(QTreeWidgetItem& group, const Machine& machine) const
{
    const QString name = group.data(kField, kRaw).toString();
    const QString level = QStringLiteral("levels.") + word(toString(machine.scratchpad)) + QLatin1Char('.');
    const bool fast =
        group.childCount() > 0 && group.child(0)->data(kField, kPath).toString().startsWith(level);
    const QString elements = number(machine.scratchpadBytes() / machine.elementBytes);
    group.setText(kField, fast ? tr("%1: fast memory, %2 elements").arg(name, elements) : name);
    group.setToolTip(
        kField, fast
                    ? tr("Fast memory of the Schedule lens: all buffers of the level, %1, in elements of %2.")
                          .arg(bytesText(machine.scratchpadBytes()), bytesText(machine.elementBytes))
                    : QString());
}

void MachineView::showState(const Machine& machine, const std::optional<Machine>& base)
{
    QStringList lines;
    const bool own = document().hasProblem() && !document().model();
    if (!document().hasProblem())
        lines << tr("This machine is used for the next model that is opened.");
    else if (own)
        lines << tr("The problem has its own hardware. Choosing a preset or changing a value gives it the "
                    "hardware and costs of that machine. Undo restores the values of the file.");
    std::size_t differ = 0;
    if (base) {
        const auto changes = machineChanges(*base, machine);
        differ = changes.size();
        if (differ == 0) {
            lines << tr("The preset %1 without changes.").arg(QString::fromStdString(machine.name));
        } else {
            const auto follows = std::ranges::count_if(changes, [this](const MachineChange& change) {
                const auto f = std::ranges::find(m_shown, change.path, &MachineField::path);
                return f != m_shown.end() && !f->given;
            });
            QString text = tr("%1 from the preset %2")
                               .arg(counted(static_cast<std::int64_t>(differ) - follows, tr("value differs"),
                                            tr("values differ")),
                                    QString::fromStdString(machine.name).toHtmlEscaped());
            if (follows > 0)
                text += tr(", %1").arg(counted(follows, tr("follows"), tr("follow")));
            lines << text + tr(". <a href=\"preset\">Back to the preset</a>");
        }
    }
    m_state->setText(rich(lines.join(QStringLiteral("<br>"))));
    const std::size_t issues =
        document().model() && document().snapshot() ? document().snapshot()->evaluation.issues.size() : 0;
    m_problems->setText(tr("<a href=\"problems\">%1</a> of the schedule on this machine.")
                            .arg(counted(static_cast<std::int64_t>(issues), tr("problem"), tr("problems"))));
    m_problems->setVisible(issues > 0);
    const QString preset = base && differ == 0 ? QString::fromStdString(machine.name) : QString();
    const int at = m_presets->findData(preset);
    const int edited = m_presets->findData(QString());
    if (at >= 0 && !preset.isEmpty()) {
        if (edited >= 0)
            m_presets->removeItem(edited);
        m_presets->setCurrentIndex(m_presets->findData(preset));
    } else {
        const QString name =
            own ? tr("the problem's own") : tr("%1 (edited)").arg(QString::fromStdString(machine.name));
        if (edited < 0)
            m_presets->addItem(name, QString());
        const int i = m_presets->findData(QString());
        m_presets->setItemText(i, !own && !base ? QString::fromStdString(machine.name) : name);
        m_presets->setCurrentIndex(i);
    }
    QStringList notes{tr("Italic: derived. Bold: differs from the preset.")};
    for (const std::string& note : machine.notes)
        notes << wholeSentence(note);
    for (const MachineLens lens :
         {MachineLens::Schedule, MachineLens::Systolic, MachineLens::Npu, MachineLens::Mapping})
        if (const std::string left = leftOutText(machine, lens); !left.empty())
            notes << wholeSentence(left);
    if (document().model())
        for (const std::string& note : document().model()->lowered.report.notes)
            notes << wholeSentence(note);
    m_notes->setText(notes.join(QLatin1Char('\n')));
}

void MachineView::take(const Result<Machine>& machine, const QString& text, const QString& mergeKey)
{
    QString error;
    if (!machine)
        error =
            sentence(machine.error().path.empty() ? machine.error().message
                                                  : machine.error().path + ": " + machine.error().message);
    else if (const Status set = document().setMachine(*machine, text, mergeKey); !set)
        error = sentence(set.error().message);
    m_error->setText(error.isEmpty() ? QString() : QStringLiteral("⚠ ") + error);
    m_error->setVisible(!error.isEmpty());
    refresh();
}

void MachineView::choosePreset(const QString& name)
{
    if (const auto preset = machinePreset(name.toStdString()))
        take(*preset, tr("Machine %1").arg(name));
}

void MachineView::setField(QTreeWidgetItem* item)
{
    const QString path = item->data(kField, kPath).toString();
    const auto shown = std::find_if(m_shown.begin(), m_shown.end(), [&](const MachineField& f) {
        return QString::fromStdString(f.path) == path;
    });
    if (shown == m_shown.end() || !machine())
        return;
    const QString text = item->text(kValue);
    // The text is unchanged, even if the locale would read it as another value.
    if (text == item->data(kValue, kRaw).toString())
        return refresh();
    const auto value = typedMachineValue(text, shown->unit);
    if (value && *value == QString::fromStdString(shown->value))
        return refresh();
    Result<Machine> changed = *machine();
    if (value)
        changed = withMachineField(*machine(), shown->path, value->toStdString());
    else
        changed = Error{ErrorCode::Field, value.error().message, shown->path, {}};
    take(changed, tr("Change %1, %2").arg(word(shown->group), word(shown->label)),
         QStringLiteral("machine ") + path);
}

void MachineView::resetField(QTreeWidgetItem* item)
{
    const auto preset = base();
    if (!preset)
        return;
    const std::string path = item->data(kField, kPath).toString().toStdString();
    for (const MachineField& f : machineFields(*preset))
        if (f.path == path)
            take(f.given ? withMachineField(*machine(), path, f.value)
                         : withoutMachineField(*machine(), path),
                 tr("%1 as in the preset").arg(word(f.label)));
}

void MachineView::editSource(QTreeWidgetItem* item)
{
    const QString path = item->data(kField, kPath).toString();
    const auto field = std::ranges::find(m_shown, path.toStdString(), &MachineField::path);
    if (field == m_shown.end() || !machine())
        return;
    if (const auto source = askSource(this, path, field->source.value_or(Provenance())))
        setSource(field->path, *source);
}

void MachineView::setSource(const std::string& path, const Provenance& source)
{
    take(withMachineSource(*machine(), path, source), tr("Source of %1").arg(QString::fromStdString(path)));
}

void MachineView::openMachine()
{
    const QString path =
        QFileDialog::getOpenFileName(this, tr("Open a machine"), {}, tr("Machines (*.json);;All files (*)"));
    if (path.isEmpty())
        return;
    const std::array files{path.toStdString()};
    take(lower::loadMachine(files), tr("Open machine %1").arg(path.section(QLatin1Char('/'), -1)));
}

void MachineView::saveMachine()
{
    if (!machine())
        return;
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Save the machine"), QString::fromStdString(machine()->name) + QStringLiteral(".json"),
        tr("Machine (*.json)"));
    if (path.isEmpty())
        return;
    const Status written = writeFileAtomically(path.toStdString(), writeMachine(*machine()));
    m_error->setText(written ? QString()
                             : QStringLiteral("⚠ ") + QString::fromStdString(written.error().text()));
    m_error->setVisible(!written.hasValue());
}

} // namespace tilewright::ui
