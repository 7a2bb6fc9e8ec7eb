// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"

#include <QStringList>

#include <vector>

class QAction;
class QComboBox;
class QToolButton;

namespace tilewright::ui {

/// The row of controls above a painted view. It wraps onto further rows when the view is narrow or the font
/// large, so that no control is ever clipped; the wheel changes a control only when it has the focus.
class ControlBar : public QWidget
{
    Q_OBJECT
public:
    explicit ControlBar(QWidget* parent);

    /// A labelled list of choices; `tip` says what it changes.
    QComboBox* addChoice(const QString& label, const QStringList& choices, const QString& tip);
    /// Any control with a label before it.
    void addLabelled(const QString& label, QWidget* control, const QString& tip);
    /// A button for the action (icon, tooltip and keys are the action's).
    QToolButton* addButton(QAction* action);
    /// Any other control; `stretch`: takes the room that is left in its row.
    void add(QWidget* control, const QString& name, const QString& tip, bool stretch = false);

    /// Shows or hides a control of the bar with its label.
    void setShown(QWidget* control, bool shown);

    int heightForWidth(int width) const override;
    bool hasHeightForWidth() const override { return true; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, 0}; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Item
    {
        QWidget* label = nullptr; ///< stays with its control
        QWidget* control = nullptr;
        bool stretch = false;
    };
    int arrange(int width, bool apply) const;

    std::vector<Item> m_items;
};

/// A canvas with a control bar on top. Subclasses paint into what is left of the widget; pictures for export
/// have no controls.
class ToolCanvas : public Canvas
{
    Q_OBJECT
public:
    using Canvas::Canvas;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) final;

    [[nodiscard]] ControlBar& bar();
    /// A command of the view with a button in the bar; without an icon the button bears the text.
    QAction* addBarCommand(const QString& id, const QString& text, const QString& iconName,
                           const QList<QKeySequence>& keys, const QString& tip,
                           const std::function<void()>& run);

protected:
    virtual void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) = 0;
    /// Called after the place for the content has changed.
    virtual void contentResized() {}

    /// The part of the widget below the controls.
    [[nodiscard]] QRectF contentArea() const;
    [[nodiscard]] QRectF pictureArea() const override { return contentArea(); }
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void placeBar();
    ControlBar* m_bar = nullptr;
};

} // namespace tilewright::ui
