// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"
#include "lower/lowered.h"

#include <QStringList>

namespace tilewright::ui {

/// "mapped", "approximated" ...
[[nodiscard]] QString statusText(lower::NodeStatus status);

/// A row an operator of a model: what became of it.
struct OperatorTable : Table
{
    enum Column { Name, Type, Status, Macs, Bytes, Note };
    explicit OperatorTable(const std::vector<lower::NodeReport>& nodes);
};

/// A row a type of operators.
struct TypeTable : Table
{
    enum Column { Type, Nodes, Macs, Share, Bytes, Became };
    /// `macs`: of the whole model.
    TypeTable(const std::vector<lower::TypeReport>& types, std::int64_t macs);
};

} // namespace tilewright::ui
