//! Streams and events that are called.

use crate::call::{failure, until, Asks};
use crate::generated::ledger::{Booking, BookingMany, Entry, Nothing, Range};
use crate::Error;

fn amounts(all: impl IntoIterator<Item = i64>) -> impl Iterator<Item = Entry> {
    all.into_iter().map(|n| Entry::new().with_amount(n))
}

impl Asks {
    pub(crate) async fn lists(&mut self) -> Result<(), Error> {
        let mut entries = self.ledger.list(&Range { first: 1, last: 3 }).await?;
        let mut line = String::from("list:");
        while let Some(entry) = entries.receive().await? {
            line += &format!(" {}", entry.id);
        }
        self.say(&line, &["list: 1 2 3"]);

        let mut entries = self
            .ledger
            .list(&Range {
                first: 1,
                last: 1000,
            })
            .await?;
        let mut n = 0;
        while entries.receive().await?.is_some() {
            n += 1;
        }
        self.say(&format!("list: {n}"), &["list: 1000"]);

        let mut entries = self.ledger.list(&Range { first: 2, last: 1 }).await?;
        let f = failure(entries.receive()).await;
        let line = format!("list: {} {} {:?}", f.status.0, f.name, f.text);
        self.say(&line, &["list: 3 range_empty \"no numbers\""]);

        let all = Range {
            first: 1,
            last: 1_000_000,
        };
        let mut entries = self.ledger.list(&all).await?;
        if entries.receive().await?.is_some() {
            drop(entries);
            self.say("list: left", &["list: left"]);
        }
        Ok(())
    }

    pub(crate) async fn sums(&mut self) -> Result<(), Error> {
        for (all, can) in [(&[1, 2, 3][..], "sum: 3 6"), (&[], "sum: 0 0")] {
            let sum = self.ledger.sum().await?;
            for entry in amounts(all.iter().copied()) {
                sum.send(&entry).await?;
            }
            let total = sum.finish().await?;
            self.say(&format!("sum: {} {}", total.entries, total.amount), &[can]);
        }
        let sum = self.ledger.sum().await?;
        for entry in amounts([-1]) {
            sum.send(&entry).await?;
        }
        let f = failure(sum.finish()).await;
        self.say(
            &format!("sum: {} {}", f.status.0, f.name),
            &["sum: 9 sum_negative"],
        );
        Ok(())
    }

    pub(crate) async fn negates(&mut self) -> Result<(), Error> {
        let mut negate = self.ledger.negate().await?;
        for entry in amounts([1, 2, 3]) {
            negate.send(&entry).await?;
        }
        negate.finish()?;
        let mut line = String::from("negate:");
        while let Some(entry) = negate.receive().await? {
            line += &format!(" {}", entry.amount);
        }
        self.say(&line, &["negate: -1 -2 -3"]);

        let mut negate = self.ledger.negate().await?;
        for entry in amounts(1..=1000) {
            negate.send(&entry).await?;
            let back = negate.receive().await?.map(|back| back.amount);
            if back != Some(-entry.amount) {
                return Err(format!("{} came back as {back:?}", entry.amount).into());
            }
        }
        negate.finish()?;
        if negate.receive().await?.is_none() {
            self.say("negate: 1000 in step", &["negate: 1000 in step"]);
        }
        Ok(())
    }

    pub(crate) async fn books(&mut self) -> Result<(), Error> {
        let before = self.ledger.booked(&Nothing {}).await?;
        let entry = Entry::new().with_amount(5);
        self.ledger
            .book_acked(&Booking::Entry(entry.into()))
            .await?;
        let many = BookingMany {
            text: String::new(),
            times: 2,
        };
        self.ledger.book(&Booking::Many(many.into())).await?;
        self.say("book: ok", &["book: ok"]);

        let twice = Entry::new().with_text("twice".into());
        let twice = Booking::Entry(twice.into());
        let f = failure(self.ledger.book_acked(&twice)).await;
        self.say(
            &format!("book: {} {}", f.status.0, f.name),
            &["book: 6 booked_twice"],
        );

        let ledger = &self.ledger;
        let after = until(before.entries + 3, || ledger.booked(&Nothing {})).await?;
        let (entries, amount) = (after.entries - before.entries, after.amount - before.amount);
        self.say(&format!("booked: {entries} {amount}"), &["booked: 3 5"]);
        Ok(())
    }
}
