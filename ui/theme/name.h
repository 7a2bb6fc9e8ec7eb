// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <span>
#include <string>

class QFontMetricsF;

namespace tilewright::ui {

class TextMetrics;

/// Leading parts that all names have in common, with the separator ("layer0." for layer0.up and layer0.down).
/// Never includes the last part of a name. Empty for fewer than two names.
[[nodiscard]] std::string commonNamePrefix(std::span<const std::string> names);

/// `name` without `prefix`; unchanged if it does not begin with it or nothing would be left.
[[nodiscard]] QString withoutPrefix(const std::string& name, const std::string& prefix);

/// Shortens a name to a width in pixels. First, leading parts are reduced one by one to a letter and their
/// digits (layer0.head1.query: l0.head1.query, l0.h1.query), then dropped (…query); at last the rest is
/// elided in the middle.
[[nodiscard]] QString fittingName(const QString& name, const QFontMetricsF& metrics, double width);
[[nodiscard]] QString fittingName(const QString& name, const TextMetrics& metrics, double width);

/// Shortens a name until `fits` returns true.
[[nodiscard]] QString fittingName(const QString& name, const std::function<bool(const QString&)>& fits);

} // namespace tilewright::ui
