"""Decimal text of floats, exactly, for both widths.

A float is its bits. Everything is computed in whole numbers, so that reading rounds once [JSON-2.7]
and writing finds the fewest digits [JSON-2.4] without trusting the arithmetic of the machine.
"""

import re
import sys
from fractions import Fraction

if hasattr(sys, "set_int_max_str_digits"):
    sys.set_int_max_str_digits(0)

FORMATS = {"f32": (24, 127, 8), "f64": (53, 1023, 11)}
"""Bits of precision, exponent bias and exponent width of each float type [WIRE-4.2]."""

_NUMBER = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?")


def parts(name, bits):
    """Split bits into the sign, the biased exponent and the fraction."""
    precision, _, width = FORMATS[name]
    fraction = bits & (1 << precision - 1) - 1
    exponent = bits >> precision - 1 & (1 << width) - 1
    return bits >> precision - 1 + width, exponent, fraction


def infinity(name, negative):
    """Give the bits of an infinity."""
    precision, _, width = FORMATS[name]
    return (int(negative) << width | (1 << width) - 1) << precision - 1


def is_special(name, bits):
    """Say whether the bits are an infinity or a NaN."""
    return parts(name, bits)[1] == (1 << FORMATS[name][2]) - 1


def is_nan(name, bits):
    """Say whether the bits are a NaN."""
    return is_special(name, bits) and parts(name, bits)[2] != 0


def magnitude(name, bits):
    """Give the finite magnitude as a whole number m and an exponent e, for m × 2^e."""
    precision, bias, _ = FORMATS[name]
    _, exponent, fraction = parts(name, bits)
    if exponent == 0:
        return fraction, 2 - bias - precision
    return fraction | 1 << precision - 1, exponent + 1 - bias - precision


def round_magnitude(name, exact):
    """Round a fraction ≥ 0 to the nearest magnitude, ties to even; give its bits, or None for an infinity [JSON-2.7]."""
    precision, bias, width = FORMATS[name]
    if exact == 0:
        return 0
    power = exact.numerator.bit_length() - exact.denominator.bit_length()
    if exact < (Fraction(1 << power) if power >= 0 else Fraction(1, 1 << -power)):
        power -= 1
    power = max(power, 1 - bias) - (precision - 1)
    scaled = exact / (1 << power) if power >= 0 else exact * (1 << -power)
    mantissa = round(scaled)
    if mantissa < 1 << precision - 1:
        return mantissa
    bits = (power + precision - 2 + bias << precision - 1) + mantissa
    return bits if bits < infinity(name, False) else None


def read_decimal(name, text):
    """Give the bits of a decimal number, rounded once, or None if it rounds to an infinity [JSON-2.7]."""
    negative, whole, fraction, exponent = _NUMBER.fullmatch(text).groups()
    digits = whole + (fraction or "")
    power = int(exponent or "0") - len(fraction or "")
    digits = digits.lstrip("0")
    sign = infinity(name, True) - infinity(name, False) if negative else 0
    if not digits or len(digits) + power < -400:
        return sign
    if len(digits) + power > 400:
        return None
    number = int(digits)
    exact = Fraction(number * 10 ** power) if power >= 0 else Fraction(number, 10 ** -power)
    bits = round_magnitude(name, exact)
    return None if bits is None else sign | bits


def shortest_digits(name, bits):
    """Give the digits d₁…dₖ and n of a finite magnitude that is not 0, for 0.d₁…dₖ × 10ⁿ [JSON-2.4].

    The decimals that read back as the bits form an interval around the value. If it holds a number
    of k digits, it holds one of the two such numbers next to the value, so only these are tried. Of
    two that are equally near the one with the even last digit is taken.
    """
    mantissa, exponent = magnitude(name, bits)
    target = round_magnitude(name, _scaled(mantissa, exponent, 2))
    value = _scaled(mantissa, exponent, 2)
    n = _decimal_exponent(value)
    k = 0
    while True:
        k += 1
        shifted = value * _scaled(1, k - n, 10)
        below = shifted.numerator // shifted.denominator
        near = sorted((abs(one - shifted), one % 2, one) for one in (below, below + 1))
        for _, _, one in near:
            if one and round_magnitude(name, _scaled(one, n - k, 10)) == target:
                digits = str(one)
                return digits.rstrip("0"), n + len(digits) - k


def _scaled(number, power, base):
    return Fraction(number * base ** power) if power >= 0 else Fraction(number, base ** -power)


def _decimal_exponent(value):
    """Give the n for which 10^(n−1) ≤ value < 10^n."""
    n = len(str(value.numerator)) - len(str(value.denominator))
    while value >= _scaled(1, n, 10):
        n += 1
    while value < _scaled(1, n - 1, 10):
        n -= 1
    return n


def write_decimal(name, bits):
    """Write a finite float in the layout of ECMAScript's Number::toString, with -0 for negative zero [JSON-2.4] [JSON-2.5]."""
    sign = "-" if parts(name, bits)[0] else ""
    bits &= infinity(name, True) - infinity(name, False) - 1
    if bits == 0:
        return sign + "0"
    digits, n = shortest_digits(name, bits)
    k = len(digits)
    if k <= n <= 21:
        return sign + digits + "0" * (n - k)
    if 0 < n <= 21:
        return sign + digits[:n] + "." + digits[n:]
    if -6 < n <= 0:
        return sign + "0." + "0" * -n + digits
    fraction = "." + digits[1:] if k > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{n - 1:+d}"
