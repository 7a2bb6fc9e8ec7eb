// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/compare_models.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace tilewright::model {

namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// One of the two models, with the producers and readers of its tensors.
struct Side
{
    explicit Side(const Model& m) : model(m), order(operatorOrder(m)), partner(m.operators.size(), kNone)
    {
        writer.assign(m.tensors.size(), kNone);
        readers.resize(m.tensors.size());
        for (std::uint32_t i = 0; i < m.operators.size(); ++i) {
            for (const ModelTensorId t : op(i).outputs)
                writer[t.index()] = i;
            for (const ModelTensorId t : op(i).inputs)
                if (readers[t.index()].empty() || readers[t.index()].back() != i)
                    readers[t.index()].push_back(i);
        }
    }
    [[nodiscard]] const Operator& op(std::uint32_t i) const { return model.operators[OperatorId(i)]; }
    [[nodiscard]] std::string shapesOf(std::uint32_t i) const
    {
        std::string out;
        for (const auto* list : {&op(i).inputs, &op(i).outputs}) {
            for (const ModelTensorId t : *list)
                out += shapeText(model.shape(t));
            out += ';';
        }
        return out;
    }
    [[nodiscard]] std::int64_t bytesOf(std::uint32_t i) const
    {
        std::int64_t out = 0;
        for (const auto* list : {&op(i).inputs, &op(i).outputs})
            for (const ModelTensorId t : *list)
                out = saturatingAdd(out, model.bytes(t));
        return out;
    }

    const Model& model;
    std::vector<OperatorId> order;
    std::vector<std::uint32_t> writer;               ///< per tensor: operator that writes it
    std::vector<std::vector<std::uint32_t>> readers; ///< per tensor: operators that read it
    std::vector<std::uint32_t> partner;              ///< per operator: its counterpart in the other model
};

class Matcher
{
public:
    Matcher(const Model& before, const Model& after) : m_before(before), m_after(after) {}

    ModelComparison run()
    {
        pairUp([](const Side& s, std::uint32_t i) {
            return std::string(toString(s.op(i).kind)) + "|" + s.op(i).name;
        });
        m_named = m_after.partner;
        // A match may identify further matches among its neighbours, so this is repeated.
        for (int round = 0; round < 8; ++round) {
            const std::size_t known = m_pairs;
            pairUp([this](const Side& s, std::uint32_t i) { return around(s, i, true); });
            pairUp([this](const Side& s, std::uint32_t i) { return around(s, i, false); });
            if (known == m_pairs)
                break;
        }
        pairUp([](const Side& s, std::uint32_t i) {
            return std::string(toString(s.op(i).kind)) + "|" + s.shapesOf(i);
        });
        return result();
    }

private:
    /// Makes operators without a partner partners if they have the same key, in order. Operators with an
    /// empty key are not paired.
    template <typename Key> void pairUp(const Key& key)
    {
        std::unordered_map<std::string, std::vector<std::uint32_t>> waiting;
        for (const OperatorId o : m_before.order)
            if (m_before.partner[o.index()] == kNone)
                if (std::string k = key(m_before, o.value); !k.empty())
                    waiting[std::move(k)].push_back(o.value);
        for (auto& [k, list] : waiting)
            std::reverse(list.begin(), list.end());
        for (const OperatorId o : m_after.order) {
            if (m_after.partner[o.index()] != kNone)
                continue;
            const auto found = waiting.find(key(m_after, o.value));
            if (found == waiting.end() || found->second.empty())
                continue;
            m_after.partner[o.index()] = found->second.back();
            m_before.partner[found->second.back()] = o.value;
            found->second.pop_back();
            ++m_pairs;
        }
    }

    /// Key of an operator's neighbourhood: its kind, and the partners of the operators that write its
    /// operands (`before`) or read its results. Empty if none of these operators has a partner.
    [[nodiscard]] std::string around(const Side& s, std::uint32_t i, bool before) const
    {
        const bool isBefore = &s == &m_before;
        // In keys of both models, a partner is named by its number in the earlier model.
        const auto name = [&](std::uint32_t o) {
            const std::uint32_t p = s.partner[o];
            return p == kNone ? std::string("?") : std::to_string(isBefore ? o : p);
        };
        std::string out(toString(s.op(i).kind));
        bool known = false;
        for (const ModelTensorId t : before ? s.op(i).inputs : s.op(i).outputs) {
            if (before) {
                if (const std::uint32_t w = s.writer[t.index()]; w != kNone) {
                    out += "|" + name(w);
                    known |= s.partner[w] != kNone;
                }
                continue;
            }
            for (const std::uint32_t r : s.readers[t.index()]) {
                out += "|" + name(r);
                known |= s.partner[r] != kNone;
            }
        }
        return known ? out : std::string();
    }

    [[nodiscard]] OperatorPair pairOf(std::optional<std::uint32_t> before,
                                      std::optional<std::uint32_t> after) const
    {
        OperatorPair p;
        if (before) {
            p.before = OperatorId(*before);
            p.macs[0] = macsOf(m_before.model, m_before.op(*before));
            p.bytes[0] = m_before.bytesOf(*before);
        }
        if (after) {
            p.after = OperatorId(*after);
            p.macs[1] = macsOf(m_after.model, m_after.op(*after));
            p.bytes[1] = m_after.bytesOf(*after);
        }
        if (!before || !after) {
            p.change = before ? OperatorChange::Gone : OperatorChange::New;
            return p;
        }
        p.byName = m_named[*after] != kNone;
        const bool same = m_before.shapesOf(*before) == m_after.shapesOf(*after) &&
                          m_before.op(*before).attributes == m_after.op(*after).attributes &&
                          p.bytes[0] == p.bytes[1];
        p.change = same ? OperatorChange::Same : OperatorChange::Changed;
        return p;
    }

    [[nodiscard]] ModelComparison result() const
    {
        // An operator that was removed is placed before the counterpart of the operator that followed it.
        std::vector<std::vector<std::uint32_t>> goneBefore(m_after.partner.size() + 1);
        std::size_t anchor = m_after.partner.size();
        for (auto o = m_before.order.rbegin(); o != m_before.order.rend(); ++o)
            if (const std::uint32_t partner = m_before.partner[o->index()]; partner != kNone)
                anchor = partner;
            else
                goneBefore[anchor].push_back(o->value);
        ModelComparison out;
        const auto tellGone = [&](const std::vector<std::uint32_t>& list) {
            for (auto i = list.rbegin(); i != list.rend(); ++i)
                out.operators.push_back(pairOf(*i, std::nullopt));
        };
        for (const OperatorId o : m_after.order) {
            tellGone(goneBefore[o.index()]);
            const std::uint32_t b = m_after.partner[o.index()];
            out.operators.push_back(pairOf(b == kNone ? std::nullopt : std::optional(b), o.value));
        }
        tellGone(goneBefore.back());
        for (const OperatorPair& p : out.operators) {
            for (std::size_t i = 0; i < 2; ++i) {
                out.macs[i] = saturatingAdd(out.macs[i], p.macs[i]);
                out.bytes[i] = saturatingAdd(out.bytes[i], p.bytes[i]);
            }
            ++(p.change == OperatorChange::Same      ? out.same
               : p.change == OperatorChange::Changed ? out.changed
               : p.change == OperatorChange::New     ? out.added
                                                     : out.gone);
        }
        return out;
    }

    Side m_before, m_after;
    std::vector<std::uint32_t> m_named; ///< partners found by name, per operator of the later model
    std::size_t m_pairs = 0;
};

} // namespace

std::string_view toString(OperatorChange change) noexcept
{
    constexpr std::array<std::string_view, 4> kWords{"same", "changed", "new", "gone"};
    return kWords[static_cast<std::size_t>(change)];
}

ModelComparison compareModels(const Model& before, const Model& after)
{
    return Matcher(before, after).run();
}

} // namespace tilewright::model
