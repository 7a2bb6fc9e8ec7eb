// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/run.h"

#include "base/text.h"
#include "base/workers.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace tilewright::sweep {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kStateEvery{100};
/// Number of workers per thread. While one worker waits for the disk, another one computes. The number of
/// workers that compute at the same time is the number of threads.
constexpr int kWorkersPerThread = 4;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// State of one run, shared by its threads.
class Runner
{
public:
    Runner(const Sweep& sweep, const Sink& sink, const RunOptions& options)
        : m_sweep(sweep), m_sink(sink), m_options(options), m_count(sweep.plan().pointCount()),
          m_next(options.part.index - 1)
    {
        // Counts the completed points first, so that the remaining time is known from the start.
        for (std::size_t i = m_next; i < m_count && !options.stop.stop_requested(); i += options.part.of) {
            ++m_state.points;
            m_state.before += m_sink.has(i) ? 1 : 0;
        }
        m_known = m_state.before;
    }

    Result<RunState> run();

private:
    void work();
    /// Permission of a worker to compute. The constructor waits until a thread is free. Points start in
    /// ascending order.
    class Turn
    {
    public:
        explicit Turn(Runner& runner);
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        ~Turn();

    private:
        Runner& m_runner;
    };
    void fail(const Error& error);
    [[nodiscard]] bool halted() const
    {
        return m_halt.load(std::memory_order_relaxed) || m_options.stop.stop_requested();
    }

    const Sweep& m_sweep;
    const Sink& m_sink;
    const RunOptions& m_options;
    std::size_t m_count;
    std::atomic<std::size_t> m_next;
    std::atomic<bool> m_halt{false};
    /// Number of points found completed during the run that were already counted in `before`.
    std::size_t m_known = 0;

    std::mutex m_mutex;
    RunState m_state;
    std::size_t m_found = 0;
    std::optional<Error> m_error;
    int m_free = 1; ///< number of threads that are free to compute
    std::condition_variable m_threadIsFree;
};

void Runner::fail(const Error& error)
{
    const std::scoped_lock lock(m_mutex);
    if (!m_error)
        m_error = error;
    m_halt = true;
}

Runner::Turn::Turn(Runner& runner) : m_runner(runner)
{
    std::unique_lock lock(runner.m_mutex);
    runner.m_threadIsFree.wait(lock, [&] { return runner.m_free > 0; });
    --runner.m_free;
}

Runner::Turn::~Turn()
{
    const std::scoped_lock lock(m_runner.m_mutex);
    ++m_runner.m_free;
    m_runner.m_threadIsFree.notify_one();
}

void Runner::work()
{
    while (!halted()) {
        std::optional<Turn> turn(*this);
        const std::size_t index = halted() ? m_count : m_next.fetch_add(m_options.part.of);
        const bool there = index < m_count && m_sink.has(index);
        const auto start = Clock::now();
        std::optional<PointResult> result;
        if (index < m_count && !there)
            result = computePoint(m_sweep, index, m_options.stop);
        const double seconds = secondsSince(start);
        turn.reset();
        if (there) {
            const std::scoped_lock lock(m_mutex);
            if (++m_found > m_known)
                ++m_state.byOthers;
            continue;
        }
        if (!result)
            break; // no points are left, or the run was stopped
        if (const Status put = m_sink.put(index, *result, seconds); !put) {
            fail(put.error());
            break;
        }
        const std::scoped_lock lock(m_mutex);
        ++m_state.computed;
        m_state.failed += result->failed() ? 1 : 0;
    }
}

Result<RunState> Runner::run()
{
    const auto start = Clock::now();
    const unsigned hardware = std::max(1U, std::thread::hardware_concurrency());
    m_free = m_options.threads > 0 ? m_options.threads : static_cast<int>(hardware);
    const auto state = [&] {
        RunState out = m_state;
        out.seconds = secondsSince(start);
        return out;
    };
    Workers workers([this] { m_halt = true; });
    for (int i = m_free * kWorkersPerThread; i > 0; --i)
        workers.start([this] { work(); });
    while (!workers.waitFor(kStateEvery)) {
        std::unique_lock lock(m_mutex);
        const RunState now = state();
        lock.unlock();
        if (m_options.onState)
            m_options.onState(now);
    }
    workers.join();
    RunState out = state();
    out.stopped = m_options.stop.stop_requested();
    if (m_error)
        return *m_error;
    if (m_options.onState)
        m_options.onState(out);
    return out;
}

} // namespace

std::optional<double> RunState::secondsLeft() const noexcept
{
    if (computed == 0)
        return std::nullopt;
    return seconds / static_cast<double>(computed) * static_cast<double>(toGo());
}

Result<Part> partFromText(std::string_view text)
{
    const auto wrong = [&] {
        return Error{
            ErrorCode::Field, "expected I/N with 1 <= I <= N, got \"" + std::string(text) + "\"", {}, {}};
    };
    Part out;
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos)
        return wrong();
    const auto number = [](std::string_view digits, std::size_t& value) {
        const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
    };
    if (!number(text.substr(0, slash), out.index) || !number(text.substr(slash + 1), out.of) ||
        out.index < 1 || out.index > out.of)
        return wrong();
    return out;
}

Result<RunState> runSweep(const Sweep& sweep, const Sink& sink, const RunOptions& options)
{
    return Runner(sweep, sink, options).run();
}

namespace {

/// Escapes '%' in a path, because sbatch replaces patterns such as %a.
std::string outputPath(const std::string& path)
{
    std::string out;
    for (const char c : path)
        out += c == '%' ? std::string("%%") : std::string(1, c);
    return out;
}

std::string header(const SlurmJob& job, const std::string& name, const std::string& log)
{
    std::string out = "#!/bin/bash\n#SBATCH --job-name=" + name + "\n#SBATCH --output=\"" +
                      outputPath(job.folder) + "/log/" + log + "\"\n#SBATCH --open-mode=append\n";
    if (!job.sbatch.empty())
        out += "#SBATCH " + job.sbatch + "\n";
    return out;
}

} // namespace

Status checkJob(const SlurmJob& job)
{
    if (job.sbatch.find_first_of("\r\n") != std::string::npos)
        return Error{ErrorCode::Refused, "the options of sbatch must stand in one line", "--sbatch", {}};
    if (job.folder.find_first_of("\r\n\"\\") != std::string::npos)
        return Error{ErrorCode::Refused,
                     "a batch script cannot name a folder with a line break, a quotation mark or a backslash",
                     "--output", job.folder};
    return Unit{};
}

std::string slurmScript(const SlurmJob& job)
{
    const std::string tasks = std::to_string(job.tasks);
    std::string out = header(job, "tilewright-sweep", "slurm-%A_%a.txt");
    out += "#SBATCH --array=1-" + tasks + "\n#SBATCH --requeue\n#SBATCH --signal=B:USR1@60\n";
    out +=
        "# Written by tilewright-cli sweep --slurm. Results that are there are skipped, so a task that is\n"
        "# killed, requeued or out of time goes on where it stopped.\n";
    out += "threads=${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}\nagain=0\n";
    out += shellQuoted(job.program) + " sweep " + shellQuoted(job.plan) + " -o " + shellQuoted(job.folder) +
           " --part \"$SLURM_ARRAY_TASK_ID/" + tasks + "\" --threads \"$threads\"" +
           (job.arguments.empty() ? "" : " " + job.arguments) + " &\nwork=$!\n";
    out += "# A minute before the time limit: give up the points in work and queue the task again.\n"
           "trap 'again=1; kill -TERM \"$work\"' USR1\n"
           "wait \"$work\"\ncode=$?\n"
           "while kill -0 \"$work\" 2>/dev/null; do wait \"$work\"; code=$?; done\n"
           "if [ \"$again\" = 1 ]; then\n"
           "    scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"
           "fi\n"
           "exit \"$code\"\n";
    return out;
}

std::string slurmCollectScript(const SlurmJob& job)
{
    return header(job, "tilewright-collect", "collect-%j.txt") + shellQuoted(job.program) +
           " sweep --collect " + shellQuoted(job.folder) + " -o " + shellQuoted(job.folder + "/table.csv") +
           "\n";
}

} // namespace tilewright::sweep
