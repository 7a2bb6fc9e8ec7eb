// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <string>
#include <vector>

namespace tilewright::ui {

/// A file of samples/mapping that is compiled into the program.
struct MappingSample
{
    QString name; ///< "conv-3x3-64"
    QString path; ///< path of the Qt resource
};

/// Samples of a folder ("layers", "models" or "architectures"), sorted by name.
[[nodiscard]] std::vector<MappingSample> mappingSamples(const QString& folder);
/// Text of a file of samples/mapping ("layers/gemm-1000.json"); empty if there is none.
[[nodiscard]] std::string mappingSampleText(const QString& path);

} // namespace tilewright::ui
