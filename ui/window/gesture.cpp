// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/gesture.h"

#include <QAbstractSpinBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>

namespace tilewright::ui {

namespace {

void sendMouse(const Spot& spot, QEvent::Type type, Qt::MouseButton button, Qt::MouseButtons held,
               Qt::KeyboardModifiers modifiers = {})
{
    QMouseEvent event(type, spot.at, spot.control->mapToGlobal(spot.at), button, held, modifiers);
    QCoreApplication::sendEvent(spot.control, &event);
}

void sendKey(QWidget& control, int key, const QString& text = {})
{
    for (const QEvent::Type type : {QEvent::KeyPress, QEvent::KeyRelease}) {
        QKeyEvent event(type, key, Qt::NoModifier, text);
        QCoreApplication::sendEvent(&control, &event);
    }
}

} // namespace

Gesture clickOn(const QString& caption, std::function<Spot()> where, Qt::KeyboardModifiers modifiers)
{
    return {caption, std::move(where), [modifiers](const Spot& spot) {
                sendMouse(spot, QEvent::MouseButtonPress, Qt::LeftButton, Qt::LeftButton, modifiers);
                if (spot.control)
                    sendMouse(spot, QEvent::MouseButtonRelease, Qt::LeftButton, Qt::NoButton, modifiers);
            }};
}

Gesture typeInto(const QString& caption, std::function<Spot()> where, const QString& text)
{
    return {caption, std::move(where), [text](const Spot& spot) {
                spot.control->setFocus(Qt::MouseFocusReason);
                if (auto* box = qobject_cast<QAbstractSpinBox*>(spot.control.data()))
                    box->selectAll();
                for (const QChar letter : text)
                    sendKey(*spot.control, letter.toUpper().unicode(), letter);
                sendKey(*spot.control, Qt::Key_Return);
            }};
}

std::vector<Gesture> dragAlong(const QString& caption, const std::vector<std::function<Spot()>>& places)
{
    std::vector<Gesture> out;
    const auto add = [&](const std::function<Spot()>& where, std::function<void(const Spot&)> act) {
        out.push_back({caption, where, std::move(act), true});
    };
    add(places.front(),
        [](const Spot& spot) { sendMouse(spot, QEvent::MouseButtonPress, Qt::LeftButton, Qt::LeftButton); });
    for (std::size_t i = 1; i < places.size(); ++i)
        add(places[i],
            [](const Spot& spot) { sendMouse(spot, QEvent::MouseMove, Qt::NoButton, Qt::LeftButton); });
    add(places.back(),
        [](const Spot& spot) { sendMouse(spot, QEvent::MouseButtonRelease, Qt::LeftButton, Qt::NoButton); });
    out.back().holds = false;
    return out;
}

} // namespace tilewright::ui
