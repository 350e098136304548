use std::path::Path;

use super::{Data, Frame, Logs, Mesh, Players, PluginRegistry, Updates};

/// The length of the data in postcard's encoding, and the sum of its bytes.
fn digest<T: Data + serde::Serialize>() -> (usize, u64) {
    let bytes = postcard::to_stdvec(&T::load(Path::new("../data"))).unwrap();
    (bytes.len(), bytes.iter().map(|byte| u64::from(*byte)).sum())
}

#[test]
fn data_is_what_the_seed_gives() {
    // Another number here is other data, which earlier results were not measured on.
    let digests = [
        digest::<Logs>(),
        digest::<Mesh>(),
        digest::<Players>(),
        digest::<Updates>(),
    ];
    let want = [
        (725_666, 55_300_869),
        (6_000_003, 632_289_090),
        (371_555, 39_748_903),
        (1_397_764, 128_409_030),
    ];
    assert_eq!(digests, want);
}

#[test]
fn files_hold_what_they_say() {
    let registry = PluginRegistry::load(Path::new("../data"));
    let parameters: usize = registry
        .plugins
        .iter()
        .map(|plugin| plugin.parameters.len())
        .sum();
    assert_eq!((registry.plugins.len(), parameters), (62, 1759));
    let frame = Frame::load(Path::new("../data"));
    assert_eq!((frame.samples.len(), frame.indices.len()), (4096, 4096));
}

#[test]
fn contacts_that_are_not_visible_show_nothing() {
    let updates = Updates::load(Path::new("")).updates;
    assert_eq!(updates.len(), 1000);
    let contacts = updates.iter().flat_map(|update| &update.contacts);
    let (seen, unseen): (Vec<_>, Vec<_>) =
        contacts.partition(|contact| contact.entity_type.is_some());
    assert!(unseen.iter().all(|contact| contact.player_id.is_none()
        && contact.reloads.is_empty()
        && contact.turret_angles.is_empty()));
    assert!(seen
        .iter()
        .all(|contact| (2..=28).contains(&contact.reloads.len())));
    let share = 100 * seen.len() / (seen.len() + unseen.len());
    assert!((68..=72).contains(&share), "{share} % are visible");
}

#[test]
fn log_entries_have_the_codes_and_names_of_a_web_server() {
    let logs = Logs::load(Path::new("")).logs;
    assert_eq!(logs.len(), 10_000);
    let mut codes: Vec<u16> = logs.iter().map(|log| log.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(
        (codes.len(), codes.first(), codes.last()),
        (63, Some(&100), Some(&511))
    );
    assert!(logs
        .iter()
        .all(|log| log.identity == "-" && log.size < 100_000_000));
}
