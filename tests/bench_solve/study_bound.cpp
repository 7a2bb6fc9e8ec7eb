// SPDX-License-Identifier: GPL-3.0-or-later
// How close the bound by prices is (docs/rules/bound.md).
//   tilewright-study-bound [--seconds F] [--solve F] [--verbose] PROBLEM.json ...
//       the quick bound, the bound after some seconds and, with --solve, the gap to the best schedule of so
//       many seconds
//   tilewright-study-bound --drawn N [--ops 8-40] [--seconds F] [--solve F]
//       the same for N drawn problems, and how the gaps spread
//   tilewright-study-bound --prove SECONDS [--ops 20] [--drawn N] [--solve F] [PROBLEM.json ...]
//       branch and bound from the best schedule of F seconds (2), on graphs of at most so many ops; --ops
//       8-40 draws as without --prove, --times T gives each problem T times the seconds that suit its size
//   tilewright-study-bound --prove SECONDS --brute N [--first I]
//       the same from the optimum of plain search and from latencies above it, which it must find
//   tilewright-study-bound --brute N [--first I]
//       N small problems under drawn rules against plain search over every schedule
#include "families.h"
#include "random_cases.h"
#include "solve_brute_force.h"
#include "solve_support.h"

#include "base/progress.h"
#include "eval/evaluator.h"
#include "eval/lower_bound.h"
#include "solve/plan/solve_options.h"
#include "solve/proof/prove.h"
#include "solve/proof/set_cover.h"
#include "solve/search/proof_run.h"
#include "solve/search/solver.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

using namespace tilewright;

namespace {

struct Options
{
    double seconds = 2;
    double solve = 0;
    double prove = 0;
    double times = 0; ///< of what suits the size
    bool verbose = false;
};

/// The gap, or -1 when nothing was solved; the bound must not be above what was found.
double study(const std::string& name, const Problem& problem, const Options& o)
{
    const double quick = lowerBound(problem, {}).value;
    const double start = wallClock();
    SetCoverLimits limits;
    limits.seconds = o.seconds;
    limits.threads = 2;
    const SetCoverBound sets = setCoverBound(problem, {}, limits);
    std::printf("%-28s %4zu ops  quick %14.1f  priced %14.1f (%zu sets, %.2f s)", name.c_str(),
                problem.opCount(), quick, sets.value, sets.sets, wallClock() - start);
    double gap = -1;
    if (o.solve > 0) {
        SolveOptions options;
        options.seconds = o.solve;
        if (const auto result = solve(problem, options)) {
            gap = result->total / std::max(quick, sets.value) - 1;
            std::printf("  best %14.1f  gap %.2f %% (was %.2f %%)%s%s", result->total, 100 * gap,
                        100 * result->gap(), result->provenOptimal ? " proven" : "",
                        gap < -1e-9 ? "  ABOVE THE OPTIMUM" : "");
            if (result->provenOptimal)
                gap = 0;
        }
    }
    std::printf("\n");
    if (o.verbose)
        for (const PricedGroup& g : sets.groups) {
            std::printf("    %.3f x %.1f:", g.share, g.least);
            for (const OpId op : g.ops)
                std::printf(" %u", op.value);
            std::printf("\n");
        }
    std::fflush(stdout);
    return gap;
}

int studyDrawn(int count, std::size_t least, std::size_t most, const Options& options)
{
    std::vector<double> gaps;
    for (int seed = 0; seed < count; ++seed) {
        const auto number = static_cast<std::size_t>(seed);
        const bench::Family family =
            bench::drawProblem(1000 + number, least + number * 7 % (most - least + 1));
        if (const double gap = study(family.name, *family.problem, options); gap > -1)
            gaps.push_back(gap);
    }
    if (gaps.empty())
        return 0;
    std::ranges::sort(gaps);
    std::printf("%zu problems: median gap %.2f %%, upper quartile %.2f %%, largest %.2f %%; %d optimal\n",
                gaps.size(), 100 * gaps[gaps.size() / 2], 100 * gaps[gaps.size() * 3 / 4], 100 * gaps.back(),
                static_cast<int>(std::ranges::count_if(gaps, [](double g) { return g < 1e-6; })));
    return gaps.front() < -1e-9 ? 1 : 0;
}

struct Proven
{
    int problems = 0, everywhere = 0, presets = 0, better = 0;
    std::vector<double> gaps;       ///< to the bound on every valid schedule
    std::vector<double> presetGaps; ///< to that on what the proof is about; 0 where it came to its end
};

void printSpread(const char* name, std::vector<double> gaps)
{
    if (gaps.empty())
        return;
    std::ranges::sort(gaps);
    std::printf("%s: median gap %.2f %%, upper quartile %.2f %%, largest %.2f %%\n", name,
                100 * gaps[gaps.size() / 2], 100 * gaps[gaps.size() * 3 / 4], 100 * gaps.back());
}

/// Solves, then proves; false when the proof contradicts the solver.
bool studyProof(const std::string& name, const Problem& problem, const Options& o, Proven& count)
{
    SolveOptions options;
    options.seconds = o.solve > 0 ? o.solve : 2;
    auto result = solve(problem, options);
    if (!result)
        return true;
    const double before = result->total;
    ++count.problems;
    const double started = wallClock();
    ProofCallbacks callbacks;
    if (o.verbose)
        callbacks.onBound = [started](const LowerBound& bound) {
            std::printf("    %8.2f s  bound %14.1f\n", wallClock() - started, bound.value);
        };
    const ProofRunResult proof =
        runProof(problem, {},
                 {.seconds = o.times > 0 ? o.times * suggestedSeconds(problem.opCount()) : o.prove,
                  .total = result->total,
                  .findsSchedule = false,
                  .stop = {}},
                 callbacks);
    const double seconds = wallClock() - started;
    const bool sound = !proof.state.schedule || evaluate(problem, *proof.state.schedule, {}).valid();
    const double bound = proof.bound.value, presetBound = proof.state.presetBound;
    const bool optimal =
        proof.state.optimal || (result->provenOptimal && proof.columns == 0); // too many op sets
    applyProof(*result, proof, true);
    count.gaps.push_back(result->total / bound - 1);
    count.presetGaps.push_back(optimal ? 0 : result->total / presetBound - 1);
    count.everywhere += result->total <= bound * (1 + 1e-8);
    count.presets += optimal;
    count.better += result->total < before * (1 - 1e-9);
    std::printf("%-12s %2zu ops  best %14.1f%s  bound %14.1f (gap %6.2f %%, presets %6.2f %%)  %7zu columns "
                "%8lld states %6.1f s  %s%s\n",
                name.c_str(), problem.opCount(), result->total, result->total < before ? "*" : " ", bound,
                100 * (result->total / bound - 1), 100 * (result->total / presetBound - 1), proof.columns,
                static_cast<long long>(proof.states), seconds, optimal ? "proven" : "",
                sound ? "" : "  NOT VALID");
    std::fflush(stdout);
    return sound;
}

/// Graphs of `most` ops, or of a few less where blocks do not end there.
int studyProofs(int count, std::size_t least, std::size_t most, const Options& options)
{
    Proven proven;
    bool sound = true;
    for (int seed = 0; seed < count; ++seed) {
        const auto number = static_cast<std::size_t>(seed);
        bench::Family family = bench::drawProblem(1000 + number, least + number * 7 % (most - least + 1));
        for (std::size_t ops = most; least == most && family.problem->opCount() > most; --ops)
            family = bench::drawProblem(1000 + number, ops);
        sound &= studyProof(family.name, *family.problem, options, proven);
    }
    std::printf("%d problems: %d proven (%d of them for every order of tiles), %d schedules improved\n",
                proven.problems, proven.presets, proven.everywhere, proven.better);
    printSpread("every order of tiles", std::move(proven.gaps));
    printSpread("what proofs are about", std::move(proven.presetGaps));
    return sound ? 0 : 1;
}

/// A small problem, its rules and its optimum; no problem when nothing is valid.
struct SmallCase
{
    ProblemPtr problem;
    Rules rules;
    double optimum = 0;
};

SmallCase smallCase(int seed)
{
    testing::Random rng(100'000 + static_cast<std::uint64_t>(seed));
    SmallCase out;
    out.problem = testing::smallProblem(rng);
    random_cases::Source rnd(static_cast<std::uint64_t>(seed));
    out.rules = seed % 2 == 0 ? random_cases::rules(rnd) : Rules::final();
    out.optimum = testing::BruteForce(*out.problem, out.rules).optimum();
    if (out.optimum >= 1e300)
        out.problem = nullptr;
    return out;
}

int studyBruteProofs(int first, int count, const Options& o)
{
    int cases = 0, proofs = 0, proven = 0, wrong = 0;
    for (int seed = first; seed < first + count; ++seed) {
        const auto [problem, rules, optimum] = smallCase(seed);
        if (!problem)
            continue;
        ++cases;
        for (const double from : {1.0, 1.001, 1.7}) {
            ProofLimits limits;
            limits.seconds = o.prove;
            const Proof proof = prove(*problem, rules, optimum * from, limits);
            const double best = std::min(optimum * from, proof.total);
            ++proofs;
            proven += proof.optimal;
            const double above = optimum * (1 + 1e-9);
            if (proof.lowerBound <= above && proof.presetBound <= above && best >= optimum * (1 - 1e-9) &&
                !(proof.optimal && best > above) &&
                !(proof.schedule && !evaluate(*problem, *proof.schedule, rules).valid()))
                continue;
            ++wrong;
            std::printf("seed %d from %g: optimum %.17g, bounds %.17g %.17g, best %.17g%s\n", seed, from,
                        optimum, proof.lowerBound, proof.presetBound, best, proof.optimal ? " PROVEN" : "");
            std::fflush(stdout);
        }
    }
    std::printf("%d problems, %d of %d proven, %d wrong\n", cases, proven, proofs, wrong);
    return wrong > 0 ? 1 : 0;
}

int studyBrute(int first, int count)
{
    int cases = 0, reached = 0, above = 0;
    for (int seed = first; seed < first + count; ++seed) {
        const auto [p, rules, optimum] = smallCase(seed);
        if (!p)
            continue;
        ++cases;
        SetCoverLimits limits;
        limits.seconds = 1e3;
        for (const bool roughly : {false, true}) { // as large graphs are looked at
            if (roughly) {
                limits.opsPerGroup = 1;
                limits.opsWithOwnPrices = 0;
            }
            const SetCoverBound b = setCoverBound(*p, rules, limits);
            reached += !roughly && b.value >= optimum * (1 - 1e-6);
            if (b.value <= optimum * (1 + 1e-9))
                continue;
            ++above;
            std::printf("seed %d%s: bound %.17g above the optimum %.17g\n", seed, roughly ? " roughly" : "",
                        b.value, optimum);
            std::fflush(stdout);
        }
    }
    std::printf("%d problems, %d optimal by the bound, %d above the optimum\n", cases, reached, above);
    return above > 0 ? 1 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    Options options;
    int drawn = 0, first = 0, brute = 0;
    std::size_t least = 8, most = 40;
    bool ranged = false;
    std::vector<std::string> files;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        const char* next = i + 1 < argc ? argv[i + 1] : "";
        if (word == "--verbose") {
            options.verbose = true;
            continue;
        }
        if (!word.starts_with("--")) {
            files.push_back(word);
            continue;
        }
        ++i;
        if (word == "--seconds")
            options.seconds = std::atof(next);
        else if (word == "--solve")
            options.solve = std::atof(next);
        else if (word == "--prove")
            options.prove = std::atof(next);
        else if (word == "--times")
            options.times = std::atof(next);
        else if (word == "--first")
            first = std::atoi(next);
        else if (word == "--drawn")
            drawn = std::atoi(next);
        else if (word == "--brute")
            brute = std::atoi(next);
        else if (const int numbers = std::sscanf(next, "%zu-%zu", &least, &most);
                 word != "--ops" || numbers < 1 || (numbers == 2 && most < least)) {
            std::fprintf(stderr, "%s: not known\n", word.c_str());
            return 2;
        } else {
            most = numbers == 1 ? least : most;
            ranged = true;
        }
    }
    for (const std::string& file : files) {
        const auto problem = loadProblem(file);
        if (!problem) {
            std::fprintf(stderr, "%s\n", problem.error().text().c_str());
            return 2;
        }
        Proven proven;
        if (options.prove > 0)
            (void)studyProof(file, **problem, options, proven);
        else
            (void)study(file, **problem, options);
    }
    if (options.prove > 0 && brute > 0)
        return studyBruteProofs(first, brute, options);
    if (options.prove > 0)
        return studyProofs(drawn, ranged ? least : most, most, options);
    if (brute > 0)
        return studyBrute(first, brute);
    return drawn > 0 ? studyDrawn(drawn, least, most, options) : 0;
}
