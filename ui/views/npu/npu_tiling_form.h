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

/// Form for the tile sizes of an operator or of all operators of a type (docs/rules/npu.md 2.6). For a size
/// that is not set the field shows the default.
class NpuTilingForm : public QWidget
{
    Q_OBJECT
public:
    NpuTilingForm(NpuDocument& state, QWidget* parent);

private:
    void refreshOperators();
    void refresh();        ///< updates the fields from the document
    void followSelected(); ///< chooses the operator of the selected node in the form
    /// Returns the operators to which an edit applies.
    [[nodiscard]] std::vector<std::size_t> chosen() const;
    void set(std::int64_t npu::TileSizes::*size, std::int64_t value);
    void setFlash(bool flash);
    void clear();

    NpuDocument& m_state;
    std::shared_ptr<const npu::NpuModel> m_listed; ///< the model whose operators are listed
    bool m_refreshing = false;
    QFormLayout* m_form = nullptr;
    QComboBox* m_operator = nullptr;
    std::vector<TileSizeBox*> m_boxes; ///< one field per size; as many as the type with the most sizes needs
    QCheckBox* m_flash = nullptr;
    QPushButton* m_search = nullptr;
    QPushButton* m_default = nullptr;
};

} // namespace tilewright::ui
