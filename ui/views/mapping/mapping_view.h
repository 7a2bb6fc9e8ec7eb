// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "canvas/viewport.h"
#include "views/mapping/breakdown.h"
#include "views/mapping/level_table.h"
#include "views/mapping/nest_paint.h"
#include "workspace/mapping_document.h"

#include <optional>
#include <utility>
#include <vector>

class QComboBox;
class QToolButton;

namespace tilewright::ui {

class MappingForm;

/// The loop-nest editor. The loops of each level and axis are bars that can be reordered; their prime factors
/// are chips that can be dragged to other levels. It also shows breakdowns of energy, cycles and memory use,
/// and on an architecture with levels the table of levels.
class MappingView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit MappingView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override; ///< large enough to show every level
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QString tableText() const override; ///< breakdowns, and the table of levels

    [[nodiscard]] MappingDocument& state() { return m_state; }
    [[nodiscard]] const NestModel& model() const { return m_model; }
    [[nodiscard]] const BreakdownModel& breakdown() const { return m_breakdown; }
    [[nodiscard]] const LevelTable& levelTable() const { return m_table; }
    [[nodiscard]] const NestOverlay& overlay() const { return m_overlay; }
    /// Geometry of the loop nest in widget coordinates.
    [[nodiscard]] const NestPlaces& places() const { return m_layout.nest; }

protected:
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void contentResized() override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void panBy(QPointF pixels) override;
    void bringUpToDate() override;

private:
    void createControls();
    void addOwnKeys();
    void refresh();
    void refreshControls();
    void layOut();
    struct Layout
    {
        NestPlaces nest;
        BreakdownPlaces bars;
        QRectF side;  ///< area of the breakdowns or of the code
        QRectF table; ///< area of the table of levels
        double height = 0;
    };
    [[nodiscard]] Layout layoutIn(const QRectF& area) const;
    void paintCode(QPainter& painter, const QRectF& area, const Theme& theme) const;
    [[nodiscard]] QRectF canvasArea() const; ///< area of the view to the right of the form
    [[nodiscard]] NestItem effective(const NestItem& item) const;
    /// Updates the drop effects of the item that is dragged, hovered or focused.
    void refreshEffects();
    void updateDrag(QPointF position);
    void cancelDrag();
    void applyDrop(const NestDrop& drop, bool force);
    void moveFocus(int columns, int rows);
    void moveItem(int columns, int rows, bool force);
    [[nodiscard]] std::optional<hierarchy::Place> focusedPlace() const;
    void ensureFocus();
    [[nodiscard]] QString itemTooltip(const NestItem& item) const;
    void openWithDialog();
    void paste();
    void saveMapping();
    void takeMachineLevels();
    void takeTile(mapping::Level level);
    void tell(const QString& message, bool refused);

    MappingDocument& m_state;
    MappingForm* m_form = nullptr;
    QComboBox* m_samples = nullptr;
    QComboBox* m_load = nullptr;
    QAction* m_copyTable = nullptr;
    QToolButton* m_tableButton = nullptr;
    std::vector<QToolButton*> m_ofFourLevels; ///< buttons that exist only for an architecture of four levels
    QAction* m_undo = nullptr;
    QAction* m_redo = nullptr;
    QAction* m_pin = nullptr;
    QAction* m_unpin = nullptr;
    std::vector<std::pair<mapping::Level, QAction*>>
        m_tileActions; ///< actions that use the tile of a level as granularity of the schedule
    NestModel m_model;
    BreakdownModel m_breakdown;
    LevelTable m_table;
    QString m_codeText;
    Layout m_layout;
    NestOverlay m_overlay;
    std::optional<NestItem> m_pressed;
    QPointF m_pressedAt;
    bool m_wholePower = false; ///< true while Shift is held: all equal prime factors move together
    bool m_code = false;
    ListScroll* m_scrollBar = nullptr; ///< scroll bar, visible if not everything fits
    QString m_message;                 ///< text on the result of the last command
    bool m_refused = true;             ///< true if the last command was refused
};

} // namespace tilewright::ui
