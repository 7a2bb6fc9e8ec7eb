// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

#include <optional>

class QLabel;

namespace tilewright::ui {

class Actions;
class ControlBar;

/// Search field in the bar of a view, with the number of the match beside it. Enter: next match, Shift+Enter:
/// previous one, Escape: clears and leaves the field.
class SearchField : public QLineEdit
{
    Q_OBJECT
public:
    SearchField(ControlBar& bar, const QString& placeholder, const QString& name, const QString& tip,
                Actions& actions);

    void setHits(std::size_t current, std::optional<std::size_t> count); ///< no `count`: no search is active

Q_SIGNALS:
    void next(int direction);
    void left();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QLabel* m_hits;
};

} // namespace tilewright::ui
