// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "theme/theme.h"
#include "workspace/actions.h"
#include "workspace/workspace.h"

#include <QJsonObject>
#include <QPolygonF>
#include <QRectF>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

class QPainter;

namespace tilewright::ui {

// Pictures for interactive reports: a paint function, and parts with tooltips.

struct Theme;

/// A part of a picture with a tooltip.
struct PicturePart
{
    QRectF rect; ///< bounds in pixels of the picture
    QStringList keys =
        /// Keys of the items in this part, most specific first; parts with the same key are linked in all
        /// pictures of a page.
        {};
    QString tooltip = {};   ///< tooltip as rich text, the same as in the window
    QPolygonF outline = {}; ///< outline inside `rect`, if the part is not a rectangle
};

/// One frame of a playback: a position and its description.
struct PictureFrame
{
    QRectF rect;
    QStringList lines; ///< description of the frame; cells are separated by tabs
};

struct LivePicture
{
    QString title;
    QString
        key; ///< key of the item to which this picture and its frames belong, if a view has several pictures
    QSize size;
    std::function<void(QPainter&, const Theme&)> paint;
    std::vector<PicturePart> parts;
    std::vector<PictureFrame> frames = {};
    std::int64_t frameCount = 0; ///< number of all frames, including omitted ones
};

[[nodiscard]] inline QString keyOf(OpId op)
{
    return QStringLiteral("o%1").arg(op.value);
}
[[nodiscard]] inline QString keyOf(TensorId tensor)
{
    return QStringLiteral("t%1").arg(tensor.value);
}
[[nodiscard]] inline QString keyOf(SubgraphId subgraph)
{
    return QStringLiteral("s%1").arg(subgraph.value);
}
[[nodiscard]] inline QString keyOf(SubgraphId subgraph, std::int64_t step)
{
    return QStringLiteral("s%1.%2").arg(subgraph.value).arg(step);
}

class AnimationClock;

/// Holds the current theme. Views repaint when it changes.
class ThemeSource : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const Theme& theme() const { return *m_theme; }
    void setTheme(const Theme& theme)
    {
        if (m_theme == &theme)
            return;
        m_theme = &theme;
        Q_EMIT changed();
    }

Q_SIGNALS:
    void changed();

private:
    const Theme* m_theme = &Theme::light();
};

/// Objects that every view gets. Views use only these and do not call each other.
struct ViewContext
{
    Workspace& workspace;
    Document& document; ///< the document of the Schedule lens, as returned by Workspace::schedule()
    Selection& selection;
    ThemeSource& themes;
    AnimationClock& clock;
    Actions& actions;
};

/// Base class of all views. A view can be docked, exported, and rendered from the command line.
class View : public QWidget
{
    Q_OBJECT
public:
    View(const ViewContext& context, QString name, QString title, QWidget* parent = nullptr);

    /// Name of the view for `tilewright render --view`.
    [[nodiscard]] const QString& viewName() const { return m_name; }
    [[nodiscard]] const QString& title() const { return m_title; }

    /// Waits for background work, so that the next painting is complete (for exports and tests). Call
    /// catchUp() first.
    virtual void settle() {}
    /// True if a part of the view is visible; false for a dock behind another tab. Always true without a
    /// visible window (exports).
    [[nodiscard]] bool isSeen() const;
    /// Updates a view whose content changed while it was not visible.
    void catchUp();
    /// True if the view is visible and shows its current content.
    [[nodiscard]] bool isFollowing() const { return !m_outdated && isSeen(); }
    /// Default size of an export in logical pixels.
    [[nodiscard]] virtual QSize exportSize() const { return {1280, 720}; }
    /// Paints the whole view into (0, 0, size) in `theme`. The base class renders the widget tree.
    virtual void paintExport(QPainter& painter, const QSize& size, const Theme& theme);
    /// Passes pictures for an interactive report to `take`, the most important first, until `take` returns
    /// false. Call catchUp() and settle() first.
    virtual void livePictures(const std::function<bool(LivePicture)>& take);
    /// Parts with tooltips in the picture that paintExport() paints in this size; topmost first.
    [[nodiscard]] virtual std::vector<PicturePart> partsIn(const QSize& size)
    {
        Q_UNUSED(size)
        return {};
    }
    /// Rows as tab-separated text with full precision, for Copy; empty if the view has none.
    [[nodiscard]] virtual QString copyText() const { return {}; }
    /// Rows for assistive technology, like copyText() but possibly shortened to be fast.
    [[nodiscard]] virtual QString tableText() const { return copyText(); }

    /// Settings that the user has made in this view; they are saved with the session of the file. May be
    /// empty.
    [[nodiscard]] virtual QJsonObject settings() const { return {}; }
    /// Restores settings(), which may come from another version of the program.
    virtual void restoreSettings(const QJsonObject& settings) { Q_UNUSED(settings) }

Q_SIGNALS:
    /// Emitted when a command of this view was run from outside: the window should show the view.
    void wanted();

protected:
    /// Adds a command of this view to palette and shortcut sheet. Its keys work while the view or a child
    /// widget has the focus. Each further view of the same kind gets an action of its own.
    QAction* addCommand(const ActionSpec& spec, const std::function<void(bool)>& run);
    /// To be called when the content has changed: updates the view at once if it is visible, otherwise when
    /// it becomes visible, so that an edit only costs time for visible views.
    void outdate();
    /// Calls outdate() after the pending events, unless outdate() is called before.
    void outdateLater();
    virtual void bringUpToDate();
    /// For views of the Systolic, NPU and Mapping lens: makes the lens follow the open workload while the
    /// view is visible.
    void followWorkload(Lens lens);
    /// Adds the command that switches between following the open workload and keeping the lens's content.
    QAction* addFollowCommand(Lens lens, const QString& tip);
    /// Adds the command that stores the hardware of the lens in the machine of the open workload.
    QAction* addUseInMachineCommand(Lens lens);
    bool event(QEvent* event) override;

    [[nodiscard]] Workspace& workspace() const { return m_context.workspace; }
    [[nodiscard]] Document& document() const { return m_context.document; }
    [[nodiscard]] Selection& selection() const { return m_context.selection; }
    [[nodiscard]] AnimationClock& clock() const { return m_context.clock; }
    [[nodiscard]] Actions& registry() const { return m_context.actions; }
    [[nodiscard]] const ViewContext& context() const { return m_context; }
    [[nodiscard]] const Theme& theme() const { return m_context.themes.theme(); }

private:
    ViewContext m_context;
    QString m_name;
    QString m_title;
    std::optional<Lens> m_lens; ///< lens of the view, set by followWorkload()
    bool m_outdated = false;
};

/// Paints the hint of an empty view, which says what to do, as centred muted text.
void paintEmptyHint(QPainter& painter, const QRectF& area, const QString& text, const Theme& theme);

} // namespace tilewright::ui
