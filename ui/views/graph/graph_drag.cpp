// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_drag.h"

#include "theme/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace tilewright::ui {

GraphDrag::GraphDrag(Document& document, QObject* parent) : QObject(parent), m_document(document)
{
    document.whenChanged(this, Part::Steps | Part::RuleSet, &GraphDrag::reevaluateTargets);
}

/// Discards the known verdicts, because the schedule has changed during the drag (undo by key).
void GraphDrag::reevaluateTargets()
{
    if (!m_active)
        return;
    m_requested.reset();
    m_judged.reset();
    m_verdicts.clear();
    ++m_generation;
}

void GraphDrag::begin(std::vector<OpId> ops, std::optional<SubgraphId> from, std::vector<SubgraphId> order)
{
    m_active = true;
    m_over = true;
    m_requested.reset();
    ++m_generation;
    m_drop = {std::move(ops), from, from, false, false};
    m_order = std::move(order);
    m_verdicts.clear();
    m_judged.reset();
    Q_EMIT begun();
}

void GraphDrag::update(std::optional<SubgraphId> target, bool recompute, bool force)
{
    if (!m_active)
        return;
    m_over = true;
    m_drop.to = target;
    m_drop.recompute = recompute;
    m_drop.force = force;
    ask();
}

void GraphDrag::leave(const QString& why)
{
    m_over = false;
    m_refusal = why;
}

void GraphDrag::cancel()
{
    m_active = false;
    m_requested.reset();
    ++m_generation;
    m_document.cancelTrial();
}

std::optional<GraphDrag::Dropped> GraphDrag::finish()
{
    if (!m_active)
        return std::nullopt;
    const bool nothing = !m_over || changesNothing(key());
    cancel();
    if (nothing)
        return std::nullopt;
    return Dropped{m_drop, judged()};
}

SnapshotPtr GraphDrag::judged() const
{
    return m_judged && m_judged->first == key() ? m_judged->second : nullptr;
}

GraphDrag::Key GraphDrag::key() const
{
    return {m_drop.to ? static_cast<std::int64_t>(m_drop.to->value) : -1, m_drop.recompute, m_drop.force};
}

/// True for a drop that changes nothing: at its origin, or in the subgraph that has the ops already. Also
/// true if the schedule has changed during the drag and no longer has the origin or the target.
bool GraphDrag::changesNothing(const Key& key) const
{
    const Schedule& schedule = m_document.schedule();
    if ((m_drop.from && m_drop.from->index() >= schedule.size()) ||
        key.target >= static_cast<std::int64_t>(schedule.size()))
        return true;
    if (key.target < 0) {
        // A new subgraph with exactly the ops of an old one is the old one.
        return !key.recompute && m_drop.from && schedule[*m_drop.from].ops.size() == m_drop.ops.size();
    }
    const auto& in = schedule[SubgraphId(static_cast<std::size_t>(key.target))].ops;
    if (!key.recompute && m_drop.from && m_drop.from->value == static_cast<std::uint64_t>(key.target))
        return true;
    return key.recompute && std::all_of(m_drop.ops.begin(), m_drop.ops.end(), [&](OpId op) {
               return std::find(in.begin(), in.end(), op) != in.end();
           });
}

GraphVerdict GraphDrag::judge(const Result<SnapshotPtr>& trial) const
{
    if (!trial)
        return {GraphVerdict::Kind::Refused, tr("not allowed"), ui::sentence(trial.error().message)};
    const Evaluation& after = (*trial)->evaluation;
    const SnapshotPtr& now = m_document.snapshot();
    const bool wasValid = now && now->evaluation.valid();
    const double change = now ? ui::change(now->evaluation.total, after.total) : 0;
    const double before = now ? now->evaluation.total : 0;
    const QString total = tr("total %1").arg(number(after.total));
    if (!after.valid()) {
        // If the schedule was invalid before and does not get worse, its change is shown, too.
        const bool noWorse = !wasValid && now && after.issues.size() <= now->evaluation.issues.size();
        const QString why = ui::sentence(after.verdict()->text);
        if (!noWorse)
            return {GraphVerdict::Kind::Invalid, tr("invalid"), why};
        return {GraphVerdict::Kind::Same, signedNumber(change), tr("still invalid: %1").arg(why)};
    }
    if (!wasValid)
        return {GraphVerdict::Kind::Better, tr("valid"), total};
    const QString detail =
        before > 0 ? QStringLiteral("%1 · %2").arg(signedPercent(change / before), total) : total;
    if (change == 0)
        return {GraphVerdict::Kind::Same, signedNumber(0), total};
    return {change < 0 ? GraphVerdict::Kind::Better : GraphVerdict::Kind::Worse, signedNumber(change),
            detail};
}

bool GraphDrag::isJudged(const Key& key) const
{
    if (changesNothing(key))
        return true;
    const auto known = m_verdicts.find(key);
    // A verdict that was computed in advance has no snapshot. It is computed again under the cursor, so that
    // a drop applies exactly that schedule.
    return known != m_verdicts.end() &&
           (known->second.kind == GraphVerdict::Kind::Refused || (m_judged && m_judged->first == key));
}

void GraphDrag::ask()
{
    if (!m_active)
        return;
    Key next = key();
    const auto isKnown = [&](const Key& k) { return changesNothing(k) || m_verdicts.count(k) > 0; };
    Key instead = next; // the same drop as a recomputation, evaluated if the move is refused
    instead.recompute = true;
    const auto here = m_verdicts.find(next);
    if (here != m_verdicts.end() && here->second.kind == GraphVerdict::Kind::Refused && next.target >= 0 &&
        !isKnown(instead)) {
        next = instead;
    } else if (isJudged(next)) {
        if (m_requested)
            return;
        const auto keyOf = [&](SubgraphId s, bool recompute) {
            return Key{static_cast<std::int64_t>(s.value), recompute, m_drop.force};
        };
        const auto open =
            std::ranges::find_if(m_order, [&](SubgraphId s) { return !isKnown(keyOf(s, m_drop.recompute)); });
        // If a target refuses the move, recomputing the ops there is evaluated next.
        const auto refused = std::ranges::find_if(m_order, [&](SubgraphId s) {
            const auto plain = m_verdicts.find(keyOf(s, false));
            return plain != m_verdicts.end() && plain->second.kind == GraphVerdict::Kind::Refused &&
                   !isKnown(keyOf(s, true));
        });
        if (open == m_order.end() && refused == m_order.end())
            return;
        next = open != m_order.end() ? keyOf(*open, m_drop.recompute) : keyOf(*refused, true);
    }
    if (m_requested == next)
        return;
    OpDrop trial = m_drop;
    trial.recompute = next.recompute;
    trial.to =
        next.target < 0 ? std::nullopt : std::optional(SubgraphId(static_cast<std::size_t>(next.target)));
    m_requested = next;
    m_document.requestTrial([problem = m_document.problem(), schedule = m_document.schedule(),
                             rules = m_document.rules(),
                             trial] { return scheduleAfter(*problem, schedule, rules, trial); },
                            [this, next, generation = m_generation](const Result<SnapshotPtr>& result) {
                                if (generation != m_generation)
                                    return;
                                if (m_requested == next)
                                    m_requested.reset();
                                m_verdicts[next] = judge(result);
                                Key here = key();
                                const bool underCursor = next == here;
                                if (underCursor && result)
                                    m_judged = {next, *result};
                                here.recompute = true;
                                Q_EMIT changed(underCursor || next == here);
                                ask();
                            });
}

GraphVerdict GraphDrag::verdict() const
{
    const Key k = key();
    if (!m_over)
        return {GraphVerdict::Kind::Same, tr("no change"), m_refusal};
    if (changesNothing(k))
        return {GraphVerdict::Kind::Same, tr("no change"), {}};
    const auto it = m_verdicts.find(k);
    return it == m_verdicts.end() ? GraphVerdict{GraphVerdict::Kind::Unknown, tr("…"), {}} : it->second;
}

std::optional<GraphVerdict> GraphDrag::recomputeInstead() const
{
    Key k = key();
    if (!m_over || k.recompute || k.target < 0 || verdict().kind != GraphVerdict::Kind::Refused)
        return std::nullopt;
    k.recompute = true;
    const auto it = m_verdicts.find(k);
    const bool helps = it != m_verdicts.end() && it->second.kind != GraphVerdict::Kind::Refused &&
                       it->second.kind != GraphVerdict::Kind::Invalid;
    return helps ? std::optional(it->second) : std::nullopt;
}

std::map<SubgraphId, GraphVerdict> GraphDrag::verdicts() const
{
    std::map<SubgraphId, GraphVerdict> out;
    for (SubgraphId s : m_order) {
        const Key k{static_cast<std::int64_t>(s.value), m_drop.recompute, m_drop.force};
        if (const auto it = m_verdicts.find(k); it != m_verdicts.end() && !changesNothing(k))
            out.emplace(s, it->second);
    }
    return out;
}

std::map<SubgraphId, GraphVerdict> GraphDrag::labels() const
{
    std::map<SubgraphId, GraphVerdict> out = verdicts();
    for (auto& [s, verdict] : out) {
        if (verdict.kind != GraphVerdict::Kind::Refused || m_drop.to == s)
            continue;
        const auto it = m_verdicts.find({static_cast<std::int64_t>(s.value), true, m_drop.force});
        if (it != m_verdicts.end() && it->second.kind == GraphVerdict::Kind::Better)
            verdict = {it->second.kind, tr("Ctrl: %1").arg(it->second.text), it->second.detail};
    }
    return out;
}

QString GraphDrag::sentence() const
{
    QString what = m_drop.ops.size() == 1
                       ? QString::fromStdString(m_document.problem()->opName(m_drop.ops.front()))
                       : tr("%1 ops").arg(number(m_drop.ops.size()));
    // If several subgraphs compute the op, the sentence says which copy moves.
    if (m_drop.from && !m_drop.recompute && std::ranges::any_of(m_drop.ops, [&](OpId op) {
            return subgraphsWith(m_document.schedule(), op).size() > 1;
        }))
        what = tr("%1 of subgraph %2").arg(what, QString::number(m_drop.from->value));
    if (!m_over)
        return tr("%1 stays where it is").arg(what);
    if (!m_drop.to)
        return m_drop.recompute ? tr("Recompute %1 in a new subgraph").arg(what)
                                : tr("Move %1 to a new subgraph").arg(what);
    return (m_drop.recompute ? tr("Recompute %1 in subgraph %2") : tr("Move %1 to subgraph %2"))
        .arg(what, QString::number(m_drop.to->value));
}

void GraphDrag::waitForVerdicts()
{
    while (m_requested)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

} // namespace tilewright::ui
