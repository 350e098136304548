//! Calls that are made on several connections at once [MXP-14.11].

use core::future::{poll_fn, Future};
use core::pin::Pin;
use core::task::{Context, Poll};
use core::time::Duration;
use std::boxed::Box;
use std::sync::Arc;
use std::vec::Vec;

use tokio::time::{interval_at, Instant, MissedTickBehavior};

use super::Client;
use crate::engine::retry::Retry;
use crate::net::connection::Connection;
use crate::net::request_kind::Ask;
use crate::net::{Failure, Reply};

/// The least time between two looks for another connection.
const LEAST: Duration = Duration::from_millis(1);

type Answer<'a> = Pin<Box<dyn Future<Output = Result<Reply, Failure>> + Send + 'a>>;

impl Client {
    /// Makes a call, and as long as it has not ended also on other connections, each time after so
    /// long. When one call has ended the others are cancelled.
    pub(super) async fn hedged(
        &self,
        retry: &mut Retry,
        delay: Duration,
        ask: &Ask<'_>,
    ) -> Result<Reply, Failure> {
        let members = self.shared.members.all();
        let Some(first) = members.choose(&[]) else {
            return self.measured_until(ask).await;
        };
        let delay = delay.max(LEAST);
        let mut timer = interval_at(Instant::now() + delay, delay);
        timer.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut answers = Vec::from([self.answer_on(ask, Arc::clone(&first))]);
        let mut made_on = Vec::from([first]);
        loop {
            tokio::select! {
                biased;
                answer = poll_fn(|cx| poll_any(&mut answers, cx)) => match answer {
                    Err(failure) if retry.is_repeatable(&failure) && !answers.is_empty() => {}
                    answer => return answer,
                },
                _ = timer.tick(), if retry.hedge().is_some() => {
                    let Some(other) = members.choose(&made_on) else {
                        continue;
                    };
                    if retry.hedged(&mut self.shared.common.retries()) {
                        answers.push(self.answer_on(ask, Arc::clone(&other)));
                        made_on.push(other);
                    }
                }
            }
        }
    }

    fn answer_on<'a>(&'a self, ask: &Ask<'a>, connection: Arc<Connection>) -> Answer<'a> {
        let ask = *ask;
        Box::pin(async move {
            let first = Some(&connection);
            self.measured_until(&Ask { first, ..ask }).await
        })
    }
}

/// The first of some answers that comes, which is then none of them any more.
fn poll_any(answers: &mut Vec<Answer<'_>>, cx: &mut Context<'_>) -> Poll<Result<Reply, Failure>> {
    for at in 0..answers.len() {
        let polled = answers.get_mut(at).map(|answer| answer.as_mut().poll(cx));
        if let Some(Poll::Ready(answer)) = polled {
            drop(answers.swap_remove(at));
            return Poll::Ready(answer);
        }
    }
    Poll::Pending
}
