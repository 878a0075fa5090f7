// SHA-256 (FIPS 180-4): the fingerprint of source files in a model's provenance.
// Neighbours: provenance.cc stores it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace dragoman::converter {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::span<const std::byte> bytes);

}  // namespace dragoman::converter
