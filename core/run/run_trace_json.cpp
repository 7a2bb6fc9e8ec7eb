// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"
#include "base/text.h"
#include "run/run_trace.h"

namespace tilewright {

namespace {

constexpr std::array kRoomNames{"input", "reserved", "output", "accumulator", "interior"};

class TraceWriter
{
public:
    TraceWriter(const Problem& problem, const ScheduleRun& run) : m_problem(problem), m_run(run) {}

    std::string write(const Schedule& schedule)
    {
        m_text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
        for (std::size_t core = 0; core < m_run.cores.size(); ++core) {
            const std::string pid = std::to_string(core + 1);
            if (m_run.cores.size() > 1)
                next() += "{\"ph\": \"M\", \"pid\": " + pid +
                          R"(, "name": "process_name", "args": {"name": "core )" + std::to_string(core) +
                          "\"}}";
            for (std::size_t u = 0; u < kRunUnits; ++u)
                next() += "{\"ph\": \"M\", \"pid\": " + pid + ", \"tid\": " + std::to_string(u) +
                          R"(, "name": "thread_name", "args": {"name": ")" +
                          std::string(runUnitName(static_cast<RunUnit>(u))) + "\"}}";
        }
        for (std::size_t i = 0; i < m_run.subgraphs.size(); ++i) {
            std::string name = std::to_string(i) + ":";
            for (const OpId o : schedule[SubgraphId(i)].ops)
                name += " " + m_problem.opName(o);
            span("subgraph", 0, i, name, m_run.subgraphs[i].begin, m_run.subgraphs[i].end);
        }
        for (std::size_t i = 0; i < m_run.steps.size(); ++i) {
            const RunStep& s = m_run.steps[i];
            span("step", s.core, i,
                 "subgraph " + std::to_string(s.subgraph.index()) + " tile " + std::to_string(s.tile) +
                     (s.kSteps > 1 ? " k " + std::to_string(s.kStep) : ""),
                 s.admitted, s.ended);
        }
        for (const RunCommand& c : m_run.commands)
            command(c);
        for (const RunStall& s : m_run.stalls)
            if (s.wait != RunWait::Nothing)
                event("wait", s.core, s.unit, s.begin, s.end, waitText(s), "");
        for (const RunRoom& r : m_run.room) {
            std::string parts;
            for (std::size_t k = 0; k < RunRoom::kKinds; ++k)
                parts += (k > 0 ? ", \"" : "\"") + std::string(kRoomNames[k]) +
                         "\": " + formatNumber(m_problem.elementsOf(r.units[k]));
            next() += "{\"ph\": \"C\", \"pid\": " + std::to_string(r.core + 1) +
                      R"(, "name": "fast memory", "ts": )" + formatNumber(r.time) + ", \"args\": {" + parts +
                      "}}";
        }
        m_text += "\n]}\n";
        return std::move(m_text);
    }

private:
    std::string& next()
    {
        m_text += m_first ? "\n" : ",\n";
        m_first = false;
        return m_text;
    }
    static std::string quoted(const std::string& text) { return jsonText(Json(text)); }

    void span(const char* category, std::size_t core, std::size_t id, const std::string& name, double begin,
              double end)
    {
        for (const char* phase : {"b", "e"})
            next() += R"({"ph": ")" + std::string(phase) + R"(", "cat": ")" + category + R"(", "id": )" +
                      std::to_string(id) + ", \"pid\": " + std::to_string(core + 1) +
                      R"(, "tid": 0, "name": )" + quoted(name) +
                      ", \"ts\": " + formatNumber(*phase == 'b' ? begin : end) + "}";
    }
    void event(const char* category, std::size_t core, RunUnit unit, double begin, double end,
               const std::string& name, const std::string& arguments)
    {
        next() += R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "pid": )" +
                  std::to_string(core + 1) + ", \"tid\": " + std::to_string(static_cast<int>(unit)) +
                  ", \"name\": " + quoted(name) + ", \"ts\": " + formatNumber(begin) +
                  ", \"dur\": " + formatNumber(end - begin) + ", \"args\": {" + arguments + "}}";
    }
    void command(const RunCommand& c)
    {
        const bool isRun = c.op.has_value();
        std::string arguments =
            "\"subgraph\": " + std::to_string(c.subgraph.index()) + ", \"step\": " + std::to_string(c.step);
        if (!c.kept && !c.network)
            arguments += ", \"rows\": [" + std::to_string(c.rect.r0) + ", " + std::to_string(c.rect.r1) +
                         "], \"cols\": [" + std::to_string(c.rect.c0) + ", " + std::to_string(c.rect.c1) +
                         "]";
        if (c.unit == RunUnit::Array)
            arguments += ", \"k\": [" + std::to_string(c.k0) + ", " + std::to_string(c.k1) + "]";
        if (!isRun)
            arguments += ", \"elements\": " + formatNumber(m_problem.elementsOf(c.units));
        event(isRun ? "run" : "transfer", c.core, c.unit, c.begin, c.end,
              isRun       ? m_problem.opName(*c.op)
              : c.kept    ? "kept inputs"
              : c.network ? "from other cores"
                          : m_problem.tensorName(*c.tensor),
              arguments);
    }
    [[nodiscard]] std::string waitText(const RunStall& s) const
    {
        std::string text = "waits: " + std::string(runWaitName(s.wait));
        if (s.op)
            text += " of " + m_problem.opName(*s.op);
        if (s.tensor)
            text += " of " + m_problem.tensorName(*s.tensor);
        return text;
    }

    const Problem& m_problem;
    const ScheduleRun& m_run;
    std::string m_text;
    bool m_first = true;
};

} // namespace

std::string runTrace(const Problem& problem, const Schedule& schedule, const ScheduleRun& run)
{
    return TraceWriter(problem, run).write(schedule);
}

} // namespace tilewright
