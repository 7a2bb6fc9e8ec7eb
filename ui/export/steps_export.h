// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "report/writers.h"
#include "snapshot/snapshot.h"
#include "workspace/latest_job.h"

#include <QObject>

namespace tilewright::ui {

/// A table with one row per step of a schedule.
enum class StepCsv { Steps, Occupancy };

/// Expected size of the table as CSV, estimated from the number of steps and the length of the first rows.
struct StepCsvSize
{
    std::int64_t rows = 0;
    std::int64_t bytes = 0;
};
[[nodiscard]] StepCsvSize sizeOf(StepCsv table, const Snapshot& snapshot);

/// Writes a table of steps in the background. The file appears only when it is complete, so that a cancelled
/// or failed export leaves no file. One export runs at a time.
class StepsExport : public QObject
{
    Q_OBJECT
public:
    StepsExport();

    [[nodiscard]] bool isRunning() const { return m_job.isBusy(); }
    void start(StepCsv table, const SnapshotPtr& snapshot, const QString& path);
    void cancel() { m_job.finishEarly(); }

Q_SIGNALS:
    void progressed(double fraction);
    /// `written`: success, or the reason why there is no file. `cancelled`: true after cancel().
    void finished(const tilewright::Status& written, bool cancelled);

private:
    struct Outcome
    {
        Status written;
        bool cancelled;
    };
    LatestJob<Outcome> m_job;
};

} // namespace tilewright::ui
