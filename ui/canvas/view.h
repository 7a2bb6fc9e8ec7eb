// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/live_picture.h"
#include "theme/theme.h"
#include "workspace/actions.h"
#include "workspace/workspace.h"

#include <QJsonObject>
#include <QString>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

namespace tilewright::ui {

class AnimationClock;

/// The theme in force; views repaint when it changes.
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

/// What every view is given. Views talk to these objects only, never to one another.
struct ViewContext
{
    Workspace& workspace;
    Document& document; ///< the schedule of the workspace
    Selection& selection;
    ThemeSource& themes;
    AnimationClock& clock;
    Actions& actions;
};

/// Base of everything that can be docked, exported and rendered from the command line.
class View : public QWidget
{
    Q_OBJECT
public:
    View(const ViewContext& context, QString name, QString title, QWidget* parent = nullptr);

    [[nodiscard]] const QString& viewName() const { return m_name; } ///< for `tilewright render --view`
    [[nodiscard]] const QString& title() const { return m_title; }

    /// Finishes background work, so that what is painted next is complete (exports, tests). Callers from
    /// outside catchUp() first.
    virtual void settle() {}
    /// Whether a person can see some of it: a dock behind another tab is not seen. Without a visible window
    /// (exports) everything counts as seen.
    [[nodiscard]] bool isSeen() const;
    /// Brings a view up to date that was not seen when what it shows changed.
    void catchUp();
    /// Whether it is seen and nothing waits for catchUp().
    [[nodiscard]] bool isFollowing() const { return !m_outdated && isSeen(); }
    /// A good size for an export when the person names none, in logical pixels.
    [[nodiscard]] virtual QSize exportSize() const { return {1280, 720}; }
    /// Paints the whole view into (0, 0, size) in `theme`; the base class renders the widget tree.
    virtual void paintExport(QPainter& painter, const QSize& size, const Theme& theme);
    /// The same for a page that can be explored: one picture, or several, the most important first, until
    /// `take` wants no more. Callers have caught up and settled.
    virtual void livePictures(const std::function<bool(LivePicture)>& take);
    /// What can be pointed at in what paintExport() paints in that size; what lies on top comes first.
    [[nodiscard]] virtual std::vector<PicturePart> partsIn(const QSize& size)
    {
        Q_UNUSED(size)
        return {};
    }
    /// Rows as tab-separated text with full precision, for Copy; empty when the view has no rows.
    [[nodiscard]] virtual QString copyText() const { return {}; }
    /// The same kind of rows as a summary that is quick to make: what assistive technology reads of a
    /// picture.
    [[nodiscard]] virtual QString tableText() const { return copyText(); }

    /// What a person has chosen in it, for the session of the open file; empty for nothing.
    [[nodiscard]] virtual QJsonObject settings() const { return {}; }
    /// Takes what settings() gave, perhaps of another version.
    virtual void restoreSettings(const QJsonObject& settings) { Q_UNUSED(settings) }

Q_SIGNALS:
    /// A command of this view was used from elsewhere: it is to be seen.
    void wanted();

protected:
    /// A command of this view: an entry of the palette and the shortcut sheet, and its keys while the view or
    /// a child of it has the focus. A further view of the same kind has an action of its own.
    QAction* addCommand(const ActionSpec& spec, const std::function<void(bool)>& run);
    /// What the view shows has changed: brings it up to date at once when it is seen, otherwise when it
    /// comes into sight, so that an edit costs what is on screen.
    void outdate();
    /// The same when the present events have been handled, unless outdate() comes before.
    void outdateLater();
    virtual void bringUpToDate();
    /// This is a view of another lens than Schedule: whenever it is seen, the lens stands where the open
    /// workload does.
    void followWorkload(Lens lens);
    /// The command that lets the lens follow the open workload, or keeps it where it is.
    QAction* addFollowCommand(Lens lens, const QString& tip);
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
    std::optional<Lens> m_lens; ///< that follows the workload
    bool m_outdated = false;
};

/// Centred hint of an empty pane: what to do, in muted text.
void paintEmptyHint(QPainter& painter, const QRectF& area, const QString& text, const Theme& theme);

} // namespace tilewright::ui
