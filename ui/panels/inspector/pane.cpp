// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/pane.h"

#include "theme/theme.h"

#include <QHash>
#include <QLabel>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {

/// A label that caches its heights: layouts ask for the same ones repeatedly, and QLabel lays its text out
/// twice for each answer.
class Paragraph final : public QLabel
{
public:
    using QLabel::QLabel;
    [[nodiscard]] int heightForWidth(int width) const override
    {
        if (text() != m_text || font() != m_font || contentsMargins() != m_margins || indent() != m_indent) {
            m_text = text();
            m_font = font();
            m_margins = contentsMargins();
            m_indent = indent();
            m_heights.clear();
        }
        const auto known = m_heights.constFind(width);
        return known != m_heights.cend() ? *known : *m_heights.insert(width, QLabel::heightForWidth(width));
    }
    [[nodiscard]] QSize sizeHint() const override { return {width(), heightForWidth(width())}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {1, fontMetrics().height()}; }

private:
    mutable QString m_text; ///< the text that m_heights was measured for; the next three members likewise
    mutable QFont m_font;
    mutable QMargins m_margins;
    mutable int m_indent = 0;
    mutable QHash<int, int> m_heights; ///< height by width
};

} // namespace

void clearLayout(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->layout())
            clearLayout(item->layout());
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

QLabel* paragraph(QWidget* parent)
{
    auto* label = new Paragraph(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    label->setFocusPolicy(Qt::NoFocus); // Tab moves from field to field.
    QSizePolicy policy(QSizePolicy::Ignored,
                       QSizePolicy::Preferred); // Takes the width of the pane, not of its words.
    policy.setHeightForWidth(true);
    label->setSizePolicy(policy);
    return label;
}

QVBoxLayout* section(const QString& title, QWidget* page, QVBoxLayout* into)
{
    QLabel* heading = paragraph(page);
    heading->setText(title);
    heading->setFont(uiFont(1.0, QFont::DemiBold));
    heading->setContentsMargins(0, 6, 0, 0);
    into->addWidget(heading);
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    into->addLayout(column);
    return column;
}

} // namespace tilewright::ui
