// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

class QLabel;
class QToolButton;

namespace tilewright::ui {

/// A red row as long as the open model has dropped operators whose results it needs: every figure of the
/// window leaves out their work. It cannot be dismissed.
class MissingBanner : public QWidget
{
    Q_OBJECT
public:
    /// `parent`: its layout takes the row.
    MissingBanner(const ViewContext& context, QWidget* parent);
    /// The whole sentence; empty if nothing is missing.
    [[nodiscard]] QString text() const { return m_full; }

Q_SIGNALS:
    void importWanted(); ///< the user wants to see the dropped operators

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void fitText();

    ViewContext m_context;
    QLabel* m_text;
    QString m_full;
};

} // namespace tilewright::ui
