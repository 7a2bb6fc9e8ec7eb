// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

class QLabel;

namespace tilewright::ui {

/// Covers a view of the Systolic, NPU or Mapping lens while the lens cannot show the open workload. The cover
/// states the reason and offers to show the earlier content of the lens, which is a sample or another
/// workload.
class LensCover : public QWidget
{
    Q_OBJECT
public:
    LensCover(const ViewContext& context, Lens lens, View& view);
    [[nodiscard]] QString text() const; ///< the reason as text; empty while the cover is hidden

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
