//! The use of random draws, each a number from 0 to less than 1 that a driver gives.

use core::time::Duration;

/// A source of draws.
pub(crate) type Draw = fn() -> f64;

/// A number from 0 to less than n.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "there are few connections"
)]
fn below(n: usize, draw: Draw) -> usize {
    (draw() * n as f64) as usize
}

/// Two different numbers from 0 to less than n, which is at least 2.
pub(crate) fn two(n: usize, draw: Draw) -> (usize, usize) {
    let first = below(n, draw);
    (first, (first + 1 + below(n - 1, draw)) % n)
}

/// Puts things into any order.
pub(crate) fn shuffle<T>(things: &mut [T], draw: Draw) {
    for n in (1..things.len()).rev() {
        things.swap(n, below(n + 1, draw));
    }
}

/// A part of a time.
pub(crate) fn pause(longest: Duration, draw: Draw) -> Duration {
    longest.mul_f64(draw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_two_are_drawn_as_often_as_others() {
        const N: usize = 4;
        let mut count = [[0_u32; N]; N];
        for _ in 0..60_000 {
            let (first, second) = two(N, fastrand::f64);
            count[first][second] += 1;
        }
        for (first, row) in count.iter().enumerate() {
            for (second, &times) in row.iter().enumerate() {
                let is_right = if first == second {
                    times == 0
                } else {
                    (4_000..6_000).contains(&times)
                };
                assert!(is_right, "{first} and {second}: {times}");
            }
        }
    }

    #[test]
    fn a_pause_is_a_part_of_the_longest() {
        for _ in 0..1_000 {
            assert!(pause(Duration::from_secs(1), fastrand::f64) < Duration::from_secs(1));
        }
    }
}
