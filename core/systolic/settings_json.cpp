// SPDX-License-Identifier: GPL-3.0-or-later
// Memory hierarchies and settings of the Systolic lens as JSON.
#include "base/file.h"
#include "base/json_fields.h"
#include "systolic/hierarchy.h"
#include "systolic/settings.h"

namespace tilewright::systolic {

namespace {

void bindLevel(JsonFields& f, MemoryLevel& level)
{
    f.required("buffers", level.buffers, Integers{1, 1 << 20});
    f.required("bytes", level.bytes, Integers{1, std::int64_t{1} << 62});
    f.required("gb_per_s", level.gbPerSecond, Numbers{0, 1e12});
    if (level.gbPerSecond <= 0)
        f.fail("gb_per_s", "the bandwidth must be greater than zero");
}

} // namespace

void bindFields(JsonFields& f, Hierarchy& h)
{
    f.optional("name", h.name);
    f.optional("frequency_ghz", h.frequencyGhz, Numbers{1e-6, 1e6});
    f.optional("element_bytes", h.elementBytes, Integers{1, 64});
    f.required("array", [&](JsonFields& array) {
        array.required("rows", h.array.rows, Integers{1, kMaxArraySide});
        array.required("cols", h.array.cols, Integers{1, kMaxArraySide});
    });
    f.required("levels", [&](JsonFields& levels) {
        for (const Level level : kLevels)
            levels.required(levelName(level), [&](JsonFields& l) { bindLevel(l, h.at(level)); });
    });
    if (!f.failed())
        f.check(checkHierarchy(h));
}

Result<Hierarchy> parseHierarchy(std::string_view text, const std::string& file)
{
    return parseJsonValue<Hierarchy>(text, file);
}

Result<Hierarchy> readHierarchy(const std::string& path)
{
    const auto text = readFile(path);
    if (!text)
        return text.error();
    return parseHierarchy(*text, path);
}

std::string hierarchyJson(const Hierarchy& h)
{
    return jsonText(writeJson(h), 2) + "\n";
}

namespace {

constexpr Integers kPositive{1, std::numeric_limits<std::int64_t>::max()};
constexpr Integers kNotNegative{0, std::numeric_limits<std::int64_t>::max()};
constexpr std::array kDataflowWords{Dataflow::Os, Dataflow::Ws, Dataflow::Is};
constexpr std::array kReadoutWords{Readout::Shadow, Readout::Shift, Readout::ScaleSim};
constexpr std::array kLayoutWords{BankLayout::Seed, BankLayout::Split};
constexpr std::array kScheduleWords{L2Schedule::NoReuse, L2Schedule::RowReuse, L2Schedule::FullReuse,
                                    L2Schedule::PartialC};
constexpr std::array kFootprintWords{Footprint::Conservative, Footprint::Aggressive};
constexpr std::array kMethodWords{TileMethod::Analytic, TileMethod::Exhaustive, TileMethod::Learned};

std::string_view layoutName(BankLayout layout)
{
    return layout == BankLayout::Seed ? "seed" : "split";
}

void bindSearch(JsonFields& f, Settings& s)
{
    f.optional("level", s.tileLevel, Words<Level>{kLevels, levelName});
    f.optional("whole_level", s.wholeLevel);
    f.optional("buffering", s.buffering, Integers{1, 2});
    f.optional("footprint", s.footprint, Words<Footprint>{kFootprintWords, footprintName});
    f.optional("method", s.method, Words<TileMethod>{kMethodWords, tileMethodName});
    if (!f.has("own_tile") && !(s.ownTile && !f.reading()))
        return;
    std::array<std::int64_t, 3> sizes{};
    if (s.ownTile)
        sizes = {s.ownTile->ti, s.ownTile->tj, s.ownTile->tk};
    f.optional("own_tile", sizes, kPositive);
    if (f.reading() && !f.failed())
        s.ownTile = TileShape{sizes[0], sizes[1], sizes[2]};
}

} // namespace

static void bindFields(JsonFields& f, Settings& s)
{
    f.optional("gemm", [&](JsonFields& gemm) {
        gemm.optional("m", s.gemm.m, kPositive);
        gemm.optional("n", s.gemm.n, kPositive);
        gemm.optional("k", s.gemm.k, kPositive);
    });
    f.optional("origin", s.origin);
    f.optional("timing", [&](JsonFields& timing) {
        timing.optional("dataflow", s.timing.dataflow, Words<Dataflow>{kDataflowWords, dataflowName});
        timing.optional("readout", s.timing.readout, Words<Readout>{kReadoutWords, readoutName});
        timing.optional("weight_buffers", s.timing.weightBuffers, Integers{1, 2});
    });
    f.optional("hierarchy", s.hierarchy);
    f.optional("supply", [&](JsonFields& supply) {
        supply.optional("depth", s.supply.depth, kPositive);
        supply.optional("west_per_cycle", s.supply.westPerCycle, kNotNegative);
        supply.optional("north_per_cycle", s.supply.northPerCycle, kNotNegative);
        supply.optional("start_delay", s.supply.startDelay, kNotNegative);
        supply.optional("pause_period", s.supply.pausePeriod, kNotNegative);
        supply.optional("pause_length", s.supply.pauseLength, kNotNegative);
    });
    f.optional("pipeline", [&](JsonFields& pipeline) {
        pipeline.optional("unlimited_bandwidth", s.unlimitedBandwidth);
        pipeline.optional("layout", s.layout, Words<BankLayout>{kLayoutWords, layoutName});
        pipeline.optional("depth", s.depth, kPositive);
        if (pipeline.has("schedule") || (s.schedule && !pipeline.reading())) {
            L2Schedule schedule = s.schedule.value_or(L2Schedule::RowReuse);
            pipeline.optional("schedule", schedule, Words<L2Schedule>{kScheduleWords, l2ScheduleWord});
            if (pipeline.reading())
                s.schedule = schedule;
        }
        pipeline.optional("passes", s.passes, kNotNegative);
        pipeline.optional("searched_tile", s.searchedTile);
    });
    f.optional("tile_search", [&](JsonFields& search) { bindSearch(search, s); });
    if (f.reading() && !f.failed())
        f.check(checkSettings(s));
}

Result<Settings> parseSettings(std::string_view text, const std::string& file)
{
    return parseJsonValue<Settings>(text, file);
}

std::string settingsJson(const Settings& settings)
{
    return jsonText(writeJson(settings), 2) + "\n";
}

} // namespace tilewright::systolic
