// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

#include <optional>

class QLabel;

namespace tilewright::ui {

class Actions;
class ControlBar;

/// The field of a bar in which a person seeks something in the picture, and beside it which match of how many
/// is shown. Enter goes on, Shift+Enter back; Escape clears the field and leaves it.
class SearchField : public QLineEdit
{
    Q_OBJECT
public:
    SearchField(ControlBar& bar, const QString& placeholder, const QString& name, const QString& tip,
                Actions& actions);

    void setHits(std::size_t current, std::optional<std::size_t> count); ///< nothing: nothing is sought

Q_SIGNALS:
    void next(int direction);
    void left();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QLabel* m_hits;
};

} // namespace tilewright::ui
