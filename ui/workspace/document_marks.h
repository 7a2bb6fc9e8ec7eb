// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QMap>
#include <QPointF>
#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace tilewright::ui {

/// Data that the user adds to a workload and that no schedule file contains: notes, moved nodes, pinned
/// baselines. It is saved with the session of the file and in the recovery copy.
struct DocumentMarks
{
    struct Pinned
    {
        QString name;
        std::string schedule; ///< text in the format of a schedule file
        /// Text of the machine that it is for (writeMachine()); empty: a plain problem, without a machine;
        /// nullopt: a file of an earlier version, which does not say.
        std::optional<std::string> machine = {};
    };

    QMap<QString, QString> notes;  ///< Document::notes()
    QMap<QString, QPointF> nudges; ///< Document::nudges()
    std::vector<Pinned> baselines;
    int baseline = -1; ///< index in `baselines` of the baseline that is drawn as a ghost; -1 for none
};

/// Writes each kind of mark to a field of its own.
void writeMarks(const DocumentMarks& marks, QJsonObject& to);
[[nodiscard]] DocumentMarks readMarks(const QJsonObject& from);

} // namespace tilewright::ui
