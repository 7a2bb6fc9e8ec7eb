// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"

#include <QString>

namespace tilewright::ui {

/// What a person seeks: a part of a name ("query"), or a thing by its number ("op 12", "t17", "subgraph 5").
/// "op 1" means that op alone; "op1" may also be the beginning of a name.
class GraphSearch
{
public:
    explicit GraphSearch(const QString& text);

    [[nodiscard]] bool findsOp(const Problem& problem, OpId op) const;
    [[nodiscard]] bool findsTensor(const Problem& problem, TensorId tensor) const;
    /// Cards are found by what is in them.
    [[nodiscard]] bool findsNode(const GraphModel& model, std::size_t node) const;
    /// All nodes that are found: ops of just this name, then the others, in reading order.
    [[nodiscard]] std::vector<std::size_t> nodes(const GraphModel& model) const;

private:
    enum class Kind { None, Op, Tensor, Subgraph };
    [[nodiscard]] bool isPartOf(const std::string& name) const;
    /// An op whose name ends with just these parts: "down" of "layer0.down".
    [[nodiscard]] bool isNamedSo(const GraphModel& model, std::size_t node) const;

    QString m_text;
    Kind m_kind = Kind::None;
    std::uint32_t m_number = 0;
    bool m_names = true;
};

} // namespace tilewright::ui
