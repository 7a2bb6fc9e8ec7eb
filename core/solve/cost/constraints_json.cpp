// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_fields.h"
#include "solve/cost/constraints.h"

#include <optional>

namespace tilewright {

namespace {

/// Name of the field of a schedule file that holds constraints.
constexpr const char* kConstraintsField = "constraints";

/// Reads a reference to an op or tensor: its number, or a name that no other op or tensor has.
template <class Id, class List>
Status readNamed(const JsonCursor& at, Id& out, const List& list, const std::string& what)
{
    if (at.node().is_number()) {
        const auto number = at.integer(0, static_cast<std::int64_t>(list.size()) - 1);
        if (!number)
            return number.error();
        out = Id(static_cast<std::size_t>(*number));
        return Unit{};
    }
    if (!at.node().is_string())
        return at.expected("the name or the number of " + what);
    const auto name = at.string();
    if (!name)
        return name.error();
    std::optional<Id> found;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[Id(i)].name == *name) {
            if (found)
                return at.error("more than one " + what.substr(what.find(' ') + 1) + " has the name \"" +
                                *name + "\": use the number of " + what);
            found = Id(i);
        }
    if (!found)
        return at.error("no " + what.substr(what.find(' ') + 1) + " has the name \"" + *name + "\"");
    out = *found;
    return Unit{};
}

template <class Id, class List> Json named(Id id, const List& list)
{
    const std::string& name = list[id].name;
    std::size_t same = 0;
    for (std::size_t i = 0; i < list.size(); ++i)
        same += list[Id(i)].name == name ? 1 : 0;
    return name.empty() || same > 1 ? Json(id.index()) : Json(name);
}

} // namespace

static Status readJson(const JsonCursor& at, OpId& out, const Problem& problem)
{
    return readNamed(at, out, problem.data().ops, "an op");
}
static Json writeJson(const OpId& op, const Problem& problem)
{
    return named(op, problem.data().ops);
}
static Status readJson(const JsonCursor& at, TensorId& out, const Problem& problem)
{
    return readNamed(at, out, problem.data().tensors, "a tensor");
}
static Json writeJson(const TensorId& tensor, const Problem& problem)
{
    return named(tensor, problem.data().tensors);
}

/// Reads a range of extents. A single number is both the least and the most extent.
static Status readJson(const JsonCursor& at, ExtentRange& out)
{
    constexpr Integers kExtents{1, kMaxDimension};
    if (at.node().is_number()) {
        if (Status s = readJson(at, out.least, kExtents); !s)
            return s;
        out.most = out.least;
        return Unit{};
    }
    if (!at.node().is_object())
        return at.expected("an integer, or an object with least and most");
    JsonFields fields(at);
    fields.optional("least", out.least, kExtents);
    fields.optional("most", out.most, kExtents);
    if (!fields.failed() && !out.any())
        fields.fail({}, "needs least or most");
    if (!fields.failed() && out.least > out.most)
        fields.fail("least", "must not be more than most");
    return fields.close();
}
static Json writeJson(const ExtentRange& range)
{
    if (range.least == range.most)
        return range.least;
    Json out = Json::object();
    if (range.least > 1)
        out["least"] = range.least;
    if (range.most < ExtentRange().most)
        out["most"] = range.most;
    return out;
}

static void bindFields(JsonFields& f, ScheduleConstraints::Tiles& tiles, const Problem& problem)
{
    f.defaulted("ops", tiles.ops, {}, problem);
    if (f.has("ops") && !f.failed() && tiles.ops.empty())
        f.fail("ops", "needs at least one op; without the field it means every subgraph");
    f.defaulted("w", tiles.range.w, {});
    f.defaulted("h", tiles.range.h, {});
    f.defaulted("k", tiles.range.k, {});
    if (!f.failed() && !tiles.range.any())
        f.fail({}, "needs w, h or k");
}

static std::string_view retentionWord(bool always)
{
    return always ? "always" : "never";
}
static void bindFields(JsonFields& f, ScheduleConstraints::Retention& r, const Problem& problem)
{
    static constexpr bool kWords[] = {true, false};
    f.required("tensor", r.tensor, problem);
    f.required("when", r.always, Words<bool>{kWords, retentionWord});
    if (f.failed() || !f.reading() || !r.always)
        return;
    const std::string name = problem.tensorName(r.tensor);
    if (problem.isView(r.tensor))
        f.fail("tensor", name + " is a view, which cannot be retained (R1.7)");
    else if (!problem.producer(r.tensor))
        f.fail("tensor", name + " is the result of no op, so that nothing stores it");
    else if (problem.isGraphOutput(r.tensor))
        f.fail("tensor", name + " is an output of the graph, which has to be stored (R3.6)");
    else if (!problem.viewsOf(r.tensor).empty())
        f.fail("tensor", name + " is read through a view, for which it has to be stored (R1.7)");
}

static void bindFields(JsonFields& f, ScheduleConstraints& c, const Problem& problem)
{
    const auto groups = [&](const char* key, std::vector<std::vector<OpId>>& list) {
        f.defaulted(key, list, {}, problem);
        for (std::size_t i = 0; i < list.size() && !f.failed() && f.reading(); ++i) {
            std::vector<OpId> sorted = list[i];
            std::ranges::sort(sorted);
            const std::string where = key + ("[" + std::to_string(i) + "]");
            if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
                f.fail(where, problem.opName(*twice) + " is in the group twice");
            else if (sorted.size() < 2)
                f.fail(where, "needs at least two ops");
        }
    };
    groups("together", c.together);
    groups("apart", c.apart);
    f.defaulted("tiles", c.tiles, {}, problem);
    f.defaulted("retain", c.retain, {}, problem);
    for (std::size_t i = 0; i < c.retain.size() && !f.failed() && f.reading(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (c.retain[i].tensor == c.retain[j].tensor)
                f.fail("retain[" + std::to_string(i) + "].tensor",
                       problem.tensorName(c.retain[i].tensor) + " has an entry already");
}

Result<ScheduleConstraints> readConstraints(const Problem& problem, std::string_view text,
                                            const std::string& file)
{
    return parseJsonValue<ScheduleConstraints>(text, file, problem);
}

Result<ScheduleConstraints> constraintsOf(const Problem& problem, const Schedule& schedule,
                                          const std::string& file)
{
    ScheduleConstraints out;
    if (schedule.extra.empty())
        return out;
    const Json fields = parsedJson(schedule.extra);
    const JsonCursor root(fields, file);
    if (const auto field = root.find(kConstraintsField))
        if (Status s = readJson(*field, out, problem); !s)
            return s.error();
    return out;
}

std::string withConstraints(const Problem& problem, const std::string& extra,
                            const ScheduleConstraints& constraints)
{
    Json fields = extra.empty() ? Json::object() : parsedJson(extra);
    fields.erase(kConstraintsField);
    if (constraints.any())
        fields[kConstraintsField] = writeJson(constraints, problem);
    return fields.empty() ? std::string() : jsonText(fields);
}

std::string writeConstraints(const Problem& problem, const ScheduleConstraints& constraints)
{
    return dumpByField(writeJson(constraints, problem));
}

} // namespace tilewright
