// SPDX-License-Identifier: GPL-3.0-or-later
// Reads and writes the plan file (docs/rules/sweep.md 1).
#include "base/json_fields.h"
#include "base/text.h"
#include "sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::sweep {

namespace {

constexpr std::array kLenses{Lens::Schedule, Lens::Run,      Lens::Mapping,
                             Lens::Npu,      Lens::Systolic, Lens::Language};
constexpr std::array kWhats{What::Evaluate, What::Solve,   What::Bound, What::Optimum,
                            What::Static,   What::Dynamic, What::Table};
constexpr std::array kMinimise{Minimise::Latency, Minimise::Traffic, Minimise::Energy, Minimise::Edp};
constexpr std::array kTiles{Tiles::Default, Tiles::Searched};
constexpr std::array<std::string_view, 3> kScales{"linear", "log", "log2"};
constexpr double kLargest = 0x1p62;

std::string_view lensWord(Lens lens)
{
    return toString(lens);
}
std::string_view whatWord(What what)
{
    return toString(what);
}
std::string_view minimiseWord(Minimise minimise)
{
    return toString(minimise);
}

std::string_view tilesWord(Tiles tiles)
{
    return toString(tiles);
}

constexpr std::array kCostModels{CostModel::FourLevels, CostModel::Hierarchy};

std::string_view costModelWord(CostModel model)
{
    return toString(model);
}

std::vector<What> whatsOf(Lens lens)
{
    switch (lens) {
    case Lens::Run:
        return {What::Solve, What::Evaluate};
    case Lens::Mapping:
        return {What::Optimum};
    case Lens::Npu:
        return {What::Dynamic, What::Static};
    case Lens::Systolic:
        return {What::Table};
    case Lens::Language:
        return {What::Bound, What::Evaluate, What::Dynamic};
    case Lens::Schedule:
        break;
    }
    return {What::Solve, What::Evaluate, What::Bound};
}

/// Field that is a text or a list of texts.
struct TextOrList
{
    std::vector<std::string>& texts;
};

Status readJson(const JsonCursor& at, TextOrList& out)
{
    if (at.node().is_string()) {
        out.texts.emplace_back();
        return tilewright::readJson(at, out.texts.back());
    }
    return tilewright::readJson(at, out.texts);
}

Json writeJson(const TextOrList& value)
{
    return value.texts.size() == 1 ? Json(value.texts.front()) : Json(value.texts);
}

} // namespace

/// Text of a JSON number; nullopt if the node is not a number.
static std::optional<std::string> numberText(const Json& node)
{
    if (node.is_number_integer())
        return jsonText(node);
    if (node.is_number() && std::isfinite(node.get<double>()))
        return formatNumber(node.get<double>());
    return std::nullopt;
}

static Status readJson(const JsonCursor& at, AxisValue& out)
{
    const Json& node = at.node();
    if (auto number = numberText(node))
        out.text = std::move(*number);
    else if (node.is_string() && !node.get_ref<const std::string&>().empty())
        out.text = *at.string();
    else
        return at.expected("a number or a word");
    return Unit{};
}

static Json writeJson(const AxisValue& value)
{
    Json number = parsedJson(value.text);
    return numberText(number) == value.text
               ? number
               : Json(value.text); // "1e3" stays text: as a number its form would change
}

static void bindFields(JsonFields& f, Axis& axis)
{
    f.required("name", axis.name);
    if (f.reading() ? f.has("values") : !axis.range) {
        f.required("values", axis.values);
        if (f.reading() && !f.failed()) {
            std::set<AxisValue> seen;
            for (std::size_t i = 0; i < axis.values.size(); ++i)
                if (!seen.insert(axis.values[i]).second)
                    f.fail("values[" + std::to_string(i) + "]", "the value occurs twice");
            if (axis.values.empty())
                f.fail("values", "needs at least one value");
        }
        return;
    }
    AxisRange r = axis.range.value_or(AxisRange{});
    std::string scale = r.isLogarithmic ? "log2" : "linear";
    constexpr Numbers kNumbers{-kLargest, kLargest};
    f.required("from", r.from, kNumbers);
    f.required("to", r.to, kNumbers);
    f.required("points", r.points, Integers{1, kMaxPoints});
    f.optional("scale", scale);
    if (!f.reading() || f.failed())
        return;
    if (std::ranges::find(kScales, scale) == kScales.end())
        f.fail("scale", "expected \"linear\", \"log\" or \"log2\", got \"" + scale + "\"");
    r.isLogarithmic = scale != "linear";
    if (r.isLogarithmic && (r.from <= 0 || r.to <= 0))
        f.fail(r.from <= 0 ? "from" : "to", "a logarithmic range needs numbers greater than zero");
    if (f.failed())
        return;
    axis.range = r;
    axis.values = valuesOf(r, axis.name);
}

static void bindFields(JsonFields& f, Budget& budget)
{
    f.defaulted("iterations", budget.iterations, 0, Integers{1, std::int64_t{1} << 50});
    f.defaulted("seconds", budget.seconds, 0, Numbers{1e-3, 1e6});
    if (f.reading() && budget.iterations > 0 && budget.seconds > 0)
        f.fail("seconds", "a budget is iterations or seconds, not both");
}

namespace {

/// List of points. Each point is an object with a value for every axis. The first point defines the axes.
struct ListedPoints
{
    Plan& plan;
};

Status readJson(const JsonCursor& at, ListedPoints& out)
{
    Plan& plan = out.plan;
    if (Status s = at.list(); !s)
        return s;
    if (at.size() == 0 || at.size() > kMaxPoints)
        return at.error("expected 1 to " + formatNumber(std::int64_t{kMaxPoints}) + " points, got " +
                        std::to_string(at.size()));
    for (std::size_t i = 0; i < at.size(); ++i) {
        const JsonCursor point = at.at(i);
        if (Status s = point.object(); !s)
            return s;
        std::size_t known = 0;
        if (plan.workload.size() > 1) {
            const auto file = point.member("workload");
            if (!file)
                return file.error();
            const auto name = file->string();
            if (!name)
                return name.error();
            const auto found = std::ranges::find(plan.workload, *name);
            if (found == plan.workload.end())
                return file->error("\"" + *name + "\" is none of the plan's workloads");
            plan.listedWorkload.push_back(static_cast<std::size_t>(found - plan.workload.begin()));
            ++known;
        }
        if (i == 0)
            for (const auto& [key, value] : point.node().items())
                if (known == 0 || key != "workload")
                    plan.axes.push_back({key, {}, {}});
        std::vector<AxisValue>& values = plan.listed.emplace_back(plan.axes.size());
        for (std::size_t a = 0; a < plan.axes.size(); ++a) {
            const auto value = point.member(plan.axes[a].name);
            if (!value)
                return value.error();
            if (Status s = sweep::readJson(*value, values[a]); !s)
                return s;
        }
        if (point.size() != plan.axes.size() + known)
            return point.error("must have the same axes as the first point");
    }
    return Unit{};
}

Json writeJson(const ListedPoints& value)
{
    const Plan& plan = value.plan;
    Json out = Json::array();
    for (std::size_t i = 0; i < plan.listed.size(); ++i) {
        Json point = Json::object();
        if (!plan.listedWorkload.empty())
            point["workload"] = plan.workload[plan.listedWorkload[i]];
        for (std::size_t a = 0; a < plan.axes.size(); ++a)
            point[plan.axes[a].name] = sweep::writeJson(plan.listed[i][a]);
        out.push_back(std::move(point));
    }
    return out;
}

void bindRules(JsonFields& f, std::optional<Rules>& rules)
{
    if (f.reading() ? !f.has("rules") && !f.has("set") : !rules)
        return;
    RulesInWords words = inWords(rules.value_or(Rules::final()));
    std::string set(words.set);
    std::vector<std::string> switches;
    if (!f.reading())
        switches = std::move(words.switches);
    f.required("rules", set); // the switches of `set` modify these rules
    f.defaulted("set", switches, {});
    if (!f.reading() || f.failed())
        return;
    const auto named = ruleSetNamed(set);
    if (!named)
        f.fail("rules", "expected " + ruleSetList() + ", got \"" + set + "\"");
    rules = named.value_or(Rules::final());
    for (std::size_t i = 0; i < switches.size(); ++i)
        if (const Status status = setRule(*rules, switches[i]); !status)
            f.fail("set[" + std::to_string(i) + "]", status.error().message);
}

void checkObjectives(JsonFields& f, const Plan& plan)
{
    for (std::size_t i = 0; i < plan.objectives.size(); ++i) {
        const auto metrics = metricsOf(plan);
        const std::string& name = plan.objectives[i];
        const bool known = std::ranges::find(metrics, name) != metrics.end() ||
                           std::ranges::any_of(plan.axes, [&](const Axis& a) { return a.name == name; });
        if (!known) {
            std::string words;
            for (const std::string_view metric : metrics)
                words += (words.empty() ? "" : ", ") + std::string(metric);
            words.insert(0, "\"" + name + "\" is neither an axis nor one of ");
            f.fail("objectives[" + std::to_string(i) + "]", words);
        }
    }
}

void checkWhole(JsonFields& f, const Plan& plan)
{
    if (plan.workload.empty())
        f.fail("workload", "needs at least one file");
    for (std::size_t i = 0; i < plan.workload.size(); ++i)
        if (std::ranges::count(plan.workload, plan.workload[i]) > 1)
            f.fail("workload[" + std::to_string(i) + "]", "the file occurs twice");
    const auto whats = whatsOf(plan.lens);
    if (std::ranges::find(whats, plan.what) == whats.end())
        f.fail("what", "the lens " + std::string(toString(plan.lens)) + " has no \"" +
                           std::string(toString(plan.what)) + "\"");
    const bool solves = plan.what == What::Solve;
    if (!solves && plan.minimise != Minimise::Latency)
        f.fail("minimise", "applies to \"what\": \"solve\" only");
    if (plan.lens == Lens::Run && plan.minimise != Minimise::Latency)
        f.fail("minimise", "applies to the lens schedule only: the lens run solves for the latency");
    if (plan.prefetch != tilewright::RunOptions().prefetch && plan.lens != Lens::Run)
        f.fail("prefetch", "applies to the lens run only");
    if (plan.tiles != Tiles::Default && plan.lens != Lens::Npu)
        f.fail("tiles", "applies to the lens npu only");
    if (plan.costModel != CostModel::FourLevels && plan.lens != Lens::Mapping)
        f.fail("cost_model", "applies to the lens mapping only");
    if (!plan.architecture.empty() && plan.lens != Lens::Mapping)
        f.fail("architecture", "applies to the lens mapping only");
    if (!plan.schedule.empty() && !solves && plan.what != What::Evaluate)
        f.fail("schedule", "applies to \"what\": \"evaluate\" or \"solve\" only");
    if (!plan.schedule.empty() && plan.workload.size() > 1)
        f.fail("schedule", "needs a plan with one workload; this plan has several");
    if (!plan.schedule.empty() && plan.lens == Lens::Language)
        f.fail("schedule", "does not apply to the lens language, which evaluates the start schedule");
    if (plan.schedule.empty() && plan.what == What::Evaluate && plan.lens != Lens::Language)
        f.fail("schedule", "is missing: \"what\": \"evaluate\" needs it");
    if (plan.budget.iterations > 0 && !solves)
        f.fail("budget.iterations", "applies to \"what\": \"solve\" only");
    if (plan.budget.seconds > 0 && !solves && plan.lens != Lens::Mapping)
        f.fail("budget.seconds", "applies to \"what\": \"solve\" and to the lens mapping only");
    if (plan.axes.empty() && plan.workload.size() < 2)
        f.fail("axes", "needs at least one axis, or several workloads");
    std::set<std::string> names;
    for (std::size_t i = 0; i < plan.axes.size(); ++i) {
        const std::string& name = plan.axes[i].name;
        const std::string at = plan.listed.empty() ? "axes[" + std::to_string(i) + "].name" : "points[0]";
        if (!names.insert(name).second)
            f.fail(at, "\"" + name + "\" occurs twice");
        if (const std::string_view dimension = dimensionOf(name);
            plan.dimensions.contains(std::string(dimension)))
            f.fail(at, "\"" + std::string(dimension) + "\" is one of the dimensions of the plan as well");
        if (isProblemHardware(name) && !isOfProblems(plan.lens))
            f.fail(at, "\"" + name + "\" is hardware of the lenses schedule and run");
    }
    if (plan.pointCount() > kMaxPoints)
        f.fail("axes", "their product has more than " + formatNumber(std::int64_t{kMaxPoints}) + " points");
    checkObjectives(f, plan);
}

} // namespace

static void bindFields(JsonFields& f, Plan& plan)
{
    f.required("workload", TextOrList{plan.workload});
    std::vector<std::string> dims;
    const auto dimensions = [&](JsonFields& d) {
        if (d.reading())
            d.allowOthers();
        for (auto& [name, value] : plan.dimensions)
            d.optional(name, value, Integers{0, kMaxDimension});
    };
    if (f.reading() ? f.has("dimensions") : !plan.dimensions.empty())
        f.required("dimensions", dimensions);
    f.defaulted("machine", plan.machine, "");
    f.optional("lens", plan.lens, Words<Lens>{kLenses, lensWord});
    plan.what = f.reading() ? whatsOf(plan.lens).front() : plan.what;
    f.optional("what", plan.what, Words<What>{kWhats, whatWord});
    f.defaulted("minimise", plan.minimise, Minimise::Latency, Words<Minimise>{kMinimise, minimiseWord});
    f.defaulted("tiles", plan.tiles, Tiles::Default, Words<Tiles>{kTiles, tilesWord});
    f.defaulted("cost_model", plan.costModel, CostModel::FourLevels,
                Words<CostModel>{kCostModels, costModelWord});
    f.defaulted("architecture", plan.architecture, "");
    f.defaulted("prefetch", plan.prefetch, tilewright::RunOptions().prefetch, Integers{0, kMaxPrefetch});
    f.defaulted("schedule", plan.schedule, "");
    bindRules(f, plan.rules);
    f.defaulted("seed", plan.seed, 1, Integers{0, std::int64_t{1} << 62});
    f.defaulted("budget", plan.budget, Budget{});
    const bool lists = f.reading() ? f.has("points") : !plan.listed.empty();
    if (lists)
        f.required("points", ListedPoints{plan});
    else
        f.defaulted("axes", plan.axes, {});
    if (f.reading() && lists && f.has("axes")) {
        f.ignored("axes");
        f.fail("axes", "a plan has axes or points, not both");
    }
    f.defaulted("objectives", plan.objectives, {});
    if (f.reading() && !f.failed())
        checkWhole(f, plan);
}

Result<Plan> readPlan(std::string_view text, const std::string& file)
{
    const auto document = parseJson(text, file);
    if (!document)
        return document.error();
    const JsonCursor root(*document, file);
    Plan plan;
    // The keys of "dimensions" are names from the model, so they are not checked here.
    if (root.node().is_object())
        if (const auto dims = root.find("dimensions"); dims && dims->node().is_object())
            for (const auto& [name, value] : dims->node().items())
                plan.dimensions.emplace(name, 0);
    if (Status s = tilewright::readJson(root, plan); !s)
        return s.error();
    return plan;
}

std::string writePlan(const Plan& plan)
{
    return jsonText(tilewright::writeJson(plan), 2) + "\n";
}

} // namespace tilewright::sweep
