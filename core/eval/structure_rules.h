// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/rules.h"
#include "schedule/structure.h"

namespace tilewright {

/// What edits need to know of a rule set.
[[nodiscard]] constexpr StructureRules structureRules(const Rules& rules)
{
    return {.superNative = rules.superNative == Rules::SuperNative::Ceil,
            .kAboveK = rules.kAboveK == Rules::KAboveK::Clamp,
            .retainInputs = rules.retainInputs == Rules::RetainInputs::Allow,
            .prologue = rules.prologue == Rules::Prologue::Always,
            .opOrder = rules.opOrder == Rules::OpOrder::Error};
}

} // namespace tilewright
