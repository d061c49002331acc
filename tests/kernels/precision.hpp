#pragma once

#include "kernel_case.hpp"

/// Error bounds of float arithmetic, so that an oracle says what any implementation may give instead of what one gives.
namespace vyre::kernels {

/// The bounds of 32-bit floats, from the Vulkan specification, appendix 'Vulkan Environment for SPIR-V', section
/// 'Precision and Operation of SPIR-V Instructions', tables 'Precision of core SPIR-V Instructions' and 'Precision of
/// GLSL.std.450 Instructions', for single precision. Addition, subtraction and multiplication are correctly rounded,
/// which allows either neighbour of a result between two floats. `pow(x, y)` inherits from `exp2(y × log2(x))`,
/// `sqrt(x)` from `1 / inversesqrt(x)`, `dot` from its sum of products.
struct PrecisionTable {
  double divide_ulps = 2.5;      ///< Where the divisor lies in [2⁻¹²⁶, 2¹²⁶].
  double exp_ulps = 3;           ///< Of `exp` and `exp2`, to which comes
  double exp_ulps_per_unit = 2;  ///< for each unit of the argument's magnitude.
  double log_ulps = 3;           ///< Of `log` and `log2` outside of [0.5, 2].
  double log_error = 0x1p-21;    ///< Within.
  double inverse_sqrt_ulps = 2;
  double sine_error = 0x1p-11;  ///< Of `sin` and `cos` within [−π, π]; beyond nothing is said.
};
inline constexpr PrecisionTable kPrecision = {};

/// A result: the exact one of the whole formula, and the least and the greatest that an implementation may have.
///
/// A value of its own is exact. Arithmetic goes in `double`, whose own errors are far below those bounded here.
class Bounded {
 public:
  constexpr Bounded(float exact) noexcept : exact_{exact}, least_{exact}, greatest_{exact} {}
  Bounded(double exact, double least, double greatest) noexcept : exact_{exact}, least_{least}, greatest_{greatest} {}

  [[nodiscard]] double exact() const noexcept { return exact_; }
  [[nodiscard]] double least() const noexcept { return least_; }
  [[nodiscard]] double greatest() const noexcept { return greatest_; }
  /// What is permitted: as far from the exact result as the farther of the two, to either side.
  [[nodiscard]] Bounds bounds() const noexcept;

 private:
  double exact_;
  double least_;
  double greatest_;
};

[[nodiscard]] Bounded operator+(Bounded a, Bounded b) noexcept;
[[nodiscard]] Bounded operator-(Bounded a, Bounded b) noexcept;
[[nodiscard]] Bounded operator*(Bounded a, Bounded b) noexcept;
/// The divisor must not come near zero.
[[nodiscard]] Bounded operator/(Bounded a, Bounded b) noexcept;
/// Of what lies in [−π, π].
[[nodiscard]] Bounded sin(Bounded x) noexcept;
[[nodiscard]] Bounded cos(Bounded x) noexcept;
[[nodiscard]] Bounded exp(Bounded x) noexcept;
/// Of what is greater than zero.
[[nodiscard]] Bounded log(Bounded x) noexcept;
[[nodiscard]] Bounded pow(Bounded x, Bounded y) noexcept;
[[nodiscard]] Bounded sqrt(Bounded x) noexcept;

/// Says what an element of a buffer of floats must be: `results` has as many as the buffer.
void expect_within(Buffer& buffer, const std::vector<Bounded>& results);

}  // namespace vyre::kernels
