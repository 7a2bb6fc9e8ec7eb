// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/animation_clock.h"
#include "canvas/view.h"
#include "workspace/actions.h"
#include "workspace/document.h"
#include "workspace/selection.h"

namespace tilewright::ui {

/// The objects behind one window (or one headless render).
struct AppState
{
    Document document;
    Selection selection;
    ThemeSource themes;
    AnimationClock clock;
    Actions actions;

    [[nodiscard]] ViewContext context() { return {document, selection, themes, clock, actions}; }
};

} // namespace tilewright::ui
