// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_reader.h"
#include "systolic/settings.h"

#include <limits>

namespace tilewright::systolic {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::string_view layoutName(BankLayout layout)
{
    return layout == BankLayout::Seed ? "seed" : "split";
}

/// Reads members that may be missing and keeps the first error.
class Members
{
public:
    explicit Members(JsonCursor cursor, std::initializer_list<std::string_view> allowed)
        : m_cursor(std::move(cursor))
    {
        if (const Status known = m_cursor.object(allowed); !known)
            m_error = known.error();
    }

    void integer(std::string_view key, std::int64_t& out, std::int64_t min, std::int64_t max = kMost)
    {
        take(key, out, [&](const JsonCursor& c) { return c.integer(min, max); });
    }
    void flag(std::string_view key, bool& out)
    {
        take(key, out, [](const JsonCursor& c) { return c.boolean(); });
    }
    void text(std::string_view key, std::string& out)
    {
        take(key, out, [](const JsonCursor& c) { return c.string(); });
    }
    /// A word for a value; `parse` says which words there are.
    template <typename T> void word(std::string_view key, T& out, Result<T> (*parse)(std::string_view))
    {
        take(key, out, [parse](const JsonCursor& c) -> Result<T> {
            const auto text = c.string();
            if (!text)
                return text.error();
            const auto value = parse(*text);
            return value ? value : Result<T>(c.error(value.error().message));
        });
    }
    /// The error of a part becomes this one's.
    template <typename Read> void part(std::string_view key, const Read& read)
    {
        if (m_error)
            return;
        if (const auto member = m_cursor.find(key))
            m_error = read(*member);
    }
    [[nodiscard]] const std::optional<Error>& error() const { return m_error; }

private:
    template <typename T, typename Read> void take(std::string_view key, T& out, const Read& read)
    {
        if (m_error)
            return;
        const auto member = m_cursor.find(key);
        if (!member)
            return;
        const auto value = read(*member);
        if (value)
            out = static_cast<T>(*value);
        else
            m_error = value.error();
    }

    JsonCursor m_cursor;
    std::optional<Error> m_error;
};

Result<BankLayout> parseLayout(std::string_view text)
{
    for (const BankLayout layout : {BankLayout::Seed, BankLayout::Split})
        if (layoutName(layout) == text)
            return layout;
    return Error{ErrorCode::Field, "expected \"seed\" or \"split\"", {}, {}};
}

Result<Level> parseLevel(std::string_view text)
{
    for (const Level level : kLevels)
        if (levelName(level) == text)
            return level;
    return Error{ErrorCode::Field, "expected \"host\", \"external\", \"l3\", \"l2\" or \"l1\"", {}, {}};
}

} // namespace

Result<Settings> parseSettings(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    Settings s;
    Members all(root, {"gemm", "origin", "timing", "hierarchy", "supply", "pipeline", "tile_search"});
    all.part("gemm", [&](const JsonCursor& c) {
        Members m(c, {"m", "n", "k"});
        m.integer("m", s.gemm.m, 1);
        m.integer("n", s.gemm.n, 1);
        m.integer("k", s.gemm.k, 1);
        return m.error();
    });
    all.text("origin", s.origin);
    all.part("timing", [&](const JsonCursor& c) {
        Members m(c, {"dataflow", "readout", "weight_buffers"});
        m.word("dataflow", s.timing.dataflow, parseDataflow);
        m.word("readout", s.timing.readout, parseReadout);
        std::int64_t buffers = s.timing.weightBuffers;
        m.integer("weight_buffers", buffers, 1, 2);
        s.timing.weightBuffers = static_cast<int>(buffers);
        return m.error();
    });
    all.part("hierarchy", [&](const JsonCursor& c) -> std::optional<Error> {
        auto read = parseHierarchy(c.node().dump(), file);
        if (read) {
            s.hierarchy = std::move(*read);
            return std::nullopt;
        }
        Error error = read.error();
        error.path = error.path.empty() ? "hierarchy" : "hierarchy." + error.path;
        return error;
    });
    all.part("supply", [&](const JsonCursor& c) {
        Members m(
            c, {"depth", "west_per_cycle", "north_per_cycle", "start_delay", "pause_period", "pause_length"});
        m.integer("depth", s.supply.depth, 1);
        m.integer("west_per_cycle", s.supply.westPerCycle, 0);
        m.integer("north_per_cycle", s.supply.northPerCycle, 0);
        m.integer("start_delay", s.supply.startDelay, 0);
        m.integer("pause_period", s.supply.pausePeriod, 0);
        m.integer("pause_length", s.supply.pauseLength, 0);
        return m.error();
    });
    all.part("pipeline", [&](const JsonCursor& c) {
        Members m(c, {"unlimited_bandwidth", "layout", "depth"});
        m.flag("unlimited_bandwidth", s.unlimitedBandwidth);
        m.word("layout", s.layout, parseLayout);
        m.integer("depth", s.depth, 1);
        return m.error();
    });
    all.part("tile_search", [&](const JsonCursor& c) {
        Members m(c, {"level", "whole_level", "buffering", "footprint", "method", "own_tile"});
        m.word("level", s.tileLevel, parseLevel);
        m.flag("whole_level", s.wholeLevel);
        m.integer("buffering", s.buffering, 1, 2);
        m.word("footprint", s.footprint, parseFootprint);
        m.word("method", s.method, parseTileMethod);
        m.part("own_tile", [&](const JsonCursor& tile) -> std::optional<Error> {
            const auto sizes = tile.integers(1, kMost, 3);
            if (!sizes)
                return sizes.error();
            s.ownTile = TileShape{(*sizes)[0], (*sizes)[1], (*sizes)[2]};
            return std::nullopt;
        });
        return m.error();
    });
    if (all.error())
        return *all.error();
    if (const Status legal = checkSettings(s); !legal) {
        Error error = legal.error();
        error.file = file;
        return error;
    }
    return s;
}

std::string settingsJson(const Settings& s)
{
    Json search = {{"level", levelName(s.tileLevel)},
                   {"whole_level", s.wholeLevel},
                   {"buffering", s.buffering},
                   {"footprint", footprintName(s.footprint)},
                   {"method", tileMethodName(s.method)}};
    if (s.ownTile)
        search["own_tile"] = {s.ownTile->ti, s.ownTile->tj, s.ownTile->tk};
    const Json out = {{"gemm", {{"m", s.gemm.m}, {"n", s.gemm.n}, {"k", s.gemm.k}}},
                      {"origin", s.origin},
                      {"timing",
                       {{"dataflow", dataflowName(s.timing.dataflow)},
                        {"readout", readoutName(s.timing.readout)},
                        {"weight_buffers", s.timing.weightBuffers}}},
                      {"hierarchy", Json::parse(hierarchyJson(s.hierarchy))},
                      {"supply",
                       {{"depth", s.supply.depth},
                        {"west_per_cycle", s.supply.westPerCycle},
                        {"north_per_cycle", s.supply.northPerCycle},
                        {"start_delay", s.supply.startDelay},
                        {"pause_period", s.supply.pausePeriod},
                        {"pause_length", s.supply.pauseLength}}},
                      {"pipeline",
                       {{"unlimited_bandwidth", s.unlimitedBandwidth},
                        {"layout", layoutName(s.layout)},
                        {"depth", s.depth}}},
                      {"tile_search", search}};
    return out.dump(2) + "\n";
}

} // namespace tilewright::systolic
