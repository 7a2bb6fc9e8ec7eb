// SPDX-License-Identifier: GPL-3.0-or-later
// Controls of the Inspector: texts, buttons that show the effect of a change, a spin box.
#pragma once

#include "canvas/number_box.h"
#include "canvas/view.h"
#include "edit/suggestions.h"
#include "eval/evaluation.h"
#include "workspace/selection.h"

#include <QHash>
#include <QPushButton>
#include <QTextDocument>

#include <cstdint>
#include <optional>
#include <vector>

class QLabel;
class QLayout;
class QString;
class QVBoxLayout;
class QWidget;

namespace tilewright::ui {

/// Returns a label with wrapped text that can be selected and can have links. It takes the width of its pane,
/// however long its words are.
[[nodiscard]] QLabel* paragraph(QWidget* parent);
/// Adds a heading, and returns the layout for the controls below it. There is no frame, because the pane is
/// narrow.
[[nodiscard]] QVBoxLayout* section(const QString& title, QWidget* page, QVBoxLayout* into);
/// Deletes all items of the layout.
void clearLayout(QLayout* layout);

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

    mutable QTextDocument m_document; ///< text of the button, laid out for the last requested width
    /// height by width, because layouts request the same widths repeatedly
    mutable QHash<int, int> m_heights;
};

/// Returns a button for one change of a schedule. Its text has the effect on the total first, then the
/// description. A click applies the change as one undo step. `best` marks the first of several buttons;
/// `named` adds the number of the subgraph, for pages that do not show it.
[[nodiscard]] QPushButton* changeButton(const ViewContext& context, const Snapshot& snapshot,
                                        SubgraphId subgraph, const Suggestion& change, bool best, bool named,
                                        QWidget* parent);

/// A spin box whose arrows and wheel step through useful values, or by one with Ctrl. Any value can be typed.
/// The wheel is ignored without focus, so that scrolling the pane does not edit.
class ChoiceSpinBox : public NumberBox
{
    Q_OBJECT
public:
    explicit ChoiceSpinBox(QWidget* parent = nullptr);
    void setChoices(std::vector<std::int64_t> choices);
    void stepBy(int steps) override;

protected:
    StepEnabled stepEnabled() const override;
    void keyPressEvent(QKeyEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    bool m_byOne = false; ///< true while Ctrl is held
    std::vector<std::int64_t> m_choices;
};

/// A button that fuses several selected subgraphs. It shows the effect on the total in advance, or why they
/// cannot be fused.
class FuseOffer : public QWidget
{
    Q_OBJECT
public:
    FuseOffer(const ViewContext& context, QWidget* parent);
    void refresh(bool wanted);
    void settle() { m_job.waitIdle(); }
    [[nodiscard]] QLabel* note() const { return m_note; }

private:
    struct Trial
    {
        std::uint64_t revision = 0;
        SelectionState selection;
        std::optional<Evaluation> after; ///< evaluation after the fusion; nullopt if the fusion is refused
        std::string refusal;
    };
    void show(const Trial& trial);

    ViewContext m_context;
    QLabel* m_note;
    QVBoxLayout* m_column;
    LatestJob<Trial> m_job;
    std::optional<Trial> m_shown; ///< the newest trial, if the document has not changed since
};

} // namespace tilewright::ui
