#include "precision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vyre::kernels {
namespace {

/// The distance between floats around a number.
double ulp(double number) {
  constexpr int kLeastExponent = -126;
  const int exponent = number == 0 ? kLeastExponent : std::max(std::ilogb(number), kLeastExponent);
  return std::ldexp(1.0, exponent - 23);
}

float below(double number) {
  const auto rounded = static_cast<float>(number);
  return rounded > number ? std::nextafter(rounded, -std::numeric_limits<float>::infinity()) : rounded;
}

float above(double number) {
  const auto rounded = static_cast<float>(number);
  return rounded < number ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

Bounded rounded(double exact, double least, double greatest) { return {exact, below(least), above(greatest)}; }

Bounded within_ulps(double exact, double least, double greatest, double ulps) {
  return {exact, least - ulps * ulp(least), greatest + ulps * ulp(greatest)};
}

/// The least and the greatest that a function of two gives at the ends of both, for one that is monotone in each.
template <typename Function>
std::pair<double, double> at_ends(Bounded a, Bounded b, Function function) {
  return std::minmax({function(a.least(), b.least()), function(a.least(), b.greatest()),
                      function(a.greatest(), b.least()), function(a.greatest(), b.greatest())});
}

Bounded sine_of(double exact, Bounded x) {
  // The slope is at most 1.
  const double error = std::max(x.exact() - x.least(), x.greatest() - x.exact()) + kPrecision.sine_error;
  return {exact, exact - error, exact + error};
}

/// Of `exp` and `exp2`.
template <typename Function>
Bounded power_of(Bounded x, Function function) {
  const double magnitude = std::max(std::abs(x.least()), std::abs(x.greatest()));
  return within_ulps(function(x.exact()), function(x.least()), function(x.greatest()),
                     kPrecision.exp_ulps + kPrecision.exp_ulps_per_unit * magnitude);
}

/// Of `log` and `log2`.
template <typename Function>
Bounded logarithm_of(Bounded x, Function function) {
  const auto error = [&](double at) {
    return at >= 0.5 && at <= 2 ? kPrecision.log_error : kPrecision.log_ulps * ulp(function(at));
  };
  return {function(x.exact()), function(x.least()) - error(x.least()), function(x.greatest()) + error(x.greatest())};
}

}  // namespace

Bounds Bounded::bounds() const noexcept {
  const double error = std::max(exact_ - least_, greatest_ - exact_);
  return {.least = exact_ - error, .greatest = exact_ + error};
}

Bounded operator+(Bounded a, Bounded b) noexcept {
  return rounded(a.exact() + b.exact(), a.least() + b.least(), a.greatest() + b.greatest());
}

Bounded operator-(Bounded a, Bounded b) noexcept {
  return rounded(a.exact() - b.exact(), a.least() - b.greatest(), a.greatest() - b.least());
}

Bounded operator*(Bounded a, Bounded b) noexcept {
  const auto [least, greatest] = at_ends(a, b, [](double x, double y) { return x * y; });
  return rounded(a.exact() * b.exact(), least, greatest);
}

Bounded operator/(Bounded a, Bounded b) noexcept {
  const auto [least, greatest] = at_ends(a, b, [](double x, double y) { return x / y; });
  return within_ulps(a.exact() / b.exact(), least, greatest, kPrecision.divide_ulps);
}

Bounded sin(Bounded x) noexcept { return sine_of(std::sin(x.exact()), x); }

Bounded cos(Bounded x) noexcept { return sine_of(std::cos(x.exact()), x); }

Bounded exp(Bounded x) noexcept {
  return power_of(x, [](double value) { return std::exp(value); });
}

Bounded log(Bounded x) noexcept {
  return logarithm_of(x, [](double value) { return std::log(value); });
}

Bounded pow(Bounded x, Bounded y) noexcept {
  const Bounded logarithm = logarithm_of(x, [](double value) { return std::log2(value); });
  return power_of(y * logarithm, [](double value) { return std::exp2(value); });
}

Bounded sqrt(Bounded x) noexcept {
  const auto function = [](double value) { return 1 / std::sqrt(value); };
  const Bounded inverse =
      within_ulps(function(x.exact()), function(x.greatest()), function(x.least()), kPrecision.inverse_sqrt_ulps);
  return Bounded{1.0F} / inverse;
}

void expect_within(Buffer& buffer, const std::vector<Bounded>& results) {
  buffer.bounds.clear();
  for (const Bounded& result : results) buffer.bounds.push_back(result.bounds());
  std::ranges::transform(results, buffer.as<float>().begin(),
                         [](const Bounded& result) { return static_cast<float>(result.exact()); });
}

}  // namespace vyre::kernels
