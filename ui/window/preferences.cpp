// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/preferences.h"

#include "canvas/number_box.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QTabWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

Preferences Preferences::load()
{
    QSettings settings;
    const Preferences usual;
    Preferences p;
    p.theme = settings.value(QStringLiteral("theme"), usual.theme).toString();
    p.reduceMotion = settings.value(QStringLiteral("reduceMotion"), usual.reduceMotion).toBool();
    p.wheelScrolls = settings.value(QStringLiteral("wheelScrolls"), usual.wheelScrolls).toBool();
    p.reopenLast = settings.value(QStringLiteral("reopenLast"), usual.reopenLast).toBool();
    const int points = settings.value(QStringLiteral("fontSize"), usual.fontSize).toInt();
    p.fontSize = points == 0 ? 0 : std::clamp(points, 6, 40);
    p.autosaveSeconds =
        std::clamp(settings.value(QStringLiteral("autosaveSeconds"), usual.autosaveSeconds).toInt(), 1, 600);
    settings.beginGroup(QStringLiteral("keys"));
    for (const QString& id : settings.childKeys())
        p.keys[id] = QKeySequence::listFromString(settings.value(id).toString());
    return p;
}

void Preferences::save() const
{
    QSettings settings;
    settings.setValue(QStringLiteral("theme"), theme);
    settings.setValue(QStringLiteral("reduceMotion"), reduceMotion);
    settings.setValue(QStringLiteral("wheelScrolls"), wheelScrolls);
    settings.setValue(QStringLiteral("reopenLast"), reopenLast);
    settings.setValue(QStringLiteral("fontSize"), fontSize);
    settings.setValue(QStringLiteral("autosaveSeconds"), autosaveSeconds);
    settings.beginGroup(QStringLiteral("keys"));
    settings.remove(QString());
    for (const auto& [id, chosen] : keys)
        settings.setValue(id, QKeySequence::listToString(chosen));
}

namespace {

enum Column { kCommand, kPlace, kKeys };

QString plainText(const QAction* action)
{
    return action->text().remove(QLatin1Char('&'));
}

} // namespace

void KeyEdit::keyPressEvent(QKeyEvent* event)
{
    QKeySequenceEdit::keyPressEvent(event);
    if (keySequence().isEmpty()) // so far only a modifier is pressed
        return;
    const QKeySequence key(keySequence()[0]);
    setKeySequence(key); // the key is complete; the next key press replaces it
    Q_EMIT pressed(key);
}

KeysPage::KeysPage(const Actions& actions, QWidget* parent)
    : QWidget(parent), m_actions(actions), m_choices(actions.keyChoices()), m_filter(new QLineEdit(this)),
      m_list(new QTreeWidget(this)), m_name(new QLabel(this)), m_key(new KeyEdit(this)),
      m_none(new QPushButton(tr("&No key"), this)), m_reset(new QPushButton(tr("&Reset"), this)),
      m_resetAll(new QPushButton(tr("Reset a&ll"), this)), m_assign(new QPushButton(tr("Re&assign"), this)),
      m_message(new QLabel(this))
{
    const auto named = [](QWidget* w, const char* id, const QString& name, const QString& tip) {
        w->setObjectName(QLatin1String(id));
        w->setAccessibleName(name);
        w->setAccessibleDescription(tip);
        w->setToolTip(tip);
    };
    named(m_filter, "keys.filter", tr("Search"), tr("A part of a command, a view or a key."));
    m_filter->setPlaceholderText(tr("Search: a command, a view or a key"));
    m_filter->setClearButtonEnabled(true);
    named(m_list, "keys.list", tr("Commands and keys"),
          tr("Select the command whose key you want to change."));
    named(m_key, "keys.key", tr("New key"), tr("Press the new key for the command."));
    named(m_none, "keys.none", tr("No key"), tr("Remove the key of this command."));
    named(m_reset, "keys.reset", tr("Reset"), tr("Restore the default keys of this command."));
    named(m_resetAll, "keys.resetAll", tr("Reset all"), tr("Restore the default keys of all commands."));
    named(m_assign, "keys.take", tr("Reassign"),
          tr("Assign the key to this command and remove it from the other one."));
    m_name->setObjectName(QStringLiteral("keys.name"));
    m_message->setObjectName(QStringLiteral("keys.message"));
    m_message->setWordWrap(true);
    m_message->setMinimumHeight(2 * fontMetrics().lineSpacing());
    m_message->setAlignment(Qt::AlignLeft | Qt::AlignTop);

    m_list->setHeaderLabels({tr("Command"), tr("Where"), tr("Keys")});
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAlternatingRowColors(true);
    for (const QAction* action : m_actions.all())
        if (m_actions.mayHaveOtherKeys(action)) {
            auto* row = new QTreeWidgetItem(m_list, {plainText(action), Actions::menuOf(action)});
            row->setData(kCommand, Qt::UserRole, action->objectName());
            row->setToolTip(kCommand, action->whatsThis());
            showRow(row);
        }
    const int letter = fontMetrics().averageCharWidth();
    m_list->setColumnWidth(kCommand, 44 * letter);
    m_list->setColumnWidth(kPlace, 22 * letter);
    m_list->setMinimumSize(88 * letter, 14 * fontMetrics().lineSpacing());

    auto* change = new QHBoxLayout;
    change->addWidget(m_name, 1);
    for (QWidget* w : std::initializer_list<QWidget*>{m_key, m_none, m_reset})
        change->addWidget(w);
    auto* messageRow = new QHBoxLayout;
    messageRow->addWidget(m_message, 1);
    messageRow->addWidget(m_assign, 0, Qt::AlignTop);
    messageRow->addWidget(m_resetAll, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout(this);
    column->addWidget(m_filter);
    column->addWidget(m_list, 1);
    column->addLayout(change);
    column->addLayout(messageRow);

    connect(m_filter, &QLineEdit::textChanged, this, &KeysPage::filter);
    connect(m_list, &QTreeWidget::currentItemChanged, this, &KeysPage::showCurrent);
    connect(m_list, &QTreeWidget::itemActivated, m_key, qOverload<>(&QWidget::setFocus));
    connect(m_key, &KeyEdit::pressed, this, &KeysPage::typed);
    connect(m_assign, &QPushButton::clicked, this, &KeysPage::assign);
    connect(m_none, &QPushButton::clicked, this, [this] {
        if (const QAction* action = current())
            choose(action, {});
        showCurrent();
    });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (const QAction* action = current())
            choose(action, m_actions.usualKeys(action));
        showCurrent();
    });
    connect(m_resetAll, &QPushButton::clicked, this, [this] {
        m_choices.clear();
        for (int i = 0; i < m_list->topLevelItemCount(); ++i)
            showRow(m_list->topLevelItem(i));
        showCurrent();
    });
    m_list->setCurrentItem(m_list->topLevelItem(0));
    showCurrent();
}

QList<QKeySequence> KeysPage::keysOf(const QAction* action) const
{
    const auto chosen = m_choices.find(action->objectName());
    return chosen == m_choices.end() || !m_actions.mayHaveOtherKeys(action) ? m_actions.usualKeys(action)
                                                                            : chosen->second;
}

const QAction* KeysPage::current() const
{
    const QTreeWidgetItem* row = m_list->currentItem();
    return row ? m_actions.find(row->data(kCommand, Qt::UserRole).toString()) : nullptr;
}

const QAction* KeysPage::conflictOf(const QKeySequence& key) const
{
    const QAction* asking = current();
    const auto holds = [&](const QAction* action) {
        return action != asking && Actions::canConflict(action, asking) && keysOf(action).contains(key);
    };
    const auto& all = m_actions.all();
    const auto found = std::find_if(all.begin(), all.end(), holds);
    return found == all.end() ? nullptr : *found;
}

void KeysPage::choose(const QAction* action, const QList<QKeySequence>& keys)
{
    if (keys == m_actions.usualKeys(action))
        m_choices.erase(action->objectName());
    else
        m_choices[action->objectName()] = keys;
    for (int i = 0; i < m_list->topLevelItemCount(); ++i)
        if (m_list->topLevelItem(i)->data(kCommand, Qt::UserRole) == action->objectName())
            showRow(m_list->topLevelItem(i));
}

void KeysPage::typed(const QKeySequence& key)
{
    if (!current())
        return;
    const QAction* holder = conflictOf(key);
    m_assign->setVisible(holder && m_actions.mayHaveOtherKeys(holder));
    if (!holder) {
        assign();
        return;
    }
    const QString sentence =
        tr("%1 is already the key of “%2” (%3).")
            .arg(key.toString(QKeySequence::NativeText), plainText(holder), Actions::menuOf(holder));
    m_message->setText(m_actions.mayHaveOtherKeys(holder)
                           ? sentence
                           : sentence + QLatin1Char(' ') + tr("That key is fixed: press another one."));
}

void KeysPage::assign()
{
    const QAction* action = current();
    if (!action || m_key->keySequence().isEmpty())
        return;
    const QKeySequence key = m_key->keySequence();
    while (const QAction* holder = conflictOf(key)) {
        if (!m_actions.mayHaveOtherKeys(holder))
            return;
        QList<QKeySequence> left = keysOf(holder);
        left.removeAll(key);
        choose(holder, left);
    }
    choose(action, {key});
    showCurrent();
}

void KeysPage::showCurrent()
{
    const QAction* action = current();
    const bool any = action != nullptr;
    for (QWidget* w : std::initializer_list<QWidget*>{m_key, m_none, m_reset})
        w->setEnabled(any);
    m_assign->hide();
    m_resetAll->setEnabled(!m_choices.empty());
    if (!any) {
        m_name->clear();
        m_key->clear();
        m_message->setText(tr("No command matches."));
        return;
    }
    const QList<QKeySequence> keys = keysOf(action);
    m_name->setText(tr("Key of “%1”:").arg(plainText(action)));
    m_key->setKeySequence(keys.isEmpty() ? QKeySequence() : keys.front());
    m_none->setEnabled(!keys.isEmpty());
    m_reset->setEnabled(keys != m_actions.usualKeys(action));
    m_message->setText(m_reset->isEnabled()
                           ? tr("Default: %1.")
                                 .arg(m_actions.usualKeys(action).isEmpty()
                                          ? tr("no key")
                                          : QKeySequence::listToString(m_actions.usualKeys(action),
                                                                       QKeySequence::NativeText))
                           : QString());
}

void KeysPage::showRow(QTreeWidgetItem* row)
{
    const QAction* action = m_actions.find(row->data(kCommand, Qt::UserRole).toString());
    const QList<QKeySequence> keys = keysOf(action);
    row->setText(kKeys, QKeySequence::listToString(keys, QKeySequence::NativeText));
    QFont font = row->font(kKeys);
    font.setBold(keys != m_actions.usualKeys(action));
    row->setFont(kKeys, font);
}

void KeysPage::filter(const QString& text)
{
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QTreeWidgetItem* first = nullptr;
    for (int i = 0; i < m_list->topLevelItemCount(); ++i) {
        QTreeWidgetItem* row = m_list->topLevelItem(i);
        const QString all =
            QStringList{row->text(kCommand), row->text(kPlace), row->text(kKeys), row->toolTip(kCommand)}
                .join(QLatin1Char('\n'));
        const bool matches = std::all_of(words.begin(), words.end(), [&](const QString& word) {
            return all.contains(word, Qt::CaseInsensitive);
        });
        row->setHidden(!matches);
        if (matches && !first)
            first = row;
    }
    if (!m_list->currentItem() || m_list->currentItem()->isHidden())
        m_list->setCurrentItem(first);
}

PreferencesDialog::PreferencesDialog(const Preferences& p, bool graphLeftToRight, const Actions& actions,
                                     QWidget* parent)
    : QDialog(parent), m_keys(new KeysPage(actions, this))
{
    setWindowTitle(tr("Preferences"));
    auto* pages = new QTabWidget(this);
    pages->setObjectName(QStringLiteral("pages"));
    pages->setAccessibleName(windowTitle());
    auto* general = new QWidget(pages);
    pages->addTab(general, tr("&General"));
    pages->addTab(m_keys, tr("&Keys"));
    auto* form = new QFormLayout(general);
    const auto add = [&](const QString& label, QWidget* control, const QString& name, const QString& tip) {
        control->setObjectName(name);
        control->setAccessibleName(QString(label).remove(QLatin1Char('&')));
        control->setAccessibleDescription(tip);
        control->setToolTip(tip);
        form->addRow(label, control);
    };
    m_theme = new QComboBox(this);
    for (const auto& [id, text] :
         {std::pair{"system", tr("Same as system")}, {"light", tr("Light")}, {"dark", tr("Dark")}})
        m_theme->addItem(text, QLatin1String(id));
    m_theme->setCurrentIndex(std::max(0, m_theme->findData(p.theme)));
    add(tr("&Theme"), m_theme, QStringLiteral("theme"), tr("The colours of the window."));
    constexpr int kLeastPoints = 6;
    m_fontSize = new NumberBox(this);
    m_fontSize->setRange(kLeastPoints - 1, 40);
    m_fontSize->setSuffix(tr(" pt"));
    m_fontSize->setSpecialValueText(tr("same as system"));
    m_fontSize->setValue(p.fontSize == 0 ? m_fontSize->minimum() : p.fontSize);
    add(tr("&Font size"), m_fontSize, QStringLiteral("fontSize"),
        tr("Font size of all texts. Views adapt to it."));
    m_wheel = new QComboBox(this);
    m_wheel->addItems({tr("zooms (Ctrl: finer steps)"), tr("scrolls (Ctrl: zooms)")});
    m_wheel->setCurrentIndex(p.wheelScrolls ? 1 : 0);
    add(tr("Mouse &wheel"), m_wheel, QStringLiteral("wheel"),
        tr("What the mouse wheel does in graphs and charts. Two fingers on a touchpad always scroll."));
    m_direction = new QComboBox(this);
    m_direction->addItems({tr("top to bottom"), tr("left to right")});
    m_direction->setCurrentIndex(graphLeftToRight ? 1 : 0);
    add(tr("&Graph direction"), m_direction, QStringLiteral("direction"),
        tr("The direction from inputs to outputs of the graph."));
    auto* autosave = new NumberBox(this);
    autosave->setUnit(QStringLiteral("s"));
    m_autosave = autosave;
    m_autosave->setRange(1, 600);
    m_autosave->setSuffix(tr(" s after an edit"));
    m_autosave->setValue(p.autosaveSeconds);
    add(tr("&Autosave"), m_autosave, QStringLiteral("autosave"),
        tr("When a copy for recovery after a crash is written. Your files are only changed when you save."));
    m_reduceMotion = new QCheckBox(tr("&Reduce motion"), this);
    m_reduceMotion->setChecked(p.reduceMotion);
    add({}, m_reduceMotion, QStringLiteral("reduceMotion"), tr("Show changes at once, without animation."));
    m_reopenLast = new QCheckBox(tr("&Open the files of the last session at start"), this);
    m_reopenLast->setChecked(p.reopenLast);
    add({}, m_reopenLast, QStringLiteral("reopenLast"),
        tr("Reopen the problem and the schedule that were open when the window was closed."));
    for (QCheckBox* box : {m_reduceMotion, m_reopenLast})
        box->setAccessibleName(box->text().remove(QLatin1Char('&')));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    // Return must not close the dialog while the page of keys is shown: there it can be a new key or end a
    // search.
    for (QAbstractButton* button : buttons->buttons())
        if (auto* push = qobject_cast<QPushButton*>(button))
            push->setAutoDefault(false);
    auto* column = new QVBoxLayout(this);
    column->addWidget(pages, 1);
    column->addWidget(buttons);
}

Preferences PreferencesDialog::preferences() const
{
    Preferences p;
    p.theme = m_theme->currentData().toString();
    p.reduceMotion = m_reduceMotion->isChecked();
    p.wheelScrolls = m_wheel->currentIndex() == 1;
    p.reopenLast = m_reopenLast->isChecked();
    p.fontSize = m_fontSize->value() == m_fontSize->minimum() ? 0 : m_fontSize->value();
    p.autosaveSeconds = m_autosave->value();
    p.keys = m_keys->choices();
    return p;
}

bool PreferencesDialog::graphLeftToRight() const
{
    return m_direction->currentIndex() == 1;
}

} // namespace tilewright::ui
