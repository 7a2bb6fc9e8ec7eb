// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/result.h"
#include "base/text.h"
#include "base/utf8.h"
#include "manual/program.h"
#include "sweep/curve.h"
#include "sweep/folder.h"
#include "sweep/run.h"
#include "verbs.h"
#include "verbs/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tilewright::cli {

namespace {

/// State of a run as text: "412 done, 3 failed, 585 to go, 1 min 20 s left".
[[nodiscard]] std::string stateText(const sweep::RunState& state);

double shareOf(const sweep::RunState& state)
{
    return state.points == 0 ? 1 : static_cast<double>(state.done()) / static_cast<double>(state.points);
}

void drawBar(const sweep::RunState& state)
{
    constexpr int kWidth = 24;
    const int full = static_cast<int>(shareOf(state) * kWidth);
    std::cerr << "\r[" << std::string(static_cast<std::size_t>(full), '#')
              << std::string(static_cast<std::size_t>(kWidth - full), '.') << "] " << stateText(state)
              << "\x1b[K" << std::flush; // erases the rest of the terminal line
}

/// Duration as text: "2 h 5 min", "3 min 20 s", "12 s".
std::string durationText(double seconds)
{
    constexpr std::int64_t kMinute = 60;
    constexpr std::int64_t kHour = 3600;
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (whole >= kHour)
        return formatGrouped(whole / kHour) + " h " + std::to_string(whole % kHour / kMinute) + " min";
    if (whole >= kMinute)
        return std::to_string(whole / kMinute) + " min " + std::to_string(whole % kMinute) + " s";
    return std::to_string(whole) + " s";
}

std::string stateText(const sweep::RunState& state)
{
    std::string out = formatGrouped(state.done() - state.failed) + " done, " + formatGrouped(state.failed) +
                      " failed, " + formatGrouped(state.toGo()) + " to go";
    if (const auto left = state.secondsLeft(); left && state.toGo() > 0)
        out += ", " + durationText(*left) + " left";
    return out;
}

/// Shows the state of a run on stderr: as a bar on a terminal, otherwise one line after each tenth of the
/// points.
std::function<void(const sweep::RunState&)> sweepProgress()
{
    if (::isatty(STDERR_FILENO) != 0)
        return [last = std::make_shared<bool>(false)](const sweep::RunState& state) {
            drawBar(state);
            if ((state.toGo() == 0 || state.stopped) && !std::exchange(*last, true))
                std::cerr << '\n';
        };
    return [printed = -1](const sweep::RunState& state) mutable {
        constexpr int kLines = 10;
        const int now = static_cast<int>(shareOf(state) * kLines);
        if (now > printed)
            std::cerr << stateText(state) << '\n';
        printed = std::max(printed, now);
    };
}

/// Returns the standard output of a shell command. The Error has the command's exit code; its messages went
/// to stderr.
Result<std::string> outputOf(const std::string& command)
{
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (!pipe)
        return Error{ErrorCode::Io, "cannot be started", {}, command};
    std::string out;
    std::array<char, 256> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        out.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    constexpr int kNotFound = 127;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return out;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
        return Error{ErrorCode::Io,
                     "sbatch was not found: is Slurm installed here? --dry-run prints the script",
                     "--slurm",
                     {}};
    return Error{ErrorCode::Io, "sbatch refused the job (its reason stands above)", "--slurm", {}};
}

/// Submits a job to Slurm and returns its id: `sbatch --parsable` prints "123" or "123;cluster".
Result<std::string> submit(const std::string& arguments)
{
    auto out = outputOf("sbatch --parsable " + arguments);
    if (!out)
        return out.error();
    std::string id = out->substr(0, out->find_first_of(";\n"));
    if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos)
        return Error{ErrorCode::Io, "sbatch printed no job id but \"" + *out + "\"", "--slurm", {}};
    return id;
}

/// Path of this program.
std::string ownPath()
{
    std::error_code ec;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", ec);
    return ec ? "tilewright-cli" : path.string();
}

/// Writes the two Slurm scripts into the job's folder and submits them. Prints the job ids and the commands
/// to watch and cancel.
Status submitToSlurm(const sweep::SlurmJob& job)
{
    const std::string script = job.folder + "/slurm.sh";
    const std::string collecting = job.folder + "/slurm-collect.sh";
    if (Status s = writeFileAtomically(script, sweep::slurmScript(job)); !s)
        return s;
    if (Status s = writeFileAtomically(collecting, sweep::slurmCollectScript(job)); !s)
        return s;
    const auto array = submit(shellQuoted(script));
    if (!array)
        return array.error();
    // afterany: the results are collected even if tasks failed; the table names the missing points.
    const auto collect = submit("--dependency=afterany:" + *array + " " + shellQuoted(collecting));
    if (!collect)
        return collect.error();
    std::cout << "array    " << *array << ", " << job.tasks << (job.tasks == 1 ? " task" : " tasks") << '\n'
              << "collect  " << *collect << ", writes " << printable(job.folder) << "/table.csv\n"
              << "watch    squeue -j " << *array << "," << *collect << '\n'
              << "status   tilewright-cli sweep --status " << printable(shellQuoted(job.folder)) << '\n'
              << "cancel   scancel " << *array << " " << *collect << '\n';
    return Unit{};
}

constexpr std::size_t kDefaultTasks = 16;
constexpr std::size_t kShownFailures = 3;

struct SweepArguments : verbs::SweepCall
{
    std::string status, collect, limit, sbatch;
    std::size_t arraySize = 0;
    bool progress = false, fresh = false, slurm = false, dryRun = false, json = false;
};

void bindOptions(verbs::OptionList& o, SweepArguments& a)
{
    bindOptions(o, static_cast<verbs::SweepCall&>(a));
    const verbs::Property slurm = o.needs(a.slurm, "--slurm"), here = o.notWith(a.slurm, "--slurm");
    o.writes()(o["--output"]);
    o["--output"].help += "; with --collect the table, .csv or .json";
    o.flag("--progress", a.progress, "Print points done, failed and to go, and the time left, on stderr",
           here);
    o.flag("--fresh", a.fresh, "Where the folder is there, begin a new one beside it");
    o.flag("--slurm", a.slurm, "Submit the plan to Slurm as a job array");
    o.add("--array-size", a.arraySize, verbs::Range{1, 1e5}, "Tasks of the array", slurm,
          o.otherwise("16, or a task a point"));
    o.add("--sbatch", a.sbatch, "OPTIONS", "Further options of sbatch: \"--partition=long --time=2:00:00\"",
          slurm);
    o.flag("--dry-run", a.dryRun,
           "Print both batch scripts instead of submitting them: that of the array and the one that collects",
           slurm);
    o.add("--status", a.status, "FOLDER", "Print how far the folder's sweep is",
          o.alone(true, "alone, or with --json", {"--json"}));
    o.add("--collect", a.collect, "FOLDER", "Write the folder's table, also while runs are at work",
          o.alone(true, "alone, or with --limit, --output and --json", {"--limit", "--output", "--json"}));
    o.add("--limit", a.limit, "METRIC=VALUE",
          "Only points of which METRIC is at most VALUE; tokens_per_second: at least",
          o.needs(!a.collect.empty(), "--collect"));
    o.flag("--json", a.json, kJsonHelp, here);
    here(o["--threads"]);
    here(o["--part"]);
}

Error misuse(const std::string& option, const std::string& why)
{
    return {ErrorCode::Field, why, option, {}};
}

/// Returns the current time in UTC, for the log.
std::string timeStamp()
{
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    std::array<char, 32> out{};
    std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return out.data();
}

std::string pointText(const sweep::Plan& plan, std::size_t index)
{
    const sweep::Point point = sweep::pointAt(plan, index);
    std::string out = "point " + std::to_string(index);
    if (plan.workload.size() > 1)
        out += ", " + plan.workload[point.workload];
    for (std::size_t a = 0; a < point.values.size(); ++a)
        out += ", " + plan.axes[a].name + "=" + point.values[a].text;
    return out;
}

void printCounts(const sweep::SweepCounts& counts, bool json)
{
    if (json)
        std::cout << "{\"points\": " << counts.points << ", \"done\": " << counts.done
                  << ", \"failed\": " << counts.failed << ", \"to_do\": " << counts.toDo() << "}\n";
    else
        std::cout << "points  " << formatGrouped(counts.points) << ": " << formatGrouped(counts.done)
                  << " done, " << formatGrouped(counts.failed) << " failed, " << formatGrouped(counts.toDo())
                  << " to do\n";
}

/// Prints, for each metric and axis, the values from which the metric stays within 0.1 % and within 5 % of
/// its best.
void printEnough(const sweep::SweepTable& table)
{
    constexpr double kNothingMore = 0.001, kUsual = 0.05;
    const sweep::Plan& plan = table.manifest.plan;
    const std::vector<sweep::Enough> all = enoughOf(table, kNothingMore), usual = enoughOf(table, kUsual);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const sweep::Enough& e = all[i];
        std::cout << (table.toDo() > 0 ? "so far  " : "enough  ");
        if (plan.workload.size() > 1)
            std::cout << plan.workload[e.workload] << ": ";
        if (e.isLast)
            std::cout << e.metric << " still falls at " << e.axis << " = " << e.from.text
                      << ", the largest value";
        else
            std::cout << "from " << e.axis << " = " << e.from.text << " on, " << e.metric << " stays within "
                      << percent(kNothingMore) << " of the best";
        if (!(usual[i].from == e.from))
            std::cout << "; within " << percent(kUsual, 0) << " from " << usual[i].from.text << " on";
        std::cout << '\n';
    }
}

int showStatus(const SweepArguments& args)
{
    const auto folder = sweep::ResultsFolder::open(args.status);
    if (!folder)
        return fail(folder.error());
    const InterruptGuard interrupt;
    const auto counts = sweep::countResults(*folder, {interrupt.token(), {}});
    if (!counts)
        return fail(counts.error());
    if (interrupt.token().stop_requested())
        return Exit::Interrupted;
    printCounts(*counts, args.json);
    return Exit::Success;
}

int collectTable(const SweepArguments& args)
{
    const auto folder = sweep::ResultsFolder::open(args.collect);
    if (!folder)
        return fail(folder.error());
    const std::filesystem::path output(args.output);
    const bool asJson = args.output.empty() ? args.json : output.extension() == ".json";
    if (!args.output.empty() && !asJson && output.extension() != ".csv")
        return fail(
            misuse("--output", "expected a file that ends in .csv or .json, got \"" + args.output + "\""));
    std::error_code failed;
    if (const std::filesystem::path file = std::filesystem::weakly_canonical(output, failed),
        own = std::filesystem::weakly_canonical(args.collect, failed);
        file == own / "plan.json" || file.parent_path() == own / "results")
        return fail(misuse("--output", "is a file of the results folder itself; name another one"));
    const InterruptGuard interrupt;
    auto table = sweep::collect(*folder, {interrupt.token(), {}});
    if (interrupt.token().stop_requested())
        return Exit::Interrupted;
    if (!table)
        return fail(table.error());
    if (!args.limit.empty())
        if (const Status limited = sweep::keepMeeting(*table, args.limit); !limited)
            return fail(limited.error());
    const std::string text = asJson ? sweep::tableJson(*table) : sweep::tableCsv(*table);
    if (args.output.empty()) {
        std::cout << text;
        return Exit::Success;
    }
    if (const Status written = writeFileAtomically(args.output, text); !written)
        return fail(written.error());
    printCounts({table->rows.size(), table->done, table->failed}, args.json);
    if (!args.json)
        printEnough(*table);
    return Exit::Success;
}

sweep::SlurmJob slurmJob(const SweepArguments& args, const std::string& folder, std::size_t points)
{
    sweep::SlurmJob job;
    job.program = ownPath();
    job.plan = std::filesystem::absolute(args.plan).string();
    job.folder = std::filesystem::absolute(folder).string();
    job.tasks = std::min(points, args.arraySize > 0 ? args.arraySize : kDefaultTasks);
    job.sbatch = args.sbatch;
    if (args.keepSchedules)
        job.arguments = "--keep-schedules";
    for (const std::string& setting : args.switches)
        job.arguments += (job.arguments.empty() ? "--set " : " --set ") + shellQuoted(setting);
    return job;
}

/// Collects the first points that failed, for the summary.
struct Failures
{
    std::mutex mutex;
    std::vector<std::string> first;
    void add(std::string text)
    {
        const std::scoped_lock lock(mutex);
        if (first.size() < kShownFailures)
            first.push_back(std::move(text));
    }
};

void printRun(const SweepArguments& args, const sweep::RunState& state, const std::string& folder,
              Failures& failures)
{
    if (args.json) {
        std::cout << "{\"points\": " << state.points << ", \"before\": " << state.before
                  << ", \"computed\": " << state.computed << ", \"failed\": " << state.failed
                  << ", \"by_others\": " << state.byOthers << ", \"to_do\": " << state.toGo() << "}\n";
        return;
    }
    std::cout << "points    " << formatGrouped(state.points)
              << (args.part.empty() ? "" : " in part " + printable(args.part)) << ": "
              << formatGrouped(state.before) << " were there, " << formatGrouped(state.computed)
              << " computed, " << formatGrouped(state.failed) << " of them failed, "
              << formatGrouped(state.toGo()) << " to go\n";
    if (state.byOthers > 0)
        std::cout << "together  " << formatGrouped(state.byOthers)
                  << " were computed meanwhile by another run in the same folder\n";
    if (state.computed > 0)
        std::cout << "time      " << secondsText(state.seconds) << ", "
                  << significantNumber(static_cast<double>(state.computed) / state.seconds)
                  << " points a second\n";
    std::ranges::sort(failures.first);
    for (const std::string& text : failures.first)
        std::cout << "failed    " << printable(text) << '\n';
    std::cout << (state.stopped ? "go on     the same command goes on where it stopped\n"
                                : "collect   tilewright-cli sweep --collect " +
                                      printable(shellQuoted(folder)) + " -o table.csv\n");
}

int runPlan(const SweepArguments& args)
{
    auto runOptions = args.runOptions();
    if (!runOptions)
        return fail(runOptions.error());
    sweep::RunOptions& options = *runOptions;
    auto loaded = args.read();
    if (!loaded)
        return fail(loaded.error());
    const sweep::Sweep& sweep = *loaded;
    const std::string path =
        args.fresh && std::filesystem::exists(args.output) ? sweep::folderBeside(args.output) : args.output;
    const sweep::SlurmJob job = slurmJob(args, path, sweep.plan().pointCount());
    if (const Status s = args.slurm ? sweep::checkJob(job) : Status(Unit{}); !s)
        return fail(s.error());
    if (args.slurm && args.dryRun) {
        std::cout << sweep::slurmScript(job) << "\n# " << job.folder
                  << "/slurm-collect.sh, which waits for the array (--dependency=afterany):\n"
                  << sweep::slurmCollectScript(job);
        return Exit::Success;
    }
    std::optional<InterruptGuard> interrupt; // not while sbatch runs: signals end it as usual
    if (!args.slurm)
        options.stop = interrupt.emplace().token();
    const auto folder = sweep::ResultsFolder::prepare(path, sweep.manifest);
    if (!folder)
        return fail(folder.error());
    if (path != args.output)
        tell("begins the new folder " + path);
    if (args.slurm) {
        const Status submitted = submitToSlurm(job);
        return submitted ? Exit::Success : fail(submitted.error());
    }
    if (const Status whole = checkResults(*folder, options.part, options.stop); !whole)
        return fail(whole.error());
    if (args.progress)
        options.onState = sweepProgress();
    Failures failures;
    sweep::Sink sink;
    sink.has = [&](std::size_t index) { return folder->has(index); };
    sink.put = [&](std::size_t index, const sweep::PointResult& result, double seconds) {
        Status put = folder->put(index, result);
        if (put)
            folder->log(timeStamp() + " point " + std::to_string(index) + " " + fixedNumber(seconds, 3) +
                        " s" + (result.failed() ? " failed" : ""));
        if (result.failed())
            failures.add(pointText(sweep.plan(), index) + ": " + result.error);
        return put;
    };
    const auto state = sweep::runSweep(sweep, sink, options);
    if (!state)
        return fail(state.error());
    printRun(args, *state, path, failures);
    return state->stopped ? Exit::Interrupted : Exit::Success;
}

int runSweepVerb(const SweepArguments& args)
{
    if (!args.status.empty())
        return showStatus(args);
    if (!args.collect.empty())
        return collectTable(args);
    if (args.plan.empty())
        return fail(misuse("plan", "a plan file is needed, or --status or --collect"));
    if (args.output.empty())
        return fail(misuse("--output", "is needed: the folder of the results"));
    return runPlan(args);
}

} // namespace

void addSweepVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<SweepArguments>(app, "sweep", "One workload on many machines: the points of a plan",
                                    runSweepVerb, exitCode);
}

} // namespace tilewright::cli
