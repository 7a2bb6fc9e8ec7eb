// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QPointer>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

namespace tilewright::ui {

/// A position in a control; `control` is null if it does not exist (any more).
struct Spot
{
    QPointer<QWidget> control;
    QPoint at;
};

/// A simulated user action on a control (for the demo): sends it the events of mouse and keyboard.
struct Gesture
{
    QString caption;             ///< text beside the pointer: "Click row 1"
    std::function<Spot()> where; ///< returns the target; called right before the action
    std::function<void(const Spot&)> act;
    bool holds = false; ///< true if the mouse button stays down until the next gesture
};

[[nodiscard]] Gesture clickOn(const QString& caption, std::function<Spot()> where,
                              Qt::KeyboardModifiers modifiers = {});
/// Replaces the value of a spin box and presses Enter.
[[nodiscard]] Gesture typeInto(const QString& caption, std::function<Spot()> where, const QString& text);
/// Drag: presses at the first place, moves over the others, releases at the last.
[[nodiscard]] std::vector<Gesture> dragAlong(const QString& caption,
                                             const std::vector<std::function<Spot()>>& places);

} // namespace tilewright::ui
