use super::orphans::CONNECTION_BYTES;
use super::*;

/// Three shares of a budget of 1 MiB.
fn shared() -> (Arc<Budget>, [Arc<Share>; 3]) {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares = [(); 3].map(|()| budget.share(&Arc::default()));
    (budget, shares)
}

fn choked(shares: &[Arc<Share>; 3]) -> [bool; 3] {
    shares.each_ref().map(Share::is_choked)
}

#[test]
fn what_holds_most_is_ended_where_all_is_held() {
    let (budget, shares) = shared();
    shares[0].set(300 << 10);
    shares[1].set(400 << 10);
    assert_eq!(choked(&shares), [false; 3]);
    // More than three quarters are held, of which two have more than their part.
    shares[2].set(80 << 10);
    assert_eq!(choked(&shares), [true, true, false]);
    shares[0].set(400 << 10);
    let overrun = || shares.each_ref().map(|share| share.is_overrun());
    assert_eq!(overrun(), [false; 3]);
    shares[1].set(600 << 10);
    assert_eq!(overrun(), [false, true, false]);
    // A connection that is ended counts no more, before it is gone.
    shares[2].set(140 << 10);
    assert_eq!(overrun(), [false, true, false]);
    // Memory that it lets go of before that is no room for others.
    shares[1].set(500 << 10);
    assert_eq!(budget.going.load(Ordering::Relaxed), 500 << 10);
    assert_eq!(overrun(), [false, true, false]);
    let [first, second, third] = shares;
    drop(second);
    assert_eq!(budget.held(), (400 + 140) << 10);
    drop((first, third));
    let left = [&budget.held, &budget.going, &budget.count, &budget.waiting];
    assert_eq!(left.map(|n| n.load(Ordering::Relaxed)), [0; 4]);
}

// [MXP-15.4]
#[test]
fn what_waits_is_read_one_after_the_other() {
    let (budget, shares) = shared();
    for (share, kib) in shares.iter().zip([400, 250, 250]) {
        share.set(kib << 10);
    }
    assert!(shares[1].is_choked() && shares[2].is_choked());
    let waiting = || {
        shares
            .each_ref()
            .map(|waiter| waiter.is_waiting.load(Ordering::Relaxed))
    };
    // While more than half is held, they follow each other after a pause.
    let later = Instant::now() + Duration::from_secs(3600);
    budget.lines().served = [Some(later); 2];
    shares[0].set(100 << 10);
    assert_eq!(waiting(), [false, true, true]);
    shares[0].set(0);
    assert_eq!(waiting(), [false, false, true]);
    assert_eq!(choked(&shares), [false; 3]);
}

// A grant of its peer may be among the bytes that it has not read. [MXP-15.4]
#[test]
fn what_waits_has_turns_while_memory_is_scarce() {
    let (budget, shares) = shared();
    shares[0].set(400 << 10);
    shares[1].set(400 << 10);
    assert_eq!(choked(&shares), [true, true, false]);
    assert!(shares[0].allowance() <= 400 << 10);
    budget.lines().served[0] = Instant::now().checked_sub(TURNS[0]);
    budget.let_on();
    assert_eq!(shares[0].allowance(), (400 << 10) + TURN_BYTES[0]);
    assert_eq!(choked(&shares), [false, true, false]);
    shares[0].set(410 << 10);
    shares[0].set(400 << 10);
    assert_eq!(shares[0].allowance(), (390 << 10) + TURN_BYTES[0]);
    assert_eq!(choked(&shares), [false, true, false]);
    shares[0].set((390 << 10) + TURN_BYTES[0]);
    assert_eq!(choked(&shares), [true, true, false]);
    let now = Instant::now();
    let order = [(); 2].map(|()| budget.lines().next(0, Duration::ZERO, now).unwrap());
    assert!(Arc::ptr_eq(&order[0], &shares[1]) && Arc::ptr_eq(&order[1], &shares[0]));
}

// Its part is more than the bytes that it holds now.
#[test]
fn what_holds_little_again_waits_no_more() {
    let (budget, shares) = shared();
    shares[0].set(400 << 10);
    shares[1].set(400 << 10);
    assert_eq!(choked(&shares), [true, true, false]);
    shares[0].set(60 << 10);
    shares[2].set(360 << 10);
    assert_eq!(choked(&shares), [false, true, true]);
    assert_eq!(budget.waiting.load(Ordering::Relaxed), 2);
}

// However many others there are. A connection that lets go of memory while it is not read, since
// its handlers go on, is a moving connection. [MXP-15.4]
#[test]
fn what_moves_waits_for_what_moves_alone() {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares = [(); 5].map(|()| budget.share(&Arc::default()));
    for share in &shares {
        share.set(200 << 10);
    }
    for _ in 0..4 {
        shares[3].set(0);
        shares[3].set(200 << 10);
    }
    for share in &shares {
        assert!(share.is_choked());
    }
    shares[4].set(41 << 10);
    shares[4].set(39 << 10);
    let now = Instant::now();
    let order = |line| {
        let next = || budget.lines().next(line, Duration::ZERO, now);
        std::iter::from_fn(next).map(|share| share.number).collect()
    };
    let lines: [std::vec::Vec<_>; 2] = [order(0), order(1)];
    assert_eq!(lines, [std::vec![0, 1, 2], std::vec![3, 4]]);
}

// Looking for somebody to be ended costs as much as there are connections.
#[test]
fn nobody_is_looked_for_in_vain_twice() {
    let budget = Budget::new(Some(100 << 10));
    let shares = [(); 4].map(|()| budget.share(&Arc::default()));
    for share in &shares {
        share.set(200 << 10);
        assert!(share.is_overrun());
    }
    // A connection to be ended holds more, and there is no other to end.
    shares[3].set(300 << 10);
    let vain = budget.vain.load(Ordering::Relaxed);
    assert!(vain > 900 << 10, "{vain}");
    drop(shares);
    assert_eq!(budget.vain.load(Ordering::Relaxed), 0);
}

// [MXP-15.4]
#[test]
fn those_that_move_are_ended_last() {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares = [(); 3].map(|()| budget.share(&Arc::default()));
    shares[0].set(400 << 10);
    shares[1].set(300 << 10);
    shares[2].set(200 << 10);
    // All holds so much that what is let go of is looked at.
    for _ in 0..12 {
        shares[0].set(0);
        shares[0].set(400 << 10);
    }
    let overrun = || shares.each_ref().map(|share| share.is_overrun());
    shares[2].set(400 << 10);
    assert_eq!(overrun(), [false, false, true]);
    shares[1].set(700 << 10);
    assert_eq!(overrun(), [false, true, true]);
    shares[0].set(1100 << 10);
    assert_eq!(overrun(), [true; 3]);
}

// [MXP-15.4]
#[test]
fn what_holds_little_is_never_ended() {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares: std::vec::Vec<_> = (0..12).map(|_| budget.share(&Arc::default())).collect();
    for share in &shares[1..] {
        share.set((64 << 10) - 1);
    }
    shares[0].set(400 << 10);
    let overrun = |share: &Arc<Share>| share.is_overrun();
    assert!(overrun(&shares[0]) && !shares[1..].iter().any(overrun));
    assert!(!shares[1..].iter().any(Share::is_choked));
}

#[test]
fn the_default_is_a_part_of_the_memory() {
    let bytes = default_bytes();
    assert!((1 << 20..1 << 44).contains(&bytes), "{bytes}");
}

// [MXP-15.5]
#[test]
fn connections_that_are_gone_leave_a_sixteenth() {
    const LEFT: usize = (64 << 10) - 2 * CONNECTION_BYTES;
    let (budget, shares) = shared();
    let crowded = || shares.each_ref().map(|share| share.is_crowded());
    shares[0].leave(30_000);
    shares[1].leave(LEFT - 30_000);
    assert_eq!(crowded(), [false; 3]);
    shares[1].leave(LEFT - 30_000 + 1);
    assert_eq!(crowded(), [true, false, false]);
    // A connection that has to drop its events counts no more, so that the later connections keep
    // theirs.
    shares[0].leave(30_000);
    shares[2].leave(29_999);
    assert_eq!(crowded(), [true, false, false]);
    shares[2].leave(30_000);
    assert_eq!(crowded(), [true, false, true]);
    let overrun = shares.each_ref().map(|share| share.is_overrun());
    assert_eq!(overrun, [false; 3]);
    drop(shares);
    assert_eq!(budget.orphaned.load(Ordering::Relaxed), 0);
}

// [MXP-15.4]
#[test]
fn one_of_many_is_ended_that_holds_little() {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares: std::vec::Vec<_> = (0..64).map(|_| budget.share(&Arc::default())).collect();
    for share in &shares {
        share.set(16 << 10);
    }
    assert!(!shares.iter().any(|share| share.is_overrun()));
    shares[5].set((16 << 10) + 1);
    assert!(shares[5].is_overrun());
    assert_eq!(shares.iter().filter(|share| share.is_overrun()).count(), 1);
}
