// SPDX-License-Identifier: GPL-3.0-or-later
// How far the solver is from the best known after a tenth of the contest's limit, over drawn problems.
//   tilewright-study-solve [--from N] [--count N] [--scale F] [--seeds N] [--threads N] [--known FILE] [--out
//   DIR] [--ops N]
// Budgets are seconds of CPU time of the process divided by the threads, so other work does not matter.
// FILE keeps the best value of each problem over all runs; DIR gets the problems.
#include "families.h"

#include "solve/plan/solve_options.h"
#include "solve/search/solver.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <string>

using namespace tilewright;

namespace {

double cpuSeconds()
{
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

} // namespace

int main(int argc, char** argv)
{
    std::map<std::string, std::string> args{{"from", "0"},  {"count", "30"},  {"scale", "1"},
                                            {"seeds", "2"}, {"threads", "2"}, {"known", ""},
                                            {"first", "1"}, {"out", ""},      {"ops", "0"}};
    for (int i = 1; i + 1 < argc; i += 2)
        args[argv[i] + 2] = argv[i + 1];
    const int threads = std::atoi(args["threads"].c_str());
    std::map<std::string, double> known;
    if (std::ifstream in(args["known"]); in)
        for (std::string name; in >> name;)
            in >> known[name];
    constexpr std::size_t kSizes[]{5, 8, 12, 16, 20, 26, 32, 45, 63, 80, 103, 152};
    std::printf("| problem | ops | worst of seeds | best of seeds | best known | worst over best known %% | "
                "gap to bound %% |\n"
                "|---|---|---|---|---|---|---|\n");
    double sum = 0;
    int losses = 0;
    int rows = 0;
    int proofs = 0;
    const int from = std::atoi(args["from"].c_str());
    for (int i = from; i < from + std::atoi(args["count"].c_str()); ++i) {
        const auto ops = static_cast<std::size_t>(std::atoi(args["ops"].c_str()));
        const auto family =
            bench::drawProblem(static_cast<std::uint64_t>(i),
                               ops > 0 ? ops : kSizes[static_cast<std::size_t>(i * 7) % std::size(kSizes)]);
        if (!family.problem)
            continue;
        const std::string name =
            family.name + "-" + std::to_string(i) + (ops > 0 ? "-" + args["ops"] : std::string());
        if (!args["out"].empty())
            std::ofstream(args["out"] + "/" + name + ".json") << writeProblem(*family.problem);
        double worst = 0;
        double best = 1e300;
        double gap = 0;
        for (int seed = 0; seed < std::atoi(args["seeds"].c_str()); ++seed) {
            SolveOptions options;
            options.seconds = suggestedSeconds(family.problem->opCount()) * std::atof(args["scale"].c_str());
            options.threads = threads;
            options.seed = static_cast<std::uint64_t>(seed + std::atoi(args["first"].c_str()));
            options.clock = [threads] { return cpuSeconds() / threads; };
            const auto result = solve(*family.problem, options);
            if (!result) {
                worst = 1e300;
                continue;
            }
            worst = std::max(worst, result->total);
            best = std::min(best, result->total);
            proofs += result->provenOptimal;
            gap = result->provenOptimal ? 0 : best / result->lowerBound - 1;
        }
        if (best > 1e299)
            continue;
        const auto it = known.try_emplace(name, best).first;
        it->second = std::min(it->second, best);
        const double loss = 100 * (worst / it->second - 1);
        sum += loss;
        losses += loss > 1;
        ++rows;
        std::printf("| %s | %zu | %.1f | %.1f | %.1f | %.2f | %.1f |\n", name.c_str(),
                    family.problem->opCount(), worst, best, it->second, loss, 100 * gap);
        std::fflush(stdout);
        if (!args["known"].empty()) {
            std::ofstream out(args["known"]);
            out.precision(17);
            for (const auto& [key, value] : known)
                out << key << ' ' << value << '\n';
        }
    }
    std::printf("\n%d problems: mean loss %.2f %%, %d above 1 %%, %d runs proven\n", rows,
                rows > 0 ? sum / rows : 0.0, losses, proofs);
    return 0;
}
