// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QHash>
#include <QString>

#include <functional>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// The colours of a page, a variable for each pair of what is painted in the light and in the dark theme.
class ThemePalette
{
public:
    /// "var(--p3)"
    [[nodiscard]] QString variable(const QString& light, const QString& dark);
    /// "--p0: #fff; --p1: ..." of one theme.
    [[nodiscard]] QByteArray declarations(bool dark) const;

private:
    std::vector<std::pair<QString, QString>> m_pairs;
    QHash<std::pair<QString, QString>, qsizetype> m_index;
};

/// One <svg> element of what was painted in both themes: the same marks whose colours are variables. Images
/// stand there twice, in the classes in-light and in-dark, and so does all where the themes differ in more
/// than colours. `paint` gives the element of a theme, its ids behind a prefix.
[[nodiscard]] QByteArray
inBothThemes(const std::function<QByteArray(bool dark, const QString& idPrefix)>& paint,
             const QString& idPrefix, ThemePalette& palette);

} // namespace tilewright::ui
