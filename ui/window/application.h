// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

#include <functional>

namespace tilewright::ui {

/// Application in which an exception in a slot or event handler becomes a notice() to the user and does not
/// end the program.
class Application : public QApplication
{
public:
    using QApplication::QApplication;
    bool notify(QObject* receiver, QEvent* event) override;

    /// Runs a function. If it throws an exception, calls notice() and returns false.
    static bool guarded(const std::function<bool()>& run) noexcept;
};

} // namespace tilewright::ui
