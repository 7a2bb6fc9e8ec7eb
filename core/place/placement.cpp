// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/placement.h"

#include "base/integer.h"
#include "base/text.h"
#include "base/utf8.h"
#include "place/lots.h"
#include "place/search.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

namespace tilewright {

namespace {

/// With more lots (items of memory to be placed), only heuristics and the peak bound are used, because the
/// depth of the search equals the number of lots.
constexpr std::size_t kMaxSearchedLots = 4000;
constexpr std::int64_t kFirstSlice = 500;
constexpr std::size_t kMinSubsetLots = 4; ///< least number of lots for a separate lower bound

/// Sequence 1 1 2 1 1 2 4 1 1 2 ... of turn lengths: many short turns and a few long ones. `turn` counts from
/// 1.
int turnLength(int turn)
{
    int length = 1; // length of the last turn in a round of 2 * length - 1 turns
    while (2 * length - 1 < turn)
        length *= 2;
    return 2 * length - 1 == turn ? length : turnLength(turn - (length - 1));
}

/// One component with its best offsets, and the searches for placements of lower height.
class Work
{
public:
    Work(const Component& component, const std::stop_token& stop)
        : m_component(component), m_offset(greedyOffsets(component, stop))
    {
        m_height = heightOf(component, m_offset);
        m_least = peakOf(component);
    }

    [[nodiscard]] std::int64_t height() const noexcept { return m_height; }
    [[nodiscard]] std::int64_t least() const noexcept { return m_least; }
    [[nodiscard]] std::int64_t nodes() const noexcept { return m_nodes; }
    [[nodiscard]] const std::vector<std::int64_t>& offsets() const noexcept { return m_offset; }
    [[nodiscard]] bool searchable() const noexcept { return m_component.lots.size() <= kMaxSearchedLots; }

    /// Searches a placement within `height` for a number of nodes. `height` must be less than height().
    void search(std::int64_t height, const std::stop_token& stop, std::int64_t maxNodes)
    {
        if (!m_overlaps)
            m_overlaps = std::make_unique<Overlaps>(m_component);
        std::erase_if(m_searches,
                      [&](const auto& asked) { return asked.first < m_least || asked.first >= m_height; });
        auto& asked = m_searches[height];
        if (!asked.search)
            asked.search = std::make_unique<FitSearch>(m_component, *m_overlaps, height);
        FitSearch& fit = *asked.search;
        const std::int64_t before = fit.nodes();
        const std::int64_t slice = std::min(kFirstSlice * turnLength(asked.turns + 1), maxNodes);
        const auto outcome = fit.run(asked.turns++, slice, stop);
        m_nodes += fit.nodes() - before;
        if (outcome == FitSearch::Outcome::Fits) {
            m_offset = fit.offsets();
            settle(m_component, m_offset);
            m_height = heightOf(m_component, m_offset);
        } else if (outcome == FitSearch::Outcome::DoesNotFit) {
            m_least = std::min(m_height, std::max(m_least, fit.nextHeight()));
        }
        if (outcome == FitSearch::Outcome::OutOfNodes)
            searchLargest(height, stop, maxNodes);
    }

private:
    /// Searches only a subset with the largest lots. A height that is impossible for the subset is impossible
    /// for all lots. Without this step, hundreds of small lots would delay the proof that a few large ones do
    /// not fit.
    void searchLargest(std::int64_t height, const std::stop_token& stop, std::int64_t maxNodes)
    {
        if (!std::exchange(m_choseLargest, true))
            chooseLargest(stop);
        for (const auto& some : m_largest) {
            if (height < some.work->least() || height >= some.work->height() || stop.stop_requested())
                continue;
            const std::int64_t before = some.work->nodes();
            some.work->search(height, stop, maxNodes);
            m_nodes += some.work->nodes() - before;
            m_least = std::min(m_height, std::max(m_least, some.work->least()));
        }
    }

    /// Chooses subsets of about one half, one quarter, ... of the lots, largest sizes first; lots of equal
    /// size stay together.
    void chooseLargest(const std::stop_token& stop)
    {
        std::vector<std::int64_t> sizes;
        for (const Lot& lot : m_component.lots)
            sizes.push_back(lot.size);
        std::sort(sizes.begin(), sizes.end(), std::greater<>());
        std::size_t before = sizes.size();
        for (std::size_t n = sizes.size() / 2; n >= kMinSubsetLots; n /= 2) {
            auto some = std::make_unique<Component>();
            some->sections = m_component.sections;
            std::copy_if(m_component.lots.begin(), m_component.lots.end(), std::back_inserter(some->lots),
                         [&](const Lot& lot) { return lot.size >= sizes[n - 1]; });
            if (some->lots.size() >= before)
                continue;
            before = some->lots.size();
            auto work = std::make_unique<Work>(*some, stop);
            m_largest.push_back({std::move(some), std::move(work)});
        }
    }

    struct HeightSearch
    {
        std::unique_ptr<FitSearch> search;
        int turns = 0;
    };
    struct Largest
    {
        std::unique_ptr<Component> component;
        std::unique_ptr<Work> work;
    };
    const Component& m_component;
    std::vector<Largest> m_largest;
    bool m_choseLargest = false;
    std::vector<std::int64_t> m_offset;
    std::int64_t m_height = 0;
    std::int64_t m_least = 0;
    std::int64_t m_nodes = 0;
    std::unique_ptr<Overlaps> m_overlaps;
    std::map<std::int64_t, HeightSearch> m_searches; // key: height
};

class Search
{
public:
    Search(const Reduced& reduced, std::int64_t capacity, const Progress& progress,
           const PlacementOptions& options)
        : m_capacity(capacity), m_progress(progress), m_options(options)
    {
        for (const Component& c : reduced.components)
            m_work.push_back(std::make_unique<Work>(c, progress.stop));
    }

    void run()
    {
        while (least() < height() && !m_progress.stopRequested() && nodesLeft() > 0) {
            if (m_options.onlyWhetherItFits && (height() <= m_capacity || least() > m_capacity))
                return;
            m_progress.tell(1 - static_cast<double>(height() - least()) / static_cast<double>(height()),
                            "placing");
            bool any = false;
            for (const auto& work : m_work) {
                if (m_options.onlyWhetherItFits) {
                    any = slice(*work, m_capacity) || any;
                    continue;
                }
                // A component need not become lower than another component.
                any = slice(*work, std::max(work->least(), least())) || any;
                // It is first decided whether the component fits into the capacity; then its height is
                // reduced.
                any = slice(*work, m_capacity) || any;
                const std::int64_t low =
                    std::max({work->least(), least(), std::min(m_capacity, work->height())});
                any = slice(*work,
                            low < work->height() ? low + (work->height() - low) / 2 : work->height() - 1) ||
                      any;
            }
            if (!any)
                return;
        }
    }

    [[nodiscard]] std::int64_t height() const
    {
        std::int64_t out = 0;
        for (const auto& work : m_work)
            out = std::max(out, work->height());
        return out;
    }
    [[nodiscard]] std::int64_t least() const
    {
        std::int64_t out = 0;
        for (const auto& work : m_work)
            out = std::max(out, work->least());
        return out;
    }
    [[nodiscard]] std::int64_t nodes() const
    {
        std::int64_t out = 0;
        for (const auto& work : m_work)
            out += work->nodes();
        return out;
    }
    [[nodiscard]] const std::vector<std::int64_t>& offsets(std::size_t component) const
    {
        return m_work[component]->offsets();
    }

private:
    [[nodiscard]] std::int64_t nodesLeft() const
    {
        return m_options.maxNodes > 0 ? m_options.maxNodes - nodes()
                                      : std::numeric_limits<std::int64_t>::max();
    }

    bool slice(Work& work, std::int64_t height)
    {
        if (m_progress.stopRequested() || !work.searchable() || height < work.least() ||
            height >= work.height() || work.height() <= least() || nodesLeft() <= 0)
            return false;
        work.search(height, m_progress.stop, nodesLeft());
        return true;
    }

    std::vector<std::unique_ptr<Work>> m_work;
    std::int64_t m_capacity;
    const Progress& m_progress;
    const PlacementOptions& m_options;
};

} // namespace

Placement findPlacement(std::span<const PlacementItem> items, std::int64_t capacity, const Progress& progress,
                        const PlacementOptions& options)
{
    const Reduced reduced = reduce(items, progress.stop);
    Search search(reduced, capacity, progress, options);
    search.run();
    Placement out;
    out.offsets.resize(items.size());
    for (std::size_t c = 0; c < reduced.components.size(); ++c) {
        const Component& component = reduced.components[c];
        out.searched += static_cast<std::int64_t>(component.lots.size());
        for (std::size_t i = 0; i < component.items.size(); ++i)
            out.offsets[component.items[i]] = search.offsets(c)[i];
    }
    for (std::size_t i = 0; i < items.size(); ++i)
        out.offsets[i] = out.offsets[reduced.representative[i]];
    out.height = search.height();
    out.leastHeight = search.least();
    out.peak = reduced.peak;
    out.timePoints = reduced.timePoints;
    out.nodes = search.nodes();
    return out;
}

std::optional<PlacementFault> placementFault(std::span<const PlacementItem> items,
                                             std::span<const std::int64_t> offsets, std::int64_t capacity)
{
    struct Event
    {
        std::int64_t time = 0;
        int what = 0; // kind of the event: 0 = end, 1 = growth, 2 = start
        std::size_t item = 0;
        auto operator<=>(const Event&) const = default;
    };
    std::vector<Event> events;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (offsets[i] < 0 || offsets[i] + items[i].size > capacity)
            return PlacementFault{i, std::nullopt};
        events.push_back({items[i].upper, 0, i});
        if (items[i].narrows())
            events.push_back({items[i].narrowUntil, 1, i});
        events.push_back({items[i].lower, 2, i});
    }
    std::sort(events.begin(), events.end());
    std::set<std::pair<std::int64_t, std::size_t>> alive; // live items by offset
    for (const Event& e : events) {
        const std::pair key(offsets[e.item], e.item);
        if (e.what == 0) {
            alive.erase(key);
            continue;
        }
        const auto it = alive.insert(key).first;
        const auto end = [&](std::size_t i) { return offsets[i] + items[i].sizeAt(e.time); };
        if (const auto next = std::next(it); next != alive.end() && next->first < end(e.item))
            return PlacementFault{e.item, next->second};
        if (it != alive.begin() && end(std::prev(it)->second) > key.first)
            return PlacementFault{e.item, std::prev(it)->second};
    }
    return std::nullopt;
}

namespace {

/// Limit that keeps sums of sizes within 64 bits.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 60;
constexpr std::size_t kMaxBuffers = 1'000'000;

enum Column : std::size_t { kId, kLower, kUpper, kSize, kOffset, kColumns };
constexpr std::array<std::string_view, kColumns> kNames = {"id", "lower", "upper", "size", "offset"};

std::string_view trimmed(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t\r");
    return first == std::string_view::npos ? std::string_view()
                                           : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::vector<std::string_view> fieldsOf(std::string_view line)
{
    std::vector<std::string_view> out;
    for (std::size_t start = 0; start <= line.size();) {
        const std::size_t comma = std::min(line.find(',', start), line.size());
        out.push_back(trimmed(line.substr(start, comma - start)));
        start = comma + 1;
    }
    return out;
}

/// Name of a column with the last moment of a life; the column `upper` has the moment after it.
constexpr std::string_view kEnd = "end";

/// The column with this name. Older names are accepted, too (docs/rules/place.md 3.2).
std::optional<Column> columnNamed(std::string_view name)
{
    constexpr std::pair<std::string_view, Column> kOlder[] = {
        {"buffer", kId}, {"buffer_id", kId}, {"start", kLower}, {"begin", kLower}, {kEnd, kUpper}};
    for (std::size_t c = 0; c < kColumns; ++c)
        if (name == kNames[c])
            return static_cast<Column>(c);
    for (const auto& [older, column] : kOlder)
        if (name == older)
            return column;
    return std::nullopt;
}

class Reader
{
public:
    [[nodiscard]] Result<Buffers> read(std::string_view text)
    {
        for (std::size_t start = 0; start < text.size();) {
            const std::size_t end = std::min(text.find('\n', start), text.size());
            const std::string_view line = trimmed(text.substr(start, end - start));
            ++m_line;
            start = end + 1;
            if (line.empty())
                continue;
            if (const Status status = m_places.empty() ? head(line) : row(line); !status)
                return status.error();
        }
        if (m_places.empty())
            return problemError({},
                                "the header line with the column names id, lower, upper, size is missing");
        if (m_out.items.empty())
            return problemError({}, "has no buffers");
        return std::move(m_out);
    }

private:
    [[nodiscard]] Error fault(std::string_view field, std::string message) const
    {
        std::string place = "line " + std::to_string(m_line);
        if (!field.empty())
            place.append(", ").append(field);
        return {ErrorCode::Field, std::move(message), std::move(place), {}};
    }

    Status head(std::string_view line)
    {
        std::array<bool, kColumns> seen{};
        for (const std::string_view name : fieldsOf(line)) {
            const auto column = columnNamed(name);
            if (!column)
                return fault({}, "'" + std::string(name) +
                                     "' is not a column of a buffer file (id, lower, upper, size, offset)");
            if (std::exchange(seen[*column], true))
                return fault(kNames[*column], "the column occurs twice");
            m_places.push_back(*column);
            m_endIsInside = m_endIsInside || name == kEnd;
        }
        for (const Column c : {kId, kLower, kUpper, kSize})
            if (!seen[c])
                return fault(kNames[c], "the column is missing");
        return Unit{};
    }

    Status row(std::string_view line)
    {
        const std::vector<std::string_view> fields = fieldsOf(line);
        if (fields.size() != m_places.size())
            return fault({}, "has " + formatGrouped(fields.size()) + " fields, the columns are " +
                                 formatGrouped(m_places.size()));
        if (m_out.items.size() == kMaxBuffers)
            return fault({}, "more than " + formatGrouped(kMaxBuffers) + " buffers");
        std::array<std::int64_t, kColumns> value{};
        std::string id;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const Column column = m_places[i];
            if (column == kId) {
                id = printable(fields[i]);
                continue;
            }
            if (column == kOffset) // the offset of an earlier placement is ignored
                continue;
            const char* end = fields[i].data() + fields[i].size();
            const auto [at, error] = std::from_chars(fields[i].data(), end, value[column]);
            if (error != std::errc{} || at != end || fields[i].empty())
                return fault(kNames[column], "'" + std::string(fields[i]) + "' is not a whole number");
        }
        if (id.empty())
            return fault(kNames[kId], "is empty");
        if (const auto [known, fresh] = m_lineOf.try_emplace(id, m_line); !fresh)
            return fault(kNames[kId],
                         "'" + id + "' is the buffer of line " + std::to_string(known->second) + " too");
        if (value[kLower] < 0)
            return fault(kNames[kLower], "must not be negative");
        if (m_endIsInside) {
            if (value[kUpper] < value[kLower])
                return fault(kEnd, "must not be less than start, which is " + std::to_string(value[kLower]));
            value[kUpper] = saturatingAdd(value[kUpper], 1);
        }
        if (value[kUpper] <= value[kLower])
            return fault(kNames[kUpper],
                         "must be greater than lower, which is " + std::to_string(value[kLower]));
        if (value[kSize] <= 0)
            return fault(kNames[kSize], "must be positive");
        if (value[kSize] > kMaxElements - m_sum)
            return fault(kNames[kSize], "the sizes add up to more than " + std::to_string(kMaxElements));
        m_sum += value[kSize];
        m_out.ids.push_back(std::move(id));
        m_out.items.push_back({value[kLower], value[kUpper], value[kSize], value[kLower], 0});
        return Unit{};
    }

    Buffers m_out;
    std::vector<Column> m_places; // columns in the order of the file
    std::unordered_map<std::string, std::size_t> m_lineOf;
    std::size_t m_line = 0;
    std::int64_t m_sum = 0;
    bool m_endIsInside = false; ///< true if the file has the column `end`
};

} // namespace

Result<Buffers> readBuffers(std::string_view text)
{
    return Reader().read(text);
}

std::string writeBuffers(const Buffers& buffers, const std::vector<std::int64_t>& offsets)
{
    std::string out = "id,lower,upper,size,offset\n";
    for (std::size_t i = 0; i < buffers.items.size(); ++i) {
        const PlacementItem& item = buffers.items[i];
        out += buffers.ids[i];
        for (const std::int64_t v : {item.lower, item.upper, item.size, offsets[i]}) {
            out += ',';
            appendNumber(out, v);
        }
        out += '\n';
    }
    return out;
}

} // namespace tilewright
