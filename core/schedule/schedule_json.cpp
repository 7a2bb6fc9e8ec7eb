// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/schedule_json.h"

#include "base/file.h"
#include "base/json_document.h"
#include "base/json_reader.h"
#include "schedule/grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace tilewright {

namespace {

constexpr std::array<std::string_view, 6> kKnownFields{
    "subgraphs", "granularities", "tensors_to_retain", "traversal_orders", "subgraph_latencies", "locked"};

std::string at(std::string_view list, std::size_t i)
{
    return std::string(list) + "[" + std::to_string(i) + "]";
}

/// Reads the file field by field; the first wrong type ends it, violations of R2.2 are collected.
class Reader
{
public:
    Reader(const Problem& problem, const JsonCursor& root)
        : m_problem(problem), m_root(root), m_opSeen(problem.opCount(), 0),
          m_tensorSeen(problem.tensorCount(), 0)
    {
    }

    Result<LoadedSchedule> read()
    {
        for (const char* key : {"subgraphs", "granularities", "tensors_to_retain"}) {
            const auto field = m_root.member(key);
            if (!field)
                return field.error();
            if (auto status = field->list(); !status)
                return status.error();
        }
        m_count = m_root.find("subgraphs")->size();
        for (const char* key : kOtherLists)
            if (auto status = checkLength(key); !status)
                return status.error();
        for (m_subgraph = 0; m_subgraph < m_count; ++m_subgraph) {
            Subgraph s;
            for (const auto& [key, reader] : {std::pair{"subgraphs", &Reader::readOps},
                                              std::pair{"granularities", &Reader::readGranularity},
                                              std::pair{"tensors_to_retain", &Reader::readRetain},
                                              std::pair{"traversal_orders", &Reader::readOrder},
                                              std::pair{"subgraph_latencies", &Reader::readLatency},
                                              std::pair{"locked", &Reader::readLocked}}) {
                const auto field = m_root.find(key);
                if (!field || m_subgraph >= field->size())
                    continue;
                if (auto status = (this->*reader)(field->at(m_subgraph), s); !status)
                    return status.error();
            }
            m_out.schedule.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
        }
        m_out.schedule.extra = unknownFields(m_root.node(), kKnownFields);
        return std::move(m_out);
    }

private:
    static constexpr std::array kOtherLists{"granularities", "tensors_to_retain", "traversal_orders",
                                            "subgraph_latencies", "locked"};
    static constexpr double kLargest = std::numeric_limits<double>::max();
    static constexpr std::size_t kMaxIssues = 1000;

    /// More issues than this help nobody, and a hostile file could have millions.
    [[nodiscard]] bool full() const { return m_out.formatIssues.size() >= kMaxIssues; }

    /// True on the first call for this mark in the current subgraph.
    bool firstTime(std::size_t& mark) const { return std::exchange(mark, m_subgraph + 1) != m_subgraph + 1; }

    Status checkLength(const char* key)
    {
        const auto field = m_root.find(key);
        if (!field)
            return Unit{};
        if (auto status = field->list(); !status)
            return status;
        if (field->size() != m_count)
            add(IssueCode::Format, std::nullopt,
                std::string(key) + " has " + std::to_string(field->size()) + " entries, but subgraphs has " +
                    std::to_string(m_count),
                key);
        return Unit{};
    }

    void issue(IssueCode code, const JsonCursor& where, const std::string& reason)
    {
        if (full())
            return;
        add(code, SubgraphId(m_subgraph), where.path() + ": " + reason, where.path());
    }

    void add(IssueCode code, std::optional<SubgraphId> subgraph, std::string text, std::string path)
    {
        Issue& issue = m_out.formatIssues.emplace_back();
        issue.code = code;
        issue.subgraph = subgraph;
        issue.text = std::move(text);
        issue.path = std::move(path);
    }

    /// An index into a list of `count`, as R2.2 demands, or nothing after noting the issue.
    Result<std::optional<std::size_t>> index(const JsonCursor& item, std::size_t count, std::string_view what,
                                             IssueCode code)
    {
        // Whole numbers of any size are a verdict, anything else is a wrong type.
        const Json& node = item.node();
        if (!node.is_number() ||
            (node.is_number_float() && node.get<double>() != std::floor(node.get<double>())))
            return item.expected("the index of " + std::string(what == "op" ? "an op" : "a tensor"));
        const auto value = item.integer(0, static_cast<std::int64_t>(count) - 1);
        if (value)
            return std::optional(static_cast<std::size_t>(*value));
        issue(code, item,
              std::string(what) + " " + node.dump() + " does not exist, there are " + std::to_string(count));
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
            const auto op = index(item, m_problem.opCount(), "op", IssueCode::Format);
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
            const auto tensor = index(item, m_problem.tensorCount(), "tensor", IssueCode::Retain);
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
        const auto value = field.number(-kLargest, kLargest);
        if (!value)
            return value.error();
        s.reportedLatency = *value;
        return Unit{};
    }

    Status readLocked(const JsonCursor& field, Subgraph& s)
    {
        const auto value = field.boolean();
        if (!value)
            return value.error();
        s.locked = *value;
        return Unit{};
    }

    const Problem& m_problem;
    const JsonCursor& m_root;
    LoadedSchedule m_out;
    IdVector<OpId, std::size_t> m_opSeen; ///< last subgraph (plus one) that listed it
    IdVector<TensorId, std::size_t> m_tensorSeen;
    std::size_t m_count = 0;
    std::size_t m_subgraph = 0;
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
    const JsonCursor root(*document, file);
    if (auto status = root.object(); !status)
        return status.error();
    return Reader(problem, root).read();
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
        return Error{ErrorCode::Internal, "there must be one latency a subgraph", "subgraph_latencies", {}};
    Json subgraphs = Json::array();
    Json granularities = Json::array();
    Json retain = Json::array();
    Json orders = Json::array();
    Json reported = Json::array();
    Json locked = Json::array();
    std::int64_t listed = 0;
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        const Subgraph& s = schedule[SubgraphId(i)];
        subgraphs.push_back(indices(s.ops));
        granularities.push_back(Json::array({s.granularity.w, s.granularity.h, s.granularity.k}));
        retain.push_back(indices(s.retain));
        if (s.traversal.kind() == TraversalKind::Raster) {
            orders.push_back(nullptr);
        } else {
            const TileGrid grid = tileGrid(problem, s.ops, s.granularity);
            if (s.traversal.kind() != TraversalKind::Custom) {
                listed = grid.tiles() > kMaxListedTiles ? kMaxListedTiles + 1 : listed + grid.tiles();
                if (listed > kMaxListedTiles)
                    return Error{ErrorCode::Refused,
                                 "the orders of the tiles would list more than " +
                                     std::to_string(kMaxListedTiles) +
                                     " tiles; choose raster order or larger tiles",
                                 at("traversal_orders", i),
                                 {}};
            }
            orders.push_back(tileOrder(s.traversal, grid.rows, grid.cols));
        }
        if (!latencies.empty())
            reported.push_back(jsonNumber(std::isfinite(latencies[i]) ? latencies[i] : 0.0));
        else if (s.reportedLatency)
            reported.push_back(jsonNumber(*s.reportedLatency));
        locked.push_back(s.locked);
    }
    Json out = Json::object();
    out["subgraphs"] = std::move(subgraphs);
    out["granularities"] = std::move(granularities);
    out["tensors_to_retain"] = std::move(retain);
    out["traversal_orders"] = std::move(orders);
    if (reported.size() == schedule.size())
        out["subgraph_latencies"] = std::move(reported);
    if (std::ranges::any_of(schedule.subgraphs, [](const SubgraphPtr& s) { return s->locked; }))
        out["locked"] = std::move(locked);
    addFields(out, schedule.extra);
    return dumpByField(out);
}

} // namespace tilewright
