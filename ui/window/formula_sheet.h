// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace tilewright::ui {

class Actions;

/// How a schedule is judged and what it costs, on one page, with the numbers of the rules.
class FormulaSheet : public QDialog
{
    Q_OBJECT
public:
    FormulaSheet(const Actions& keys, QWidget* parent);
};

} // namespace tilewright::ui
