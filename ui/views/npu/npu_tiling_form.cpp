// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_tiling_form.h"

#include "canvas/form.h"
#include "theme/text.h"

#include <QLabel>
#include <QPushButton>

#include <algorithm>
#include <map>

namespace tilewright::ui {

/// A field for a tile size; 0 means the default. The arrows double or halve the size, starting from the
/// default.
class TileSizeBox : public NumberBox
{
public:
    explicit TileSizeBox(QWidget* parent) : NumberBox(parent) { setRange(0, 1 << 30); }

    /// Sets the default size for which 0 stands; 0 if the operators have different defaults.
    void setAutomatic(std::int64_t size)
    {
        m_automatic = static_cast<int>(std::min<std::int64_t>(size, maximum()));
        setSpecialValueText(m_automatic > 0 ? NpuTilingForm::tr("auto: %1").arg(number(m_automatic))
                                            : NpuTilingForm::tr("auto"));
    }
    void stepBy(int steps) override
    {
        std::int64_t v = std::max(1, value() > 0 ? value() : m_automatic);
        for (; steps > 0; --steps)
            v *= 2;
        for (; steps < 0; ++steps)
            v /= 2;
        setValue(static_cast<int>(std::clamp<std::int64_t>(v, 1, maximum())));
    }

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }

private:
    int m_automatic = 0;
};

namespace {

constexpr std::size_t kMostSizes = 4; // attention and convolutions have the most sizes, four

struct SizeText
{
    QString label, tip;
};

SizeText textOf(npu::OpType type, const npu::TileField& field)
{
    const std::string_view key = field.key;
    const auto tr = [](const char* text) { return NpuTilingForm::tr(text); };
    const bool conv = type == npu::OpType::Conv2d;
    if (key == "m")
        return {tr("Tile m"), tr("Rows of the result in one tile.")};
    if (key == "n")
        return {tr("Tile n"), tr("Columns of the result in one tile.")};
    if (key == "k")
        return {tr("Tile k"),
                tr("Length of the reduction of one node. The nodes along k are a chain on one core.")};
    if (key == "c_out")
        return {tr("Tile c out"), tr("Output channels in one tile.")};
    if (key == "c_in")
        return {tr("Tile c in"), tr("Input channels of one node. The nodes along them are a chain.")};
    if (key == "h" && conv)
        return {tr("Tile rows"), tr("Rows of the output in one tile.")};
    if (key == "w" && conv)
        return {tr("Tile columns"), tr("Columns of the output in one tile.")};
    if (key == "heads")
        return {tr("Heads"), tr("Heads in one block; they run one after the other.")};
    if (key == "q")
        return {tr("Queries"), tr("Query tokens in one chunk.")};
    if (key == "t" && type == npu::OpType::Attention)
        return {tr("Keys"), tr("Key tokens in one chunk.")};
    if (key == "t")
        return {tr("Tokens"), tr("Tokens in one chunk.")};
    if (key == "d")
        return {tr("Head dims"), tr("Part of the head dimension in one node.")};
    if (key == "rows")
        return {tr("Tile rows"), tr("Rows in one tile.")};
    return {tr("Tile columns"), tr("Columns in one tile.")};
}

QString typeText(npu::OpType type)
{
    return word(npu::toString(type)).replace(QLatin1Char('_'), QLatin1Char(' '));
}

} // namespace

NpuTilingForm::NpuTilingForm(NpuDocument& state, QWidget* parent) : QWidget(parent), m_state(state)
{
    m_form = new QFormLayout(this);
    m_form->setContentsMargins(0, 0, 0, 0);
    m_form->setVerticalSpacing(4);
    m_form->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    m_form->setLabelAlignment(Qt::AlignLeft);
    m_operator = new QComboBox(this);
    m_operator->setObjectName(QStringLiteral("npu.operator"));
    m_operator->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_operator->setMinimumContentsLength(8);
    addFormRow(*m_form, tr("Operator"), m_operator,
               tr("Operator whose tiles are set below. Selecting a node in a chart chooses its operator."));
    connect(m_operator, &QComboBox::activated, this, &NpuTilingForm::refresh);
    for (std::size_t i = 0; i < kMostSizes; ++i) {
        auto* box = new TileSizeBox(this);
        box->setObjectName(QStringLiteral("npu.tile%1").arg(i));
        addFormRow(*m_form, {}, box, {});
        connect(box, &QSpinBox::valueChanged, this, [this, i](int value) {
            const auto ops = chosen();
            if (m_refreshing || ops.empty())
                return;
            const auto fields = npu::tileFields(m_state.model()->ops[ops.front()].type);
            if (i < fields.size())
                set(fields[i].size, value);
        });
        m_boxes.push_back(box);
    }
    m_flash = new QCheckBox(tr("Fused (flash)"), this);
    m_flash->setObjectName(QStringLiteral("npu.flash"));
    addFormRow(*m_form, m_flash->text(), m_flash,
               tr("QK^T, softmax and A·V in one chain that streams over the keys: the scores are never "
                  "written to DRAM."));
    connect(m_flash, &QCheckBox::toggled, this, &NpuTilingForm::setFlash);
    m_search = new QPushButton(tr("Search tiles"), this);
    m_search->setObjectName(QStringLiteral("npu.searchTiles"));
    addFormRow(*m_form, m_search->text(), m_search,
               tr("Simulate every operator with all tiles that fit and use the tiles with the shortest run: "
                  "one undo step. The view NPU tiles shows the candidates."));
    connect(m_search, &QPushButton::clicked, &m_state,
            [&state = m_state] { state.isSearchingTiles() ? state.stopTileSearch() : state.searchTiles(); });
    connect(&m_state, &NpuDocument::tileSearchChanged, this, &NpuTilingForm::refresh);
    m_default = new QPushButton(tr("As in the model"), this);
    m_default->setObjectName(QStringLiteral("npu.modelTiles"));
    addFormRow(*m_form, m_default->text(), m_default,
               tr("Remove all tile sizes and fusions that were set here."));
    connect(m_default, &QPushButton::clicked, this, &NpuTilingForm::clear);
    connect(&m_state, &NpuDocument::settingsChanged, this, &NpuTilingForm::refresh);
    connect(&m_state, &NpuDocument::resultChanged, this, &NpuTilingForm::refresh);
    connect(&m_state, &NpuDocument::nodeChanged, this, &NpuTilingForm::followSelected);
    refresh();
}

void NpuTilingForm::refreshOperators()
{
    if (m_listed == m_state.model())
        return;
    m_listed = m_state.model();
    m_operator->clear();
    if (!m_listed)
        return;
    std::map<npu::OpType, int> count;
    for (const npu::ModelOp& op : m_listed->ops)
        ++count[op.type];
    for (std::size_t i = 0; i < m_listed->ops.size(); ++i)
        m_operator->addItem(QStringLiteral("%1 (%2)").arg(QString::fromStdString(m_listed->ops[i].name),
                                                          typeText(m_listed->ops[i].type)),
                            static_cast<int>(i));
    for (const auto& [type, n] : count)
        if (n > 1)
            m_operator->addItem(tr("all %1 × %2").arg(n).arg(typeText(type)), -1 - static_cast<int>(type));
}

std::vector<std::size_t> NpuTilingForm::chosen() const
{
    std::vector<std::size_t> out;
    if (!m_listed || m_operator->currentIndex() < 0)
        return out;
    const int data = m_operator->currentData().toInt();
    for (std::size_t i = 0; i < m_listed->ops.size(); ++i)
        if (data >= 0 ? static_cast<int>(i) == data : -1 - static_cast<int>(m_listed->ops[i].type) == data)
            out.push_back(i);
    return out;
}

void NpuTilingForm::refresh()
{
    m_refreshing = true;
    refreshOperators();
    const std::vector<std::size_t> ops = chosen();
    const auto& tiling = m_state.settings().tiling;
    const bool known = !ops.empty() && tiling.size() == m_listed->ops.size();
    const auto fields =
        known ? npu::tileFields(m_listed->ops[ops.front()].type) : std::span<const npu::TileField>();
    const NpuResultPtr& r = m_state.result();
    const bool hasSizes = r && r->model == m_listed && r->graph->tileSizes.size() == tiling.size();
    for (std::size_t i = 0; i < m_boxes.size(); ++i) {
        m_form->setRowVisible(m_boxes[i], i < fields.size());
        if (i >= fields.size())
            continue;
        const auto size = fields[i].size;
        // Shows the number that all operators share, or else 0.
        std::int64_t wished = tiling[ops.front()].tile.*size;
        std::int64_t used = hasSizes ? r->graph->tileSizes[ops.front()].*size : 0;
        for (const std::size_t op : ops) {
            if (tiling[op].tile.*size != wished)
                wished = 0;
            if (hasSizes && r->graph->tileSizes[op].*size != used)
                used = 0;
        }
        const SizeText text = textOf(m_listed->ops[ops.front()].type, fields[i]);
        auto* label = static_cast<QLabel*>(m_form->labelForField(m_boxes[i]));
        label->setText(text.label);
        m_boxes[i]->setAccessibleName(text.label);
        m_boxes[i]->setAutomatic(used);
        const QString tip = text.tip + QLatin1Char(' ') +
                            tr("0 uses the default size, which is not optimised: Search tiles finds better "
                               "ones. The arrows double and halve it.");
        m_boxes[i]->setToolTip(tip);
        m_boxes[i]->setAccessibleDescription(tip);
        label->setToolTip(tip);
        m_boxes[i]->setValue(static_cast<int>(std::min<std::int64_t>(wished, m_boxes[i]->maximum())));
    }
    const bool attention = known && m_listed->ops[ops.front()].type == npu::OpType::Attention;
    m_form->setRowVisible(m_flash, attention);
    if (attention)
        m_flash->setChecked(
            std::all_of(ops.begin(), ops.end(), [&](std::size_t op) { return tiling[op].flash; }));
    m_search->setEnabled(m_listed != nullptr);
    m_search->setText(m_state.isSearchingTiles() ? tr("Stop (%1)").arg(m_state.tileSearchText())
                                                 : tr("Search tiles"));
    m_default->setEnabled(m_listed && tiling != npu::tilingOf(*m_listed));
    m_refreshing = false;
}

void NpuTilingForm::followSelected()
{
    if (!m_state.node() || !m_state.result() || m_state.result()->model != m_listed)
        return;
    const int at = m_operator->findData(static_cast<int>(m_state.result()->graph->nodes[*m_state.node()].op));
    if (at < 0 || at == m_operator->currentIndex())
        return;
    m_operator->setCurrentIndex(at);
    refresh();
}

void NpuTilingForm::set(std::int64_t npu::TileSizes::*size, std::int64_t value)
{
    NpuSettings next = m_state.settings();
    for (const std::size_t op : chosen())
        next.tiling[op].tile.*size = value;
    m_state.setSettings(next);
}

void NpuTilingForm::setFlash(bool flash)
{
    if (m_refreshing)
        return;
    NpuSettings next = m_state.settings();
    for (const std::size_t op : chosen())
        next.tiling[op].flash = flash;
    m_state.setSettings(next);
}

void NpuTilingForm::clear()
{
    NpuSettings next = m_state.settings();
    next.tiling = npu::tilingOf(*m_listed);
    m_state.setSettings(next);
}

} // namespace tilewright::ui
