// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of controls above a painted view, with the search field.
#pragma once

#include "canvas/canvas.h"

#include <QLineEdit>
#include <QStringList>

#include <optional>
#include <vector>

class QAction;
class QComboBox;
class QToolButton;
class QLabel;

namespace tilewright::ui {

/// Row of controls above a painted view. It wraps to further rows if the view is narrow or the font is large,
/// so that no control is clipped. The wheel changes a control only if it has the focus.
class ControlBar : public QWidget
{
    Q_OBJECT
public:
    explicit ControlBar(QWidget* parent);

    /// Adds a combo box with a label. `tip`: tooltip that says what the choice changes.
    QComboBox* addChoice(const QString& label, const QStringList& choices, const QString& tip);
    /// Adds a control with a label in front.
    void addLabelled(const QString& label, QWidget* control, const QString& tip);
    /// Adds a button for an action, with its icon, tooltip and keys.
    QToolButton* addButton(QAction* action);
    /// Adds any other control. `stretch`: the control takes the remaining width of its row.
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
        QWidget* label = nullptr; ///< label of the control, always in the same row
        QWidget* control = nullptr;
        bool stretch = false;
    };
    int arrange(int width, bool apply) const;

    std::vector<Item> m_items;
};

/// Canvas with a control bar at the top. Subclasses paint into contentArea(); exported pictures have no
/// controls.
class ToolCanvas : public Canvas
{
    Q_OBJECT
public:
    using Canvas::Canvas;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) final;

    [[nodiscard]] ControlBar& bar();
    /// Adds a command of the view with a button in the bar. Without an icon the button shows the text.
    QAction* addBarCommand(const QString& id, const QString& text, const QString& iconName,
                           const QList<QKeySequence>& keys, const QString& tip,
                           const std::function<void()>& run);

protected:
    virtual void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) = 0;
    /// Called after contentArea() has changed.
    virtual void contentResized() {}

    /// Area of the widget below the controls.
    [[nodiscard]] QRectF contentArea() const;
    [[nodiscard]] QRectF pictureArea() const override { return contentArea(); }
    void resizeEvent(QResizeEvent* event) override;
    bool event(QEvent* event) override;

private:
    void placeBar();
    ControlBar* m_bar = nullptr;
};

class Actions;

/// Search field in the bar of a view. It shows the number of the current match and of all matches. Enter:
/// next match; Shift+Enter: previous match; Escape: clears and leaves the field.
class SearchField : public QLineEdit
{
    Q_OBJECT
public:
    SearchField(ControlBar& bar, const QString& placeholder, const QString& name, const QString& tip,
                Actions& actions);

    /// Shows the number of the current match. `count`: number of all matches; empty if no search is active.
    void setHits(std::size_t current, std::optional<std::size_t> count);

Q_SIGNALS:
    void next(int direction);
    void left();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void placeHits();

    QLabel* m_hits; ///< label inside the field: number of the current match and of all matches
};

} // namespace tilewright::ui
