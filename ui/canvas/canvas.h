// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas_keys.h"
#include "canvas/view.h"
#include "canvas/viewport.h"

#include <QElapsedTimer>

#include <functional>

namespace tilewright::ui {

/// Base of the painted views: one paint function for screen, PNG, SVG and PDF; tooltips by mouse and
/// keyboard, focus ring, panning and zooming by mouse and keyboard, zoom history, and a table for assistive
/// technology. Subclasses implement paint() as a pure function of their cached model and override the hooks
/// they need.
class Canvas : public View
{
    Q_OBJECT
public:
    Canvas(const ViewContext& context, QString name, QString title, QWidget* parent = nullptr);

    /// Paints the view into `area`. With `exporting`, hover and cursor are not painted and the content is
    /// fitted into the area.
    virtual void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) = 0;

    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    /// Parts found by probing positions. Views that know their parts override this.
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override { return partsByPlace(size); }

    // Navigation by mouse, actions and keys. The default implementations do nothing.
    virtual void zoomBy(double factor, QPointF anchor)
    {
        Q_UNUSED(factor)
        Q_UNUSED(anchor)
    }
    virtual void panBy(QPointF pixels) { Q_UNUSED(pixels) }
    virtual void fitAll() {}
    virtual void fitSelection() { fitAll(); }
    /// Zooms to 100 %, for views that have a natural size.
    virtual void actualSize() { fitAll(); }
    /// Visible part in the view's own coordinates (times, graph coordinates, decades). A null rectangle means
    /// everything, also after a resize. Nothing if the view cannot be zoomed.
    [[nodiscard]] virtual std::optional<QRectF> shownPart() const { return std::nullopt; }
    /// Shows a part, limited to the content. A null rectangle shows everything.
    virtual void showPart(const QRectF& part) { Q_UNUSED(part) }
    /// Bounds of the selection in the coordinates of shownPart(); empty if nothing is selected.
    [[nodiscard]] virtual QRectF selectedPart() const { return {}; }
    /// Centres the selection; if it is centred already, zooms to it (F, and F again).
    void goToSelection();

    // Zoom history, separate from undo (docs/design.md 4.4).
    [[nodiscard]] const ZoomHistory& history() const { return m_history; }
    void goBack();
    void goForward();
    /// Runs a change of the visible part and records the previous part in the history. For commands that
    /// belong to the window.
    void look(const std::function<void()>& change, ZoomHistory::Gesture gesture);

    /// Preference: true = the wheel scrolls and Ctrl+wheel zooms; false = the wheel zooms.
    void setWheelScrolls(bool scrolls) { m_wheelScrolls = scrolls; }
    /// Shows the tooltip at focusPoint() (Shift+F1).
    void showTooltipOfFocus();
    /// Keys of the item at a position (PicturePart::keys), or else of the item with the focus; empty if there
    /// is none.
    [[nodiscard]] QStringList itemAt(QPointF position) const { return keysAt(position); }
    [[nodiscard]] QStringList itemOfFocus() const { return keysAt(focusPoint()); }

Q_SIGNALS:
    void historyChanged();

protected:
    /// Finds parts by calling tooltipAt() and keysAt() at a grid of positions.
    [[nodiscard]] std::vector<PicturePart> partsByPlace(const QSize& size);
    /// Tooltip at a position as rich text; empty for none.
    [[nodiscard]] virtual QString tooltipAt(QPointF position) const
    {
        Q_UNUSED(position)
        return {};
    }
    /// Keys of the PicturePart at a position.
    [[nodiscard]] virtual QStringList keysAt(QPointF position) const
    {
        Q_UNUSED(position)
        return {};
    }
    /// Area of the widget that an export shows.
    [[nodiscard]] virtual QRectF pictureArea() const { return rect(); }
    /// Opens the context menu at a position: export, copy, zoom, and commands of this view (viewCommands()).
    /// Views with items override it.
    virtual void showContextMenu(QPointF position);
    /// Commands of this view for its context menu.
    [[nodiscard]] virtual QList<QAction*> viewCommands() const { return {}; }
    /// Position of the keyboard focus in the view: current item or cursor.
    [[nodiscard]] virtual QPointF focusPoint() const { return QRectF(rect()).center(); }

    /// Adds keys of this view; palette and shortcut sheet list them under its title. In the first overload
    /// all keys have the same effect. In the second one each key (of the arrow keys) has its own effect, so
    /// that the palette can show the keys but not run them.
    void addKeys(const char* id, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
                 const std::function<void()>& run);
    void addKeys(const char* id, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
                 const KeyTable::Handler& run);
    /// Adds keys without an entry of their own in the registry.
    void bindKeys(const QList<QKeySequence>& keys, const std::function<void()>& run)
    {
        m_keys.add(keys, [run](const KeyUse&) { run(); });
    }
    /// Registers a mouse gesture of this view for the shortcut sheet.
    void addGesture(const char* id, const QString& text, const QString& gesture, const QString& tip);
    /// Adds the keys W, S, A and D of charts over time.
    void addTimeKeys();
    /// Point about which W and S zoom.
    [[nodiscard]] virtual QPointF keyAnchor() const { return QRectF(rect()).center(); }

    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] bool isPanning() const { return m_panning; }

private:
    void addCommonKeys();
    [[nodiscard]] ActionSpec keySpec(const char* id, const QString& text, const QList<QKeySequence>& keys,
                                     const QString& tip) const;
    [[nodiscard]] bool handle(QEvent* event);
    void remember(const std::optional<QRectF>& before, ZoomHistory::Gesture gesture);

    KeyTable m_keys;
    bool m_panning = false;
    bool m_wheelScrolls = false;
    QPointF m_panFrom;
    QPointF m_rightPressed; ///< position where the right button was pressed
    ZoomHistory m_history;
    QElapsedTimer m_time;               ///< clock of m_history
    std::optional<QRectF> m_beforeDrag; ///< shownPart() when the mouse button was pressed
};

} // namespace tilewright::ui
