// SPDX-License-Identifier: GPL-3.0-or-later
// Guided tours: their steps, and the positions in controls to which they point.
#pragma once

#include <QFrame>
#include <QPoint>
#include <QPointer>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QLabel;
class QPushButton;

namespace tilewright::ui {

/// A position in a control; `control` is null if the control does not exist.
struct Spot
{
    QPointer<QWidget> control;
    QPoint at;
};

/// A simulated action of the user on a control, for the demo: it sends mouse and keyboard events to the
/// control.
struct Gesture
{
    QString caption;             ///< text beside the pointer: "Click row 1"
    std::function<Spot()> where; ///< returns the target; called right before the action
    std::function<void(const Spot&)> act;
};

[[nodiscard]] Gesture clickOn(const QString& caption, std::function<Spot()> where,
                              Qt::KeyboardModifiers modifiers = {});
class MainWindow;

/// One step of a guided tour: instruction, control, completion test and simulated input.
struct TourStep
{
    QString text;
    std::function<QWidget*()> where; ///< returns the control to which the step refers
    std::function<bool()> done;      ///< returns true if the user has completed the step
    /// Name of the view in which the step takes place. The view is shown when the step begins.
    QString pane{};
    /// Returns a hint for the current state: an obstacle and its remedy, or the remaining distance; may be
    /// empty.
    std::function<QString()> advice{};
    QStringList alsoNeeded{};   ///< names of further views that the card should not cover
    std::vector<Gesture> how{}; ///< simulated input for TourPlayer; present in all steps of a tour or in none
    QString offer{}; ///< text of a button on the card that does the step for the user; empty: no button
    std::function<void()> doIt{};
};

struct Tour
{
    QString id, title, tip;
    QString file; ///< path in the folder of the samples; the file is opened when the tour starts
    std::vector<TourStep> steps;
    QString end; ///< closing text
    /// returns a text on the result of this run, which is added to the closing text
    std::function<QString()> outcome{};
};
/// Returns the tours "First schedule", "Beat Auto-solve" and "From model to array".
[[nodiscard]] std::vector<Tour> guidedTours(MainWindow& window);

/// Returns the best place for a card of this size inside `room`: it covers little of `target`, then little of
/// `others`, and is close to the target.
[[nodiscard]] QRect tourCardPlace(QSize card, const QRect& room, const QRect& target,
                                  const std::vector<QRect>& others);

/// Shows a guided tour: a card with instructions beside the control of the step, and a frame around the
/// control. The tour advances when the step is done, or by the buttons of the card. The user does every step;
/// nothing is blocked. The card can be dragged.
class TourGuide : public QFrame
{
    Q_OBJECT
public:
    explicit TourGuide(MainWindow& window);
    void start(const Tour& tour);
    void leave();
    [[nodiscard]] bool isRunning() const { return !isHidden(); }
    [[nodiscard]] std::size_t step() const
    {
        return m_step;
    } ///< index of the current step; tour.steps.size() at the end
    [[nodiscard]] QString text() const;
    [[nodiscard]] QWidget* target() const { return m_target; }
    /// Sets a text beside the number of the step, which stays until the tour is left.
    void setNote(const QString& note);
    [[nodiscard]] QPushButton* leaveButton() const { return m_leave; }
    [[nodiscard]] QPushButton* backButton() const { return m_back; }
    [[nodiscard]] QPushButton* skipButton() const { return m_skip; }
    /// Button that does the step for the user; hidden in most steps.
    [[nodiscard]] QPushButton* offerButton() const { return m_offer; }

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void poll(); ///< advances if the step is done; moves the card if the control has moved
    void goTo(std::size_t step);
    void bringForward(const QString& pane);
    void show();
    void updateText();
    void place();
    [[nodiscard]] QRect room() const; ///< the area between toolbar and status bar, in which the card can be

    MainWindow& m_window;
    Tour m_tour;
    QString m_file; ///< the file of the tour; if another one is opened, the tour ends
    std::size_t m_step = 0;
    /// True if the user went back to a step that was already done, so that the tour does not advance.
    bool m_revisited = false;
    QString m_note;
    QLabel* m_text;
    QLabel* m_count;
    QPushButton* m_leave;
    QPushButton* m_back;
    QPushButton* m_skip;
    QPushButton* m_offer;
    QWidget* m_frame;
    QPointer<QWidget> m_target;
    QPoint m_grip;                   ///< position in the card at which the user grabbed it
    std::optional<QPoint> m_dragged; ///< position to which the user has dragged the card in this step
    QTimer m_timer;
};

} // namespace tilewright::ui
