// SPDX-License-Identifier: GPL-3.0-or-later
// Guided tours: steps, and positions in controls that they point to.
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

/// A position in a control; `control` is null if it does not exist (any more).
struct Spot
{
    QPointer<QWidget> control;
    QPoint at;
};

/// A simulated user action on a control (for the demo): sends it the events of mouse and keyboard.
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
    std::function<QWidget*()> where; ///< control that the step refers to
    std::function<bool()> done;      ///< true if the user has completed the step
    /// Name of the view that the step takes place in; shown when the step begins.
    QString pane{};
    /// Hint for the present state: an obstacle and its remedy, or the remaining distance; may be empty.
    std::function<QString()> advice{};
    QStringList alsoNeeded{};   ///< names of further views that the card should not cover
    std::vector<Gesture> how{}; ///< input for TourPlayer; present in all steps of a tour, or in none
    QString offer{};            ///< text of a button of the card that does the step; empty for none
    std::function<void()> doIt{};
};

struct Tour
{
    QString id, title, tip;
    QString file; ///< path in the samples folder; opened when the tour starts
    std::vector<TourStep> steps;
    QString end;                        ///< closing text
    std::function<QString()> outcome{}; ///< result of this run, added to the closing text
};
/// Creates the tours: "First schedule", "Beat Auto-solve", "From model to array".
[[nodiscard]] std::vector<Tour> guidedTours(MainWindow& window);

/// Best place for a card of this size inside `room`: covers little of `target`, then little of `others`, and
/// is close to the target.
[[nodiscard]] QRect tourCardPlace(QSize card, const QRect& room, const QRect& target,
                                  const std::vector<QRect>& others);

/// Shows a guided tour: a card with instructions beside the control of the step, and a frame around the
/// control. It advances when the step is done or by its buttons. The user does every step; nothing is
/// blocked. The card can be dragged.
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
    } ///< index of the step; tour.steps.size() at the end
    [[nodiscard]] QString text() const;
    [[nodiscard]] QWidget* target() const { return m_target; }
    void setNote(const QString& note); ///< text beside the step number, until the tour is left
    [[nodiscard]] QPushButton* leaveButton() const { return m_leave; }
    [[nodiscard]] QPushButton* backButton() const { return m_back; }
    [[nodiscard]] QPushButton* skipButton() const { return m_skip; }
    [[nodiscard]] QPushButton* offerButton() const { return m_offer; } ///< hidden in most steps

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;

private:
    void poll(); ///< advances if the step is done; moves the card if its control has moved
    void goTo(std::size_t step);
    void bringForward(const QString& pane);
    void show();
    void updateText();
    void place();
    [[nodiscard]] QRect room() const; ///< area between toolbar and status bar

    MainWindow& m_window;
    Tour m_tour;
    QString m_file; ///< the file that the step refers to; the tour ends if another one is opened
    std::size_t m_step = 0;
    bool m_revisited = false; ///< the step was already done when the user went back to it: do not advance
    QString m_note;
    QLabel* m_text;
    QLabel* m_count;
    QPushButton* m_leave;
    QPushButton* m_back;
    QPushButton* m_skip;
    QPushButton* m_offer;
    QWidget* m_frame;
    QPointer<QWidget> m_target;
    QPoint m_grip;                   ///< position of the mouse in the card when the drag began
    std::optional<QPoint> m_dragged; ///< position to which the user dragged the card in this step
    QTimer m_timer;
};

} // namespace tilewright::ui
