// SPDX-License-Identifier: GPL-3.0-or-later
// Files that come with the sources.
#pragma once

#include <QString>

namespace tilewright {

/// Of the worked examples of the Schedule lens: "ex3.problem.json", "ex3A.solution.json".
inline QString example(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/examples/") +
           QLatin1String(name);
}

/// Of the samples of the Schedule lens.
inline QString sample(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/") + QLatin1String(name);
}

} // namespace tilewright
