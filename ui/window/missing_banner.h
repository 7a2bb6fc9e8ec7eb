// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

class QLabel;
class QToolButton;

namespace tilewright::ui {

/// A red row that is shown while the open model has dropped operators whose results it needs. It says that
/// all figures of the window leave out the work of these operators. It cannot be dismissed.
class MissingBanner : public QWidget
{
    Q_OBJECT
public:
    /// `parent`: widget to whose layout the row is added.
    MissingBanner(const ViewContext& context, QWidget* parent);
    /// The text of the row without abbreviation; empty if nothing is missing.
    [[nodiscard]] QString text() const { return m_full; }

Q_SIGNALS:
    void importWanted(); ///< emitted when the user wants to see the dropped operators

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
