// SPDX-License-Identifier: GPL-3.0-or-later
// The options of every call, and the files that they name.
#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "hierarchy/files.h"
#include "lower/machine_levels.h"
#include "mapping/files.h"
#include "model/file_kind.h"
#include "timeloop/timeloop.h"
#include "verbs/map.h"
#include "verbs/npu.h"
#include "verbs/run.h"
#include "verbs/schedule.h"
#include "verbs/sweep.h"
#include "verbs/systolic.h"
#include "verbs/tile.h"
#include "workload/problem_json.h"

#include <charconv>

namespace tilewright::verbs {

namespace {

constexpr double kMostSeconds = 1e9, kMostThreads = 1024;

/// Adds the options that `systolic` and `tile` share.
template <typename Call> void bindProduct(OptionList& o, Call& call)
{
    const Property noMachine = o.notWith(call.workload.hasMachine(), "--machine");
    o.add("workload", call.workload.file, "FILE", "Workload of any kind: a row for each of its products");
    o.add("--gemm", call.gemm, "MxNxK", "Size of one product C[M,N] = A[M,K] x B[K,N]",
          o.notWith(call.workload.isNamed(), "a workload"));
    o.add(
        "--layer", call.layer, "NAME",
        "One product of the workload, by the name of its operator; NAME:2 is that operator's second product",
        o.needs(call.workload.isNamed(), "a workload"));
    bindOptions(o, call.workload);
    o.add("--array", call.array, "RxC", "Processing elements", noMachine,
          o.otherwise("those of machine or hierarchy, else 16x16"));
    o.add("--hierarchy", call.hierarchyFile, "FILE", "Memory hierarchy, with an array", noMachine,
          o.otherwise("the machine, else the built-in kpu"));
}

template <typename Call> Status readProductFiles(Call& call)
{
    if (!call.hierarchyFile.empty()) {
        auto read = systolic::readHierarchy(call.hierarchyFile);
        if (!read)
            return read.error();
        call.hierarchy = std::move(*read);
    }
    return readFiles(call.workload);
}

void bindProblem(OptionList& o, WorkloadCall& workload, RulesCall& rules)
{
    o.add("problem", workload.file, "FILE", "Problem, or any workload to lower", o.required());
    bindOptions(o, workload);
    bindOptions(o, rules);
}

} // namespace

Status readFiles(WorkloadCall& call, const onnx::Dimensions& usual, bool asProblem)
{
    if (!call.workload && !call.file.empty()) {
        const auto given = call.dimensions();
        if (!given)
            return given.error();
        const auto content = onnx::readFile(call.file);
        if (!content)
            return content.error();
        if (const std::string option = call.language.given();
            !option.empty() && !isLanguageModel(content->view()))
            return Error{ErrorCode::Refused, "needs the config.json of a language model", option, call.file};
        auto workload = lower::readWorkload(content->view(), call.file, given->empty() ? usual : *given);
        if (!workload) {
            const auto kind = fileKindOf(content->view(), call.file);
            if (call.mayBeMachine && kind && *kind == FileKind::Machine) {
                auto machine = readMachine(content->view(), call.file);
                if (!machine)
                    return machine.error();
                call.described = std::move(*machine);
                return Unit{};
            }
            if (asProblem && kind && *kind == FileKind::Schedule)
                if (const auto problem = tilewright::readProblem(content->view(), call.file); !problem)
                    return problem.error();
            return workload.error();
        }
        if (workload->problem)
            noticeOf(call.file, lower::unknownInProblem(workload->problem->data().extra));
        noticeOf(call.file, call.strict ? std::string() : lower::missingText(*workload));
        call.workload = std::make_shared<const lower::Workload>(std::move(*workload));
    }
    if (call.strict && call.workload)
        if (std::string missing = lower::missingText(*call.workload); !missing.empty())
            return Error{ErrorCode::Missing, std::move(missing), {}, call.file};
    if (!call.machine && !call.machines.empty()) {
        auto machine = lower::loadMachine(call.machines);
        if (!machine)
            return machine.error();
        call.machine = std::move(*machine);
    }
    return Unit{};
}

void bindOptions(OptionList& o, RulesCall& call)
{
    std::string names;
    for (const RuleSwitch& s : ruleSwitches())
        names += (names.empty() ? "" : ", ") + std::string(s.name) + "=" + s.valueList("|");
    o.add(
        "--rules", call.set, "auto|final|seed|machine",
        std::string(
            "Rule set. final: the contest's last statement; seed: an earlier one; machine: a model on a "
            "machine; auto: that of the ") +
            (call.byFile
                 ? "schedule file, which states it or whose latencies agree with it, else that of the problem"
                 : "problem"));
    o.add("--set", call.switches, "NAME=VALUE", "Value of one rule; may be repeated: " + names);
}

void bindOptions(OptionList& o, ScheduleCall& call)
{
    bindProblem(o, call.workload, call.rules);
    o.add("schedule", call.schedule, "FILE", "Schedule", o.required());
}

void bindOptions(OptionList& o, EvaluateCall& call)
{
    bindOptions(o, static_cast<ScheduleCall&>(call));
    o.add("--constraints", call.constraintsFile, "FILE",
          "Compare the schedule with constraints (JSON, as for solve): the answer is no if it breaks one");
}

void bindOptions(OptionList& o, PlaceCall& call)
{
    const bool ofSchedule = !call.schedule.empty();
    bindOptions(o, static_cast<ScheduleCall&>(call));
    o["problem"].help += "; without a schedule a CSV file of buffers: id,lower,upper,size";
    o["schedule"].required = false;
    for (const char* name : {"--dim", "--machine", "--rules", "--set", "--phase", "--batch", "--prompt",
                             "--cached", "--tokens", "--layers", "--chips", "--stages", "--expert-chips",
                             "--expert-skew", "--kv-bits", "--weight-bits", "--activation-bits"})
        o.needs(ofSchedule, "a schedule")(o[name]);
    o.add("--capacity", call.capacity, Range{1}, "Fast memory, which a file of buffers needs",
          o.notWith(ofSchedule, "a schedule, whose problem has its own"), o.otherwise("that of the problem"));
    o.add("--seconds", call.seconds, Range{.unit = "s"},
          "Time limit, with the best found by then; 0: until it is proven");
}

void bindOptions(OptionList& o, RunCall& call)
{
    bindOptions(o, static_cast<ScheduleCall&>(call));
    o.add("--prefetch", call.prefetch, Range{0, RunCall::kMostPrefetch},
          "Steps whose loads may be under way beside the oldest step that has not ended; 0: one command "
          "after the "
          "other");
    o.add("--cores", call.cores, Range{1, RunOptions::kMostCores},
          "Cores that share the external memory, at most those of the machine; a schedule is planned for 1");
}

void bindOptions(OptionList& o, BoundCall& call)
{
    bindProblem(o, call.workload, call.rules);
    o.add("--seconds", call.seconds, Range{0, kMostSeconds, false, "s"},
          "Time for a bound by capacity and structure, and for branch and bound against the best schedule "
          "found; 0: the quick bound, which the window always shows, so its proofs start with " +
              formatNumber(kWindowProofSeconds));
    o.add("--threads", call.threads, Range{0, kMostThreads},
          "Threads of the proof; 0: all, in the window all but one, so that it can still be used",
          o.needs(call.seconds > 0, "--seconds"));
}

void bindOptions(OptionList& o, SolveCall& call)
{
    constexpr double kMostSteps = 1e15;
    constexpr std::size_t kMostOps = 100'000;
    bindProblem(o, call.workload, call.rules);
    o.add("--seconds", call.seconds, Range{0, kMostSeconds, false, "s"},
          "Wall-clock time of the search; 0: until it is interrupted or has done --iterations",
          o.otherwise("a time by the number of ops, from " + formatNumber(suggestedSeconds(1)) + " to " +
                      formatNumber(suggestedSeconds(kMostOps))));
    o.add("--patience", call.patience, Range{0, kMostSeconds, false, "s"},
          "The search ends after this number of seconds without a better schedule; 0: never");
    o.add("--iterations", call.iterations, Range{0, kMostSteps}, "Search steps a thread; 0: no limit");
    o.add("--threads", call.threads, Range{0, kMostThreads}, "Threads of search and proof; 0: all");
    o.add("--seed", call.seed, Range{}, "Seed of the random choices");
    o.add("--start", call.startFile, "FILE", "Schedule to start from; its locked subgraphs stay",
          o.otherwise("none, in the window the schedule on the screen"));
    o.add("--constraints", call.constraintsFile, "FILE",
          "What the schedule keeps (JSON): ops together or apart, ranges of tiles, retained tensors");
    o.flag("--constraint-costs", call.constraintCosts,
           "Search again without each constraint and each lock, for as long, and print what it costs",
           o.needs(!call.constraintsFile.empty() || call.constraints.any() || !call.startFile.empty() ||
                       call.start,
                   "--constraints or --start"));
    o.add("--objective", call.objective, "latency|energy|edp",
          "What is minimised: latency, energy, or latency times energy; the last two need a problem with "
          "energies");
    o.add("--finish", call.finish, "latency|run",
          "What decides in the end: the latency, or the end of the run (see the verb run), for which the "
          "search's "
          "result is tried with other tiles",
          o.needs(call.finish != "run" || call.objective == "latency", "--objective latency"),
          o.notWith(call.finish == "run" && call.placeable, "--placeable"),
          o.notWith(call.finish == "run" && (!call.constraintsFile.empty() || call.constraints.any()),
                    "--constraints"));
    o.flag("--placeable", call.placeable, "Only schedules whose buffers have addresses (see the verb place)");
    o.add("--prove", call.prove, Range{0, kMostSeconds, false, "s"},
          "Seconds, after the search, for a proof of how good the result is; a better schedule is taken");
}

void bindOptions(OptionList& o, SweepCall& call)
{
    o.add("plan", call.plan, "FILE", "Plan (JSON)");
    o.add("-o,--output", call.output, "FOLDER", "Folder of the results");
    o.add("--threads", call.threads, Range{0, kMostThreads},
          "Points computed at once; 0: as many as the machine has threads");
    o.add("--part", call.part, "I/N", "Only every N-th point, from the I-th on");
    o.flag("--keep-schedules", call.keepSchedules, "Keep the schedules that are found, in FOLDER/schedules",
           o.needs(!call.output.empty(), "--output"));
    o.add("--set", call.switches, "NAME=VALUE", "Value of one rule, as for solve; may be repeated",
          o.oneByOne());
}

void bindOptions(OptionList& o, SystolicCall& call)
{
    const bool isProduct = !call.ofNetwork(), isProgram = isProduct && !call.pipeline.empty();
    const Property product = o.needs(isProduct, kOneProduct), program = o.needs(isProgram, "--pipeline");
    const Property noProgram = o.notWith(isProgram, "--pipeline");
    bindProduct(o, call);
    o.add("--tile", call.tile, "TixTjxTk|search",
          "Tile of the L2 schedules, the DRAM traffic and the program; search: that of `tile`, for one "
          "buffer of L2",
          product, o.otherwise("the size of the array"));
    o.add("--dataflow", call.dataflow, "os|ws|is", "What stays in the array: outputs, weights or inputs",
          o.otherwise("that of the machine, else os"));
    o.add("--readout", call.readout, "shadow|shift|scale-sim", "How results leave the array",
          o.notWith(isProgram && call.readout != "shadow",
                    "--pipeline, whose programs read out by shadow registers"));
    o.add("--weight-buffers", call.weightBuffers, Range{1, 2},
          "Weight registers of a processing element (ws, is)");
    o.add("--dram-gb-per-s", call.dramGbPerSecond, Range{.above = true, .unit = "GB/s"},
          "Bandwidth of DRAM, for the roofline, the dataflows and the program",
          o.otherwise("that of the hierarchy"));
    o.flag("--simulate", call.simulate, "Run the register-level simulator instead of the closed form",
           product, noProgram);
    o.add("--seed", call.seed, Range{}, "Seed of the simulator's operands",
          o.needs(call.simulate, "--simulate"));
    o.add("--fifo-depth", call.supply.depth, Range{1}, "Elements in an edge FIFO", product);
    o.add("--west-rate", call.supply.westPerCycle, Range{},
          "Elements a cycle into the west FIFOs; 0: unlimited", product, noProgram);
    o.add("--north-rate", call.supply.northPerCycle, Range{},
          "Elements a cycle into the north FIFOs; 0: unlimited", product, noProgram);
    o.add("--pipeline", call.pipeline, "barriered|pipelined", "Run a program through the memories", product);
    o.add("--bandwidth", call.bandwidth, "unlimited|hierarchy", "Bandwidth of the program's memories",
          program, o.otherwise("hierarchy with --machine, --hierarchy or --dram-gb-per-s, else unlimited"));
    o.add("--bank-layout", call.bankLayout, "split|seed",
          "Tiles in the banks of L2: split, or as the source document prints it", product);
    o.add("--schedule", call.schedule, "a|a-row|a-full|b", "L2 schedule of the program",
          o.needs(isProgram && call.pipeline == "pipelined", "--pipeline pipelined"),
          o.otherwise("a-row, or b in as few passes as L2 holds"));
    o.add("--passes", call.passes, Range{1}, "Passes over k", o.needs(call.schedule == "b", "--schedule b"),
          o.otherwise("2, or the fewest that fit into L2"));
    o.add("--depth", call.depth, Range{1},
          "Depth of one step in the array: over k (os), rows of A (ws), columns of B (is)", program,
          o.otherwise("16; with --tile the deepest that L1 holds"));
    o.add("--max-commands", call.maxCommands, Range{},
          "Refuse a program of more commands, before it runs; 0: run any", program);
    o.flag("--compare", call.compare, "The program of each dataflow beside the others", program);
}

Status readFiles(SystolicCall& call)
{
    return readProductFiles(call);
}

void bindOptions(OptionList& o, TileCall& call)
{
    const Property product = o.needs(!call.ofNetwork(), kOneProduct);
    const std::string levels = "three numbers, of L3, L2 and L1";
    bindProduct(o, call);
    o.add("--capacity", call.capacity, Range{.min = 1, .unit = "B"}, "Bytes of the level",
          o.otherwise("those of --level in machine or hierarchy, else 65536"));
    o.add("--level", call.level, "l3|l2|l1|l3-buffer|l2-buffer|l1-buffer",
          "Memory level, or one buffer of it",
          o.needs(call.workload.isNamed() || call.workload.hasMachine() || !call.hierarchyFile.empty(),
                  "a workload, --machine or --hierarchy"),
          o.notWith(call.capacity.has_value(), "--capacity"));
    o.add("--element-bytes", call.elementBytes, Range{1}, "Bytes of an element",
          o.otherwise("those of machine or hierarchy, else 4"));
    o.add("--buffering", call.buffering, Range{1, 2}, "Divisor of the capacity: 2 for double buffering");
    o.add("--footprint", call.footprint, "conservative|aggressive",
          "C counted, or left in the processing elements");
    o.add("--method", call.method, "analytic|exhaustive|learned", "How the tile is chosen",
          o.notWith(!call.tile.empty(), "--tile"));
    o.add("--tile", call.tile, "TixTjxTk", "Cost of this tile instead of a choice", product);
    o.add("--level-buffers", call.levelBuffers, Range{},
          "Buffers of L3,L2,L1 that a tile of the three levels may fill; 0: all", o.exactly(3, levels),
          product, o.otherwise("0,0,1"));
    o.add("--level-buffering", call.levelBuffering, Range{1, 2}, "Buffering of L3,L2,L1; 2: double",
          o.exactly(3, levels), product, o.otherwise("1,1,2"));
}

Status readFiles(TileCall& call)
{
    return readProductFiles(call);
}

void bindOptions(OptionList& o, NpuCall& call)
{
    const bool isStatic = call.scheduler == "static", both = !call.scaling.empty();
    const Property dynamic = o.notWith(isStatic && !both, "--scheduler static, unless with --scaling");
    const Property noSchedule = o.notWith(!call.schedule.empty(), "--schedule");
    const Range cores{1, npu::kMaxCores};
    o.add("MODEL", call.workload.file, "FILE", "Model, or any workload to lower", o.required());
    bindOptions(o, call.workload);
    o.add("--hardware", call.hardwareFile, "FILE", "Hardware of the NPU lens",
          o.notWith(call.workload.hasMachine(), "--machine"), noSchedule,
          o.otherwise("that of the file or the machine"));
    o.add("--schedule", call.schedule, "FILE",
          "Schedule, which runs instead of the tile graph, as with the verb run");
    o.add("--cores", call.cores, cores, "Number of cores", o.otherwise("that of the hardware"));
    o.add(
        "--scheduler", call.scheduler, "best|static|dynamic",
        "Lists made before the run, choices during it, or the fastest of all that are offered (dynamic for a "
        "graph of more than " +
            formatGrouped(npu::kMostComparedNodes) + " nodes)",
        noSchedule);
    o.add("--assignment", call.assignment, "round_robin|cost_aware|head_parallel",
          "Which core runs a unit; of these the dynamic scheduler knows head_parallel only",
          o.needs(isStatic || both || call.writesGraph || call.assignment == "head_parallel",
                  "--scheduler static, --scaling or --graph, unless head_parallel"),
          noSchedule);
    o.add("--weights", call.weights, Range{-std::numeric_limits<double>::infinity()},
          "Weights w1,w2,w3 of the dynamic score", o.exactly(3, "three numbers w1,w2,w3"), dynamic,
          noSchedule, o.otherwise("1,0.3,0.5"));
    o.flag("--memory-bound-first", call.memoryBoundFirst, "Dynamic scheduler: nodes bound by memory go first",
           dynamic, noSchedule);
    o.add("--tiles", call.tiles, "default|searched",
          "Tiles of the file, or of the rule where it has none; or those of least simulated time",
          noSchedule);
    o.add("--scaling", call.scaling, cores, "Numbers of cores to compare both schedulers on", noSchedule);
}

Status readFiles(NpuCall& call)
{
    if (Status s = readFiles(call.workload); !s)
        return s;
    if (call.hardwareFile.empty())
        return Unit{};
    const auto loaded = npu::loadHardware(call.hardwareFile);
    if (!loaded)
        return loaded.error();
    call.hardware = *loaded;
    return Unit{};
}

std::string MapCall::oneLayerFor() const
{
    return !method.empty()            ? "--method"
           : exports                  ? "--export"
           : !constraintsFile.empty() ? "--constraints"
           : !factors.empty()         ? "--factor"
           : !orders.empty()          ? "--order"
           : constraintCosts          ? "--constraint-costs"
                                      : "";
}

bool MapCall::levelsOfMachine() const
{
    return costModel == "hierarchy" && architectureFile.empty();
}

bool MapCall::keepsLevelsOfDocument() const
{
    return architectureFile.empty() && costModel != "hierarchy" && !workload.hasMachine();
}

bool MapCall::ofModel() const
{
    return workload.workload && workload.workload->isModel() && layer.empty() && oneLayerFor().empty();
}

void bindOptions(OptionList& o, MapCall& call)
{
    const Property search = o.notWith(!call.method.empty(), "--method");
    const Property fourLevels = o.notWith(call.hierarchy.has_value(), "an architecture with levels");
    // Until the file has been read, it may contain either kind of architecture.
    const bool mayHaveLevels =
        call.hierarchy || call.levelsOfMachine() || (!call.architectureFile.empty() && !call.architecture);
    const Property withLevels = o.needs(mayHaveLevels, "an architecture with levels");
    o.add("layer", call.workload.file, "FILE",
          "Layer, layer list, mapping document, or any workload to lower", o.required());
    o.add("architecture", call.architectureFile, "FILE",
          "Architecture: of four levels, or with levels of its own (JSON, or YAML of Timeloop)",
          o.notWith(call.workload.hasMachine(), "--machine"), o.otherwise("the default one"));
    bindOptions(o, call.workload);
    o.add(
        "--cost-model", call.costModel, "four-levels|hierarchy",
        "Levels of the machine: the four ones of the lens, or those that the machine has, with a cost model "
        "of their own",
        o.notWith(!call.architectureFile.empty(), "an architecture"));
    o.add("--layer", call.layer, "NAME",
          "One layer of a model, by the name of its operator; NAME:2 is that operator's second layer");
    o.add("--objective", call.objective, "edp|energy|cycles",
          "What is minimised: energy-delay product, energy or cycles");
    o.add("--method", call.method, "FILE", "Method or mapping to evaluate instead of searching for one");
    o.flag("--quick", call.quick,
           "Search only methods of high utilisation; with levels only the most promising mappings", search);
    o.add("--seconds", call.seconds, Range{.above = true, .unit = "s"}, "Time limit of the search", search,
          o.otherwise("60 for a layer, 600 for a model"));
    o.add("--threads", call.threads, Range{0, kMostThreads}, "Threads of the search; 0: all", search);
    o.flag("--imperfect", call.options.imperfect,
           "Factors need not divide: the last tile of a loop is smaller");
    o.flag("--reduction-tree", call.options.reductionTree,
           "Add partial results of processing elements pairwise", fourLevels);
    o.flag("--overlapped", call.options.overlapped,
           "Count the cycles of the busiest resource only (roofline)", fourLevels);
    o.add("--bypass", call.bypass, "OPERAND",
          "Operand that skips the scratchpad: I, W or O (A, B or C), or SPM.W; with levels LEVEL.W; may be "
          "repeated");
    o.add("--factor", call.factors, "FACTOR",
          "Fixed or bounded factor: SPATIAL.M=16, RF.C<=8, DRAM.K>=2; with levels LEVEL.K=8 or "
          "LEVEL.AXIS.K=8; may "
          "be repeated",
          search);
    o.add("--order", call.orders, "LEVEL=LOOPS",
          "Innermost temporal loops of a level, from the outermost of them inwards: buffer=K,X; may be "
          "repeated",
          search, withLevels);
    o.add("--axis", call.axes, "LEVEL.AXIS=LOOPS",
          "Loops that an axis may take, of those that it takes: buffer.rows=X,K; may be repeated",
          withLevels);
    o.add(
        "--constraints", call.constraintsFile, "FILE",
        "Timeloop constraints (YAML) that the search keeps: factors, spatial factors and bypass; with levels "
        "also orders",
        search);
    const bool isConstrained = !call.factors.empty() || !call.orders.empty() || !call.axes.empty() ||
                               !call.bypass.empty() || !call.constraintsFile.empty() ||
                               (call.workload.workload && call.workload.workload->levels);
    o.flag("--constraint-costs", call.constraintCosts,
           "Search again without each constraint, for as long, and print what it costs", search, withLevels,
           o.needs(isConstrained || !call.workload.workload,
                   "--factor, --order, --axis, --bypass, --constraints or a mapping document"));
}

namespace {

/// Changes the hierarchy of the call by the options --imperfect, --bypass and --axis.
Status changeHierarchy(MapCall& call)
{
    call.hierarchy->imperfect = call.hierarchy->imperfect || call.options.imperfect;
    call.freeHierarchy = call.hierarchy;
    for (const std::string& text : call.bypass)
        if (Status s = hierarchy::addBypass(*call.hierarchy, text); !s)
            return s;
    for (const std::string& text : call.axes)
        if (Status s = hierarchy::limitAxis(*call.hierarchy, text); !s)
            return s;
    return Unit{};
}

/// Takes the architecture with levels from the document of the Mapping lens, unless the options name another
/// one.
void takeLevelsOfDocument(MapCall& call)
{
    const WorkloadCall& workload = call.workload;
    if (!workload.workload || !workload.workload->levels)
        return;
    const hierarchy::Architecture& own = workload.workload->levels->architecture;
    if (!call.hierarchy && !call.architecture && !workload.hasMachine())
        call.hierarchy = own;
    else if (call.hierarchy != own)
        noticeOf(workload.file, kOtherArchitecture);
}

} // namespace

Status readFiles(MapCall& call)
{
    if (!call.architectureFile.empty()) {
        const auto text = readFile(call.architectureFile);
        if (!text)
            return text.error();
        const bool isYaml = timeloop::isYamlName(call.architectureFile);
        if (isYaml || hierarchy::hasLevels(*text)) {
            auto read = isYaml ? timeloop::readArchitecture(*text, call.architectureFile)
                               : hierarchy::readArchitecture(*text, call.architectureFile);
            if (!read)
                return read.error();
            call.hierarchy = std::move(*read);
        } else {
            auto read = mapping::readArchitecture(*text, call.architectureFile);
            if (!read)
                return read.error();
            call.architecture = std::move(*read);
        }
    }
    if (!call.constraintsFile.empty()) {
        auto text = readFile(call.constraintsFile);
        if (!text)
            return text.error();
        call.constraints = std::move(*text);
    }
    if (Status read = readFiles(call.workload); !read)
        return read;
    takeLevelsOfDocument(call);
    if (call.levelsOfMachine()) {
        auto levels = lower::levelsOf(call.workload.machineOrEdge());
        if (!levels)
            return levels.error();
        call.hierarchy = std::move(levels->architecture);
        call.levelNotes = std::move(levels->notes);
    }
    return call.hierarchy ? changeHierarchy(call) : Status(Unit{});
}

} // namespace tilewright::verbs
