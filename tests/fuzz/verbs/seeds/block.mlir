#loc1 = loc("x")
module @block {
  func.func public @main(%arg0: tensor<1x6x6x4xbf16> loc("x"), %arg1: tensor<10x8xbf16>, %arg2: tensor<5x1xi32>, %arg7: tensor<i32>) -> (tensor<5x8xbf16> {jax.result_info = ""}) {
    %w = stablehlo.constant dense<1.0> : tensor<3x3x4x8xbf16>
    %cst = stablehlo.constant dense<0.0> : tensor<bf16>
    %0 = stablehlo.convolution(%arg0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x4xbf16>, tensor<3x3x4x8xbf16>) -> tensor<1x3x6x8xbf16> loc("conv")
    %1 = call @relu(%0) : (tensor<1x3x6x8xbf16>) -> tensor<1x3x6x8xbf16>
    %2 = stablehlo.slice %1 [0:1, 0:3, 0:6:2, 0:8] : (tensor<1x3x6x8xbf16>) -> tensor<1x3x3x8xbf16>
    %3 = stablehlo.reshape %2 : (tensor<1x3x3x8xbf16>) -> tensor<9x8xbf16>
    %4 = "stablehlo.gather"(%arg1, %arg2) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<10x8xbf16>, tensor<5x1xi32>) -> tensor<5x8xbf16>
    %5 = stablehlo.dot_general %4, %3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x8xbf16>, tensor<9x8xbf16>) -> tensor<5x9xbf16> loc(#loc4)
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<5x9xbf16>, tensor<bf16>) -> tensor<5xbf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<5xbf16>) -> tensor<5x9xbf16>
    %8 = stablehlo.subtract %5, %7 : tensor<5x9xbf16>
    %9 = "stablehlo.exponential"(%8) : (tensor<5x9xbf16>) -> tensor<5x9xbf16>
    %10 = stablehlo.transpose %3, dims = [1, 0] : (tensor<9x8xbf16>) -> tensor<8x9xbf16>
    %11 = stablehlo.concatenate %4, %4, dim = 0 : (tensor<5x8xbf16>, tensor<5x8xbf16>) -> tensor<10x8xbf16>
    %12 = stablehlo.dot_general %9, %10, contracting_dims = [1] x [1] : (tensor<5x9xbf16>, tensor<8x9xbf16>) -> tensor<5x8xbf16>
    %13:2 = stablehlo.reduce(%11 init: %cst), (%11 init: %cst) across dimensions = [0] : (tensor<10x8xbf16>, tensor<10x8xbf16>, tensor<bf16>, tensor<bf16>) -> (tensor<8xbf16>, tensor<8xbf16>)
     reducer(%arg3: tensor<bf16>, %arg5: tensor<bf16>) (%arg4: tensor<bf16>, %arg6: tensor<bf16>)  {
      %20 = stablehlo.maximum %arg3, %arg5 : tensor<bf16>
      stablehlo.return %20, %arg4 : tensor<bf16>, tensor<bf16>
    }
    %14 = stablehlo.broadcast_in_dim %13#1, dims = [1] : (tensor<8xbf16>) -> tensor<5x8xbf16>
    %15 = stablehlo.add %12, %14 : tensor<5x8xbf16>
    %16 = stablehlo.pad %15, %cst, low = [0, 0], high = [1, 0], interior = [0, 0] : (tensor<5x8xbf16>, tensor<bf16>) -> tensor<6x8xbf16>
    %17 = stablehlo.dynamic_slice %16, %arg7, %arg7, sizes = [5, 8] : (tensor<6x8xbf16>, tensor<i32>, tensor<i32>) -> tensor<5x8xbf16>
    return %17 : tensor<5x8xbf16>
  }
  func.func private @relu(%arg0: tensor<1x3x6x8xbf16>) -> tensor<1x3x6x8xbf16> {
    %cst = stablehlo.constant dense<0.0> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x3x6x8xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<1x3x6x8xbf16>
    return %1 : tensor<1x3x6x8xbf16>
  }
}
#loc3 = loc("block.py":12:4)
#loc4 = loc("jit(block)/dot_general"(#loc3))
