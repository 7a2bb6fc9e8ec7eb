// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QHash>
#include <QPushButton>
#include <QTextDocument>

namespace tilewright::ui {

/// A push button with wrapped text, so that a sentence fits into a narrow pane. `lead` is shown in front in
/// bold.
class WrapButton : public QPushButton
{
    Q_OBJECT
public:
    WrapButton(const QIcon& icon, const QString& lead, const QString& text, QWidget* parent = nullptr);

    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] QRect textRect(int width, int height) const;

    void layOut(int width) const;

    mutable QTextDocument m_document;  ///< laid out for the width of the last request
    mutable QHash<int, int> m_heights; ///< height by width: layouts ask for the same widths repeatedly
};

} // namespace tilewright::ui
