// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/canvas_keys.h"

#include "canvas/canvas.h"

#include <QAction>
#include <QKeyEvent>

#include <utility>

namespace tilewright::ui {

namespace {

int plainKey(int key)
{
    return key == Qt::Key_Enter ? static_cast<int>(Qt::Key_Return) : key;
}

} // namespace

void KeyTable::add(QList<QKeySequence> keys, Handler run)
{
    m_entries.push_back({std::move(keys), nullptr, std::move(run)});
}

void KeyTable::add(QAction* action, Handler run)
{
    m_entries.push_back({{}, action, std::move(run)});
}

bool KeyTable::press(const QKeyEvent& event) const
{
    const Qt::KeyboardModifiers held =
        event.modifiers() & (Qt::ShiftModifier | Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier);
    const Entry* found = nullptr;
    KeyUse use{0, held};
    bool exact = false;
    for (auto entry = m_entries.rbegin(); entry != m_entries.rend() && !exact; ++entry) {
        const QList<QKeySequence> keys = entry->action ? entry->action->shortcuts() : entry->keys;
        for (qsizetype i = 0; i < keys.size() && !exact; ++i) {
            const QKeyCombination key = keys[i][0];
            if (plainKey(key.key()) != plainKey(event.key()))
                continue;
            exact = key.keyboardModifiers() == held;
            const bool shiftBeside = (key.keyboardModifiers() | Qt::ShiftModifier) == held;
            if (exact || (shiftBeside && !found)) {
                found = &*entry;
                use.index = i;
            }
        }
    }
    if (!found)
        return false;
    const Handler run = found->run; // a copy: the handler may change the table
    run(use);
    return true;
}

// Key handling of canvases: the focused canvas handles the keys, the registry of actions lists them.

namespace {
constexpr double kScrolled = 48;         // pixels that an arrow key scrolls
constexpr double kScrolledInTime = 60;   // pixels that A or D scrolls
constexpr double kScrolledFurther = 200; // pixels that an arrow key scrolls with Shift
constexpr double kZoomed = 1.25;

double further(const KeyUse& use, double pixels)
{
    return use.shift() ? kScrolledFurther : pixels;
}

QList<QKeySequence> keyList(std::initializer_list<Qt::Key> keys)
{
    return {keys.begin(), keys.end()};
}
} // namespace

void Canvas::addCommonKeys()
{
    const QString place = tr("In every view");
    const auto add = [&](const char* id, const QString& text, const QList<QKeySequence>& keys,
                         const QString& gesture, const QString& tip, const KeyTable::Handler& run) {
        ActionSpec spec{
            QStringLiteral("canvas.") + QLatin1String(id), place, text, {}, keys, tip, false, gesture};
        spec.keysAreFixed = keys == arrowKeys();
        m_keys.add(registry().note(spec), run);
    };
    const auto tell = [&](const char* id, const QString& text, const QString& gesture, const QString& tip) {
        registry().note(
            {QStringLiteral("canvas.") + QLatin1String(id), place, text, {}, {}, tip, false, gesture});
    };
    add("zoomIn", tr("Zoom in"), keyList({Qt::Key_Plus, Qt::Key_Equal}), tr("wheel (Ctrl: finer)"),
        tr("Enlarge around the mouse or the centre."),
        [this](const KeyUse&) { zoomBy(kZoomed, QRectF(rect()).center()); });
    add("zoomOut", tr("Zoom out"), keyList({Qt::Key_Minus}), tr("wheel"), tr("Show more at a smaller scale."),
        [this](const KeyUse&) { zoomBy(1 / kZoomed, QRectF(rect()).center()); });
    add("pan", tr("Scroll"), arrowKeys(), tr("right or middle drag"),
        tr("Scroll the view; with Shift by a larger step."),
        [this](const KeyUse& use) { panBy(-further(use, kScrolled) * QPointF(use.arrow())); });
    add("fitAll", tr("Show all"), {QKeySequence(Qt::Key_Home), QKeySequence(Qt::SHIFT | Qt::Key_F)}, {},
        tr("Fit everything into the view."), [this](const KeyUse&) { fitAll(); });
    add("fitSelection", tr("Go to the selection"), {QKeySequence(Qt::Key_F)}, {},
        tr("Centre the selection. Press again to zoom to it."), [this](const KeyUse&) { goToSelection(); });
    tell("back", tr("Back and forward"), tr("side buttons, Alt+Left, Alt+Right"),
         tr("Go back or forward in the zoom history."));
    tell("values", tr("Exact values"), tr("hover, Shift+F1"),
         tr("Show the values under the mouse or the cursor."));
}

void Canvas::addTimeKeys()
{
    const QString place = tr("In charts over time");
    const auto add = [&](const char* id, const QString& text, const QList<QKeySequence>& keys,
                         const QString& tip, const KeyTable::Handler& run) {
        m_keys.add(registry().note({QStringLiteral("time.") + QLatin1String(id), place, text, {}, keys, tip}),
                   run);
    };
    add("zoomIn", tr("Zoom in"), keyList({Qt::Key_W, Qt::Key_Plus, Qt::Key_Equal}),
        tr("Enlarge around the mouse or the pinned time."),
        [this](const KeyUse&) { zoomBy(kZoomed, keyAnchor()); });
    add("zoomOut", tr("Zoom out"), keyList({Qt::Key_S, Qt::Key_Minus}), tr("Show a longer range of time."),
        [this](const KeyUse&) { zoomBy(1 / kZoomed, keyAnchor()); });
    add("earlier", tr("Earlier"), keyList({Qt::Key_A}),
        tr("Scroll to earlier times; with Shift by a larger step."), [this](const KeyUse& use) {
            panBy({further(use, kScrolledInTime), 0});
        });
    add("later", tr("Later"), keyList({Qt::Key_D}), tr("Scroll to later times; with Shift by a larger step."),
        [this](const KeyUse& use) {
            panBy({-further(use, kScrolledInTime), 0});
        });
}

ActionSpec Canvas::keySpec(const char* id, const QString& text, const QList<QKeySequence>& keys,
                           const QString& tip) const
{
    return {viewName() + QLatin1Char('.') + QLatin1String(id), title(), text, {}, keys, tip};
}

void Canvas::addKeys(const char* id, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
                     const std::function<void()>& run)
{
    QAction* action = registry().offer(this, keySpec(id, text, keys, tip), [this, run](bool) {
        Q_EMIT wanted();
        setFocus();
        look(run, ZoomHistory::Gesture::Keys);
    });
    m_keys.add(action, [run](const KeyUse&) { run(); });
}

void Canvas::addKeys(const char* id, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
                     const KeyTable::Handler& run)
{
    ActionSpec spec = keySpec(id, text, keys, tip);
    spec.keysAreFixed = true;
    registry().offer(this, spec, [this](bool) {
        Q_EMIT wanted();
        setFocus();
    });
    m_keys.add(keys, run);
}

void Canvas::addGesture(const char* id, const QString& text, const QString& gesture, const QString& tip)
{
    ActionSpec spec = keySpec(id, text, {}, tip);
    spec.gesture = gesture;
    registry().note(spec);
}

} // namespace tilewright::ui
