// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileInfo>
#include <QStringList>

#include <functional>
#include <vector>

class QMenu;

namespace tilewright::ui {

using OpenFiles = std::function<void(const QStringList& paths)>;

/// Problem files among the samples of the Schedule lens.
[[nodiscard]] QFileInfoList sampleProblems();
/// Schedule files in the folder of a problem X: "X.schedule.json", "X.*.schedule.json".
[[nodiscard]] QStringList schedulesBeside(const QFileInfo& problem);
/// Problem file of a schedule by its name: for "X.fused.schedule.json" this is "X.fused.json" or "X.json" in
/// the same folder. Empty if there is none.
[[nodiscard]] QString problemBeside(const QFileInfo& schedule);
/// Title of a schedule in menus: "A: one by one" for "example-1.a-one-by-one.schedule.json".
[[nodiscard]] QString scheduleTitle(const QFileInfo& problem, const QString& schedule);
/// Adds menu entries that open the problem alone, with each of its schedules, or with all for comparison.
void addSchedules(QMenu& menu, const QFileInfo& problem, const OpenFiles& open);

/// A group of samples that are not problems of the Schedule lens.
struct SampleKind
{
    QString folder, text, tip;
};
[[nodiscard]] std::vector<SampleKind> sampleKinds();
/// Adds the samples of one group to a menu.
void addSamples(QMenu& menu, const SampleKind& kind, const OpenFiles& open);

/// Adds all samples to a menu.
void addAllSamples(QMenu& menu, const OpenFiles& open);

} // namespace tilewright::ui
