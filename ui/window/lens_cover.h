// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

class QLabel;

namespace tilewright::ui {

/// Lies over a view of another lens while nothing of the open workload can be shown in it, says why, and
/// offers what the lens holds from before: a sample, or another workload.
class LensCover : public QWidget
{
    Q_OBJECT
public:
    LensCover(const ViewContext& context, Lens lens, View& view);
    [[nodiscard]] QString text() const; ///< empty while it is not there

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();

    const ViewContext m_context;
    Lens m_lens;
    View& m_view;
    QLabel* m_text;
};

} // namespace tilewright::ui
