// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace tilewright::ui {

/// A scroll area for rows of controls whose height depends on the width they were given. Where they fit
/// beside no bar only, QScrollArea shows and hides its bar for ever; here it stays until the pane has another
/// size.
class ScrollPane : public QScrollArea
{
public:
    using QScrollArea::QScrollArea;

protected:
    bool event(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_resizing = 0; ///< resizes of the widget within one another
};

} // namespace tilewright::ui
