// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/actions.h"

#include "theme/icon.h"

#include <QRegularExpression>

#include <algorithm>
#include <utility>

namespace tilewright::ui {

namespace {

constexpr const char* kMenuProperty = "tilewrightMenu";
constexpr const char* kGestureProperty = "tilewrightGesture";
constexpr const char* kNoteProperty = "tilewrightNote";

/// Text of a key. Punctuation that is hard to see is spelled out ("comma").
QString keyText(const QKeySequence& key)
{
    if (key == QKeySequence(Qt::Key_Comma))
        return Actions::tr("comma");
    if (key == QKeySequence(Qt::Key_Period))
        return Actions::tr("full stop");
    return key.toString(QKeySequence::NativeText);
}

QString keysText(const QList<QKeySequence>& keys)
{
    QStringList out;
    for (qsizetype i = 0; i < keys.size(); ++i) {
        const auto held = keys[i][0].keyboardModifiers();
        const auto isArrow = [&](qsizetype k, Qt::Key arrow) {
            return k < keys.size() && keys[k] == QKeySequence(QKeyCombination(held, arrow));
        };
        if (isArrow(i, Qt::Key_Left) && isArrow(i + 1, Qt::Key_Right) && isArrow(i + 2, Qt::Key_Up) &&
            isArrow(i + 3, Qt::Key_Down)) {
            const QString arrow = keyText(keys[i]);
            out << arrow.left(arrow.lastIndexOf(QLatin1Char('+')) + 1) + Actions::tr("arrows");
            i += 3;
        } else {
            out << keyText(keys[i]);
        }
    }
    return out.join(QStringLiteral(", "));
}

/// Sets tooltip and status tip of an action. They say what it does or, if it is disabled, why it is disabled.
void describe(QAction* action, const QString& why)
{
    QString name = action->text();
    name.remove(QLatin1Char('&'));
    const QKeySequence key = action->shortcut();
    const QString keys =
        key.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(key.toString(QKeySequence::NativeText));
    const QString tip = action->whatsThis();
    action->setToolTip(
        QStringLiteral("<p><b>%1</b>%2</p><p>%3</p>").arg(name.toHtmlEscaped(), keys, tip) +
        (why.isEmpty() ? QString() : QStringLiteral("<p><i>%1</i></p>").arg(why.toHtmlEscaped())));
    action->setStatusTip(why.isEmpty() ? tip : why);
}

} // namespace

QAction* Actions::make(const ActionSpec& spec, QObject* parent)
{
    auto* action = new QAction(spec.text, parent);
    action->setObjectName(spec.id);
    action->setProperty(kMenuProperty, spec.menu);
    action->setCheckable(spec.checkable);
    if (!spec.iconName.isEmpty())
        action->setIcon(icon(spec.iconName));
    action->setShortcuts(spec.shortcuts);
    action->setWhatsThis(spec.tip);
    action->setProperty(kGestureProperty, spec.gesture);
    describe(action, {});
    return action;
}

void Actions::enter(QAction* action, const ActionSpec& spec)
{
    m_actions.push_back(action);
    m_usual.emplace(action, Usual{spec.shortcuts, spec.keysAreFixed});
    if (const auto chosen = m_choices.find(spec.id); chosen != m_choices.end() && !spec.keysAreFixed) {
        action->setShortcuts(chosen->second);
        describe(action, {});
        Q_EMIT keysChanged(); // other texts may contain the keys of this action
    }
    if (spec.tip.contains(QLatin1Char('{'))) {
        m_tipsWithKeys.emplace(action, spec.tip);
        updateKeysInTooltips();
    }
}

void Actions::updateKeysInTooltips()
{
    for (const auto& [action, tip] : m_tipsWithKeys)
        if (const QString told = withKeys(tip); told != action->whatsThis()) {
            action->setWhatsThis(told);
            describe(action, {});
            m_described.erase(action);
        }
}

QAction* Actions::add(const ActionSpec& spec, std::function<void(bool)> run)
{
    Q_ASSERT_X(!find(spec.id), "Actions::add", qPrintable(spec.id));
    QAction* action = make(spec, this);
    connect(action, &QAction::triggered, this, [run = std::move(run)](bool checked) { run(checked); });
    enter(action, spec);
    if (spec.available || spec.checked || spec.textNow)
        m_specs.emplace(action, spec);
    return action;
}

QAction* Actions::add(QAnyStringView id, const QString& menu, const QString& text, QAnyStringView iconName,
                      const QList<QKeySequence>& keys, const QString& tip,
                      const std::function<Availability()>& available, const std::function<void()>& run)
{
    return add({id.toString(), menu, text, iconName.toString(), keys, tip, false, {}, available},
               [run](bool) { run(); });
}

const Actions::Offer* Actions::offerInUse(const QAction* action)
{
    const auto known = m_offers.find(action);
    if (known == m_offers.end())
        return nullptr;
    std::vector<Offer>& offers = known->second;
    std::erase_if(offers, [](const Offer& o) { return o.owner.isNull(); });
    const auto seen =
        std::find_if(offers.begin(), offers.end(), [](const Offer& o) { return o.owner->isVisible(); });
    return offers.empty() ? nullptr : seen == offers.end() ? &offers.back() : &*seen;
}

QAction* Actions::offer(QWidget* owner, ActionSpec spec, std::function<void(bool)> run)
{
    QAction* action = find(spec.id);
    if (!action) {
        action = make(spec, this);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, [this, action](bool checked) {
            if (const Offer* offer = offerInUse(action)) {
                // A copy, because running the action may register further actions.
                const auto run = offer->run;
                run(checked);
            }
        });
        enter(action, spec);
    }
    m_offers[action].push_back({owner, std::move(run), std::move(spec.available)});
    return action;
}

QAction* Actions::note(const ActionSpec& spec)
{
    if (QAction* known = find(spec.id))
        return known;
    QAction* action = make(spec, this);
    action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    action->setProperty(kNoteProperty, true);
    enter(action, spec);
    return action;
}

QAction* Actions::find(const QString& id) const
{
    for (QAction* action : m_actions)
        if (action->objectName() == id)
            return action;
    return nullptr;
}

void Actions::refresh()
{
    const auto tell = [this](QAction* action, const Availability& available) {
        QString& described = m_described[action];
        const QString now = action->text() + QLatin1Char('\n') + available.whyNot;
        if (std::exchange(described, now) != now) // the tooltip is made again only if its content has changed
            setAvailable(action, available);
    };
    for (QAction* action : m_actions) {
        if (const auto known = m_specs.find(action); known != m_specs.end()) {
            const ActionSpec& spec = known->second;
            if (spec.checked)
                action->setChecked(spec.checked());
            if (spec.textNow)
                action->setText(spec.textNow());
            if (spec.available || spec.textNow)
                tell(action, spec.available ? spec.available() : Availability());
        } else if (const Offer* offer = offerInUse(action); offer && offer->available) {
            tell(action, offer->available());
        }
    }
}

void Actions::setAvailable(QAction* action, const Availability& available)
{
    action->setEnabled(available.isAvailable());
    describe(action, available.whyNot);
}

QString Actions::menuOf(const QAction* action)
{
    return action->property(kMenuProperty).toString();
}

QString Actions::keysOf(const QAction* action)
{
    const QString keys = keysText(action->shortcuts());
    const QString gesture = action->property(kGestureProperty).toString();
    return keys.isEmpty() ? gesture : gesture.isEmpty() ? keys : keys + QStringLiteral(", ") + gesture;
}

bool Actions::isCommand(const QAction* action)
{
    return !action->property(kNoteProperty).toBool();
}

// -- keys assigned by the user ---------------------------------------------------------------------------

void Actions::setKeyChoices(const KeyChoices& choices)
{
    if (choices == m_choices)
        return;
    m_choices = choices;
    for (QAction* action : m_actions) {
        const auto chosen = m_choices.find(action->objectName());
        const QList<QKeySequence>& keys =
            chosen == m_choices.end() || !mayHaveOtherKeys(action) ? usualKeys(action) : chosen->second;
        if (keys == action->shortcuts())
            continue;
        action->setShortcuts(keys);
        describe(action, {});
        m_described.erase(action);
    }
    updateKeysInTooltips();
    refresh(); // makes the tooltips again
    Q_EMIT keysChanged();
}

const QList<QKeySequence>& Actions::usualKeys(const QAction* action) const
{
    return m_usual.at(action).keys;
}

bool Actions::mayHaveOtherKeys(const QAction* action) const
{
    // An entry that has no keys and is no command is a mouse gesture, so it cannot have keys.
    return !m_usual.at(action).areFixed && (isCommand(action) || !usualKeys(action).isEmpty());
}

bool Actions::canConflict(const QAction* a, const QAction* b)
{
    const auto isGlobal = [](const QAction* action) {
        return action->shortcutContext() == Qt::WindowShortcut;
    };
    const auto isCommon = [](const QAction* action) {
        return action->objectName().startsWith(QLatin1String("canvas."));
    };
    return isGlobal(a) || isGlobal(b) || isCommon(a) || isCommon(b) || menuOf(a) == menuOf(b);
}

QString Actions::withKeys(QString text) const
{
    static const QRegularExpression form(QStringLiteral("\\{([a-zA-Z.-]+)(?:\\|([^}]*))?\\}"));
    for (auto match = form.match(text); match.hasMatch(); match = form.match(text)) {
        const QAction* action = find(match.captured(1));
        const QString key = !action                        ? match.captured(2)
                            : action->shortcut().isEmpty() ? action->text().remove(QLatin1Char('&'))
                                                           : keyText(action->shortcut());
        text.replace(match.capturedStart(), match.capturedLength(), key);
    }
    return text;
}

void Actions::tellKeys(QObject* owner, const QString& text, const std::function<void(const QString&)>& tell)
{
    connect(this, &Actions::keysChanged, owner, [this, text, tell] { tell(withKeys(text)); });
    tell(withKeys(text));
}

void Actions::explain(QWidget* control, const QString& tip)
{
    tellKeys(control, tip, [control](const QString& told) {
        control->setToolTip(told);
        control->setAccessibleDescription(told);
    });
}

} // namespace tilewright::ui
