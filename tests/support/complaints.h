// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of Qt that test_random_input counts as defects, and the place where two texts differ.
#pragma once

#include <QString>
#include <QStringList>

#include <algorithm>
#include <iostream>
#include <string>

namespace test_random_input {

namespace {

QStringList g_complaints;
/// A fault may be complained of, until what it has left undone is over.
bool g_isFaulty = false;

void hear(QtMsgType type, const QMessageLogContext&, const QString& text)
{
    std::cerr << qPrintable(text) << '\n';
    // The platform without a display cannot do these, and Qt's lists say so when they are asked to edit what
    // cannot be edited, or lose the editor that they are told of; neither says anything about the program.
    for (const char* known :
         {"This plugin does not support", "QFileSystemWatcher", "propagateSizeHints",
          "Keyboard event not accepted", // Qt Test, of a widget that has no use for a key
          "edit: ", "commitData called with an editor", "closeEditor called with an editor"})
        if (text.contains(QLatin1String(known)))
            return;
    if (type != QtDebugMsg && type != QtInfoMsg && !g_isFaulty)
        g_complaints << text;
}

/// Where two texts part.
QString difference(const std::string& a, const std::string& b)
{
    const auto at = std::ranges::mismatch(a, b).in1 - a.begin();
    const auto from = static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, at - 60));
    return QStringLiteral("\n%1\n%2")
        .arg(QString::fromStdString(a.substr(from, 120)), QString::fromStdString(b.substr(from, 120)));
}

} // namespace

} // namespace test_random_input
