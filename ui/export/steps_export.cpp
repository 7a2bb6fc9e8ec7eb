// SPDX-License-Identifier: GPL-3.0-or-later
#include "export/steps_export.h"

#include "base/output_file.h"

#include <QElapsedTimer>

#include <algorithm>

namespace tilewright::ui {

namespace {

auto writerOf(StepCsv table)
{
    return table == StepCsv::Steps ? &writeStepsCsv : &writeOccupancyCsv;
}

std::int64_t rowsIn(std::string_view text)
{
    return std::ranges::count(text, '\n');
}

std::int64_t rowsOf(const Snapshot& snapshot)
{
    std::int64_t rows = 0;
    for (const SubgraphEvaluation& s : snapshot.evaluation.subgraphs)
        rows += s.structurallyValid ? s.steps : 0;
    return rows;
}

} // namespace

StepCsvSize sizeOf(StepCsv table, const Snapshot& snapshot)
{
    constexpr std::size_t kSample = std::size_t{1} << 18; // size of the sample of rows in bytes
    StepCsvSize out{rowsOf(snapshot), 0};
    std::int64_t rows = 0;
    std::size_t bytes = 0;
    std::stop_source enough;
    const auto sink = [&](std::string_view text) {
        rows += rowsIn(text);
        bytes += text.size();
        if (bytes >= kSample)
            enough.request_stop();
    };
    writerOf(table)(*snapshot.problem, snapshot.schedule, snapshot.evaluation.rules, sink,
                    {enough.get_token(), {}});
    if (rows > 0)
        out.bytes = static_cast<std::int64_t>(std::min(
            9e18, static_cast<double>(bytes) / static_cast<double>(rows) * static_cast<double>(out.rows)));
    return out;
}

StepsExport::StepsExport()
    : m_job([this](const Outcome& outcome) { Q_EMIT finished(outcome.written, outcome.cancelled); })
{
}

void StepsExport::start(StepCsv table, const SnapshotPtr& snapshot, const QString& path)
{
    const auto all = static_cast<double>(std::max<std::int64_t>(1, rowsOf(*snapshot)));
    m_job.request([this, table, snapshot, path, all,
                   tell = m_job.reporter()](std::stop_token stop) -> Outcome {
        OutputFile file(path.toStdString());
        std::stop_source full; // stopped if the disk is full or the export is cancelled
        const std::stop_callback cancelled(stop, [&full] { full.request_stop(); });
        std::int64_t rows = 0;
        QElapsedTimer sinceTold;
        sinceTold.start();
        const auto sink = [&](std::string_view text) {
            file.write(text);
            if (file.failed())
                full.request_stop();
            rows += rowsIn(text);
            constexpr int kTellMs = 100;
            if (sinceTold.elapsed() < kTellMs)
                return;
            sinceTold.start();
            tell([this, done = std::min(1.0, static_cast<double>(rows) / all)] { Q_EMIT progressed(done); });
        };
        const bool whole = writerOf(table)(*snapshot->problem, snapshot->schedule, snapshot->evaluation.rules,
                                           sink, {full.get_token(), {}});
        if (stop.stop_requested() && !whole) // the incomplete file is discarded together with `file`
            return {Unit{}, true};
        const auto written = file.commit();
        return {written ? Status(Unit{}) : Status(written.error()), false};
    });
}

} // namespace tilewright::ui
