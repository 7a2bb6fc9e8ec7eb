// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workspace/selection.h"

#include <QJsonObject>
#include <QMap>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tilewright::ui {

/// How a person left a file: what comes back when it is opened again (docs/design.md 4.6). Kept beside the
/// settings, one small file for each pair of problem and schedule; never in the person's files.
struct FileSession
{
    struct Pinned
    {
        QString name;
        std::string schedule; ///< the text of a schedule file
    };

    QString problem;  ///< path
    QString schedule; ///< path; empty when the schedule has no file
    QString perspective;
    QMap<QString, QJsonObject> views; ///< View::settings() by its name
    QMap<QString, QRectF> parts; ///< Canvas::shownPart() by the name of the view; only those that were moved
    SelectionState selection;
    /// The ops of the selected subgraphs: their numbers say nothing of another schedule.
    std::map<SubgraphId, std::set<OpId>> members;
    std::vector<Pinned> baselines;
    QMap<QString, QString> notes;  ///< Document::notes()
    QMap<QString, QPointF> nudges; ///< Document::nudges()
    int baseline = -1;             ///< index of the one drawn as a ghost
};

/// Writes the session into `folder`, and forgets the oldest ones when there are many.
[[nodiscard]] Status writeFileSession(const QString& folder, const FileSession& session);
/// The session of the pair of files; nothing when there is none that can be read.
[[nodiscard]] std::optional<FileSession> readFileSession(const QString& folder, const QString& problem,
                                                         const QString& schedule);

} // namespace tilewright::ui
