// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/program_stream.h"

#include <algorithm>

namespace tilewright::systolic {

void ProgramStream::forget(Ref ref)
{
    const Ref to = std::min({ref, m_part, oldestNeeded().value_or(m_part)});
    if (to <= m_first)
        return;
    m_commands.erase(m_commands.begin(), m_commands.begin() + (to - m_first));
    m_first = to;
}

} // namespace tilewright::systolic
