// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include <functional>

namespace tilewright::ui {

/// Application in which an exception of a slot or an event handler is a notice() to the user and not the end
/// of the program.
class Application : public QApplication
{
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;

    /// Runs a function. An exception becomes a notice(), and the result is false.
    static bool guarded(const std::function<bool()>& run) noexcept;
};

} // namespace tilewright::ui
