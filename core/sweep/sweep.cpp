// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/sweep.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/version.h"
#include "eval/rule_choice.h"
#include "hierarchy/files.h"
#include "lower/machine_lenses.h"
#include "schedule/schedule_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace tilewright::sweep {

namespace {

/// Default number of search steps per point of a solve: about a fifth of a second for a problem of twenty
/// ops.
constexpr std::int64_t kDefaultIterations = 20'000;

constexpr std::array<std::string_view, 5> kProblemHardware{"fast_memory_capacity", "slow_memory_bandwidth",
                                                           "native_width", "native_height", "native_depth"};

bool isFractional(std::string_view axis)
{
    return axis.ends_with("gb_per_s") || axis.ends_with("ghz") || axis.starts_with("dma.") ||
           axis.starts_with("energy_pj.") || axis.ends_with("_pj") || axis == "links.latency_us" ||
           (axis.starts_with("levels.") && axis.ends_with("bytes_per_cycle"));
}

/// Text of a value with nine digits, so that the plan does not depend on differences of pow() between
/// platforms.
std::string rounded(double value, bool fractional)
{
    if (!fractional)
        return formatNumber(static_cast<std::int64_t>(std::llround(value)));
    if (value == 0)
        return "0";
    constexpr int kDigits = 9;
    const int decimals = kDigits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
    const double unit = std::pow(10.0, std::abs(decimals));
    return formatNumber(decimals < 0 ? std::round(value / unit) * unit : std::round(value * unit) / unit);
}

} // namespace

std::string_view toString(Lens lens) noexcept
{
    constexpr std::array<std::string_view, 6> kNames{"schedule", "run",      "mapping",
                                                     "npu",      "systolic", "language"};
    return kNames[static_cast<std::size_t>(lens)];
}

std::string_view toString(What what) noexcept
{
    constexpr std::array<std::string_view, 7> kNames{"evaluate", "solve",   "bound", "optimum",
                                                     "static",   "dynamic", "table"};
    return kNames[static_cast<std::size_t>(what)];
}

std::string_view toString(Minimise minimise) noexcept
{
    switch (minimise) {
    case Minimise::Traffic:
        return "traffic";
    case Minimise::Energy:
        return "energy";
    case Minimise::Edp:
        return "edp";
    case Minimise::Latency:
        break;
    }
    return "latency";
}

std::string_view toString(CostModel model) noexcept
{
    return model == CostModel::FourLevels ? "four-levels" : "hierarchy";
}

std::string_view toString(Tiles tiles) noexcept
{
    return tiles == Tiles::Default ? "default" : "searched";
}

std::optional<double> AxisValue::number() const
{
    double out = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, out);
    return read.ec == std::errc{} && read.ptr == end ? std::optional(out) : std::nullopt;
}

std::size_t Plan::pointCount() const noexcept
{
    if (!listed.empty())
        return listed.size();
    std::size_t out = std::max<std::size_t>(1, workload.size());
    for (const Axis& axis : axes)
        out = axis.values.empty() || out > kMaxPoints ? out : out * axis.values.size();
    return out;
}

std::int64_t Plan::iterations() const noexcept
{
    return budget.iterations > 0 || budget.seconds > 0 ? budget.iterations : kDefaultIterations;
}

Point pointAt(const Plan& plan, std::size_t index)
{
    if (!plan.listed.empty())
        return {plan.listedWorkload.empty() ? 0 : plan.listedWorkload[index], plan.listed[index]};
    Point out;
    out.values.resize(plan.axes.size());
    for (std::size_t a = plan.axes.size(); a-- > 0;) {
        const auto& values = plan.axes[a].values;
        out.values[a] = values[index % values.size()];
        index /= values.size();
    }
    out.workload = index;
    return out;
}

std::map<std::string, std::int64_t> dimensionsAt(const Plan& plan, const Point& point)
{
    std::map<std::string, std::int64_t> out = plan.dimensions;
    for (std::size_t a = 0; a < point.values.size(); ++a)
        if (const std::string_view name = dimensionOf(plan.axes[a].name); !name.empty())
            out[std::string(name)] =
                // CheckAxes() has verified that it is a number.
                static_cast<std::int64_t>(point.values[a].number().value_or(0));
    return out;
}

bool isProblemHardware(std::string_view name)
{
    return std::ranges::find(kProblemHardware, name) != kProblemHardware.end();
}

std::string_view dimensionOf(std::string_view axis)
{
    constexpr std::string_view kPrefix = "dimensions.";
    return axis.starts_with(kPrefix) ? axis.substr(kPrefix.size()) : std::string_view();
}

std::vector<AxisValue> valuesOf(const AxisRange& range, std::string_view axis)
{
    std::vector<AxisValue> out;
    const auto steps = static_cast<double>(std::max<std::int64_t>(1, range.points - 1));
    for (std::int64_t i = 0; i < range.points; ++i) {
        const double share = static_cast<double>(i) / steps;
        const double value = range.isLogarithmic ? range.from * std::pow(range.to / range.from, share)
                                                 : range.from + (range.to - range.from) * share;
        AxisValue next{rounded(i + 1 == range.points && i > 0 ? range.to : value, isFractional(axis))};
        if (out.empty() || out.back() != next)
            out.push_back(std::move(next));
    }
    return out;
}

std::vector<std::string_view> metricsOf(const Plan& plan)
{
    switch (plan.lens) {
    case Lens::Run:
        return {"end",           "latency",     "traffic",      "peak_room",
                "channel_share", "array_share", "vector_share", "subgraphs"};
    case Lens::Mapping:
        return {"energy", "cycles", "edp", "proven"};
    case Lens::Npu:
        return {"makespan", "lower_bound", "dram_bytes"};
    case Lens::Systolic:
        return {"cycles",   "bound_cycles", "dram_bytes",  "l3_bytes",
                "l2_bytes", "l1_bytes",     "utilization", "mapping_efficiency"};
    case Lens::Language:
        return {"step_ms",  "ms_per_token", "tokens_per_second", "floor_ms",
                "of_floor", "memory_bytes", "of_memory"};
    case Lens::Schedule:
        break;
    }
    if (plan.what == What::Bound)
        return {"lower_bound", "compute", "memory"};
    if (plan.what == What::Evaluate)
        return {"latency", "lower_bound", "traffic", "peak_working_set"};
    if (plan.minimise == Minimise::Traffic)
        return {"traffic", "lower_bound", "subgraphs", "proven"};
    if (plan.minimise == Minimise::Energy)
        return {"energy", "lower_bound", "latency", "edp", "subgraphs", "proven"};
    if (plan.minimise == Minimise::Edp)
        return {"edp", "lower_bound", "latency", "energy", "subgraphs", "proven"};
    return {"latency", "lower_bound", "traffic", "subgraphs", "proven"};
}

bool fitsMemory(const Plan& plan, std::span<const double> metrics)
{
    const auto names = metricsOf(plan);
    const auto share = static_cast<std::size_t>(std::ranges::find(names, "of_memory") - names.begin());
    return share >= metrics.size() || metrics[share] <= 1;
}

namespace {

namespace fs = std::filesystem;

/// Number of digits of the name of a point. Collisions among 10^6 points are practically impossible.
constexpr std::size_t kNameDigits = 32;

std::string besidePlan(const std::string& planFile, const std::string& file)
{
    return (fs::path(planFile).parent_path() / file).string();
}

/// Loads the machine of a plan: a preset name, or a file relative to the folder of the plan.
Result<Machine> machineOfPlan(const std::string& planFile, const std::string& machine)
{
    if (auto preset = machinePreset(machine))
        return std::move(*preset);
    return lower::loadMachine(std::vector{besidePlan(planFile, machine)});
}

Error atPlan(const std::string& planFile, const std::string& path, const Error& why)
{
    return {why.code, why.text(), path, planFile};
}

std::string listOf(const std::vector<MachineField>& fields)
{
    std::string out;
    for (const MachineField& field : fields)
        if (field.path != "name")
            out += (out.empty() ? "" : ", ") + field.path;
    return out;
}

/// The reason why a value is not a whole number from `least` to `most`; empty if it is.
std::string notWhole(const AxisValue& value, std::int64_t least, std::int64_t most, const char* expected)
{
    const auto number = value.number();
    const bool isWhole = number && *number >= static_cast<double>(least) &&
                         *number <= static_cast<double>(most) &&
                         value.text.find_first_of(".eE") == std::string::npos;
    return isWhole ? std::string() : "\"" + value.text + "\" is not " + expected;
}

/// The reason why a value is not valid for a machine field; empty if it is.
std::string invalidReason(const MachineField& field, const AxisValue& value)
{
    if (field.unit == MachineUnit::List)
        return {};
    if (field.unit != MachineUnit::Word)
        return value.number() ? std::string() : "\"" + value.text + "\" is not a number";
    if (field.words.empty() || std::ranges::find(field.words, value.text) != field.words.end())
        return {};
    std::string words;
    for (const std::string_view word : field.words)
        words += (words.empty() ? "" : ", ") + std::string(word);
    return "\"" + value.text + "\" is none of " + words;
}

/// Reports deviations of latencies (R10.2) in the schedule of a plan, under the rules of the plan. The
/// problem must have its own hardware.
void noticeLatencies(const Sweep& sweep, const std::string& file)
{
    if (!sweep.workloads.front().standsAsItIs)
        return; // on another machine, the latencies differ anyway
    const Problem& problem = *sweep.workloads.front().workload->problem;
    const auto loaded = readSchedule(problem, sweep.scheduleText, file);
    if (loaded && loaded->formatIssues.empty())
        noticeDeviations(file, latencyDeviations(loaded->schedule, evaluate(problem, loaded->schedule,
                                                                            sweep.plan().rulesOf(problem))));
}

} // namespace

PointNames::PointNames(const Manifest& manifest) : m_plan(&manifest.plan)
{
    Manifest common = manifest;
    // Hash of everything on which the results of all points depend. List of points, file names and settings
    // of the table are not included.
    common.plan.axes.clear();
    common.plan.listed.clear();
    common.plan.listedWorkload.clear();
    common.plan.workload.clear();
    common.plan.objectives.clear();
    common.plan.machine.clear();
    common.plan.architecture.clear();
    common.workloads.clear();
    common.keepSchedules = false;
    common.plan.schedule.clear();
    if (common.schedule)
        common.schedule->file.clear();
    m_common = sha256(writeManifest(common));
    for (const InputFile& input : manifest.workloads)
        m_workloads.push_back(input.sha256);
}

std::string PointNames::of(std::size_t index) const
{
    const Point point = pointAt(*m_plan, index);
    std::string text = m_common + "\n" + m_workloads[point.workload];
    for (std::size_t a = 0; a < point.values.size(); ++a)
        text += "\n" + m_plan->axes[a].name + "=" + point.values[a].text;
    return sha256(text).substr(0, kNameDigits);
}

Result<Sweep> loadSweep(const std::string& planFile)
{
    const auto text = readFile(planFile);
    return text ? readSweep(*text, planFile) : text.error();
}

Result<Sweep> readSweep(std::string_view text, const std::string& planFile)
{
    auto plan = readPlan(text, planFile);
    if (!plan)
        return plan.error();
    Sweep out;
    out.manifest.program = programVersion();
    out.manifest.plan = std::move(*plan);
    const Plan& p = out.plan();
    bool needsMachine = !p.machine.empty();
    for (std::size_t i = 0; i < p.workload.size(); ++i) {
        const std::string path = p.workload.size() == 1 ? "workload" : "workload[" + std::to_string(i) + "]";
        const std::string file = besidePlan(planFile, p.workload[i]);
        auto content = onnx::readFile(file);
        if (!content)
            return atPlan(planFile, path, content.error());
        auto workload = lower::readWorkload(content->view(), file, dimensionsAt(p, pointAt(p, 0)));
        if (!workload)
            return atPlan(planFile, path, workload.error());
        if (p.lens == Lens::Language && !workload->language)
            return atPlan(planFile, path,
                          Error{ErrorCode::Refused,
                                "is not the config.json of a language model, which the lens "
                                "language needs",
                                {},
                                file});
        const bool asIs = isOfProblems(p.lens) && workload->problem && p.machine.empty();
        if (workload->noModel && !asIs)
            return atPlan(planFile, path, *workload->noModel);
        needsMachine |= !asIs;
        out.manifest.workloads.push_back({p.workload[i], content->sha256()});
        out.workloads.push_back({std::make_shared<const lower::Workload>(std::move(*workload)), asIs});
        if (std::ranges::any_of(p.axes, [](const Axis& a) { return !dimensionOf(a.name).empty(); }))
            out.workloads.back().content = std::make_shared<const FileContent>(std::move(*content));
    }
    if (needsMachine) {
        auto machine = machineOfPlan(planFile, p.machine.empty() ? "edge" : p.machine);
        if (!machine)
            return atPlan(planFile, "machine", machine.error());
        out.manifest.machine = writeMachine(*machine);
        out.machine = std::move(*machine);
    }
    if (!p.architecture.empty()) {
        const std::string file = besidePlan(planFile, p.architecture);
        auto content = readFile(file);
        if (!content)
            return atPlan(planFile, "architecture", content.error());
        auto architecture = hierarchy::readArchitecture(*content, file);
        if (!architecture)
            return atPlan(planFile, "architecture", architecture.error());
        out.manifest.architecture = hierarchy::writeArchitecture(*architecture);
        out.architecture = std::move(*architecture);
    }
    if (!p.schedule.empty()) {
        const std::string file = besidePlan(planFile, p.schedule);
        auto schedule = readFile(file);
        if (!schedule)
            return atPlan(planFile, "schedule", schedule.error());
        out.manifest.schedule = InputFile{p.schedule, sha256(*schedule)};
        out.scheduleText = std::move(*schedule);
        noticeLatencies(out, file);
    }
    if (const Status status = checkAxes(out); !status) {
        Error error = status.error();
        error.file = planFile;
        return error;
    }
    return out;
}

Status checkAxes(const Sweep& sweep)
{
    const Plan& plan = sweep.plan();
    const auto fields = sweep.machine ? machineFields(*sweep.machine) : std::vector<MachineField>();
    const bool asIs = std::ranges::any_of(sweep.workloads, &SweepWorkload::standsAsItIs);
    for (std::size_t a = 0; a < plan.axes.size(); ++a) {
        const Axis& axis = plan.axes[a];
        const std::string at = "axes[" + std::to_string(a) + "]";
        const auto wrong = [&](const std::string& path, const std::string& why) {
            return Error{ErrorCode::Field, why, plan.listed.empty() ? path : "points", {}};
        };
        const auto eachValue = [&](const auto& faultOfValue) -> Status {
            const std::size_t n = plan.listed.empty() ? axis.values.size() : plan.listed.size();
            for (std::size_t i = 0; i < n; ++i) {
                const AxisValue& value = plan.listed.empty() ? axis.values[i] : plan.listed[i][a];
                if (const std::string fault = faultOfValue(value); !fault.empty())
                    return wrong(axis.range ? at : at + ".values[" + std::to_string(i) + "]", fault);
            }
            return Unit{};
        };
        const bool isHardware = isProblemHardware(axis.name);
        if (isHardware || !dimensionOf(axis.name).empty()) {
            Status whole = eachValue([&](const AxisValue& value) {
                return isHardware ? notWhole(value, 1, kMaxArea, "a positive whole number")
                                  : notWhole(value, 0, kMaxDimension, "a size");
            });
            if (!whole)
                return whole;
            continue;
        }
        if (sweep.architecture) {
            Status legal = eachValue([&](const AxisValue& value) {
                const auto changed = hierarchy::withField(*sweep.architecture, axis.name, value.text);
                return changed ? std::string() : "\"" + axis.name + "\" " + changed.error().text();
            });
            if (!legal)
                return legal;
            continue;
        }
        if (axis.name == kMachineAxis && !asIs) {
            Status known = eachValue([](const AxisValue& value) {
                return machinePreset(value.text) ? std::string()
                                                 : "\"" + value.text + "\" is not a preset of a machine";
            });
            if (!known)
                return known;
            continue;
        }
        const auto field = std::ranges::find(fields, axis.name, &MachineField::path);
        if (axis.name == "name" || field == fields.end())
            return wrong(at + ".name",
                         "\"" + axis.name +
                             "\" is neither hardware of a problem (fast_memory_capacity, ...)" +
                             (fields.empty() ? "; the plan names no machine, and the workload "
                                               "is a problem with its own hardware"
                                             : " nor a value of the machine: " + listOf(fields)));
        if (asIs)
            return wrong(at + ".name", "\"" + axis.name +
                                           "\" is a value of a machine, but the plan names no machine and a "
                                           "workload is a problem with its own hardware");
        Status legal = eachValue([&](const AxisValue& value) { return invalidReason(*field, value); });
        if (!legal)
            return legal;
    }
    return Unit{};
}

} // namespace tilewright::sweep
