// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/folder.h"

#include "base/file.h"
#include "base/output_file.h"
#include "base/table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <tuple>
#include <unistd.h>

namespace tilewright::sweep {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPlanFile = "/plan.json";
/// Temporary files older than this were left by a program that was killed.
constexpr std::chrono::hours kStaleAge{24};

Status makeFolder(const std::string& path)
{
    std::error_code ec;
    fs::create_directories(path, ec);
    if (ec)
        return Error{ErrorCode::Io, "the folder cannot be made (" + ec.message() + ")", {}, path};
    if (::access(path.c_str(), W_OK) != 0)
        return Error{ErrorCode::Io, "the folder cannot be written", {}, path};
    return Unit{};
}

void removeLeftOvers(const std::string& temporaries)
{
    std::error_code ec;
    const auto now = fs::file_time_type::clock::now();
    for (const auto& entry : fs::directory_iterator(temporaries, ec)) {
        const auto written = fs::last_write_time(entry.path(), ec);
        if (!ec && now - written > kStaleAge)
            fs::remove(entry.path(), ec);
    }
}

std::string hostAndProcess()
{
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0)
        host[0] = '\0';
    return std::string(host.data()) + "-" + std::to_string(::getpid());
}

Result<bool> write(const std::string& path, std::string_view content, const std::string& temporaries,
                   IfThere ifThere = IfThere::Replace)
{
    OutputFile out(path, temporaries);
    out.write(content);
    return out.commit(ifThere);
}

Error differs(const std::string& path, const std::string& difference)
{
    return {ErrorCode::Refused,
            "holds the results of another sweep: " + difference + "; --fresh begins a new folder beside it",
            {},
            path};
}

} // namespace

ResultsFolder::ResultsFolder(std::string path, Manifest manifest)
    : m_path(std::move(path)), m_manifest(std::make_shared<const Manifest>(std::move(manifest))),
      m_names(*m_manifest)
{
}

Result<ResultsFolder> ResultsFolder::open(const std::string& path)
{
    std::error_code ec;
    if (!fs::is_directory(path, ec))
        return Error{ErrorCode::Io, "there is no such folder", {}, path};
    if (!fs::exists(path + kPlanFile, ec))
        return Error{ErrorCode::Io, "is not a results folder: it has no plan.json", {}, path};
    const auto text = readFile(path + kPlanFile);
    if (!text)
        return text.error();
    auto manifest = readManifest(*text, path + kPlanFile);
    if (!manifest)
        return manifest.error();
    return ResultsFolder(path, std::move(*manifest));
}

Result<ResultsFolder> ResultsFolder::prepare(const std::string& path, const Manifest& manifest)
{
    std::error_code ec;
    if (fs::exists(path, ec) && !fs::is_directory(path, ec))
        return Error{ErrorCode::Io, "is a file, not a folder", {}, path};
    const bool isNew = !fs::exists(path + kPlanFile, ec);
    if (isNew && fs::is_directory(path, ec))
        for (const auto& entry : fs::directory_iterator(path, ec)) {
            // Another run may have created these files before its plan, so they are accepted.
            const std::string name = entry.path().filename().string();
            if (name != "temporary" && name != "results" && name != "log")
                return Error{
                    ErrorCode::Refused, "is not a results folder and not empty: it has " + name, {}, path};
        }
    for (const char* folder : {"", "/temporary", "/results", "/log"})
        if (const Status made = makeFolder(path + folder); !made)
            return made.error();
    if (manifest.keepSchedules)
        if (const Status made = makeFolder(path + "/schedules"); !made)
            return made.error();
    ResultsFolder out(path, manifest);
    removeLeftOvers(out.temporaries());
    const auto written = write(path + kPlanFile, writeManifest(manifest), out.temporaries(), IfThere::Keep);
    if (!written)
        return written.error();
    if (!*written) {
        const auto there = open(path);
        if (!there)
            return there.error();
        if (const std::string difference = differenceOf(there->manifest(), manifest); !difference.empty())
            return differs(path, difference);
    }
    return out;
}

std::string ResultsFolder::resultFile(std::size_t index) const
{
    return m_path + "/results/" + m_names.of(index) + ".json";
}

std::string ResultsFolder::scheduleFile(std::size_t index) const
{
    return m_path + "/schedules/" + m_names.of(index) + ".json";
}

bool ResultsFolder::has(std::size_t index) const
{
    return ::access(resultFile(index).c_str(), F_OK) == 0;
}

Status ResultsFolder::put(std::size_t index, const PointResult& result) const
{
    std::string schedule;
    // The schedule is written first, so that no result refers to a missing schedule.
    if (!result.schedule.empty()) {
        schedule = "schedules/" + m_names.of(index) + ".json";
        const auto written = write(m_path + "/" + schedule, result.schedule, temporaries());
        if (!written)
            return written.error();
    }
    const auto written =
        write(resultFile(index), writeResult(m_manifest->plan, index, result, schedule), temporaries());
    return written ? Status(Unit{}) : Status(written.error());
}

Result<std::optional<PointResult>> ResultsFolder::get(std::size_t index) const
{
    const std::string file = resultFile(index);
    if (::access(file.c_str(), F_OK) != 0)
        return std::optional<PointResult>();
    const auto text = readFile(file);
    auto result = text ? readResult(m_manifest->plan, *text, file) : Result<PointResult>(text.error());
    if (!result) {
        Error error = result.error();
        error.message += "; delete the file, and the next sweep into the folder computes the point again";
        return error;
    }
    return std::optional(std::move(*result));
}

void ResultsFolder::log(const std::string& line) const
{
    std::ofstream out(m_path + "/log/" + hostAndProcess() + ".txt", std::ios::app);
    out << line << '\n';
}

std::string folderBeside(const std::string& path)
{
    std::string base = path;
    while (base.size() > 1 && base.back() == '/')
        base.pop_back();
    std::error_code ec;
    for (int i = 2;; ++i) {
        std::string out = base + "-" + std::to_string(i);
        if (!fs::exists(out, ec))
            return out;
    }
}

namespace {

/// Index of the metric that a solve minimises.
constexpr std::size_t kSolved = 0;

bool isDominated(const Plan& plan)
{
    return plan.lens == Lens::Schedule && plan.what == What::Solve;
}

/// The best rows so far, sorted by bandwidth. A row is kept only if it is better than all rows with less
/// bandwidth.
class Staircase
{
public:
    /// The best row with at most this bandwidth; nullopt if there is none.
    [[nodiscard]] std::optional<std::size_t> best(double bandwidth) const
    {
        const auto after = m_steps.upper_bound(bandwidth);
        return after == m_steps.begin() ? std::nullopt : std::optional(std::prev(after)->second.row);
    }
    void add(double bandwidth, double value, std::size_t row)
    {
        const auto after = m_steps.upper_bound(bandwidth);
        if (after != m_steps.begin() && std::prev(after)->second.value <= value)
            return;
        auto at = m_steps.insert_or_assign(bandwidth, Step{value, row}).first;
        for (++at; at != m_steps.end() && at->second.value >= value;)
            at = m_steps.erase(at);
    }

private:
    struct Step
    {
        double value;
        std::size_t row;
    };
    std::map<double, Step> m_steps;
};

/// Copies the metrics that belong to the schedule from row `from`. Metrics of the point itself, such as its
/// lower bound, do not change.
void takeOver(const Plan& plan, Row& row, const Row& from)
{
    const auto names = metricsOf(plan);
    const std::vector<double> own = std::move(row.metrics);
    row.metrics = from.metrics;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == "lower_bound")
            row.metrics[i] = own.empty() ? 0 : own[i];
        if (names[i] == "proven")
            row.metrics[i] = 0;
    }
    row.from = from.from;
}

/// Values of the plan's objectives; nullopt if the row has no metrics or does not fit into memory.
std::optional<std::vector<double>> objectivesOf(const Plan& plan, const Row& row)
{
    if (row.metrics.empty() || !fitsMemory(plan, row.metrics))
        return std::nullopt;
    const auto metrics = metricsOf(plan);
    const Point point = pointAt(plan, row.point);
    std::vector<double> out;
    for (const std::string& name : plan.objectives) {
        const auto metric = std::ranges::find(metrics, name);
        if (metric != metrics.end()) {
            out.push_back(row.metrics[static_cast<std::size_t>(metric - metrics.begin())]);
            continue;
        }
        const auto axis = std::ranges::find(plan.axes, name, &Axis::name);
        const auto value = point.values[static_cast<std::size_t>(axis - plan.axes.begin())].number();
        if (!value)
            return std::nullopt;
        out.push_back(*value);
    }
    return out;
}

/// Marks the candidates that are on the Pareto front.
void markFrontOf(std::vector<Row>& rows, std::vector<std::pair<std::vector<double>, std::size_t>> candidates)
{
    std::ranges::sort(candidates);
    std::vector<const std::vector<double>*> front;
    for (const auto& [values, row] : candidates) {
        const auto beats = [&values = values](const std::vector<double>* member) {
            return *member != values && std::ranges::equal(*member, values, std::less_equal{});
        };
        // After sorting, only earlier points can dominate a point. With two objectives it suffices to compare
        // it with the last point of the front.
        const bool beaten =
            values.size() == 2 ? !front.empty() && beats(front.back()) : std::ranges::any_of(front, beats);
        if (beaten)
            continue;
        rows[row].onFront = true;
        if (front.empty() || *front.back() != values)
            front.push_back(&values);
    }
}

} // namespace

std::string_view toString(RowState state) noexcept
{
    return state == RowState::Done ? "done" : state == RowState::Failed ? "failed" : "to do";
}

Row rowOf(std::size_t index, PointResult result)
{
    Row out;
    out.point = index;
    out.state = result.failed() ? RowState::Failed : RowState::Done;
    out.error = std::move(result.error);
    out.metrics = std::move(result.metrics);
    out.from = index;
    out.problem = std::move(result.problem);
    return out;
}

void applyDominance(const Plan& plan, std::vector<Row>& rows)
{
    if (!isDominated(plan))
        return;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (rows[i].problem)
            order.push_back(i);
    const auto place = [&](std::size_t i) {
        const SameProblem& p = *rows[i].problem;
        return std::tuple(std::string_view(p.key), p.capacity, p.bandwidth, rows[i].point);
    };
    std::ranges::sort(order, {}, place);
    Staircase best;
    for (std::size_t at = 0; at < order.size(); ++at) {
        Row& row = rows[order[at]];
        if (at == 0 || rows[order[at - 1]].problem->key != row.problem->key)
            best = {};
        const auto better = best.best(row.problem->bandwidth);
        if (better && (row.metrics.empty() || rows[*better].metrics[kSolved] < row.metrics[kSolved]))
            takeOver(plan, row, rows[*better]);
        if (!row.metrics.empty())
            best.add(row.problem->bandwidth, row.metrics[kSolved], order[at]);
    }
}

void markFront(const Plan& plan, std::vector<Row>& rows)
{
    if (plan.objectives.empty())
        return;
    std::vector<std::vector<std::pair<std::vector<double>, std::size_t>>> candidates(plan.workload.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (auto values = objectivesOf(plan, rows[i]))
            candidates[pointAt(plan, rows[i].point).workload].emplace_back(std::move(*values), i);
    for (auto& ofWorkload : candidates)
        markFrontOf(rows, std::move(ofWorkload));
}

SweepTable tableOf(const Manifest& manifest, std::vector<Row> rows)
{
    SweepTable out{manifest, std::move(rows)};
    for (const Row& row : out.rows) {
        out.done += row.state == RowState::Done ? 1 : 0;
        out.failed += row.state == RowState::Failed ? 1 : 0;
    }
    applyDominance(manifest.plan, out.rows);
    markFront(manifest.plan, out.rows);
    return out;
}

Result<SweepTable> collect(const ResultsFolder& folder, const Progress& progress)
{
    const std::size_t n = folder.pointCount();
    std::vector<Row> rows;
    rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (progress.stopRequested())
            return Error{ErrorCode::Refused, "was stopped", {}, {}};
        auto result = folder.get(i);
        if (!result)
            return result.error();
        Row& row = rows.emplace_back();
        row.point = i;
        if (*result)
            row = rowOf(i, std::move(**result));
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(n));
    }
    return tableOf(folder.manifest(), std::move(rows));
}

Status checkResults(const ResultsFolder& folder, const Part& part, const std::stop_token& stop)
{
    for (std::size_t i = part.index - 1; i < folder.pointCount() && !stop.stop_requested(); i += part.of)
        if (const auto result = folder.get(i); !result)
            return result.error();
    return Unit{};
}

Result<SweepCounts> countResults(const ResultsFolder& folder, const Progress& progress)
{
    SweepCounts out;
    out.points = folder.pointCount();
    for (std::size_t i = 0; i < out.points && !progress.stopRequested(); ++i) {
        const auto result = folder.get(i);
        if (!result)
            return result.error();
        if (*result)
            ++((*result)->failed() ? out.failed : out.done);
    }
    return out;
}

std::string tableCsv(const SweepTable& table)
{
    const Plan& plan = table.manifest.plan;
    Table out;
    out.count = table.rows.size();
    const auto column = [&](std::string_view name, auto value) {
        out.columns.push_back({std::string(name)});
        out.columns.back().cell = [&table, value](std::size_t row) {
            return TableCell(TableValue(value(table.rows[row])));
        };
    };
    column("point", [](const Row& row) { return row.point; });
    if (plan.workload.size() > 1)
        column("workload", [&](const Row& row) { return plan.workload[pointAt(plan, row.point).workload]; });
    for (std::size_t a = 0; a < plan.axes.size(); ++a)
        column(plan.axes[a].name,
               [&plan, a](const Row& row) { return pointAt(plan, row.point).values[a].text; });
    column("state", [](const Row& row) { return toString(row.state); });
    for (std::size_t m = 0; const std::string_view name : metricsOf(plan)) {
        column(name, [m](const Row& row) { return row.metrics.empty() ? TableValue() : row.metrics[m]; });
        ++m;
    }
    if (isDominated(plan))
        column("schedule_from", [](const Row& row) { return row.metrics.empty() ? TableValue() : row.from; });
    if (!plan.objectives.empty())
        column("on_front", [](const Row& row) { return row.onFront ? 1 : 0; });
    column("error", [](const Row& row) { return row.error; });
    return csvOf(out);
}

} // namespace tilewright::sweep
