// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "schedule/schedule.h"

#include <QString>
#include <QStringList>

namespace tilewright::test {

/// The ops of each subgraph: "0,1|2|3".
inline QString shape(const Schedule& s)
{
    QStringList parts;
    for (const SubgraphPtr& g : s.subgraphs) {
        QStringList list;
        for (const OpId o : g->ops)
            list << QString::number(o.value);
        parts << list.join(QLatin1Char(','));
    }
    return parts.join(QLatin1Char('|'));
}
inline QString shape(const Result<Schedule>& s)
{
    return s ? shape(*s) : QStringLiteral("refused: ") + QString::fromStdString(s.error().message);
}

} // namespace tilewright::test
