// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps for tests: plans in memory, a sink that keeps what comes, a folder with plan and workload.
#pragma once

#include "sweep/folder.h"
#include "sweep/run.h"
#include "workload/problem_json.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <map>
#include <mutex>

namespace tilewright::test {

/// Results in memory.
class MemorySink
{
public:
    [[nodiscard]] sweep::Sink sink()
    {
        return {[this](std::size_t i) {
                    const std::scoped_lock lock(m_mutex);
                    return m_results.contains(i);
                },
                [this](std::size_t i, const sweep::PointResult& result, double) -> Status {
                    const std::scoped_lock lock(m_mutex);
                    m_results[i] = result;
                    return Unit{};
                }};
    }
    [[nodiscard]] const std::map<std::size_t, sweep::PointResult>& results() const { return m_results; }
    [[nodiscard]] sweep::SweepTable table(const sweep::Sweep& sweep) const
    {
        std::vector<sweep::Row> rows(sweep.plan().pointCount());
        for (std::size_t i = 0; i < rows.size(); ++i)
            rows[i].point = i;
        for (const auto& [i, result] : m_results)
            rows[i] = sweep::rowOf(i, result);
        return sweep::tableOf(sweep.manifest, std::move(rows));
    }

private:
    std::mutex m_mutex;
    std::map<std::size_t, sweep::PointResult> m_results;
};

/// A plan of the problem as it stands, as a view makes one: nothing of it is in a file.
inline sweep::Sweep sweepOf(const ProblemPtr& problem, const std::string& planJson)
{
    auto plan = sweep::readPlan(planJson, "plan");
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    sweep::Sweep out;
    out.manifest.program = "test";
    out.manifest.plan = *plan;
    out.manifest.workloads.push_back({"problem", std::string(64, '0')});
    auto workload = std::make_shared<lower::Workload>();
    workload->problem = problem;
    out.workloads.push_back({workload, true});
    if (const Status ok = sweep::checkAxes(out); !ok)
        qFatal("%s", ok.error().text().c_str());
    return out;
}

/// All points, with so many threads.
inline sweep::SweepTable runAll(const sweep::Sweep& sweep, int threads = 1)
{
    MemorySink memory;
    sweep::RunOptions options;
    options.threads = threads;
    if (const auto state = sweep::runSweep(sweep, memory.sink(), options); !state)
        qFatal("%s", state.error().text().c_str());
    return memory.table(sweep);
}

/// A folder for plan, workload and results that goes with the test.
class SweepFolder
{
public:
    [[nodiscard]] QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    QString write(const char* name, const QByteArray& content) const
    {
        QFile file(path(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", name);
        return file.fileName();
    }
    [[nodiscard]] QByteArray read(const char* name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    [[nodiscard]] QStringList list(const char* folder) const
    {
        return QDir(path(folder)).entryList(QDir::Files, QDir::Name);
    }

private:
    QTemporaryDir m_folder;
};

} // namespace tilewright::test
