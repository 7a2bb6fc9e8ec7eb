// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/key_table.h"
#include "canvas/view.h"
#include "canvas/zoom_history.h"

#include <QElapsedTimer>

#include <functional>

namespace tilewright::ui {

/// Base of the painted views: one paint function for screen, PNG, SVG and PDF; tooltips by mouse and
/// keyboard, focus ring, middle- and right-drag panning, wheel zooming, keyboard panning and zooming, back
/// and forward between the parts looked at, a table for assistive technology. Subclasses implement paint() as
/// a pure function of their cached model and override the hooks they need.
class Canvas : public View
{
    Q_OBJECT
public:
    Canvas(const ViewContext& context, QString name, QString title, QWidget* parent = nullptr);

    /// Paints the view into `area`. `exporting`: no hover, no cursor, everything fitted.
    virtual void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) = 0;

    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    /// Place by place; views that know their parts tell them.
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override { return partsByPlace(size); }

    // Navigation, also reached by actions and keys. Defaults do nothing.
    virtual void zoomBy(double factor, QPointF anchor)
    {
        Q_UNUSED(factor)
        Q_UNUSED(anchor)
    }
    virtual void panBy(QPointF pixels) { Q_UNUSED(pixels) }
    virtual void fitAll() {}
    virtual void fitSelection() { fitAll(); }
    /// 100 %, for views that have a natural size.
    virtual void actualSize() { fitAll(); }
    /// What is shown, in the view's own coordinates (times, the plane of the graph, decades): a null
    /// rectangle when all is shown and stays so on resize, nothing for views that cannot be moved.
    [[nodiscard]] virtual std::optional<QRectF> shownPart() const { return std::nullopt; }
    /// Shows that part as far as there is something to see; a null rectangle fits all.
    virtual void showPart(const QRectF& part) { Q_UNUSED(part) }
    /// What is selected, in the same coordinates; empty for nothing.
    [[nodiscard]] virtual QRectF selectedPart() const { return {}; }
    /// Brings the selection to the middle; when it is there already, as large as it goes (F, and F again).
    void goToSelection();

    // The parts looked at, apart from undo (docs/design.md 4.4).
    [[nodiscard]] const ZoomHistory& history() const { return m_history; }
    void goBack();
    void goForward();
    /// Makes a change of what is shown that can be gone back on; for commands from outside.
    void look(const std::function<void()>& change, ZoomHistory::Gesture gesture);

    /// The wheel scrolls and Ctrl+wheel zooms, instead of the wheel zooming (a preference).
    void setWheelScrolls(bool scrolls) { m_wheelScrolls = scrolls; }
    /// Shows the tooltip of what has the keyboard's attention (Shift+F1).
    void showTooltipOfFocus();

Q_SIGNALS:
    void historyChanged();

protected:
    /// What can be pointed at, found as the mouse would find it.
    [[nodiscard]] std::vector<PicturePart> partsByPlace(const QSize& size);
    /// Rich text shown when the mouse rests at `position`; empty for none.
    [[nodiscard]] virtual QString tooltipAt(QPointF position) const
    {
        Q_UNUSED(position)
        return {};
    }
    /// What is there, as parts of pictures say it.
    [[nodiscard]] virtual QStringList keysAt(QPointF position) const
    {
        Q_UNUSED(position)
        return {};
    }
    /// The part of the widget that an export shows.
    [[nodiscard]] virtual QRectF pictureArea() const { return rect(); }
    /// The place that keys act on: a current item, a cursor.
    [[nodiscard]] virtual QPointF focusPoint() const { return QRectF(rect()).center(); }

    /// Keys of this picture, told by the palette and the shortcut sheet under its title. Synonyms; or, in the
    /// second form, keys that differ (arrows), which the palette leads to but cannot press.
    void addKeys(const char* id, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
                 const std::function<void()>& run);
    void addKeys(const char* id, const QString& text, const QList<QKeySequence>& keys, const QString& tip,
                 const KeyTable::Handler& run);
    /// Keys that another entry of the registry tells of.
    void bindKeys(const QList<QKeySequence>& keys, const std::function<void()>& run)
    {
        m_keys.add(keys, [run](const KeyUse&) { run(); });
    }
    /// What the mouse does in this picture.
    void addGesture(const char* id, const QString& text, const QString& gesture, const QString& tip);
    /// W, S, A and D of the pictures of time.
    void addTimeKeys();
    /// Where W and S zoom.
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
    ZoomHistory m_history;
    QElapsedTimer m_time;               ///< of the history
    std::optional<QRectF> m_beforeDrag; ///< what was shown when the button went down
};

} // namespace tilewright::ui
