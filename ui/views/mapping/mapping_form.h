// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/mapping_document.h"

#include <QScrollArea>

#include <functional>

class QComboBox;
class QDoubleSpinBox;
class QFormLayout;
class QLabel;
class QSpinBox;

namespace tilewright::ui {

/// The fields of the layer and of the hardware. A value that is not possible is refused with the reason and
/// stays in its field until it is corrected.
class MappingForm : public QScrollArea
{
    Q_OBJECT
public:
    MappingForm(MappingDocument& state, QWidget* parent);

private:
    using ReadInteger = std::function<std::int64_t&(MappingSetup&)>;
    using ReadNumber = std::function<double&(MappingSetup&)>;
    void addInteger(QFormLayout* form, const QString& name, const QString& key, const QString& tip,
                    bool layer, ReadInteger field, int least = 1);
    void addNumber(QFormLayout* form, const QString& name, const QString& key, const QString& tip,
                   ReadNumber field);
    void apply(const MappingSetup& next, bool layer, const QString& key);
    void refresh();

    MappingDocument& m_state;
    QComboBox* m_kind = nullptr;
    QLabel* m_error = nullptr;
    QFormLayout* m_layerForm = nullptr;
    struct IntegerField
    {
        QSpinBox* spin;
        ReadInteger field;
        bool gemm; ///< a field of gemm, or of the convolutions
        bool layer;
    };
    struct NumberField
    {
        QDoubleSpinBox* spin;
        ReadNumber field;
    };
    std::vector<IntegerField> m_integers;
    std::vector<NumberField> m_numbers;
    bool m_gemmFields = false; ///< fields being added belong to gemm
    bool m_refreshing = false;
};

} // namespace tilewright::ui
