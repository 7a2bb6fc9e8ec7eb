// SPDX-License-Identifier: GPL-3.0-or-later
#include "mutation.h"
#include "schema.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

namespace tilewright::fuzz {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// A document as it is written: keys may stand twice, and scalars are any text.
struct Node
{
    enum class Kind { Scalar, Array, Object } kind = Kind::Scalar;
    std::string text;              ///< of a scalar
    std::vector<std::string> keys; ///< of an object, with their quotes, one a child
    std::vector<Node> children;

    void write(std::string& out) const
    {
        if (kind == Kind::Scalar) {
            out += text;
            return;
        }
        out += kind == Kind::Array ? '[' : '{';
        for (std::size_t i = 0; i < children.size(); ++i) {
            if (i > 0)
                out += ',';
            if (kind == Kind::Object)
                out += keys[i] + ':';
            children[i].write(out);
        }
        out += kind == Kind::Array ? ']' : '}';
    }
};

Node nodeOf(const ordered_json& value)
{
    Node out;
    if (value.is_object()) {
        out.kind = Node::Kind::Object;
        for (const auto& [key, member] : value.items()) {
            out.keys.push_back(ordered_json(key).dump());
            out.children.push_back(nodeOf(member));
        }
    } else if (value.is_array()) {
        out.kind = Node::Kind::Array;
        for (const auto& item : value)
            out.children.push_back(nodeOf(item));
    } else {
        out.text = value.dump();
    }
    return out;
}

std::string unquoted(const std::string& text)
{
    return text.size() > 1 ? text.substr(1, text.size() - 2) : text;
}

/// A place of a field: all its occurrences, so that a field that stands once is mutated as often as one of a
/// list of a hundred.
struct Field
{
    std::string path;
    Schema::Rules rules = nullptr;
    bool takesAnyKey = false;
    std::vector<std::vector<std::size_t>> places; ///< positions from the root
    std::vector<std::string> values;              ///< of scalars, each once
};

class JsonMutator : public Mutator
{
public:
    JsonMutator(const std::string& schema, const std::string& input)
        : m_schema(schema), m_input(input), m_root(nodeOf(ordered_json::parse(input)))
    {
        std::map<std::string, Field> fields;
        std::vector<std::size_t> place;
        collect(fields, m_schema.root(), json::parse(input), m_root, "", place);
        for (auto& [path, field] : fields) {
            const Node& first = at(m_root, field.places.front());
            std::sort(field.values.begin(), field.values.end());
            field.values.erase(std::unique(field.values.begin(), field.values.end()), field.values.end());
            if (first.kind == Node::Kind::Scalar)
                m_scalars.push_back(m_fields.size());
            else if (first.kind == Node::Kind::Object)
                m_objects.push_back(m_fields.size());
            m_fields.push_back(std::move(field));
        }
    }

    [[nodiscard]] Mutation mutate(Random& random) const override
    {
        const std::size_t choice = random.below(100);
        if (choice < 58)
            return changeValue(random);
        if (choice < 62)
            return damaged(m_input, random);
        Node root = m_root;
        Mutation out;
        if (choice < 80)
            mutateObject(root, out, random);
        else
            mutateNode(root, out, random);
        root.write(out.input);
        return out;
    }

    [[nodiscard]] bool isWrong(const std::string& input) const override
    {
        const json value = json::parse(input, nullptr, false);
        return value.is_discarded() || !m_schema.allows(value);
    }

private:
    static void add(std::map<std::string, Field>& fields, const std::string& path, Field&& field,
                    const std::vector<std::size_t>& place, const Node& node)
    {
        Field& f = fields.try_emplace(path, std::move(field)).first->second;
        f.places.push_back(place);
        if (node.kind == Node::Kind::Scalar)
            f.values.push_back(node.text);
    }

    void collect(std::map<std::string, Field>& fields, Schema::Rules rules, const json& value,
                 const Node& node, const std::string& path, std::vector<std::size_t>& place) const
    {
        const bool map = node.kind == Node::Kind::Object && m_schema.takesAnyKey(rules, value);
        add(fields, path.empty() ? "." : path, {path.empty() ? "." : path, rules, map, {}, {}}, place, node);
        const std::string before = path.empty() ? "" : path + ".";
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            place.push_back(i);
            if (node.kind == Node::Kind::Object) {
                const std::string key = json::parse(node.keys[i]);
                const json& member = value.at(key);
                collect(fields, m_schema.ofMember(rules, key, value), member, node.children[i], before + key,
                        place);
            } else {
                collect(fields, m_schema.ofItem(rules, value), value.at(i), node.children[i], before + "n",
                        place);
            }
            place.pop_back();
        }
    }

    template <typename N> static N& at(N& root, const std::vector<std::size_t>& place)
    {
        N* node = &root;
        for (const std::size_t i : place)
            node = &node->children[i];
        return *node;
    }

    /// A value that the schema allows, other than the one that stands there.
    [[nodiscard]] static std::string otherValue(const Field& field, const std::string& old, Random& random)
    {
        if (const Schema::Rules all = Schema::rule(field.rules, "enum"))
            return random.any(*all).dump();
        if (old == "true" || old == "false")
            return old == "true" ? "false" : "true";
        if (!old.empty() && old.front() == '"') {
            if (field.values.size() > 1 && !random.oneIn(4))
                return random.any(field.values);
            return "\"other" + std::to_string(random.below(10)) + "\"";
        }
        if (old == "null" || old.find_first_of(".eE") != std::string::npos) {
            const double v = old == "null" ? 1 : std::stod(old);
            const double factor[] = {0.5, 0.9, 1.1, 2, 3};
            return json(v == 0 ? 1.0 : v * random.any(factor)).dump();
        }
        const long long v = std::strtoll(old.c_str(), nullptr, 10);
        const long long around[] = {v + 1, v - 1, v * 2, v / 2, v + 7, 1, 2, 3, v * 3};
        long long n = random.any(around);
        if (const Schema::Rules least = Schema::rule(field.rules, "minimum"))
            n = std::max(n, static_cast<long long>(std::ceil(least->get<double>())));
        if (const Schema::Rules most = Schema::rule(field.rules, "maximum"))
            n = std::min(n, static_cast<long long>(most->get<double>()));
        return std::to_string(n);
    }

    [[nodiscard]] Mutation changeValue(Random& random) const
    {
        Node root = m_root;
        const Field& field = m_fields[random.any(m_scalars)];
        Node& node = at(root, random.any(field.places));
        Mutation out{{}, "value", field.path, field.path, Owes::Effect, false};
        const std::string old = node.text;
        node.text = otherValue(field, old, random);
        if (node.text == old)
            out.owes = Owes::Nothing;
        root.write(out.input);
        return out;
    }

    void mutateObject(Node& root, Mutation& out, Random& random) const
    {
        if (m_objects.empty())
            return mutateNode(root, out, random);
        const Field& field = m_fields[random.any(m_objects)];
        Node& node = at(root, random.any(field.places));
        const std::size_t i = random.below(node.children.size());
        const std::string before = field.path == "." ? "" : field.path + ".";
        const std::string key = node.keys.empty() ? "" : unquoted(node.keys[i]);
        out.path = before + key;
        out.owes = field.takesAnyKey ? Owes::Nothing : Owes::Name;
        switch (node.children.empty() ? 1 : random.below(5)) {
        case 0:
            out.kind = "misspelt-key";
            out.word = misspelt(key, random);
            node.keys[i] = '"' + out.word + '"';
            break;
        case 1: {
            static const char* const kValues[] = {"1", "\"x\"", "null", "[]", "{}", "true"};
            out.kind = "unknown-key";
            out.path = field.path;
            out.word = "unheard_of";
            node.keys.insert(node.keys.begin() + static_cast<std::ptrdiff_t>(i), "\"unheard_of\"");
            node.children.insert(node.children.begin() + static_cast<std::ptrdiff_t>(i),
                                 {Node::Kind::Scalar, random.any(kValues), {}, {}});
            break;
        }
        case 2: {
            out.kind = "duplicate-key";
            out.word = key;
            out.owes = Owes::Name;
            Node copy = node.children[i];
            if (copy.kind == Node::Kind::Scalar && random.oneIn(2))
                copy.text = extremeNumber(random);
            node.keys.push_back(node.keys[i]);
            node.children.push_back(std::move(copy));
            break;
        }
        case 3:
            out.kind = "foreign-key";
            out.owes = Owes::Nothing;
            node.keys[i] = '"' + foreignText(random) + '"';
            break;
        default:
            out.kind = "dropped-key";
            out.owes = Owes::Nothing;
            node.keys.erase(node.keys.begin() + static_cast<std::ptrdiff_t>(i));
            node.children.erase(node.children.begin() + static_cast<std::ptrdiff_t>(i));
        }
    }

    void mutateNode(Node& root, Mutation& out, Random& random) const
    {
        const Field& field = random.any(m_fields);
        Node& node = at(root, random.any(field.places));
        out.path = field.path;
        std::string_view name = field.path; // an element of a list is named after the list
        while (name.ends_with(".n"))
            name.remove_suffix(2);
        out.word = name.substr(name.rfind('.') + 1);
        static const char* const kOthers[] = {"null", "true",  "-1",        "1.5",  "\"text\"", "[]",
                                              "{}",   "[[1]]", "{\"a\":1}", "\"\"", "\"1\"",    "1e3",
                                              "NaN",  "0x10",  "01",        "+1",   "'a'"};
        switch (random.below(10)) {
        case 0:
        case 1:
        case 2:
            out.kind = "wrong-type";
            out.owes = Owes::NameIfWrong;
            node = {Node::Kind::Scalar, random.any(kOthers), {}, {}};
            return;
        case 3:
        case 4:
            out.kind = "extreme-number";
            out.owes = Owes::NameIfWrong;
            node = {Node::Kind::Scalar, extremeNumber(random), {}, {}};
            return;
        case 5:
            out.kind = "foreign-text";
            node = {Node::Kind::Scalar, '"' + foreignText(random) + '"', {}, {}};
            return;
        case 6: {
            static const char* const kEscapes[] = {"\\u0000", "\\ud800",        "\\u001b[2J",
                                                   "\\u202e", "\\ufffe",        "\\u000a",
                                                   "\\u0007", "\\udc00\\ud800", "\\u0085"};
            out.kind = "escaped-text";
            std::string text = node.text;
            if (text.size() < 2 || text.front() != '"')
                text = "\"\"";
            text.insert(1 + random.below(text.size() - 1), random.any(kEscapes));
            node = {Node::Kind::Scalar, text, {}, {}};
            return;
        }
        case 7:
            if (random.oneIn(8)) {
                static constexpr std::size_t kDepths[] = {20, 100, 500, 2'000, 120'000};
                const std::size_t depth = random.any(kDepths);
                out.kind = "deep";
                const bool lists = random.oneIn(2);
                std::string open;
                for (std::size_t i = 0; i < depth; ++i)
                    open += lists ? "[" : "{\"a\":";
                node = {Node::Kind::Scalar, open + "1" + std::string(depth, lists ? ']' : '}'), {}, {}};
                return;
            }
            [[fallthrough]];
        default:
            if (node.kind == Node::Kind::Array && !node.children.empty()) {
                const std::size_t i = random.below(node.children.size());
                const auto there = node.children.begin() + static_cast<std::ptrdiff_t>(i);
                switch (random.below(4)) {
                case 0:
                    out.kind = "dropped-item";
                    node.children.erase(there);
                    return;
                case 1: {
                    out.kind = "doubled-item";
                    const Node copy = *there;
                    node.children.insert(there, copy);
                    return;
                }
                case 2:
                    out.kind = "swapped-items";
                    std::swap(*there, random.oneIn(2) ? node.children.front() : node.children.back());
                    return;
                default:
                    out.kind = "empty-list";
                    node.children.clear();
                    return;
                }
            }
            out.kind = "other-node";
            node = at(m_root, random.any(random.any(m_fields).places));
        }
    }

    Schema m_schema;
    std::string m_input;
    Node m_root;
    std::vector<Field> m_fields;
    std::vector<std::size_t> m_scalars, m_objects; ///< of m_fields
};

} // namespace

std::unique_ptr<Mutator> makeJsonMutator(const std::string& schema, const std::string& input)
{
    return std::make_unique<JsonMutator>(schema, input);
}

} // namespace tilewright::fuzz
