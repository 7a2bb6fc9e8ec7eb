// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "base/json_reader.h"
#include "base/utf8.h"
#include "overlay/trace.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright::overlay {

namespace {

constexpr double kMostTime = 1e18; ///< largest time, in the unit of the file

class TraceReader
{
public:
    explicit TraceReader(std::string file) { m_out.file = std::move(file); }

    Result<Trace> read(const Json& document)
    {
        const JsonCursor root(document, m_out.file);
        Result<JsonCursor> events = document.is_array() ? Result(root) : root.member("traceEvents");
        if (!events)
            return events.error();
        if (const Status s = events->list(); !s)
            return s.error();
        for (std::size_t i = 0; i < events->size(); ++i)
            if (const Status s = event(events->at(i)); !s)
                return s.error();
        for (const auto& [key, open] : m_open)
            m_out.openEvents += static_cast<std::int64_t>(open.size());
        name();
        std::ranges::stable_sort(m_out.slices, [](const Slice& a, const Slice& b) {
            return std::tie(a.start, a.track) < std::tie(b.start, b.track);
        });
        return std::move(m_out);
    }

private:
    using Place = std::pair<std::string, std::string>; ///< process and thread

    /// Text of the number or name that identifies a process or a thread.
    static std::string idOf(const JsonCursor& event, std::string_view key)
    {
        const auto id = event.find(key);
        if (!id || id->isNull())
            return "0";
        return id->node().is_string() ? printable(id->node().get<std::string>()) : jsonText(id->node());
    }
    static Result<double> timeOf(const JsonCursor& event, std::string_view key, double least)
    {
        const auto at = event.member(key);
        if (!at)
            return at.error();
        return at->number(least, kMostTime);
    }
    static Result<std::string> textOf(const JsonCursor& event, std::string_view key)
    {
        const auto at = event.find(key);
        return at ? at->string() : Result(std::string());
    }
    std::size_t trackOf(const Place& place)
    {
        const auto [at, isNew] = m_tracks.try_emplace(place, m_places.size());
        if (isNew)
            m_places.push_back(place);
        return at->second;
    }

    Status event(const JsonCursor& at)
    {
        if (Status s = at.object(); !s)
            return s;
        const auto phase = at.member("ph");
        if (!phase)
            return phase.error();
        const auto kind = phase->string();
        if (!kind)
            return kind.error();
        const Place place{idOf(at, "pid"), idOf(at, "tid")};
        if (*kind == "M")
            return metadata(at, place);
        if (*kind == "X")
            return complete(at, place);
        if (*kind == "B" || *kind == "b")
            return begin(at, place, *kind == "b");
        if (*kind == "E" || *kind == "e")
            return end(at, place, *kind == "e");
        ++m_out.otherEvents;
        return Unit{};
    }

    Status metadata(const JsonCursor& at, const Place& place)
    {
        const auto what = textOf(at, "name");
        if (!what)
            return what.error();
        const auto args = at.find("args");
        if ((*what != "process_name" && *what != "thread_name") || !args || !args->node().is_object())
            return Unit{};
        const auto name = textOf(*args, "name");
        if (!name)
            return name.error();
        (*what == "process_name" ? m_processes[place.first] : m_threads[place]) = *name;
        return Unit{};
    }

    Status complete(const JsonCursor& at, const Place& place)
    {
        const auto name = textOf(at, "name");
        const auto start = timeOf(at, "ts", -kMostTime);
        const auto length = at.has("dur") ? timeOf(at, "dur", 0) : Result(0.0);
        if (!name || !start || !length)
            return !name ? name.error() : !start ? start.error() : length.error();
        m_out.slices.push_back({*name, trackOf(place), *start, *start + *length});
        return Unit{};
    }

    /// Key by which begin and end of a pair are matched. Asynchronous pairs are matched by their id; other
    /// pairs are nested.
    static std::string keyOf(const JsonCursor& at, const Place& place, bool isAsync)
    {
        return isAsync ? "id " + idOf(at, "cat") + " " + idOf(at, "id") : place.first + "\n" + place.second;
    }
    Status begin(const JsonCursor& at, const Place& place, bool isAsync)
    {
        const auto name = textOf(at, "name");
        const auto start = timeOf(at, "ts", -kMostTime);
        if (!name || !start)
            return !name ? name.error() : start.error();
        const Place track = isAsync ? Place{place.first, idOf(at, "cat")} : place;
        m_open[keyOf(at, place, isAsync)].push_back({*name, trackOf(track), *start, *start});
        return Unit{};
    }
    Status end(const JsonCursor& at, const Place& place, bool isAsync)
    {
        const auto time = timeOf(at, "ts", -kMostTime);
        if (!time)
            return time.error();
        auto& open = m_open[keyOf(at, place, isAsync)];
        if (open.empty())
            return ++m_out.openEvents, Unit{};
        Slice slice = std::move(open.back());
        open.pop_back();
        if (*time < slice.start)
            return at.error("ends before it begins, at " + jsonText(Json(slice.start)));
        slice.end = *time;
        m_out.slices.push_back(std::move(slice));
        return Unit{};
    }

    void name()
    {
        for (const Place& place : m_places) {
            const auto process = m_processes.find(place.first);
            const auto thread = m_threads.find(place);
            std::string out = process == m_processes.end() ? place.first : process->second;
            out.append(" / ").append(thread == m_threads.end() ? place.second : thread->second);
            m_out.tracks.push_back(std::move(out));
        }
    }

    Trace m_out;
    std::map<Place, std::size_t> m_tracks;
    std::vector<Place> m_places;
    std::map<std::string, std::string> m_processes;
    std::map<Place, std::string> m_threads;
    std::map<std::string, std::vector<Slice>> m_open;
};

} // namespace

bool isTrace(std::string_view text)
{
    const std::size_t first = text.find_first_not_of("\xef\xbb\xbf \t\r\n");
    if (first == std::string_view::npos)
        return false;
    // Maximum position of the first event or of the list of events in the text.
    constexpr std::size_t kMost = 4096;
    const std::string_view begin = text.substr(first, kMost);
    return (begin.front() == '{' && text.find("\"traceEvents\"") != std::string_view::npos) ||
           (begin.front() == '[' && begin.find("\"ph\"") != std::string_view::npos);
}

Result<Trace> readTrace(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    return TraceReader(file).read(*document);
}

std::string tracesJson(const TraceComparison& c)
{
    Json pairs = Json::array();
    for (const SlicePair& pair : c.pairs) {
        const Slice& a = c.a.slices[pair.a];
        const Slice& b = c.b.slices[pair.b];
        pairs.push_back({{"track", c.a.tracks[a.track]},
                         {"other_track", c.b.tracks[b.track]},
                         {"name", a.name},
                         {"start", jsonNumber(a.start)},
                         {"length", jsonNumber(a.length())},
                         {"start_difference", jsonNumber(c.startDifference(pair))},
                         {"length_difference", jsonNumber(c.lengthDifference(pair))}});
    }
    const auto alone = [](const Trace& trace, const std::vector<std::size_t>& slices) {
        Json out = Json::array();
        for (const std::size_t s : slices)
            out.push_back({{"track", trace.tracks[trace.slices[s].track]},
                           {"name", trace.slices[s].name},
                           {"start", jsonNumber(trace.slices[s].start)},
                           {"length", jsonNumber(trace.slices[s].length())}});
        return out;
    };
    return dumpByField(Json{{"file", c.a.file},
                            {"other", c.b.file},
                            {"offset", jsonNumber(c.offset)},
                            {"offset_fitted", c.fitted},
                            {"scale", jsonNumber(c.scale)},
                            {"slices", c.a.slices.size()},
                            {"other_slices", c.b.slices.size()},
                            {"pairs", std::move(pairs)},
                            {"only_here", alone(c.a, c.onlyA)},
                            {"only_there", alone(c.b, c.onlyB)}});
}

} // namespace tilewright::overlay
