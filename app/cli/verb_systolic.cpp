// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs.h"

#include "base/text.h"
#include "systolic/dram_traffic.h"
#include "systolic/hierarchy.h"
#include "systolic/pe_simulator.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iomanip>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct Options
{
    std::string gemm;
    std::string array = "16x16";
    std::string dataflow = "os";
    std::string readout = "shadow";
    std::string hierarchy;
    int weightBuffers = 2;
    std::uint64_t seed = 1;
    bool simulate = false;
    bool json = false;
};

struct Request
{
    Gemm gemm;
    ArrayShape array;
    TimingOptions timing;
    Hierarchy hierarchy;
};

struct Traffic
{
    std::int64_t l2 = 0;
    std::int64_t dram = 0;
};

Result<Request> readOptions(const Options& o)
{
    Request r;
    r.hierarchy = kpuHierarchy();
    if (!o.hierarchy.empty()) {
        const auto read = readHierarchy(o.hierarchy);
        if (!read)
            return read.error();
        r.hierarchy = *read;
    }
    const auto gemm = parseGemm(o.gemm);
    if (!gemm)
        return gemm.error();
    const auto array = parseArrayShape(o.array);
    if (!array)
        return array.error();
    const auto dataflow = parseDataflow(o.dataflow);
    if (!dataflow)
        return dataflow.error();
    const auto readout = parseReadout(o.readout);
    if (!readout)
        return readout.error();
    if (o.weightBuffers != 1 && o.weightBuffers != 2)
        return Error{ErrorCode::Problem,
                     "expected 1 or 2, got " + std::to_string(o.weightBuffers),
                     "--weight-buffers",
                     {}};
    r.gemm = *gemm;
    r.array = *array;
    r.timing = {*dataflow, *readout, o.weightBuffers};
    r.hierarchy.array = *array;
    return r;
}

/// L2 by spec 3.4; DRAM by spec 7 with one array-sized tile, K in steps of 16, in the dataflow's own loop
/// order.
Result<Traffic> traffic(const Request& r)
{
    const std::int64_t e = r.hierarchy.elementBytes;
    const auto l2 = checkedMul(l2Elements(r.gemm, r.array, r.timing.dataflow), e);
    if (!l2)
        return Error{ErrorCode::Problem, "the traffic in bytes overflows", "--gemm", {}};
    DramQuery q;
    q.gemm = r.gemm;
    q.elementBytes = e;
    q.l3Bytes = r.hierarchy.at(Level::L3).totalBytes();
    q.order = loopOrderOf(r.timing.dataflow);
    const bool os = r.timing.dataflow == Dataflow::Os;
    const bool is = r.timing.dataflow == Dataflow::Is;
    q.tile.ti = std::min(r.gemm.m, is ? r.array.cols : r.array.rows);
    q.tile.tj = std::min(r.gemm.n, is ? r.array.rows : r.array.cols);
    q.tile.tk = std::min(r.gemm.k, os ? kTileDepth : r.array.rows);
    if (const auto ok = checkDramQuery(q); !ok)
        return ok.error();
    return Traffic{*l2, dramClosedForm(q).bytes()};
}

int run(const Options& o)
{
    const auto request = readOptions(o);
    if (!request)
        return fail(request.error());
    const Request& r = *request;
    const auto moved = traffic(r);
    if (!moved)
        return fail(moved.error());
    const ArrayTiming timing = arrayTiming(r.gemm, r.array, r.timing);
    std::int64_t cycles = timing.cycles;
    if (o.simulate) {
        auto sim = PeSimulator::createRandom(r.gemm, r.array, r.timing, o.seed);
        if (!sim)
            return fail(sim.error());
        sim->run();
        if (sim->product() != sim->referenceProduct())
            return fail({ErrorCode::Internal, "the simulated array computed a wrong product", {}, {}});
        cycles = sim->measuredCycles();
    }
    const double utilization =
        timing.utilization * static_cast<double>(timing.cycles) / static_cast<double>(cycles);
    if (o.json) {
        const nlohmann::ordered_json out = {{"dataflow", dataflowName(r.timing.dataflow)},
                                            {"rows", r.array.rows},
                                            {"cols", r.array.cols},
                                            {"readout", readoutName(r.timing.readout)},
                                            {"cycles", cycles},
                                            {"folds", timing.folds},
                                            {"utilization", utilization},
                                            {"mapping_efficiency", timing.mappingEfficiency},
                                            {"traffic_bytes", {{"l2", moved->l2}, {"dram", moved->dram}}}};
        std::cout << out.dump(2) << '\n';
        return Exit::Success;
    }
    const auto line = [](const std::string& name, const std::string& value) {
        std::cout << std::left << std::setw(20) << name << value << '\n';
    };
    const auto percent = [](double ratio) {
        std::ostringstream out;
        out << std::fixed << std::setprecision(1) << ratio * 100 << " %";
        return out.str();
    };
    line("dataflow", std::string(dataflowName(r.timing.dataflow)) + ", " +
                         std::string(readoutName(r.timing.readout)) + " read-out" +
                         (timing.readoutHidden ? "" : " (not hidden: K is less than the rows)"));
    line("cycles", formatGrouped(cycles) + (o.simulate ? " (simulated; the product is right)" : ""));
    line("folds", formatGrouped(timing.folds));
    line("utilization", percent(utilization));
    line("mapping efficiency", percent(timing.mappingEfficiency));
    const ArrayPhases phases = FoldPlan(r.gemm, r.array, r.timing).phases();
    line("fill/steady/drain", formatGrouped(phases.fill) + " / " + formatGrouped(phases.steady) + " / " +
                                  formatGrouped(phases.drain) + " cycles");
    line("L2 traffic", formatGrouped(moved->l2) + " bytes");
    line("DRAM traffic", formatGrouped(moved->dram) + " bytes");
    return Exit::Success;
}

} // namespace

void addSystolicVerb(CLI::App& app, int& exitCode)
{
    auto* verb =
        app.add_subcommand("systolic", "Cycles, utilisation and traffic of a GEMM on a systolic array");
    auto o = std::make_shared<Options>();
    verb->add_option("--gemm", o->gemm, "MxNxK: C[M,N] = A[M,K] x B[K,N]")->required();
    verb->add_option("--array", o->array, "RxC processing elements (default 16x16)");
    verb->add_option("--dataflow", o->dataflow, "os, ws or is (default os)");
    verb->add_option("--readout", o->readout, "shadow, shift or scale-sim (default shadow)");
    verb->add_option("--weight-buffers", o->weightBuffers, "1 or 2 (default 2), for ws and is");
    verb->add_option("--hierarchy", o->hierarchy, "Memory hierarchy file (default: the built-in kpu)");
    verb->add_flag("--simulate", o->simulate, "Run the register-level simulator instead of the closed form");
    verb->add_option("--seed", o->seed, "Of the operands for --simulate");
    verb->add_flag("--json", o->json, "One JSON document on stdout");
    verb->callback([o, &exitCode] { exitCode = run(*o); });
}

} // namespace tilewright::cli
