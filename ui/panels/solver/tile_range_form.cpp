// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/tile_range_form.h"

#include "canvas/number_box.h"
#include "solve/cost/extent_range_text.h"
#include "theme/text.h"
#include "workspace/constraint_edits.h"
#include "workspace/texts.h"

#include <QKeyEvent>
#include <QLabel>

#include <cstddef>
#include <utility>

namespace tilewright::ui {

namespace {

constexpr ExtentRange TileRange::*kRanges[] = {&TileRange::w, &TileRange::h, &TileRange::k};

} // namespace

TileRangeForm::TileRangeForm(Document& document, QWidget* parent)
    : ControlBar(parent), m_document(document), m_what(new QLabel(this)),
      m_set(new QPushButton(tr("Set"), this)), m_cancel(new QPushButton(tr("Cancel"), this))
{
    m_what->setTextFormat(Qt::PlainText);
    add(m_what, tr("Tiles of"), {});
    const std::pair<QString, QString> names[] = {
        {tr("&w"), tr("width")}, {tr("&h"), tr("height")}, {tr("&k"), tr("depth")}};
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        auto* field = new QLineEdit(this);
        field->setPlaceholderText(tr("free"));
        field->setFixedWidth(field->fontMetrics().averageCharWidth() * 16);
        addLabelled(
            names[i].first, field,
            tr("The %1 of the tiles: 64, 16 to 128, at least 16 or at most 128; empty leaves it free.")
                .arg(names[i].second));
        connect(field, &QLineEdit::returnPressed, this, &TileRangeForm::take);
        m_fields[i] = field;
    }
    add(m_set, m_set->text(), tr("Make this a constraint of the search (Enter)."));
    add(m_cancel, m_cancel->text(), tr("Leave the constraints as they are (Esc)."));
    connect(m_set, &QPushButton::clicked, this, &TileRangeForm::take);
    connect(m_cancel, &QPushButton::clicked, this, &TileRangeForm::leave);
    hide();
}

void TileRangeForm::edit(ScheduleConstraints::Tiles tiles)
{
    m_tiles = std::move(tiles);
    const Problem& problem = *m_document.problem();
    const QString ops = m_tiles.ops.empty() ? tr("every subgraph")
                                            : shortOpNames(problem, m_tiles.ops, commonPrefix(problem)).names;
    constexpr qsizetype kNames = 40; // maximum number of characters for names of ops
    m_what->setText(tr("Tiles of %1").arg(ops.size() > kNames ? ops.left(kNames) + QChar(0x2026) : ops));
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        const ExtentRange& range = m_tiles.range.*kRanges[i];
        m_fields[i]->setText(range.any() ? sentence(extentRangeText(range)) : QString());
    }
    updateGeometry();
    show();
    m_fields[0]->setFocus(Qt::ShortcutFocusReason);
    m_fields[0]->selectAll();
}

void TileRangeForm::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        leave();
    else
        ControlBar::keyPressEvent(event);
}

void TileRangeForm::leave()
{
    hide();
    Q_EMIT closed();
}

void TileRangeForm::take()
{
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        const auto range = readExtentRange(m_fields[i]->text().trimmed().toStdString());
        if (!range) {
            m_fields[i]->setFocus();
            showRefusal(*m_fields[i], wholeSentence(range.error().message));
            return;
        }
        m_tiles.range.*kRanges[i] = *range;
    }
    if (!m_tiles.range.any()) {
        m_fields[0]->setFocus();
        showRefusal(*m_fields[0], tr("Give a size or a range for w, h or k."));
        return;
    }
    setTiles(m_document, m_tiles);
    leave();
}

} // namespace tilewright::ui
