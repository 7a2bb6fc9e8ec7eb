// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QPointer>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace tilewright::ui {

/// A place in a control; null where the control is not there.
struct Spot
{
    QPointer<QWidget> control;
    QPoint at;
};

/// One thing that a person does at a control. The control gets the events that mouse and keys would send.
struct Gesture
{
    QString caption;             ///< what is done: "Click row 1"
    std::function<Spot()> where; ///< asked when it is its turn
    std::function<void(const Spot&)> act;
    bool holds = false; ///< the mouse button stays down: the next one must follow
};

[[nodiscard]] Gesture clickOn(const QString& caption, std::function<Spot()> where,
                              Qt::KeyboardModifiers modifiers = {});
/// Replaces what the spin box says, and Enter.
[[nodiscard]] Gesture typeInto(const QString& caption, std::function<Spot()> where, const QString& text);
/// Pressed at the first place, moved over the others, released at the last.
[[nodiscard]] std::vector<Gesture> dragAlong(const QString& caption,
                                             const std::vector<std::function<Spot()>>& places);

} // namespace tilewright::ui
