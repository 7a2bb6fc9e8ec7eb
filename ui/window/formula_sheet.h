// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

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

} // namespace tilewright::ui
