// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/schedule_json.h"

#include "base/file.h"
#include "base/json_fields.h"
#include "base/notice.h"
#include "base/text.h"
#include "workload/rules_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tilewright {

namespace {

/// A list of the file with one entry per subgraph. The entries are read subgraph by subgraph after all lists
/// are known, because the verdict is the first fault of the first invalid subgraph, in any of the lists.
struct Column
{
    std::optional<JsonCursor> read;
    Json written;
    bool operator==(const Column& other) const { return written == other.written; }
};

Status readJson(const JsonCursor& at, Column& column)
{
    column.read = at;
    return at.list();
}

Json writeJson(Column& column)
{
    return std::move(column.written); // moved, not copied: orders can list millions of tiles
}

struct Columns
{
    Column ops;
    Column granularities;
    Column retain;
    Column orders;
    Column latencies;
    Column locked;
    /// Empty: the file identifies ops and tensors by their number in the problem.
    std::vector<std::string> opNames;
    std::vector<std::string> tensorNames;
    std::optional<Rules> rules;
    std::string extra;
};

void bindFields(JsonFields& f, Columns& c)
{
    f.required("subgraphs", c.ops);
    f.required("granularities", c.granularities);
    f.required("tensors_to_retain", c.retain);
    f.optional("traversal_orders", c.orders);
    f.defaulted("subgraph_latencies", c.latencies, {});
    f.defaulted("locked", c.locked, {});
    f.defaulted("op_names", c.opNames, {});
    f.defaulted("tensor_names", c.tensorNames, {});
    f.defaulted("rules", c.rules, {});
    static constexpr std::array<std::string_view, 3> kOfTarget{"machine", "dimensions", "hardware"};
    f.allowOthers(kOfTarget); // core/lower reads these
    if (f.reading())
        c.extra = f.others();
}

/// Names of all parts (ops or tensors) of the problem; empty if none has a name.
template <typename IdT, typename Parts> std::vector<std::string> namesOf(const Parts& parts)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < parts.size(); ++i)
        names.push_back(parts[IdT(i)].name);
    if (std::ranges::all_of(names, &std::string::empty))
        names.clear();
    return names;
}

/// Maps the numbers of ops or tensors in a file to those in the problem.
struct Numbering
{
    std::size_t count = 0; ///< number of ops or tensors of the file
    bool byName = false;   ///< false: numbers in the file are those in the problem
    std::vector<std::optional<std::size_t>> inProblem;
    std::vector<std::string> missing; ///< names of the file that the problem does not have

    /// Matches ops or tensors by name. Of several with the same name, the first in the file matches the first
    /// in the problem, and so on.
    Numbering(const std::vector<std::string>& file, const std::vector<std::string>& problem,
              std::size_t problemCount)
        : count(problemCount)
    {
        if (file.empty() || problem.empty() || file == problem)
            return;
        count = file.size();
        byName = true;
        std::unordered_map<std::string_view, std::deque<std::size_t>> known;
        for (std::size_t i = 0; i < problem.size(); ++i)
            known[problem[i]].push_back(i);
        for (const std::string& name : file) {
            const auto it = known.find(name);
            if (it == known.end() || it->second.empty()) {
                inProblem.emplace_back();
                missing.push_back(name);
                continue;
            }
            inProblem.emplace_back(it->second.front());
            it->second.pop_front();
        }
    }

    [[nodiscard]] std::optional<std::size_t> operator[](std::size_t i) const
    {
        return byName ? inProblem[i] : std::optional(i);
    }
};

/// Reports which ops or tensors of a file the problem does not have. `what`: "op" or "tensor".
void tellMissing(const std::string& file, const std::string& what, const Numbering& numbers)
{
    if (numbers.missing.empty())
        return;
    constexpr std::size_t kListed = 3;
    std::string names;
    for (std::size_t i = 0; i < std::min(kListed, numbers.missing.size()); ++i)
        names += (i > 0 ? ", " : "") + numbers.missing[i];
    notice({ErrorCode::Field,
            "the problem has no " + what + " " + names + (numbers.missing.size() > kListed ? ", …" : "") +
                "; left out of the schedule",
            what + "_names", file});
}

/// Reads the file subgraph by subgraph. Stops at the first wrong type; collects violations of R2.2.
class Reader
{
public:
    Reader(const Problem& problem, const Columns& columns)
        : m_problem(problem), m_columns(columns),
          m_ops(columns.opNames, namesOf<OpId>(problem.data().ops), problem.opCount()),
          m_tensors(columns.tensorNames, namesOf<TensorId>(problem.data().tensors), problem.tensorCount()),
          m_opSeen(problem.opCount(), 0), m_tensorSeen(problem.tensorCount(), 0)
    {
    }

    /// Reports the names in the file that the problem does not have. Returns an Error if the problem has none
    /// of the ops: then the schedule belongs to another problem.
    [[nodiscard]] Status checkNames(const std::string& file) const
    {
        if (m_ops.byName && m_ops.missing.size() == m_ops.inProblem.size())
            return Error{ErrorCode::Problem,
                         "is a schedule of another problem: " + m_problem.name() + " has none of its " +
                             std::to_string(m_ops.missing.size()) + " ops, such as " + m_ops.missing.front(),
                         "op_names", file};
        tellMissing(file, "op", m_ops);
        tellMissing(file, "tensor", m_tensors);
        return Unit{};
    }

    Result<LoadedSchedule> read()
    {
        constexpr std::array kReaders{std::pair{&Columns::ops, &Reader::readOps},
                                      std::pair{&Columns::granularities, &Reader::readGranularity},
                                      std::pair{&Columns::retain, &Reader::readRetain},
                                      std::pair{&Columns::orders, &Reader::readOrder},
                                      std::pair{&Columns::latencies, &Reader::readLatency},
                                      std::pair{&Columns::locked, &Reader::readLocked}};
        const std::size_t count = m_columns.ops.read->size();
        for (const auto& [column, reader] : kReaders)
            if (const auto& list = (m_columns.*column).read; list && list->size() != count)
                add(IssueCode::Format, std::nullopt,
                    list->path() + " has " + std::to_string(list->size()) + " entries, but " +
                        m_columns.ops.read->path() + " has " + std::to_string(count),
                    list->path());
        for (m_subgraph = 0; m_subgraph < count; ++m_subgraph) {
            Subgraph s;
            for (const auto& [column, reader] : kReaders)
                if (const auto& list = (m_columns.*column).read; list && m_subgraph < list->size())
                    if (auto status = (this->*reader)(list->at(m_subgraph), s); !status)
                        return status.error();
            if (!m_leftOut || !s.ops.empty()) // skips a subgraph of which the problem has no op
                m_out.schedule.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
            m_leftOut = false;
        }
        m_out.schedule.rules = m_columns.rules;
        m_out.schedule.extra = m_columns.extra;
        return std::move(m_out);
    }

private:
    static constexpr double kLargest = std::numeric_limits<double>::max();
    static constexpr std::size_t kMaxIssues = 1000;

    /// True if the maximum number of issues is reached. It is limited because a malicious file could have
    /// millions.
    [[nodiscard]] bool full() const { return m_out.formatIssues.size() >= kMaxIssues; }

    /// True on the first call for this mark in the current subgraph. Sets the mark.
    bool firstTime(std::size_t& mark) const { return std::exchange(mark, m_subgraph + 1) != m_subgraph + 1; }

    void issue(IssueCode code, const JsonCursor& where, const std::string& reason)
    {
        if (full())
            return;
        add(code, SubgraphId(m_out.schedule.subgraphs.size()), where.path() + ": " + reason, where.path());
    }

    void add(IssueCode code, std::optional<SubgraphId> subgraph, std::string text, std::string path)
    {
        Issue& issue = m_out.formatIssues.emplace_back();
        issue.code = code;
        issue.subgraph = subgraph;
        issue.text = std::move(text);
        issue.path = std::move(path);
    }

    /// Reads an index below `count` (R2.2). Returns nothing after adding an issue for an invalid index.
    Result<std::optional<std::size_t>> index(const JsonCursor& item, const Numbering& numbers,
                                             std::string_view what, IssueCode code)
    {
        // An integer out of range violates R2.2 (issue); any other value is a wrong type (error).
        const Json& node = item.node();
        if (!node.is_number() ||
            (node.is_number_float() && node.get<double>() != std::floor(node.get<double>())))
            return item.expected("the index of " + std::string(what == "op" ? "an op" : "a tensor"));
        const auto value = item.integer(0, static_cast<std::int64_t>(numbers.count) - 1);
        if (value) {
            const auto known = numbers[static_cast<std::size_t>(*value)];
            m_leftOut = m_leftOut || !known;
            return known;
        }
        issue(code, item,
              std::string(what) + " " + jsonText(node) + " does not exist, there are " +
                  std::to_string(numbers.count));
        return std::optional<std::size_t>();
    }

    Status readOps(const JsonCursor& field, Subgraph& s)
    {
        if (auto status = field.list(); !status)
            return status.error();
        if (field.size() == 0)
            issue(IssueCode::Format, field, "a subgraph needs at least one op");
        for (std::size_t i = 0; i < field.size(); ++i) {
            const JsonCursor item = field.at(i);
            const auto op = index(item, m_ops, "op", IssueCode::Format);
            if (!op)
                return op.error();
            if (full())
                break;
            if (!*op)
                continue;
            const OpId id(**op);
            if (!firstTime(m_opSeen[id]))
                issue(IssueCode::Format, item, "op " + std::to_string(id.value) + " is listed twice");
            else
                s.ops.push_back(id);
        }
        return Unit{};
    }

    Status readGranularity(const JsonCursor& field, Subgraph& s)
    {
        if (auto status = field.list(); !status)
            return status.error();
        if (field.size() != 3)
            issue(IssueCode::Granularity, field,
                  "needs three entries [w, h, k], got " + std::to_string(field.size()));
        std::array<std::int64_t*, 3> targets{&s.granularity.w, &s.granularity.h, &s.granularity.k};
        for (std::size_t i = 0; i < field.size(); ++i) {
            const JsonCursor item = field.at(i);
            if (!item.node().is_number())
                return item.expected("an integer of at least 1");
            const auto value = item.integer(1, kMaxDimension);
            if (!value) {
                if (field.size() == 3)
                    issue(IssueCode::Granularity, item, value.error().message);
            } else if (i < 3) {
                *targets[i] = *value;
            }
        }
        return Unit{};
    }

    Status readRetain(const JsonCursor& field, Subgraph& s)
    {
        if (auto status = field.list(); !status)
            return status.error();
        for (std::size_t i = 0; i < field.size(); ++i) {
            const JsonCursor item = field.at(i);
            const auto tensor = index(item, m_tensors, "tensor", IssueCode::Retain);
            if (!tensor)
                return tensor.error();
            if (full())
                break;
            if (!*tensor)
                continue;
            const TensorId id(**tensor);
            if (!firstTime(m_tensorSeen[id]))
                issue(IssueCode::Retain, item, "tensor " + std::to_string(id.value) + " is listed twice");
            else
                s.retain.push_back(id);
        }
        return Unit{};
    }

    Status readOrder(const JsonCursor& field, Subgraph& s)
    {
        if (field.isNull())
            return Unit{};
        if (!field.node().is_array())
            return field.expected("null or a list of tile indices");
        constexpr auto kAny = std::numeric_limits<std::int64_t>::max();
        auto order = field.integers(-kAny, kAny);
        if (!order) {
            Error error = order.error();
            if (const auto got = error.message.find(", got"); got != std::string::npos)
                error.message = "expected the index of a tile" + error.message.substr(got);
            return error;
        }
        const TileGrid grid = tileGrid(m_problem, s.ops, s.granularity);
        s.traversal = Traversal::recognise(std::move(*order), grid.rows, grid.cols);
        return Unit{};
    }

    Status readLatency(const JsonCursor& field, Subgraph& s)
    {
        return readJson(field, s.reportedLatency, Numbers{-kLargest, kLargest});
    }

    Status readLocked(const JsonCursor& field, Subgraph& s) { return readJson(field, s.locked); }

    const Problem& m_problem;
    const Columns& m_columns;
    Numbering m_ops, m_tensors;
    LoadedSchedule m_out;
    IdVector<OpId, std::size_t> m_opSeen; ///< per op: last subgraph that listed it, plus 1
    IdVector<TensorId, std::size_t> m_tensorSeen;
    std::size_t m_subgraph = 0; ///< index of the current subgraph in the file
    bool m_leftOut = false;     ///< true if an op or a tensor of this subgraph is not in the problem
};

template <typename IdT> Json indices(const std::vector<IdT>& ids)
{
    Json out = Json::array();
    for (const IdT id : ids)
        out.push_back(id.value);
    return out;
}

} // namespace

Result<LoadedSchedule> readSchedule(const Problem& problem, std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    Columns columns;
    if (auto status = readJson(JsonCursor(*document, file), columns); !status)
        return status.error();
    Reader reader(problem, columns);
    if (const Status s = reader.checkNames(file); !s)
        return s.error();
    if (columns.opNames.empty() && document->contains("machine") &&
        !namesOf<OpId>(problem.data().ops).empty())
        notice({ErrorCode::Field,
                "does not name its ops; they are taken by number, which is right only if the model is still "
                "lowered to the same ops",
                {},
                file});
    return reader.read();
}

Result<LoadedSchedule> loadSchedule(const Problem& problem, const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return readSchedule(problem, *text, path);
}

Result<std::string> writeSchedule(const Problem& problem, const Schedule& schedule,
                                  std::span<const double> latencies)
{
    if (!latencies.empty() && latencies.size() != schedule.size())
        return Error{ErrorCode::Internal,
                     "the number of latencies must equal the number of subgraphs",
                     "subgraph_latencies",
                     {}};
    Columns columns;
    for (Column* column : {&columns.ops, &columns.granularities, &columns.retain, &columns.orders})
        column->written = Json::array();
    Json reported = Json::array();
    Json locked = Json::array();
    std::int64_t listed = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Subgraph& s = schedule[SubgraphId(i)];
        columns.ops.written.push_back(indices(s.ops));
        columns.granularities.written.push_back(
            Json::array({s.granularity.w, s.granularity.h, s.granularity.k}));
        columns.retain.written.push_back(indices(s.retain));
        if (s.traversal.kind() == TraversalKind::Raster) {
            columns.orders.written.push_back(nullptr);
        } else {
            const TileGrid grid = tileGrid(problem, s.ops, s.granularity);
            if (s.traversal.kind() != TraversalKind::Custom) {
                listed = grid.tiles() > kMaxListedTiles ? kMaxListedTiles + 1 : listed + grid.tiles();
                if (listed > kMaxListedTiles)
                    return Error{ErrorCode::Refused,
                                 "the traversal orders would list more than " +
                                     formatGrouped(kMaxListedTiles) +
                                     " tiles; choose raster order or larger tiles",
                                 "traversal_orders[" + std::to_string(i) + "]",
                                 {}};
            }
            columns.orders.written.push_back(tileOrder(s.traversal, grid.rows, grid.cols));
        }
        if (!latencies.empty())
            reported.push_back(jsonNumber(std::isfinite(latencies[i]) ? latencies[i] : 0.0));
        else if (s.reportedLatency)
            reported.push_back(jsonNumber(*s.reportedLatency));
        locked.push_back(s.locked);
    }
    if (reported.size() == schedule.size())
        columns.latencies.written = std::move(reported);
    if (std::ranges::any_of(schedule.subgraphs, [](const SubgraphPtr& s) { return s->locked; }))
        columns.locked.written = std::move(locked);
    columns.rules = schedule.rules;
    columns.opNames = namesOf<OpId>(problem.data().ops);
    columns.tensorNames = namesOf<TensorId>(problem.data().tensors);
    Json out;
    JsonFields fields(out);
    bindFields(fields, columns);
    addFields(out, schedule.extra);
    return dumpByField(out);
}

} // namespace tilewright
