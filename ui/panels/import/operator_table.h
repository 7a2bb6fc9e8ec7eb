// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"
#include "lower/lowered.h"

#include <QStringList>

namespace tilewright::ui {

/// "mapped", "approximated" ...
[[nodiscard]] QString statusText(lower::NodeStatus status);

/// One row per operator of a model, with its status.
struct OperatorTable : Table
{
    enum Column { Name, Type, Status, Macs, Bytes, Note };
    explicit OperatorTable(const std::vector<lower::NodeReport>& nodes);
};

/// One row per type of operator.
struct TypeTable : Table
{
    enum Column { Type, Nodes, Macs, Share, Bytes, Became };
    /// `macs`: multiply-accumulates of the whole model.
    TypeTable(const std::vector<lower::TypeReport>& types, std::int64_t macs);
};

} // namespace tilewright::ui
