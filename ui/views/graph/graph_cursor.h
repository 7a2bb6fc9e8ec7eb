// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_model.h"
#include "views/graph/graph_navigator.h"

#include <QPoint>
#include <QString>

#include <optional>
#include <vector>

namespace tilewright::ui {

/// What a person seeks: a part of a name ("query"), or a thing by its number ("op 12", "t17", "subgraph 5").
/// "op 1" means that op alone; "op1" may also be the beginning of a name.
class GraphSearch
{
public:
    explicit GraphSearch(const QString& text);

    [[nodiscard]] bool findsOp(const Problem& problem, OpId op) const;
    [[nodiscard]] bool findsTensor(const Problem& problem, TensorId tensor) const;
    /// Cards are found by what is in them.
    [[nodiscard]] bool findsNode(const GraphModel& model, std::size_t node) const;
    /// All nodes that are found: ops of just this name, then the others, in reading order.
    [[nodiscard]] std::vector<std::size_t> nodes(const GraphModel& model) const;

private:
    enum class Kind { None, Op, Tensor, Subgraph };
    [[nodiscard]] bool isPartOf(const std::string& name) const;
    /// An op whose name ends with just these parts: "down" of "layer0.down".
    [[nodiscard]] bool isNamedSo(const GraphModel& model, std::size_t node) const;

    QString m_text;
    Kind m_kind = Kind::None;
    std::uint32_t m_number = 0;
    bool m_names = true;
};

/// What is chosen in the graph and how one goes from one thing to the next: clicks, arrows, along tensors,
/// from hit to hit of a search.
class GraphCursor : public QObject
{
    Q_OBJECT
public:
    GraphCursor(const ViewContext& context, GraphLayouter& layouter, GraphNavigator& navigator,
                GraphBars& bars, QWidget& view);

    void select(const GraphHit& hit, Qt::KeyboardModifiers modifiers);
    /// A change that comes from here: it does not scroll.
    void changeSelection(SelectionState state);
    template <typename F> void withoutScrolling(F&& change)
    {
        m_ownSelection = true;
        change();
        m_ownSelection = false;
    }
    void startAnew();

    /// The node with the keyboard focus.
    [[nodiscard]] std::optional<std::size_t> node() const;
    /// The op selected last by itself, before a card was.
    [[nodiscard]] std::optional<OpId> lastOp() const { return m_lastOp; }
    [[nodiscard]] QPointF focusPoint() const;
    [[nodiscard]] bool step(QPoint way, Qt::KeyboardModifiers modifiers);
    void startInTheMiddle();
    void goAlongTensor(bool toConsumer);
    void goToSubgraph(int by);

    void search(const QString& text);
    void searchNext(int direction);
    [[nodiscard]] bool isSearching() const { return !m_sought.isEmpty(); }
    [[nodiscard]] const std::vector<std::size_t>& found() const
    {
        return m_found;
    } ///< nodes, in reading order
    [[nodiscard]] std::size_t currentFound() const { return m_currentFound; }

Q_SIGNALS:
    void blockWanted(OpId op); ///< one of equal blocks, to be opened

private:
    void moveTo(std::size_t node, bool extend);
    void selectionChanged();
    void showFound();

    ViewContext m_context;
    GraphLayouter& m_layouter;
    GraphNavigator& m_navigator;
    GraphBars& m_bars;
    QWidget& m_view;
    std::optional<GraphKey> m_cursor;
    std::optional<OpId> m_lastOp;
    QString m_sought;
    std::vector<std::size_t> m_found;
    std::size_t m_currentFound = 0;
    std::optional<GraphKey> m_openedFor; ///< a hit whose block is being opened
    bool m_ownSelection = false;
};

} // namespace tilewright::ui
