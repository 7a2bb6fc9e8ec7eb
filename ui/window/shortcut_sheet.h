// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/actions.h"

#include <QDialog>

namespace tilewright::ui {

/// F1: everything that is registered, with its keys and gestures, grouped by menu, then by view.
class ShortcutSheet : public QDialog
{
    Q_OBJECT
public:
    explicit ShortcutSheet(const Actions& actions, QWidget* parent = nullptr);
};

} // namespace tilewright::ui
