use super::*;

/// Three shares of a budget of 1 MiB.
fn shared() -> (Arc<Budget>, [Arc<Share>; 3]) {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares = [(); 3].map(|()| budget.share());
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
    let left = [&budget.held, &budget.going, &budget.count];
    assert_eq!(left.map(|n| n.load(Ordering::Relaxed)), [0; 3]);
}

// [MXP-15.4]
#[test]
fn what_waits_is_read_one_after_the_other() {
    let (budget, shares) = shared();
    shares[0].set(400 << 10);
    shares[1].set(400 << 10);
    assert_eq!(choked(&shares), [true, true, false]);
    // While more than half is held, they follow each other after a pause.
    let later = Instant::now() + Duration::from_secs(3600);
    budget.line().let_on = Some(later);
    shares[0].set(300 << 10);
    assert_eq!(choked(&shares), [true, true, false]);
    budget.line().let_on = Some(Instant::now());
    shares[0].set(100 << 10);
    let waiting = || {
        shares
            .each_ref()
            .map(|one| one.is_waiting.load(Ordering::Relaxed))
    };
    assert_eq!(waiting(), [false, true, false]);
    assert_eq!(choked(&shares), [false; 3]);
}

// Grants of its peer may be in what it has not read. [MXP-15.4]
#[test]
fn what_waits_is_read_now_and_then_while_memory_is_scarce() {
    let (budget, shares) = shared();
    shares[0].set(400 << 10);
    shares[1].set(400 << 10);
    assert_eq!(choked(&shares), [true, true, false]);
    assert!(shares[0].allowance() <= 400 << 10);
    budget.line().let_on = Instant::now().checked_sub(DRIP);
    shares[2].set(10 << 10);
    shares[2].set(0);
    assert_eq!(shares[0].allowance(), usize::MAX);
    assert_eq!(choked(&shares), [false, true, false]);
    assert_eq!(choked(&shares), [true, true, false]);
    let mut line = budget.line();
    let order = [(); 2].map(|()| line.pop().and_then(|one| one.upgrade()).unwrap());
    assert!(Arc::ptr_eq(&order[0], &shares[1]) && Arc::ptr_eq(&order[1], &shares[0]));
}

// Also one that holds little by then is read but once whatever it holds.
#[test]
fn what_was_let_on_while_memory_was_scarce_has_its_part_again() {
    let (budget, shares) = shared();
    shares[0].set(400 << 10);
    shares[1].set(400 << 10);
    assert!(shares[0].is_choked());
    budget.line().let_on = Instant::now().checked_sub(DRIP);
    budget.let_on();
    assert_eq!(shares[0].allowance(), usize::MAX);
    shares[0].set(10 << 10);
    assert!(!shares[0].is_choked());
    assert!(shares[0].allowance() < 1 << 20);
}

// However many others there are.
#[test]
fn what_moves_waits_for_what_moves_alone() {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares = [(); 4].map(|()| budget.share());
    for share in &shares {
        share.set(200 << 10);
    }
    shares[3].set(0);
    shares[3].set(200 << 10);
    shares[3].set(0);
    shares[3].set(200 << 10);
    for share in &shares {
        assert!(share.is_choked());
    }
    let mut line = budget.line();
    let turns = [(); 4].map(|()| {
        let first = line.pop().and_then(|one| one.upgrade());
        first.map(|first| first.number)
    });
    assert_eq!(turns, [Some(0), Some(3), Some(1), Some(2)]);
}

// Looking for somebody to be ended costs as much as there are connections.
#[test]
fn nobody_is_looked_for_in_vain_twice() {
    let budget = Budget::new(Some(100 << 10));
    let shares = [(); 4].map(|()| budget.share());
    for share in &shares {
        share.set(60 << 10);
    }
    let vain = budget.vain.load(Ordering::Relaxed);
    assert!(vain > 180 << 10, "{vain}");
    shares[3].set(200 << 10);
    assert!(shares[3].is_overrun());
    drop(shares);
    assert_eq!(budget.vain.load(Ordering::Relaxed), 0);
}

// [MXP-15.4]
#[test]
fn those_that_move_are_ended_last() {
    let budget = Budget::new(Some((4 << 20) / 3));
    let shares = [(); 3].map(|()| budget.share());
    shares[0].set(400 << 10);
    shares[1].set(300 << 10);
    shares[2].set(200 << 10);
    // All holds so much that what is let go of is looked at.
    shares[0].set(0);
    shares[0].set(400 << 10);
    let overrun = || shares.each_ref().map(|share| share.is_overrun());
    shares[2].set(400 << 10);
    assert_eq!(overrun(), [false, false, true]);
    shares[1].set(700 << 10);
    assert_eq!(overrun(), [false, true, true]);
    shares[0].set(1100 << 10);
    assert_eq!(overrun(), [true; 3]);
}

#[test]
fn what_holds_little_is_never_ended() {
    let budget = Budget::new(Some(100 << 10));
    let shares: std::vec::Vec<_> = (0..4).map(|_| budget.share()).collect();
    for share in &shares {
        share.set(60 << 10);
    }
    assert!(shares
        .iter()
        .all(|share| !share.is_overrun() && !share.is_choked()));
}

#[test]
fn the_default_is_a_part_of_the_memory() {
    let bytes = default_bytes();
    assert!((1 << 20..1 << 44).contains(&bytes), "{bytes}");
}
