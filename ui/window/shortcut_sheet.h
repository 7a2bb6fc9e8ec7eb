// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/actions.h"

#include <QDialog>

namespace tilewright::ui {

/// Dialog (F1): all registered commands with their keys and gestures, grouped by menu, then by view.
class ShortcutSheet : public QDialog
{
    Q_OBJECT
public:
    explicit ShortcutSheet(const Actions& actions, QWidget* parent = nullptr);
};

} // namespace tilewright::ui
