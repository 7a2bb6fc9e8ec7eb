// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>
#include <vector>

namespace tilewright::ui {

/// A file of samples/mapping that the program carries in itself.
struct MappingSample
{
    QString name; ///< "conv-3x3-64"
    QString path; ///< of the resource
};

/// `folder`: "layers", "models" or "architectures"; sorted by name.
[[nodiscard]] std::vector<MappingSample> mappingSamples(const QString& folder);
/// The text of a file of samples/mapping ("layers/gemm-1000.json"); empty when there is none.
[[nodiscard]] std::string mappingSampleText(const QString& path);

} // namespace tilewright::ui
