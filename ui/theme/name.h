// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>
#include <span>
#include <string>

class QFontMetricsF;

namespace tilewright::ui {

class TextMetrics;

/// The parts that all names begin with, separator included ("layer0." of layer0.up and layer0.down); every
/// name keeps at least its last part. Empty for fewer than two names.
[[nodiscard]] std::string commonNamePrefix(std::span<const std::string> names);

/// `name` without `prefix`, when it begins with it and something is left.
[[nodiscard]] QString withoutPrefix(const std::string& name, const std::string& prefix);

/// The name as it fits: whole; else its leading parts shortened one after the other to a letter and their
/// digits, so that what tells names apart stays (layer0.head1.query: l0.head1.query, l0.h1.query); else
/// without leading parts (…query); else elided in the middle.
[[nodiscard]] QString fittingName(const QString& name, const QFontMetricsF& metrics, double width);
[[nodiscard]] QString fittingName(const QString& name, const TextMetrics& metrics, double width);

/// The same for any measure of length.
[[nodiscard]] QString fittingName(const QString& name, const std::function<bool(const QString&)>& fits);

} // namespace tilewright::ui
