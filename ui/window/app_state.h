// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/animation_clock.h"
#include "canvas/view.h"
#include "workspace/actions.h"
#include "workspace/workspace.h"

namespace tilewright::ui {

/// All objects on which a window works. `render` and other verbs have one without a window.
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
