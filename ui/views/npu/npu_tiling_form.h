// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/npu_document.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QPushButton;

namespace tilewright::ui {

class TileSizeBox;

/// How the operators of the model are cut into tiles (docs/rules/npu.md 2.6): an operator, or all of a type
/// at once, and the sizes it is cut by. What is not set follows the default rule, whose choice the box shows.
class NpuTilingForm : public QWidget
{
    Q_OBJECT
public:
    NpuTilingForm(NpuDocument& state, QWidget* parent);

private:
    void refreshOperators();
    void refresh();        ///< boxes from the state
    void followSelected(); ///< the operator of the node that was selected
    /// Operators that an edit applies to.
    [[nodiscard]] std::vector<std::size_t> chosen() const;
    void set(std::int64_t npu::TileSizes::*size, std::int64_t value);
    void setFlash(bool flash);
    void clear();

    NpuDocument& m_state;
    std::shared_ptr<const npu::NpuModel> m_listed; ///< whose operators the list has
    bool m_refreshing = false;
    QFormLayout* m_form = nullptr;
    QComboBox* m_operator = nullptr;
    std::vector<TileSizeBox*> m_boxes; ///< as many as a type has sizes at most
    QCheckBox* m_flash = nullptr;
    QPushButton* m_search = nullptr;
    QPushButton* m_default = nullptr;
};

} // namespace tilewright::ui
