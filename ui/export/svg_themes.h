// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <functional>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// CSS variables of a page: one for each pair of a light and a dark colour.
class ThemePalette
{
public:
    /// Reference to the variable of a pair: "var(--p3)".
    [[nodiscard]] QString variable(const QString& light, const QString& dark);
    /// Declarations of all variables for one theme: "--p0: #fff; --p1: ...".
    [[nodiscard]] QByteArray declarations(bool dark) const;

private:
    std::vector<std::pair<QString, QString>> m_pairs;
    QHash<std::pair<QString, QString>, qsizetype> m_index;
};

/// One <svg> element for both themes, with variables as colours. Images appear twice, with the classes
/// in-light and in-dark; so does everything if the themes differ in more than colours. `paint` returns the
/// element of one theme with an id prefix.
[[nodiscard]] QByteArray
inBothThemes(const std::function<QByteArray(bool dark, const QString& idPrefix)>& paint,
             const QString& idPrefix, ThemePalette& palette);

} // namespace tilewright::ui
