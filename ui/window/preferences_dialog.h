// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "window/preferences.h"

#include <QDialog>

class QCheckBox;
class QComboBox;
class QSpinBox;

namespace tilewright::ui {

class Actions;
class KeysPage;

class PreferencesDialog : public QDialog
{
    Q_OBJECT
public:
    PreferencesDialog(const Preferences& preferences, bool graphLeftToRight, const Actions& actions,
                      QWidget* parent);
    [[nodiscard]] Preferences preferences() const;
    [[nodiscard]] bool graphLeftToRight() const;

private:
    QComboBox* m_theme;
    QComboBox* m_wheel;
    QComboBox* m_direction;
    QCheckBox* m_reduceMotion;
    QCheckBox* m_reopenLast;
    QSpinBox* m_fontSize;
    QSpinBox* m_autosave;
    KeysPage* m_keys;
};

} // namespace tilewright::ui
