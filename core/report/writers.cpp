// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/writers.h"

#include "base/table.h"
#include "base/text.h"
#include "eval/waste.h"

#include <algorithm>

namespace tilewright {

namespace {

template <typename Ids, typename Name> std::string joined(const Ids& ids, Name name)
{
    std::string out;
    for (const auto id : ids)
        out += (out.empty() ? "" : " ") + name(id);
    return out;
}

} // namespace

std::string subgraphsCsv(const Snapshot& snapshot)
{
    const Problem& problem = *snapshot.problem;
    Table out = tableOf("subgraph,ops,w,h,k,traversal,retained,locked,rows,cols,steps,compute,memory,latency,"
                        "bound,load_elements,store_elements,peak_working_set,reserved,capacity,fits,"
                        "padding_time,reloaded_elements,halo_elements");
    const std::vector<Waste> waste = wasteOf(problem, snapshot.schedule, snapshot.evaluation);
    if (problem.hasEnergy())
        out.columns.push_back({"energy_pj"});
    for (std::size_t i = 0; i < snapshot.evaluation.subgraphs.size(); ++i) {
        const Subgraph& s = snapshot.schedule[SubgraphId(i)];
        const SubgraphEvaluation& e = snapshot.evaluation.subgraphs[i];
        const std::string ops = joined(s.ops, [&](OpId o) { return problem.opName(o); });
        const std::string retained = joined(s.retain, [&](TensorId t) { return problem.tensorName(t); });
        const auto& [w, h, k] = s.granularity;
        out.add(i, ops, w, h, k, traversalName(s.traversal.kind()), retained, s.locked ? "yes" : "no", e.rows,
                e.cols, e.steps, e.compute, e.memory, e.latency, boundName(e.bound), e.loadElements,
                e.storeElements, e.peakWorkingSet, e.reserved, problem.hardware().fastMemoryCapacity,
                e.fits ? "yes" : "no", waste[i].padding, waste[i].again(), waste[i].halo());
        if (problem.hasEnergy())
            out.rows.back().emplace_back(e.energy);
        if (!e.structurallyValid)
            std::fill(out.rows.back().begin() + 8, out.rows.back().end(), "");
    }
    return csvOf(out);
}

std::string differencesCsv(const Problem& problem, const Comparison& comparison)
{
    Table out = tableOf("kind,before,after,ops,was,is,delta,total");
    const auto number = [](SubgraphId i) { return std::to_string(i.value); };
    for (const Contribution& c : comparison.contributions) {
        const Difference& d = c.difference;
        out.add(differenceName(d.kind), joined(d.before, number), joined(d.after, number),
                joined(d.ops, [&](OpId o) { return problem.opName(o); }), d.textBefore, d.textAfter, c.delta,
                c.total);
    }
    return csvOf(out);
}

bool walkSteps(const Problem& problem, const Schedule& schedule, const Rules& rules, const Progress& progress,
               const std::function<void(SubgraphId, double start, const Step&)>& visit)
{
    double begin = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        std::span<const TensorId> resident;
        if (i > 0)
            resident = schedule.subgraphs[i - 1]->retain;
        double end = begin;
        bool stopped = false;
        traceSubgraph(problem, schedule[SubgraphId(i)], resident, rules, [&](const Step& step) {
            stopped = progress.stopRequested();
            if (stopped)
                return false;
            visit(SubgraphId(i), begin + step.start, step);
            end = begin + step.start + step.latency;
            return true;
        });
        if (stopped)
            return false;
        begin = end;
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(schedule.size()), "steps");
    }
    return true;
}

namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

/// Collects text and passes it on in large chunks.
class Buffer
{
public:
    explicit Buffer(const TextSink& sink) : m_sink(sink) {}
    ~Buffer() { flush(); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    Buffer& operator<<(std::string_view text)
    {
        m_text += text;
        if (m_text.size() >= kChunk)
            flush();
        return *this;
    }
    Buffer& operator<<(std::int64_t value) { return *this << formatNumber(value); }
    Buffer& operator<<(double value) { return *this << formatNumber(value); }

private:
    void flush()
    {
        m_sink(m_text);
        m_text.clear();
    }
    const TextSink& m_sink;
    std::string m_text;
};

std::string range(std::int64_t a, std::int64_t b)
{
    return std::to_string(a) + ":" + std::to_string(b);
}

std::string slice(const Problem& problem, const StepBuffer& buffer)
{
    std::string name = problem.tensorName(buffer.tensor);
    if (buffer.full)
        return name;
    return name + "[" + range(buffer.rect.r0, buffer.rect.r1) + " " + range(buffer.rect.c0, buffer.rect.c1) +
           "]";
}

/// Joins the texts of the items; items without text are skipped.
template <typename Items, typename Text> std::string list(const Items& items, Text text)
{
    std::string out;
    for (const auto& item : items)
        if (const std::string one = text(item); !one.empty())
            out += (out.empty() ? "" : "; ") + one;
    return out;
}

std::string boundText(const Step& step)
{
    return std::string(boundName(step.bound()));
}

/// Returns a text as a JSON string literal.
std::string quoted(const std::string& text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

} // namespace

bool writeStepsCsv(const Problem& problem, const Schedule& schedule, const Rules& rules, const TextSink& sink,
                   const Progress& progress)
{
    Buffer out(sink);
    out << "subgraph,step,tile,row,col,k_step,k_steps,start,compute,memory,latency,bound,load_elements,"
           "store_elements,working_set,reserved,input_elements,output_elements,accumulator_elements,"
           "interior_elements,donated_elements,runs,loaded,reused,resident,stored\n";
    return walkSteps(problem, schedule, rules, progress, [&](SubgraphId i, double start, const Step& s) {
        const auto runText = [&](const StepRun& r) {
            return problem.opName(r.op) + "[" + range(r.rect.r0, r.rect.r1) + " " +
                   range(r.rect.c0, r.rect.c1) +
                   (problem.op(r.op).type == OpType::MatMul ? " k " + range(r.k0, r.k1) : "") +
                   (r.repeated ? " repeated" : "") + "]";
        };
        const auto buffers = [&](bool loaded) {
            return list(s.buffers, [&](const StepBuffer& b) {
                return b.loaded == loaded ? slice(problem, b) : std::string();
            });
        };
        const auto size = [&](std::int64_t units) { return problem.elementsOf(units); };
        const auto storedText = [&](const StepSink& k) {
            return k.stored ? slice(problem, {k.tensor, Role::Pointwise, k.tile, 0, false, false})
                            : std::string();
        };
        out << csvRow(i.value, s.index, s.tile, s.row, s.col, s.kStep, s.kSteps, start, s.compute, s.memory,
                      s.latency, boundName(s.bound()), size(s.loadElements), size(s.storeElements),
                      size(s.workingSet), size(s.reserved), size(s.inputElements), size(s.outputElements),
                      size(s.accumulatorElements), size(s.interiorElements), size(s.donatedElements),
                      list(s.runs, runText), buffers(true), buffers(false),
                      list(s.residentReads, [&](TensorId t) { return problem.tensorName(t); }),
                      list(s.sinks, storedText));
    });
}

bool writeOccupancyCsv(const Problem& problem, const Schedule& schedule, const Rules& rules,
                       const TextSink& sink, const Progress& progress)
{
    Buffer out(sink);
    out << "subgraph,step,start,end,reserved,input,output,accumulator,interior,donated,working_set,"
           "capacity\n";
    return walkSteps(problem, schedule, rules, progress, [&](SubgraphId i, double start, const Step& s) {
        const auto size = [&](std::int64_t units) { return problem.elementsOf(units); };
        out << csvRow(i.value, s.index, start, start + s.latency, size(s.reserved), size(s.inputElements),
                      size(s.outputElements), size(s.accumulatorElements), size(s.interiorElements),
                      size(s.donatedElements), size(s.workingSet), problem.hardware().fastMemoryCapacity);
    });
}

bool writeTraceEvents(const Problem& problem, const Schedule& schedule, const Rules& rules,
                      const TextSink& sink, const Progress& progress)
{
    enum Lane { Subgraphs, Steps, Compute, Memory };
    Buffer out(sink);
    out << "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
    bool first = true;
    const auto next = [&]() -> Buffer& {
        out << (first ? "\n" : ",\n");
        first = false;
        return out;
    };
    const auto lane = [&](Lane tid, const char* name) {
        next() << "{\"ph\": \"M\", \"pid\": 1, \"tid\": " << std::int64_t{tid}
               << ", \"name\": \"thread_name\", \"args\": {\"name\": \"" << name << "\"}}";
    };
    lane(Subgraphs, "subgraphs");
    lane(Steps, "steps");
    lane(Compute, "compute");
    lane(Memory, "memory");
    const auto event = [&](Lane tid, const std::string& name, double start, double duration,
                           const std::string& args) {
        if (duration > 0)
            next() << "{\"ph\": \"X\", \"pid\": 1, \"tid\": " << std::int64_t{tid}
                   << ", \"name\": " << quoted(name) << ", \"ts\": " << start << ", \"dur\": " << duration
                   << ", \"args\": {" << args << "}}";
    };
    struct Open
    {
        std::optional<SubgraphId> subgraph;
        double start = 0;
        double end = 0;
    } open;
    const auto close = [&] {
        if (!open.subgraph)
            return;
        std::string name = std::to_string(open.subgraph->value) + ":";
        for (const OpId o : schedule[*open.subgraph].ops)
            name += " " + problem.opName(o);
        const Granularity& g = schedule[*open.subgraph].granularity;
        event(Subgraphs, name, open.start, open.end - open.start,
              "\"w\": " + std::to_string(g.w) + ", \"h\": " + std::to_string(g.h) +
                  ", \"k\": " + std::to_string(g.k));
    };
    const bool done =
        walkSteps(problem, schedule, rules, progress, [&](SubgraphId i, double start, const Step& s) {
            if (open.subgraph != i) {
                close();
                open = {i, start, start};
            }
            open.end = start + s.latency;
            event(Steps,
                  "tile " + std::to_string(s.tile) + (s.kSteps > 1 ? " k " + std::to_string(s.kStep) : ""),
                  start, s.latency,
                  "\"load\": " + formatNumber(problem.elementsOf(s.loadElements)) +
                      ", \"store\": " + formatNumber(problem.elementsOf(s.storeElements)) +
                      ", \"bound\": \"" + boundText(s) + "\"");
            event(Compute, "compute", start, s.compute, "");
            event(Memory, "memory", start, s.memory, "");
            next() << "{\"ph\": \"C\", \"pid\": 1, \"name\": \"working set\", \"ts\": " << start
                   << ", \"args\": {\"elements\": " << formatNumber(problem.elementsOf(s.workingSet)) << "}}";
        });
    if (!done)
        // The end of the output is not written, so that nobody mistakes the output for a complete one.
        return false;
    close();
    out << "\n]}\n";
    return done;
}

} // namespace tilewright
