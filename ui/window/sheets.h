// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets to look things up: formulas, keys.
#pragma once

#include "workspace/actions.h"

#include <QDialog>

namespace tilewright::ui {

class Actions;

/// Dialog: the formulas that decide whether a schedule is valid and what it costs, with rule numbers.
class FormulaSheet : public QDialog
{
    Q_OBJECT
public:
    FormulaSheet(const Actions& keys, QWidget* parent);
};

/// Dialog (F1): all registered commands with their keys and gestures, grouped by menu, then by view.
class ShortcutSheet : public QDialog
{
    Q_OBJECT
public:
    explicit ShortcutSheet(const Actions& actions, QWidget* parent = nullptr);
};

} // namespace tilewright::ui
