// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_search.h"

#include <QRegularExpression>

#include <algorithm>

namespace tilewright::ui {

GraphSearch::GraphSearch(const QString& text) : m_text(text)
{
    static const QRegularExpression numbered(QStringLiteral("^(op|tensor|t|subgraph|s)(\\s*#?)(\\d{1,9})$"),
                                             QRegularExpression::CaseInsensitiveOption);
    const auto match = numbered.match(text);
    if (!match.hasMatch())
        return;
    const QString kind = match.captured(1).toLower();
    m_kind = kind == QLatin1String("op")         ? Kind::Op
             : kind.startsWith(QLatin1Char('t')) ? Kind::Tensor
                                                 : Kind::Subgraph;
    m_names = match.captured(2).isEmpty();
    m_number = match.captured(3).toUInt();
}

bool GraphSearch::isPartOf(const std::string& name) const
{
    return m_names && QString::fromStdString(name).contains(m_text, Qt::CaseInsensitive);
}

bool GraphSearch::findsOp(const Problem& problem, OpId op) const
{
    return (m_kind == Kind::Op && op.value == m_number) ||
           (m_kind == Kind::Tensor && problem.op(op).output.value == m_number) ||
           isPartOf(problem.opName(op));
}

bool GraphSearch::findsTensor(const Problem& problem, TensorId tensor) const
{
    return (m_kind == Kind::Tensor && tensor.value == m_number) || isPartOf(problem.tensorName(tensor));
}

bool GraphSearch::findsNode(const GraphModel& model, std::size_t node) const
{
    const Problem& problem = *model.geometry->problem;
    const GraphKey& key = model.nodes[node].key;
    const auto anyOf = [&](const std::vector<OpId>& ops) {
        return std::any_of(ops.begin(), ops.end(), [&](OpId op) { return findsOp(problem, op); });
    };
    if (m_kind == Kind::Subgraph && m_number < model.hulls.size()) {
        const auto& in = model.hulls[m_number].nodes;
        if (std::find(in.begin(), in.end(), node) != in.end())
            return true;
    }
    switch (key.kind) {
    case GraphKey::Kind::Op:
        return findsOp(problem, OpId(key.id));
    case GraphKey::Kind::Card:
        return anyOf(model.geometry->members[model.nodes[node].badges.front().subgraph.index()]);
    case GraphKey::Kind::Section:
        return anyOf(model.geometry->sections.at(node).ops);
    case GraphKey::Kind::Input:
    case GraphKey::Kind::Output:
        break;
    }
    return findsTensor(problem, TensorId(key.id));
}

bool GraphSearch::isNamedSo(const GraphModel& model, std::size_t node) const
{
    const GraphKey& key = model.nodes[node].key;
    if (key.kind != GraphKey::Kind::Op)
        return false;
    const QString name = QString::fromStdString(model.geometry->problem->opName(OpId(key.id)));
    return name.endsWith(m_text, Qt::CaseInsensitive) &&
           (name.size() == m_text.size() || !name[name.size() - m_text.size() - 1].isLetterOrNumber());
}

std::vector<std::size_t> GraphSearch::nodes(const GraphModel& model) const
{
    std::vector<std::size_t> found;
    for (std::size_t v = 0; v < model.nodes.size(); ++v)
        if (findsNode(model, v))
            found.push_back(v);
    std::sort(found.begin(), found.end(), [&](std::size_t a, std::size_t b) {
        const QPointF pa = model.nodes[a].rect.center(), pb = model.nodes[b].rect.center();
        return pa.y() != pb.y() ? pa.y() < pb.y() : pa.x() < pb.x();
    });
    // "down" before "down.weight", which stands above it.
    std::stable_partition(found.begin(), found.end(), [&](std::size_t v) { return isNamedSo(model, v); });
    return found;
}

} // namespace tilewright::ui
