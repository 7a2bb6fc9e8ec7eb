// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFileInfo>
#include <QStringList>

#include <functional>
#include <vector>

class QMenu;

namespace tilewright::ui {

using OpenFiles = std::function<void(const QStringList& paths)>;

/// The problems among the samples of the Schedule lens.
[[nodiscard]] QFileInfoList sampleProblems();
/// Ready-made schedules that stand beside a problem: "X.schedule.json", "X.*.schedule.json".
[[nodiscard]] QStringList schedulesBeside(const QFileInfo& problem);
/// The other way round: the file that "X.fused.schedule.json" is a schedule of by its name, "X.fused.json" or
/// "X.json"; empty when there is none.
[[nodiscard]] QString problemBeside(const QFileInfo& schedule);
/// What a schedule beside a problem is called there: "example-1.a-one-by-one.schedule.json" is "A: one by
/// one".
[[nodiscard]] QString scheduleTitle(const QFileInfo& problem, const QString& schedule);
/// The problem alone, each of its schedules, and all of them compared.
void addSchedules(QMenu& menu, const QFileInfo& problem, const OpenFiles& open);

/// Samples that are no problem, by what they are for.
struct SampleKind
{
    QString folder, text, tip;
};
[[nodiscard]] std::vector<SampleKind> sampleKinds();
void addSamples(QMenu& menu, const SampleKind& kind, const OpenFiles& open);

/// All samples.
void addAllSamples(QMenu& menu, const OpenFiles& open);

} // namespace tilewright::ui
