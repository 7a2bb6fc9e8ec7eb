// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/animation_clock.h"
#include "canvas/view.h"
#include "workspace/actions.h"
#include "workspace/workspace.h"

namespace tilewright::ui {

/// All objects that one window (or one render without a window) works on.
struct AppState
{
    Workspace workspace;
    Document& document = workspace.schedule();
    Selection& selection = workspace.selection();
    ThemeSource themes;
    AnimationClock clock;
    Actions actions;

    [[nodiscard]] ViewContext context() { return {workspace, document, selection, themes, clock, actions}; }
};

} // namespace tilewright::ui
