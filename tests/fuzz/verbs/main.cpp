// SPDX-License-Identifier: GPL-3.0-or-later
// Whole verbs, in process, on mutated inputs: `./dev fuzz-verbs EXECUTIONS`, or
//   tilewright-fuzz-verbs [--executions N] [--seconds N] [--seed N] [--jobs N] [--known FILE...]
//   tilewright-fuzz-verbs --only EXECUTION [--seed N]     one execution again, with its command line and
//   files
// Each worker is a process that runs one execution after the other. If it dies, the parent notes how and
// starts it again behind the execution that killed it. Findings that match no line of known.txt or
// allowed.txt fail the run, except slow ones: how fast the machine is decides about them.
#include "driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fnmatch.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <optional>
#include <poll.h>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options()
{
    return "abort_on_error=1:allocator_may_return_null=0:hard_rss_limit_mb=4000:detect_leaks=0:"
           "max_allocation_size_mb=3000:quarantine_size_mb=16:detect_stack_use_after_return=0";
}
#endif

namespace tilewright::fuzz {

namespace {

using Clock = std::chrono::steady_clock;

struct Settings
{
    double seconds = 1e6;
    std::uint64_t executions = 100'000, seed = 1, jobs = 1;
    std::vector<std::string> known{TILEWRIGHT_SOURCE_DIR "/tests/fuzz/verbs/known.txt"};
};

/// What a worker says about the execution that it has begun; the parent reads it when the worker has died.
struct Shared
{
    std::atomic<std::uint64_t> next; ///< execution, or the one after the last
    char note[400];
    char thrown[200];
};
Shared* g_shared = nullptr;

void copyText(char* to, std::size_t size, const std::string& from)
{
    std::snprintf(to, size, "%s", from.c_str());
}

[[noreturn]] void terminated()
{
    try {
        if (const auto thrown = std::current_exception())
            std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
        copyText(g_shared->thrown, sizeof g_shared->thrown, std::string(typeid(e).name()) + ": " + e.what());
    } catch (...) {
        copyText(g_shared->thrown, sizeof g_shared->thrown, "thrown value");
    }
    std::abort();
}

std::string inOneLine(std::string text)
{
    for (char& c : text)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    return text.substr(0, 400);
}

/// The folder of a worker, in memory if there is such a place.
std::string folderOf(std::uint64_t worker)
{
    return std::string(::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp") + "/tilewright-fuzz-verbs-" +
           std::to_string(::getpid()) + '-' + std::to_string(worker);
}

/// Exit status of a worker whose command lines are not all accepted without a mutation.
constexpr int kNotStarted = 2;

/// Never returns: executions from `shared.next` on, every `jobs`-th, until the time is over.
[[noreturn]] void work(const Settings& s, Shared& shared, const std::string& folder, int pipe,
                       Clock::time_point end)
{
    g_shared = &shared;
    std::set_terminate(terminated);
    const rlimit none{0, 0}, file{256U << 20, 256U << 20};
    ::setrlimit(RLIMIT_CORE, &none);
    ::setrlimit(RLIMIT_FSIZE, &file);
    std::signal(SIGXFSZ, SIG_IGN);
#ifndef __SANITIZE_ADDRESS__
    const rlimit memory{3UL << 30, 3UL << 30};
    ::setrlimit(RLIMIT_AS, &memory);
    constexpr unsigned kHangs = 20;
#else
    constexpr unsigned kHangs = 100;
#endif
    FILE* out = ::fdopen(pipe, "w");
    std::optional<Driver> started;
    try {
        started.emplace(folder);
    } catch (const std::runtime_error& e) {
        std::fprintf(stderr, "%s\n", e.what());
        ::_exit(kNotStarted);
    }
    Driver& driver = *started;
    std::set<std::string> said;
    Counts before;
    const auto report = [&] {
        const Counts& c = driver.counts();
        std::fprintf(out, "C\t%llu\t%llu\t%llu\t%llu\n",
                     static_cast<unsigned long long>(c.executions - before.executions),
                     static_cast<unsigned long long>(c.accepted - before.accepted),
                     static_cast<unsigned long long>(c.refused - before.refused),
                     static_cast<unsigned long long>(c.effects - before.effects));
        before = c;
        for (const auto& [path, n] : driver.takeEffects())
            std::fprintf(out, "E\t%s\t%llu\t%llu\n", inOneLine(path).c_str(),
                         static_cast<unsigned long long>(n.first), static_cast<unsigned long long>(n.second));
        std::fflush(out);
    };
    for (std::uint64_t n = 0; shared.next < s.executions && Clock::now() < end; ++n) {
        const std::uint64_t execution = shared.next;
        shared.thrown[0] = 0;
        ::alarm(kHangs);
        driver.execute(s.seed, execution,
                       [&](const std::string& what) { copyText(shared.note, sizeof shared.note, what); });
        ::alarm(0);
        for (const Finding& f : driver.takeFindings())
            if (said.insert(f.what).second)
                std::fprintf(out, "F\t%llu\t%s\t%s\n", static_cast<unsigned long long>(execution),
                             inOneLine(f.what).c_str(), inOneLine(f.detail).c_str());
        shared.next = execution + s.jobs;
        if (n % 256 == 0)
            report();
    }
    report();
    std::fclose(out);
    ::_exit(0);
}

struct Worker
{
    Shared* shared = nullptr;
    pid_t process = -1;
    int pipe = -1;
    std::string rest; ///< of a line that has come in part
};

struct Found
{
    std::uint64_t execution = 0, times = 0;
    std::string detail;
};

class Run
{
public:
    explicit Run(Settings settings) : m_settings(std::move(settings))
    {
        for (const std::string& file : m_settings.known) {
            std::ifstream in(file);
            for (std::string line; std::getline(in, line);)
                if (!line.empty() && line.front() != '#')
                    m_known.push_back({line, file.ends_with("allowed.txt"), 0});
        }
    }

    int go()
    {
        const auto start = Clock::now();
        m_end = start + std::chrono::milliseconds(static_cast<std::int64_t>(m_settings.seconds * 1000));
        std::vector<Worker> workers(m_settings.jobs);
        for (std::size_t i = 0; i < workers.size(); ++i) {
            void* memory =
                ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            workers[i].shared = new (memory) Shared{{i}, {}, {}};
            begin(workers[i], i);
        }
        for (;;) {
            std::vector<pollfd> waits;
            for (const Worker& w : workers)
                if (w.pipe >= 0)
                    waits.push_back({w.pipe, POLLIN, 0});
            if (waits.empty())
                break;
            ::poll(waits.data(), waits.size(), 1000);
            for (std::size_t i = 0; i < workers.size(); ++i)
                listen(workers[i], i, waits);
        }
        for (std::size_t i = 0; i < workers.size(); ++i)
            std::filesystem::remove_all(folderOf(i));
        if (!m_started)
            return kNotStarted;
        return sum(std::chrono::duration<double>(Clock::now() - start).count());
    }

private:
    struct Known
    {
        std::string glob;
        bool isAllowed = false;
        std::uint64_t hits = 0;
    };

    void begin(Worker& worker, std::size_t i)
    {
        int ends[2];
        if (::pipe(ends) != 0)
            std::abort();
        const std::string folder = folderOf(i);
        std::fflush(nullptr);
        worker.process = ::fork();
        if (worker.process == 0) {
            ::close(ends[0]);
            work(m_settings, *worker.shared, folder, ends[1], m_end);
        }
        ::close(ends[1]);
        worker.pipe = ends[0];
    }

    void listen(Worker& worker, std::size_t i, const std::vector<pollfd>& waits)
    {
        const auto ready = std::find_if(waits.begin(), waits.end(), [&](const pollfd& p) {
            return p.fd == worker.pipe && (p.revents & (POLLIN | POLLHUP)) != 0;
        });
        if (ready == waits.end())
            return;
        char buffer[8192];
        const ssize_t n = ::read(worker.pipe, buffer, sizeof buffer);
        if (n > 0) {
            worker.rest.append(buffer, static_cast<std::size_t>(n));
            for (std::size_t end = 0; (end = worker.rest.find('\n')) != std::string::npos;
                 worker.rest.erase(0, end + 1))
                take(worker.rest.substr(0, end));
            return;
        }
        ::close(worker.pipe);
        worker.pipe = -1;
        int status = 0;
        ::waitpid(worker.process, &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
            return;
        if (WIFEXITED(status) && WEXITSTATUS(status) == kNotStarted) {
            m_started = false;
            m_end = Clock::now();
            return;
        }
        const std::string how = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hang"
                                : WIFSIGNALED(status) ? "signal-" + std::to_string(WTERMSIG(status))
                                                      : "exit-status-" + std::to_string(WEXITSTATUS(status));
        const std::uint64_t execution = worker.shared->next;
        note(how + ' ' + worker.shared->note, execution, worker.shared->thrown);
        ++m_counts.executions;
        worker.shared->next = execution + m_settings.jobs;
        worker.rest.clear();
        if (Clock::now() < m_end && ++m_deaths < 20'000)
            begin(worker, i);
    }

    void take(const std::string& line)
    {
        std::vector<std::string> parts{""};
        for (const char c : line)
            if (c == '\t')
                parts.emplace_back();
            else
                parts.back() += c;
        if (parts.size() < 4)
            return;
        const auto number = [&](std::size_t i) { return std::strtoull(parts[i].c_str(), nullptr, 10); };
        if (parts[0] == "F") {
            note(parts[2], number(1), parts[3]);
        } else if (parts[0] == "E") {
            m_effects[parts[1]].first += number(2);
            m_effects[parts[1]].second += number(3);
        } else if (parts.size() > 4) {
            m_counts.executions += number(1);
            m_counts.accepted += number(2);
            m_counts.refused += number(3);
            m_counts.effects += number(4);
        }
    }

    void note(const std::string& what, std::uint64_t execution, const std::string& detail)
    {
        Found& found = m_found.try_emplace(what, Found{execution, 0, detail}).first->second;
        ++found.times;
        if (execution < found.execution)
            found = {execution, found.times, detail};
    }

    int sum(double seconds)
    {
        constexpr std::uint64_t kEnough =
            200; // accepted changes of a field, after which one of them must have shown
        for (const auto& [path, n] : m_effects)
            if (n.first >= kEnough && n.second == 0)
                note("no-effect " + path, 0,
                     std::to_string(n.first) + " changes of its value changed no answer");
        std::uint64_t fresh = 0, known = 0, allowed = 0;
        for (const auto& [what, found] : m_found) {
            const auto match = std::find_if(m_known.begin(), m_known.end(), [&](const Known& k) {
                return ::fnmatch(k.glob.c_str(), what.c_str(), 0) == 0;
            });
            if (match != m_known.end()) {
                ++match->hits;
                ++(match->isAllowed ? allowed : known);
                continue;
            }
            fresh += what.starts_with("slow ") ? 0 : 1;
            std::printf("NEW %s\n    --seed %llu --only %llu: %s\n", what.c_str(),
                        static_cast<unsigned long long>(m_settings.seed),
                        static_cast<unsigned long long>(found.execution), found.detail.c_str());
        }
        for (const Known& k : m_known)
            if (!k.isAllowed && k.hits > 0)
                std::printf("known %s: %llu\n", k.glob.c_str(), static_cast<unsigned long long>(k.hits));
        std::uint64_t shown = 0;
        for (const auto& [path, n] : m_effects)
            shown += n.second > 0 ? 1 : 0;
        std::printf("%llu executions in %.0f s, %.0f a second; %.1f %% accepted; %zu fields, %llu of them "
                    "with an effect; "
                    "%llu deaths; classes of findings: %llu new, %llu known, %llu allowed\n",
                    static_cast<unsigned long long>(m_counts.executions), seconds,
                    static_cast<double>(m_counts.executions) / seconds,
                    100.0 * static_cast<double>(m_counts.accepted) /
                        static_cast<double>(std::max<std::uint64_t>(1, m_counts.executions)),
                    m_effects.size(), static_cast<unsigned long long>(shown),
                    static_cast<unsigned long long>(m_deaths), static_cast<unsigned long long>(fresh),
                    static_cast<unsigned long long>(known), static_cast<unsigned long long>(allowed));
        return fresh > 0 ? 1 : 0;
    }

    Settings m_settings;
    Clock::time_point m_end;
    std::vector<Known> m_known;
    std::map<std::string, Found> m_found;
    Effects m_effects;
    Counts m_counts;
    std::uint64_t m_deaths = 0;
    bool m_started = true; ///< false: a worker has ended with kNotStarted
};

} // namespace

} // namespace tilewright::fuzz

int main(int argc, char** argv)
{
    using namespace tilewright::fuzz;
    Settings settings;
    settings.known.emplace_back(TILEWRIGHT_SOURCE_DIR "/tests/fuzz/verbs/allowed.txt");
    std::uint64_t only = UINT64_MAX;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i];
        const auto number = std::strtoull(argv[i + 1], nullptr, 10);
        if (name == "--seconds")
            settings.seconds = std::strtod(argv[i + 1], nullptr);
        else if (name == "--executions")
            settings.executions = number;
        else if (name == "--seed")
            settings.seed = number;
        else if (name == "--jobs")
            settings.jobs = std::max<std::uint64_t>(1, number);
        else if (name == "--only")
            only = number;
        else if (name == "--known")
            settings.known = {argv[i + 1]};
        else
            return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
    }
    if (only == UINT64_MAX)
        return Run(settings).go();
    Driver driver("/tmp/tilewright-fuzz-verbs-only");
    driver.setVerbose();
    driver.execute(settings.seed, only, [](const std::string& what) { std::cerr << what << '\n'; });
    for (const Finding& f : driver.takeFindings())
        std::cout << f.what << "\n    " << f.detail << '\n';
    return 0;
}
