// SPDX-License-Identifier: GPL-3.0-or-later
// The table of `./dev bench solve`: the solver over generated families and, where present, problem files,
// against each op alone and greedy fusion; then evaluation rates.
//   tilewright-bench-solve [--scale F] [PROBLEM.json ...]     F multiplies the budgets (default 1)
#include "solve/cost/cost_model.h"
#include "solve/cost/subgraph_pool.h"
#include "solve/plan/solve_options.h"
#include "solve/search/proof_run.h"
#include "solve/search/solver.h"
#include "solve_baselines.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace tilewright;

namespace {

struct Case
{
    std::string name;
    ProblemPtr problem;
};

constexpr int kThreads = 2;

/// Budgets are CPU time, so that other work on the machine does not matter.
double cpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void add(std::vector<Case>& cases, const char* name, const GenerateOptions& options)
{
    if (auto problem = generateWorkload(options))
        cases.push_back({name, *problem});
    else
        std::fprintf(stderr, "%s: %s\n", name, problem.error().text().c_str());
}

std::vector<Case> families()
{
    using K = WorkloadKind;
    std::vector<Case> out;
    add(out, "transformer",
        {.kind = K::Transformer,
         .layers = 1,
         .rows = 1024,
         .width = 512,
         .hidden = 2048,
         .branches = 4,
         .capacity = 100000,
         .bandwidth = 20});
    add(out, "mlp",
        {.kind = K::Mlp,
         .layers = 8,
         .rows = 1024,
         .width = 1024,
         .hidden = 2048,
         .capacity = 250000,
         .bandwidth = 25});
    add(out, "conv-net",
        {.kind = K::ConvNet,
         .layers = 5,
         .rows = 2048,
         .width = 128,
         .hidden = 64,
         .branches = 4,
         .capacity = 60000,
         .bandwidth = 40});
    add(out, "diamond",
        {.kind = K::Diamond,
         .layers = 8,
         .rows = 512,
         .width = 512,
         .branches = 3,
         .capacity = 50000,
         .bandwidth = 20});
    add(out, "experts",
        {.kind = K::Moe,
         .layers = 2,
         .rows = 512,
         .width = 256,
         .hidden = 512,
         .branches = 6,
         .capacity = 80000,
         .bandwidth = 15});
    add(out, "fan-out",
        {.kind = K::FanOut, .rows = 128, .width = 2048, .branches = 30, .capacity = 300000, .bandwidth = 50});
    add(out, "random 15",
        {.kind = K::Random,
         .rows = 512,
         .width = 512,
         .ops = 15,
         .seed = 3,
         .capacity = 40000,
         .bandwidth = 10});
    add(out, "random 60",
        {.kind = K::Random,
         .rows = 1024,
         .width = 512,
         .ops = 60,
         .seed = 5,
         .capacity = 150000,
         .bandwidth = 20});
    add(out, "random 150",
        {.kind = K::Random,
         .rows = 1024,
         .width = 1024,
         .ops = 150,
         .ragged = true,
         .seed = 7,
         .capacity = 250000,
         .bandwidth = 40});
    return out;
}

void row(const Case& c, double scale)
{
    SolveOptions options;
    options.seconds = suggestedSeconds(c.problem->opCount()) * scale;
    options.threads = kThreads;
    options.clock = [] { return cpuSeconds() / kThreads; };
    const auto singles = baselineSingles(*c.problem, options.rules);
    const auto greedy = baselineGreedyFusion(*c.problem, options.rules);
    const auto result = solve(*c.problem, options);
    if (!singles || !greedy || !result) {
        std::printf("| %s | no valid schedule |\n", c.name.c_str());
        return;
    }
    double near = 0;
    for (const auto& [seconds, total] : result->curve)
        if (total <= result->total * 1.01) {
            near = seconds;
            break;
        }
    SolveResult proven = *result;
    const double started = cpuSeconds();
    if (!proven.provenOptimal)
        applyProof(proven,
                   runProof(*c.problem, options.rules,
                            {.seconds = options.seconds,
                             .threads = kThreads,
                             .total = proven.total,
                             .findsSchedule = false,
                             .stop = {}}),
                   false);
    std::printf("| %s | %zu | %.2f | %.1f | %.2f%s | %.2f%s in %.2f s | %.2f | %.1f | %.1f | %.0f |\n",
                c.name.c_str(), c.problem->opCount(), result->seconds, result->total, 100 * result->gap(),
                result->provenOptimal ? " (proven)" : "", 100 * proven.gap(),
                proven.provenOptimal ? " (proven)" : "", cpuSeconds() - started, near,
                100 * (1 - result->total / singles->total), 100 * (1 - result->total / greedy->total),
                static_cast<double>(result->evaluations + result->lookups) / result->seconds);
    std::fflush(stdout);
}

/// From a stop request to the result, for a large problem in the midst of its search.
void stopping(const Problem& problem)
{
    std::vector<double> milliseconds;
    for (int i = 0; i < 9; ++i) {
        std::stop_source source;
        SolveOptions options;
        options.seconds = 0;
        options.threads = kThreads;
        options.stop = source.get_token();
        double asked = 0;
        const auto wall = [] {
            return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
        };
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(60 + 90 * i));
            asked = wall();
            source.request_stop();
        });
        const auto result = solve(problem, options);
        const double returned = wall();
        stopper.join();
        if (result)
            milliseconds.push_back(1e3 * (returned - asked));
    }
    std::ranges::sort(milliseconds);
    if (!milliseconds.empty())
        std::printf(
            "\nStop request at %zu ops: the result after %.0f ms (median), %.0f ms (slowest of %zu)\n",
            problem.opCount(), milliseconds[milliseconds.size() / 2], milliseconds.back(),
            milliseconds.size());
}

/// Evaluations a second of one thread: remembered costs, one compiled op set, and compile plus evaluate.
void rates()
{
    const ProblemPtr problem = *generateWorkload({.kind = WorkloadKind::Transformer, .layers = 4});
    const auto rate = [](auto work) {
        const double start = cpuSeconds();
        std::int64_t n = 0;
        double seconds = 0;
        while (seconds < 0.5) {
            for (int i = 0; i < 256; ++i)
                work(n + i);
            n += 256;
            seconds = cpuSeconds() - start;
        }
        return static_cast<double>(n) / seconds;
    };
    TilingMemo memo;
    SubgraphPool pool(*problem, Rules::final(), memo, {});
    const std::vector<OpId>& order = problem->topologicalOrder();
    // Pairs of neighbours that fit at half their largest tiles.
    CostModel model(*problem, Rules::final());
    const auto tiling = [&](std::int64_t k) {
        return Granularity{std::max<std::int64_t>(model.range().maxW / 2, model.range().minW),
                           std::max<std::int64_t>(model.range().maxH / 2, model.range().minH),
                           std::min(k, model.range().maxK)};
    };
    std::vector<SetId> sets;
    for (const OpId o : order)
        for (const OpId c : problem->consumers(problem->op(o).output)) {
            const SetId set = pool.intern({o, c});
            if (model.compile(pool.set(set).ops, {}) && !model.range().empty() &&
                model.evaluate(tiling(8), TraversalKind::Snake).verdict == TilingCost::Verdict::Fits)
                sets.push_back(set);
        }
    if (sets.empty())
        return;
    double sum = 0;
    const double cached =
        rate([&](std::int64_t i) { sum += pool.latency({sets[static_cast<std::size_t>(i) % sets.size()]}); });
    const double fresh = rate([&](std::int64_t i) {
        (void)model.compile(pool.set(sets[static_cast<std::size_t>(i) % sets.size()]).ops, {});
        sum += model.evaluate(tiling(8), TraversalKind::Snake).latency;
    });
    (void)model.compile(pool.set(sets.front()).ops, {});
    const double compiled =
        rate([&](std::int64_t i) { sum += model.evaluate(tiling(1 + i % 8), TraversalKind::Snake).latency; });
    std::printf(
        "\nOne thread: %.2f M remembered costs/s, %.2f M evaluations/s of a compiled op set, %.0f k/s with "
        "compiling%s\n",
        cached / 1e6, compiled / 1e6, fresh / 1e3, sum == 0.5 ? " " : "");
}

} // namespace

int main(int argc, char** argv)
{
    double scale = 1;
    std::vector<Case> cases;
    for (int i = 1; i < argc; ++i) {
        if (std::string(argv[i]) == "--scale" && i + 1 < argc) {
            scale = std::max(0.01, std::atof(argv[++i]));
            continue;
        }
        auto problem = loadProblem(argv[i]);
        if (!problem) {
            std::fprintf(stderr, "tilewright-bench-solve: %s\n", problem.error().text().c_str());
            return 2;
        }
        cases.push_back({std::filesystem::path(argv[i]).stem().string(), *problem});
    }
    if (cases.empty()) {
        cases = families();
        const std::filesystem::path given =
            std::filesystem::path(TILEWRIGHT_SOURCE_DIR) / ".." / "shared" / "benchmarks";
        std::error_code ignored;
        std::vector<std::filesystem::path> files;
        for (const auto& entry : std::filesystem::directory_iterator(given, ignored))
            if (entry.path().extension() == ".json")
                files.push_back(entry.path());
        std::sort(files.begin(), files.end());
        for (const auto& file : files)
            if (auto problem = loadProblem(file.string()))
                cases.push_back({file.stem().string(), *problem});
    }
    std::printf("| problem | ops | s | latency | gap %% | gap by proof %% | s to 1 %% | below ops alone %% "
                "| below greedy fusion %% | "
                "costs/s |\n|---|---|---|---|---|---|---|---|---|---|\n");
    for (const Case& c : cases)
        row(c, scale);
    stopping(*families().back().problem);
    rates();
    return 0;
}
