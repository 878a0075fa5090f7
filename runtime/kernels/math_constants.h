// Constants of the elementary functions, shared by the vector bodies (math_inl.h) and the reference (scalar_math.h).
// Polynomials are minimax fits (Lawson's iteration over Chebyshev nodes) made for this project; errors stand beside
// them.
#pragma once

namespace dragoman::kernels::math {

// Adding and subtracting 1.5 * 2^23 rounds to the nearest integer, ties to even, for |x| < 2^22.
inline constexpr float kRoundingShift = 12582912.0f;
inline constexpr float kLog2E = 0x1.715476p+0f;
// ln 2 in two parts; the first has so few bits that its product with an exponent is exact without fma too.
inline constexpr float kLn2High = 0.693359375f;
inline constexpr float kLn2Low = -2.12194440e-4f;

// exp is 0 below the first bound and constant above the second; between them no result is subnormal or infinite.
inline constexpr float kExpLowest = -87.0f;
inline constexpr float kExpHighest = 88.0f;
// exp(r) = 1 + r + r^2 * P(r) for |r| <= ln(2) / 2; relative error 4e-9 before rounding.
inline constexpr float kExp[] = {0.5f, 0x1.555486p-3f, 0x1.555454p-5f, 0x1.124148p-7f, 0x1.6dbb9p-10f};

// log(1 + f) = f - f^2 / 2 + f^3 * P(f) for 1 + f in [sqrt(1/2), sqrt(2)]; relative error 1e-9 before rounding.
inline constexpr float kLog[] = {0x1.555546p-2f,  -0x1.ffffecp-3f, 0x1.99a584p-3f,  -0x1.556370p-3f, 0x1.232dc8p-3f,
                                 -0x1.fb28a6p-4f, 0x1.e684f6p-4f,  -0x1.e3a660p-4f, 0x1.1baef4p-4f};
inline constexpr float kSqrtHalf = 0x1.6a09e6p-1f;

// tanh(x) = x + x^3 * P(x^2) for |x| <= 0.625; relative error 5e-9 before rounding.
inline constexpr float kTanh[] = {-0x1.555534p-2f, 0x1.110768p-3f, -0x1.b84448p-5f, 0x1.5256cep-6f, -0x1.76abf6p-8f};
inline constexpr float kTanhSmall = 0.625f;

// erf(x) = x * P(x^2) for |x| <= 1; error 2e-9 before rounding.
inline constexpr float kErf[] = {0x1.20dd74p+0f, -0x1.81273ep-2f,  0x1.ce2d20p-4f, -0x1.b7fbb4p-6f,
                                 0x1.5419f4p-8f, -0x1.a485e8p-11f, 0x1.4ae4c6p-14f};
// erf(x) = 1 - exp(-P(x)) for 1 < x <= 4, and 1 beyond; error 1e-9 before rounding.
inline constexpr float kErfTail[] = {-0x1.8a5954p-13f, 0x1.212c0ep+0f, 0x1.443566p-1f,   0x1.bc151ep-4f,
                                     -0x1.9d0318p-6f,  0x1.138cd8p-8f, -0x1.cec654p-12f, 0x1.6bd850p-16f};
inline constexpr float kErfHighest = 4.0f;

inline constexpr float kGeluSigmoidScale = 1.702f;
inline constexpr float kSqrtHalfErf = 0x1.6a09e6p-1f;    // sqrt(1/2)
inline constexpr float kGeluTanhScale = 0x1.988454p-1f;  // sqrt(2 / pi)
inline constexpr float kGeluTanhCubic = 0.044715f;

}  // namespace dragoman::kernels::math
