// SPDX-License-Identifier: GPL-3.0-or-later
#include "mcp.h"

#include "base/json_reader.h"
#include "base/text.h"
#include "base/utf8.h"
#include "base/version.h"
#include "verbs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <exception>
#include <istream>
#include <new>
#include <optional>
#include <ostream>
#include <set>
#include <streambuf>

namespace tilewright::cli {

namespace {

/// Supported revisions of the Model Context Protocol, the newest first.
constexpr std::array<std::string_view, 4> kRevisions{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

/// Error codes of JSON-RPC.
enum Code {
    ParseError = -32700,
    InvalidRequest = -32600,
    UnknownMethod = -32601,
    InvalidParams = -32602,
    Internal = -32603
};

struct Fault
{
    int code = InvalidRequest;
    std::string message;
};

Json errorMessage(const Json& id, const Fault& fault)
{
    return {{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", fault.code}, {"message", fault.message}}}};
}

/// Splits "os|ws|is" into its words. Empty if the text is a placeholder for any value, such as "FILE".
std::vector<std::string> choicesOf(const std::string& value)
{
    std::vector<std::string> out;
    std::size_t at = 0;
    while (at <= value.size()) {
        const std::size_t end = std::min(value.find('|', at), value.size());
        out.push_back(value.substr(at, end - at));
        at = end + 1;
    }
    const auto isWord = [](const std::string& word) {
        return std::ranges::none_of(word, [](unsigned char c) { return std::isupper(c) != 0; });
    };
    return out.size() > 1 && std::ranges::all_of(out, isWord) ? out : std::vector<std::string>();
}

std::string_view jsonType(const verbs::Option& option)
{
    return option.type == "bool"    ? "boolean"
           : option.type == "int"   ? "integer"
           : option.type == "float" ? "number"
                                    : "string";
}

Json schemaOf(const verbs::Option& option)
{
    Json value{{"type", jsonType(option)}};
    if (const auto choices = choicesOf(option.value); !choices.empty() && option.type == "str")
        value["enum"] = choices;
    Json out = option.isList ? Json{{"type", "array"}, {"items", std::move(value)}} : std::move(value);
    out["description"] = option.description();
    if (const Json standard = option.isNumber() ? parsedJson(option.standard) : Json(option.standard);
        !option.standard.empty() && !option.isList && !standard.is_discarded())
        out["default"] = standard;
    return out;
}

/// True if clients can set the option. The server always adds --json itself, if the verb has it.
bool isOfTool(const verbs::Option& option)
{
    return option.name != "--json" && option.name != "--progress";
}

Json toolJson(const VerbTool& tool, bool allowWrites)
{
    Json properties = Json::object(), required = Json::array();
    bool writes = false;
    for (const verbs::Option& option : tool.list->all()) {
        if (!isOfTool(option))
            continue;
        properties[option.identifier()] = schemaOf(option);
        if (option.required)
            required.push_back(option.identifier());
        writes = writes || option.isOutput;
    }
    Json schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty())
        schema["required"] = std::move(required);
    return {{"name", tool.name},
            {"description", tool.meaning},
            {"inputSchema", std::move(schema)},
            {"annotations", {{"readOnlyHint", !allowWrites || !writes}}}};
}

/// Returns a value in the form that the command line has; nothing if it has the wrong type.
std::optional<std::string> textOf(const verbs::Option& option, const Json& value)
{
    if (option.type == "int" && value.is_number_integer())
        return jsonText(value);
    if (option.type == "float" && value.is_number())
        return formatNumber(value.get<double>());
    if (!option.isNumber() && option.type != "bool" && value.is_string())
        return value.get<std::string>();
    return {};
}

Fault wrongType(const verbs::Option& option)
{
    return {InvalidParams, option.identifier() + ": expected " +
                               (option.isList ? "an array of type " : "a value of type ") +
                               std::string(jsonType(option))};
}

/// Reads an argument of a call into the list. `read`: the verb's own error, if it refuses the value.
std::optional<Fault> readArgument(verbs::OptionList& list, const verbs::Option& option, const Json& value,
                                  Status& read)
{
    std::vector<std::string> texts;
    if (option.type == "bool") {
        if (!value.is_boolean())
            return wrongType(option);
        if (!value.get<bool>())
            return {};
    } else if (option.isList) {
        if (!value.is_array() || value.empty())
            return wrongType(option);
        for (const Json& one : value) {
            auto text = textOf(option, one);
            if (!text)
                return wrongType(option);
            texts.push_back(*std::move(text));
        }
    } else {
        auto text = textOf(option, value);
        if (!text)
            return wrongType(option);
        texts.push_back(*std::move(text));
    }
    if (Status s = list.read(option.name, texts); !s && read)
        read = std::move(s);
    return {};
}

Json resultOf(const VerbOutput& output)
{
    Json content = Json::array();
    const auto add = [&content](const std::string& text) {
        if (!text.empty())
            content.push_back({{"type", "text"}, {"text", text}});
    };
    add(output.out);
    add(output.err);
    Json out{{"content", std::move(content)}, {"isError", output.code >= Exit::BadInput}};
    if (output.code >= Exit::BadInput)
        return out;
    if (Json document = parsedJson(output.out); document.is_object())
        out["structuredContent"] = std::move(document);
    else if (document.is_array()) // an array has one row per layer; the protocol requires an object
        out["structuredContent"] = {{"rows", std::move(document)}};
    return out;
}

Json refusal(const std::string& sentence)
{
    return resultOf({Exit::BadInput, {}, sentence});
}

class Server
{
public:
    Server(const WithTools& withTools, bool allowWrites) : m_withTools(withTools), m_allowWrites(allowWrites)
    {
    }

    /// Returns the answer to a message; nothing if the message is a notification.
    std::optional<Json> answer(const std::string& text)
    {
        const auto message = parseJson(text, {});
        if (!message)
            return errorMessage(nullptr, {ParseError, "the message is not JSON: " + message.error().text()});
        if (!message->is_object())
            return errorMessage(nullptr, {InvalidRequest, "the message is not an object"});
        const Json id = message->contains("id") ? (*message)["id"] : Json();
        const bool hasId = message->contains("id");
        const bool isLegalId = id.is_string() || id.is_number_integer();
        if (!message->contains("method") && (message->contains("result") || message->contains("error")))
            return {}; // a response although the server sends no requests
        if (hasId && !isLegalId)
            return errorMessage(nullptr, {InvalidRequest, "id: expected a string or an integer"});
        if (!message->contains("jsonrpc") || (*message)["jsonrpc"] != "2.0")
            return errorMessage(id, {InvalidRequest, "jsonrpc: expected \"2.0\""});
        if (!message->contains("method") || !(*message)["method"].is_string())
            return errorMessage(id, {InvalidRequest, "method: expected a string"});
        if (!hasId)
            return {};
        const Json params = message->contains("params") ? (*message)["params"] : Json::object();
        if (!params.is_object())
            return errorMessage(id, {InvalidParams, "params: expected an object"});
        Fault fault{0, {}};
        Json result = request((*message)["method"].get<std::string>(), params, fault);
        if (fault.code != 0)
            return errorMessage(id, fault);
        return Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
    }

private:
    Json request(const std::string& method, const Json& params, Fault& fault)
    {
        if (method == "ping")
            return Json::object();
        if (method == "initialize")
            return initialize(params, fault);
        if (method != "tools/list" && method != "tools/call")
            fault = {UnknownMethod, "there is no method " + printable(method)};
        else if (!m_isInitialized)
            fault = {InvalidRequest, "the first request must be initialize"};
        else if (method == "tools/list")
            return list(params, fault);
        else
            return call(params, fault);
        return {};
    }

    Json initialize(const Json& params, Fault& fault)
    {
        const auto revision = params.find("protocolVersion");
        if (revision == params.end() || !revision->is_string()) {
            fault = {InvalidParams, "protocolVersion: expected a string"};
            return {};
        }
        m_isInitialized = true;
        const auto same = std::ranges::find(kRevisions, revision->get<std::string>());
        return {{"protocolVersion", same != kRevisions.end() ? *same : kRevisions.front()},
                {"capabilities", {{"tools", Json::object()}}},
                {"serverInfo", {{"name", "tilewright"}, {"version", programVersion()}}},
                {"instructions",
                 "Tools are the verbs of tilewright-cli. Files are named by their paths. The tool tables "
                 "answers SQL (its argument query) about a workload, a machine and a schedule; with schema "
                 "it lists the tables."}};
    }

    Json list(const Json& params, Fault& fault) const
    {
        if (params.contains("cursor")) {
            fault = {InvalidParams, "cursor: all tools are on the first page"};
            return {};
        }
        Json tools = Json::array();
        m_withTools({}, [&](std::vector<VerbTool>& all) {
            for (const VerbTool& tool : all)
                tools.push_back(toolJson(tool, m_allowWrites));
        });
        return {{"tools", std::move(tools)}};
    }

    Json call(const Json& params, Fault& fault) const
    {
        const auto name = params.find("name");
        if (name == params.end() || !name->is_string()) {
            fault = {InvalidParams, "name: expected a string"};
            return {};
        }
        const Json arguments = params.contains("arguments") ? params["arguments"] : Json::object();
        if (!arguments.is_object()) {
            fault = {InvalidParams, "arguments: expected an object"};
            return {};
        }
        Json out;
        m_withTools(name->get<std::string>(), [&](std::vector<VerbTool>& tools) {
            if (tools.empty())
                fault = {InvalidParams, "there is no tool " + printable(name->get<std::string>())};
            else
                out = callTool(tools.front(), arguments, fault);
        });
        return out;
    }

    [[nodiscard]] Json callTool(VerbTool& tool, const Json& arguments, Fault& fault) const
    {
        verbs::OptionList& list = *tool.list;
        Status read = Unit{};
        std::set<std::string> unread;
        for (const auto& [name, value] : arguments.items())
            unread.insert(name);
        std::vector<const verbs::Option*> given;
        for (const verbs::Option& option : list.all()) {
            const std::string name = option.identifier();
            if (!isOfTool(option))
                continue;
            if (unread.erase(name) == 0) {
                if (option.required)
                    fault = {InvalidParams, name + ": is required"};
                continue;
            }
            if (option.isOutput && !m_allowWrites)
                return refusal(name +
                               ": this server does not write files; it was started without --allow-writes");
            given.push_back(&option);
        }
        if (!unread.empty())
            fault = {InvalidParams, tool.name + " has no argument " + printable(*unread.begin())};
        for (const verbs::Option* const option : given)
            if (fault.code == 0)
                if (const auto wrong = readArgument(list, *option, arguments[option->identifier()], read))
                    fault = *wrong;
        if (fault.code != 0)
            return {};
        if (!read)
            return refusal(read.error().text());
        if (const auto& all = list.all();
            std::ranges::find(all, "--json", &verbs::Option::name) != all.end() && !isAlone(given))
            if (const Status s = list.read("--json", {}); !s)
                return refusal(s.error().text());
        return resultOf(tool.run());
    }

    /// True if one of the given options cannot be combined with --json.
    static bool isAlone(const std::vector<const verbs::Option*>& given)
    {
        return std::ranges::any_of(given, [](const verbs::Option* o) {
            return (o->isAlone && std::ranges::find(o->company, "--json") == o->company.end()) ||
                   std::ranges::find(o->limits, "not with --json") != o->limits.end();
        });
    }

    const WithTools& m_withTools;
    bool m_allowWrites;
    bool m_isInitialized = false;
};

/// Reads a line without its line break. Returns false at the end of the input. If the line is longer than
/// kMostMessageBytes, `tooLong` is set and the rest of the line is skipped.
bool readLine(std::istream& in, std::string& line, bool& tooLong)
{
    line.clear();
    tooLong = false;
    std::streambuf& bytes = *in.rdbuf();
    constexpr auto kEnd = std::char_traits<char>::eof();
    for (auto c = bytes.sbumpc();; c = bytes.sbumpc()) {
        if (c == kEnd)
            return !line.empty();
        if (c == '\n')
            return true;
        if (line.size() < kMostMessageBytes)
            line.push_back(static_cast<char>(c));
        else
            tooLong = true;
    }
}

} // namespace

void serveMcp(std::istream& in, std::ostream& out, const WithTools& withTools, bool allowWrites)
{
    Server server(withTools, allowWrites);
    std::string line;
    bool tooLong = false;
    while (out && readLine(in, line, tooLong)) {
        if (!tooLong && line.find_first_not_of(" \t\r") == std::string::npos)
            continue;
        std::optional<Json> answer;
        try {
            answer = tooLong ? errorMessage(nullptr,
                                            {InvalidRequest, "the message is longer than " +
                                                                 formatGrouped(kMostMessageBytes) + " bytes"})
                             : server.answer(line);
        } catch (const std::bad_alloc&) {
            answer = errorMessage(nullptr, {Internal, "not enough memory"});
        } catch (const std::exception& e) {
            answer = errorMessage(nullptr, {Internal, printable(e.what())});
        }
        if (answer)
            out << jsonText(*answer) << '\n' << std::flush;
    }
}

} // namespace tilewright::cli
