// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "verbs/summary.h"

namespace tilewright::verbs {

namespace {

Json floorDocument(const lower::Floor& floor, bool explained)
{
    Json out{{"cores", floor.cores},
             {"cycles", jsonNumber(floor.cycles.value)},
             {"compute", jsonNumber(floor.compute.value)},
             {"memory", jsonNumber(floor.memory.value)},
             {"least_bytes", jsonNumber(floor.leastBytes.value)},
             {"macs", jsonNumber(floor.macs.value)}};
    if (explained)
        out["explanation"] = parsedJson(explanationJson(floor.cycles));
    return out;
}

Json rowDocument(const SummaryRow& row, bool explained)
{
    static constexpr std::array<const char*, 3> kStates{"not_run", "done", "failed"};
    Json out{{"row", std::string(toString(row.kind))},
             {"title", std::string(titleOf(row.kind))},
             {"state", kStates[static_cast<std::size_t>(row.state)]}};
    if (row.state == SummaryRow::State::Failed)
        out["error"] = row.error;
    for (const SummaryColumn& column : summaryColumns()) {
        const auto& figure = row.of(column.figure);
        out[std::string(column.name)] = figure ? jsonNumber(figure->value) : Json(nullptr);
    }
    if (row.state == SummaryRow::State::NotRun)
        return out;
    out["binds"] = row.binds;
    out["how"] = row.how;
    out["left_out"] = row.leftOut;
    if (row.interrupted)
        out["interrupted"] = true;
    if (explained) {
        Json& explanations = out["explanations"] = Json::object();
        for (const SummaryColumn& column : summaryColumns())
            if (const auto& figure = row.of(column.figure))
                explanations[std::string(column.name)] = parsedJson(explanationJson(*figure));
    }
    return out;
}

Json languageDocument(const Summary& summary, bool explained)
{
    const LanguageFigures& language = *summary.language;
    const llm::LlmOptions& o = language.options;
    Json out{{"family", language.config.family},
             {"quantisation", language.config.quantisation},
             {"phase", std::string(toString(o.phase))},
             {"batch", o.batch},
             {"computed_tokens", o.computed()},
             {"cached_tokens", o.cached},
             {"layers", language.config.layers.size()},
             {"cores", language.cores},
             {"chips", o.chips},
             {"stages", o.stages},
             {"expert_chips", o.expertChips},
             {"expert_skew", jsonNumber(static_cast<double>(o.expertSkew) / llm::kSkewOfOne)},
             {"kv_bits", jsonNumber(static_cast<double>(language.config.kvBits) / llm::kBit)}};
    for (const LanguageColumn& column : languageColumns()) {
        const auto& figure = language.of(column.figure);
        out[std::string(column.name)] = figure ? jsonNumber(figure->value) : Json(nullptr);
    }
    out["step_floor_ms"] = jsonNumber(language.step.value);
    out["step_binds"] = std::string(language.binds);
    Json& parts = out["parts"] = Json::array();
    for (const LanguagePart& part : language.parts)
        parts.push_back({{"part", std::string(llm::toString(part.part))},
                         {"parameters", part.parameters},
                         {"weight_bytes", jsonNumber(part.weightBytes)},
                         {"macs", jsonNumber(part.macs)},
                         {"read_bytes", jsonNumber(part.readBytes)}});
    Json& reached = out["reached"] = Json::array();
    const auto tokens = static_cast<double>(o.batch * o.computed());
    for (const SummaryRow& row : summary.rows)
        if (const auto ms = wholeMilliseconds(summary, row); ms && row.wholeOfFloor)
            reached.push_back({{"row", std::string(toString(row.kind))},
                               {"step_ms", jsonNumber(*ms * static_cast<double>(o.stages))},
                               {"tokens_per_second", jsonNumber(*ms > 0 ? 1000 * tokens / *ms : 0)},
                               {"of_floor", jsonNumber(row.wholeOfFloor->value)}});
    if (explained) {
        Json& explanations = out["explanations"] = Json::object();
        for (const LanguageColumn& column : languageColumns())
            if (const auto& figure = language.of(column.figure))
                explanations[std::string(column.name)] = parsedJson(explanationJson(*figure));
    }
    return out;
}

} // namespace

std::string summaryJson(std::span<const Summary> summaries, bool explained)
{
    Json list = Json::array();
    for (const Summary& s : summaries) {
        Json one{{"model", s.model}, {"machine", s.machine}, {"clock_ghz", jsonNumber(s.clockGhz)}};
        for (const lower::Floor& floor : s.floors)
            one["floors"].push_back(floorDocument(floor, explained));
        for (const SummaryRow& row : s.rows)
            one["rows"].push_back(rowDocument(row, explained));
        one["notes"] = s.notes;
        if (s.language)
            one["language_model"] = languageDocument(s, explained);
        list.push_back(std::move(one));
    }
    return dumpByField(Json{{"summaries", std::move(list)}});
}

} // namespace tilewright::verbs
