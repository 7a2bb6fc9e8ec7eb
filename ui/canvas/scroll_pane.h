// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace tilewright::ui {

/// Scroll area for rows of controls whose height depends on their width. If they fit only without the scroll
/// bar, QScrollArea would show and hide the bar in an endless loop; here the bar stays until the size
/// changes.
class ScrollPane : public QScrollArea
{
public:
    using QScrollArea::QScrollArea;

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_resizing = 0; ///< nesting depth of resizes of the widget
};

} // namespace tilewright::ui
