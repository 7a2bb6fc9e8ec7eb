// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "mapping/files.h"

#include <cstdlib>

using namespace tilewright;
using namespace tilewright::mapping;

namespace {

LoopNest nest()
{
    const std::string file = TILEWRIGHT_SOURCE_DIR "/samples/mapping/layers/conv-3x3-64.json";
    const auto text = readFile(file);
    const auto layers = text ? readLayers(*text, file) : Result<LayersFile>(text.error());
    if (!layers)
        std::abort();
    const auto made = makeNest(layers->model.layers.front());
    if (!made)
        std::abort();
    return *made;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const LoopNest loops = nest();
    const auto method = readMethod({reinterpret_cast<const char*>(data), size}, "fuzz.json", loops);
    if (!method)
        return 0;
    (void)evaluate(loops, Architecture{}, *method);
    const auto again = readMethod(writeMethod(loops, *method), "again.json", loops);
    if (!again || !(*again == *method))
        std::abort();
    return 0;
}
