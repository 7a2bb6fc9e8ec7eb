// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/mapping_state.h"

#include "base/file.h"
#include "mapping/edits.h"
#include "report/file_kind.h"
#include "views/mapping/mapping_samples.h"

#include <QFileInfo>
#include <QUndoCommand>

namespace tilewright::ui {

namespace {
const QLatin1String kName("mapping.state");
constexpr int kMergeId = 7;
} // namespace

/// Undo is assignment.
class MappingCommand : public QUndoCommand
{
public:
    MappingCommand(MappingState& state, MappingSetup before, MappingSetup after, const QString& text,
                   QString mergeKey)
        : QUndoCommand(text), m_state(state), m_before(std::move(before)), m_after(std::move(after)),
          m_mergeKey(std::move(mergeKey))
    {
    }
    void undo() override { m_state.setFromCommand(m_before); }
    void redo() override { m_state.setFromCommand(m_after); }
    [[nodiscard]] int id() const override { return m_mergeKey.isEmpty() ? -1 : kMergeId; }
    bool mergeWith(const QUndoCommand* other) override
    {
        const auto& next = static_cast<const MappingCommand&>(*other);
        if (next.m_mergeKey != m_mergeKey)
            return false;
        m_after = next.m_after;
        setObsolete(m_before == m_after);
        return true;
    }

private:
    MappingState& m_state;
    MappingSetup m_before;
    MappingSetup m_after;
    QString m_mergeKey;
};

MappingState& MappingState::of(const ViewContext& context)
{
    if (auto* state = context.document.findChild<MappingState*>(kName, Qt::FindDirectChildrenOnly))
        return *state;
    return *new MappingState(context.document, context.selection);
}

MappingState::MappingState(Document& document, Selection& selection) : QObject(&document)
{
    setObjectName(kName);
    connect(&m_search, &MappingSearch::finished, this, &MappingState::loadFound);
    connect(&selection, &Selection::lensFileRequested, this,
            [this](const QString& lens, const QString& path) {
                if (lens == QLatin1String("mapping"))
                    if (const Status opened = openFile(path); !opened)
                        Q_EMIT refused(QString::fromStdString(opened.error().text()));
            });
    connect(this, &MappingState::refused, &document, &Document::refused);
    // The seed's own example, so that there is something to look at.
    if (const auto models =
            mapping::readLayers(mappingSampleText(QStringLiteral("models/resnet-18.json")), "resnet-18.json"))
        m_model = models->model;
    if (const auto layer = mapping::readLayers(mappingSampleText(QStringLiteral("layers/conv-1x1-2048.json")),
                                               "conv-1x1-2048.json")) {
        MappingSetup setup;
        setup.layer = layer->model.layers.front();
        const auto nest = mapping::makeNest(setup.layer);
        const auto method = mapping::readMethod(mappingSampleText(QStringLiteral("seed-method.txt")),
                                                "seed-method.txt", *nest);
        setup.method = method ? *method : mapping::trivialMethod(*nest);
        reset(std::move(setup));
    }
}

Status MappingState::check(const MappingSetup& setup)
{
    const auto nest = mapping::makeNest(setup.layer);
    if (!nest)
        return nest.error();
    if (Status s = mapping::checkArchitecture(setup.architecture); !s)
        return s;
    return mapping::checkCountable(*nest, setup.architecture);
}

void MappingState::reset(MappingSetup setup)
{
    m_undo.clear();
    m_baseline.reset();
    setFromCommand(setup, true);
    Q_EMIT baselineChanged();
}

void MappingState::setFromCommand(const MappingSetup& setup, bool searchAgain)
{
    const bool space =
        searchAgain || !(setup.layer == m_setup.layer && setup.architecture == m_setup.architecture);
    m_setup = setup;
    if (space)
        m_nest = *mapping::makeNest(m_setup.layer);
    m_evaluation = mapping::evaluate(m_nest, m_setup.architecture, m_setup.method);
    if (space) {
        m_search.start(m_nest, m_setup.architecture);
        Q_EMIT spaceChanged();
    }
    Q_EMIT setupChanged();
}

void MappingState::push(const MappingSetup& next, const QString& text, const QString& mergeKey)
{
    if (next == m_setup)
        return;
    m_loadFound = false;
    m_undo.push(new MappingCommand(*this, m_setup, next, text, mergeKey));
}

// -- files -----------------------------------------------------------------------------------------------

Status MappingState::openFile(const QString& path)
{
    const auto text = readFile(path.toStdString());
    if (!text)
        return text.error();
    const auto kind = fileKind(path.toStdString());
    if (kind && *kind == FileKind::MappingArchitecture) {
        const auto architecture = mapping::readArchitecture(*text, path.toStdString());
        return architecture ? applyArchitecture(*architecture) : architecture.error();
    }
    if (kind && (*kind == FileKind::MappingLayer || *kind == FileKind::MappingModel)) {
        const auto layers = mapping::readLayers(*text, path.toStdString());
        if (!layers)
            return layers.error();
        openLayers(*layers);
        return Unit{};
    }
    return openText(*text, path);
}

Status MappingState::openText(const std::string& text, const QString& name)
{
    const std::string file = name.toStdString();
    // A method is what most texts are; what the other readers say counts only for what looks like theirs.
    const auto method = mapping::readMethod(text, file, m_nest);
    if (method) {
        applyMethod(*method, tr("Load a method"));
        return Unit{};
    }
    if (const auto layers = mapping::readLayers(text, file)) {
        openLayers(*layers);
        return Unit{};
    }
    if (text.find("\"tiling\"") == std::string::npos && text.find("{") != std::string::npos)
        if (const auto architecture = mapping::readArchitecture(text, file))
            return applyArchitecture(*architecture);
    return method.error();
}

void MappingState::openLayers(const mapping::LayersFile& file)
{
    if (file.isModel)
        openModel(file.model);
    openLayer(file.model.layers.front());
}

void MappingState::openModel(const mapping::Model& model)
{
    m_model = model;
    Q_EMIT modelChanged();
}

void MappingState::openLayer(const mapping::Layer& layer)
{
    MappingSetup setup = m_setup;
    setup.layer = layer;
    if (const Status s = check(setup); !s) {
        Q_EMIT refused(QString::fromStdString(s.error().text()));
        return;
    }
    setup.method = mapping::trivialMethod(*mapping::makeNest(layer));
    m_loadFound = true;
    reset(std::move(setup));
}

void MappingState::loadFound()
{
    const auto& best = m_search.result()->of(mapping::Objective::Edp);
    if (!m_loadFound || !best)
        return;
    m_loadFound = false;
    MappingSetup setup = m_setup;
    setup.method = best->method;
    m_undo.clear();
    setFromCommand(setup);
}

// -- edits -----------------------------------------------------------------------------------------------

void MappingState::applyMethod(const mapping::Method& method, const QString& text, const QString& mergeKey)
{
    MappingSetup next = m_setup;
    next.method = method;
    push(next, text, mergeKey);
}

Status MappingState::applyLayer(const mapping::Layer& layer, const QString& mergeKey)
{
    MappingSetup next = m_setup;
    next.layer = layer;
    if (Status s = check(next); !s)
        return s;
    const auto nest = mapping::makeNest(layer);
    // Another kind of layer has other loops, whose factors say nothing about these.
    next.method = layer.kind == m_setup.layer.kind ? mapping::refitMethod(*nest, m_setup.method)
                                                   : mapping::trivialMethod(*nest);
    push(next, tr("Change the layer"), mergeKey);
    return Unit{};
}

Status MappingState::applyArchitecture(const mapping::Architecture& architecture, const QString& mergeKey)
{
    MappingSetup next = m_setup;
    next.architecture = architecture;
    if (Status s = check(next); !s)
        return s;
    const bool load = m_loadFound;
    push(next, tr("Change the hardware"), mergeKey);
    m_loadFound = load;
    return Unit{};
}

void MappingState::setOperand(int operand)
{
    if (operand == m_operand)
        return;
    m_operand = operand;
    Q_EMIT operandChanged();
}

void MappingState::pinBaseline()
{
    m_baseline = MappingBaseline{m_setup, m_evaluation};
    Q_EMIT baselineChanged();
}

void MappingState::clearBaseline()
{
    m_baseline.reset();
    Q_EMIT baselineChanged();
}

void MappingState::settle()
{
    m_search.settle();
}

} // namespace tilewright::ui
