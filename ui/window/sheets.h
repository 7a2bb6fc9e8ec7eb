// SPDX-License-Identifier: GPL-3.0-or-later
// Sheets of reference: formulas and keys.
#pragma once

#include "workspace/actions.h"

#include <QDialog>

namespace tilewright::ui {

class Actions;

/// Dialog with the formulas that decide whether a schedule is valid and what it costs, with rule numbers.
class FormulaSheet : public QDialog
{
    Q_OBJECT
public:
    FormulaSheet(const Actions& keys, QWidget* parent);
};

/// Dialog (F1) with all registered commands and their keys and gestures, grouped by menu and then by view.
class ShortcutSheet : public QDialog
{
    Q_OBJECT
public:
    explicit ShortcutSheet(const Actions& actions, QWidget* parent = nullptr);
};

} // namespace tilewright::ui
