// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workspace/document_marks.h"
#include "workspace/selection.h"

#include <QJsonObject>
#include <QMap>
#include <QRectF>
#include <QString>

#include <map>
#include <optional>
#include <set>

namespace tilewright::ui {

/// State of the window for one workload, restored when it is opened again (docs/design.md 4.6). Stored beside
/// the settings, one small file per pair of problem and schedule; never in the user's own files.
struct FileSession : DocumentMarks
{
    QString problem;  ///< path of the problem or model
    QString schedule; ///< path of the schedule; empty if it has no file
    QString perspective;
    QMap<QString, QJsonObject> views; ///< View::settings() by the name of the view
    QMap<QString, QRectF>
        parts; ///< Canvas::shownPart() by the name of the view; only of zoomed or moved views
    SelectionState selection;
    /// Ops of the selected subgraphs: used to find these again in a schedule with another order.
    std::map<SubgraphId, std::set<OpId>> members;
};

/// Writes the session into `folder` and deletes the oldest sessions if there are too many.
[[nodiscard]] Status writeFileSession(const QString& folder, const FileSession& session);
/// Session of this pair of files; nothing if none can be read.
[[nodiscard]] std::optional<FileSession> readFileSession(const QString& folder, const QString& problem,
                                                         const QString& schedule);

} // namespace tilewright::ui
