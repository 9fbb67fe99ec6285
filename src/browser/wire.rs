//! The socket to a browser: commands out, answers and events in.
//!
//! Comes in: a `DevTools` websocket address. Goes out: answers to commands, and events handed to the route of
//! their session. Must never know: what a page or a game is.
//!
//! The library's own `Handler` is not used: it caps commands at 30 s, lets pending ones hang when the socket
//! dies, and loses an event whose enum it does not know. Here events stay JSON, so that none is lost; they are
//! handled where they are read, so that nothing queues up; and the end of the socket ends every pending call.

use super::error::{BrowserError, Result};
use chromiumoxide::types::{CallId, EventMessage, Message, Method, MethodId};
use chromiumoxide::{Connection, error::CdpError};
use futures::StreamExt;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// How often the socket is polled even if nothing woke us: a wake-up lost in the library costs at most this.
const TICK: Duration = Duration::from_millis(200);

/// An event as it came.
#[derive(Debug, Deserialize)]
pub(super) struct Event {
    /// "Page.loadEventFired" and the like.
    pub method: String,
    /// The session it belongs to; none for the browser's own.
    #[serde(rename = "sessionId")]
    pub session: Option<String>,
    /// Its parameters.
    #[serde(default)]
    pub params: Value,
}

impl Method for Event {
    fn identifier(&self) -> MethodId {
        self.method.clone().into()
    }
}

impl EventMessage for Event {
    fn session_id(&self) -> Option<&str> {
        self.session.as_deref()
    }
}

/// Who hears of a session's events. Called from the socket's task: must not block.
pub(super) trait Route: Send + Sync {
    /// An event of the route's own session, or of the browser's (`event.session` is none).
    fn event(&self, event: &Event);
    /// The socket is dead; no more events will come.
    fn gone(&self);
}

type Routes = Arc<Mutex<HashMap<String, Arc<dyn Route>>>>;

struct Submission {
    session: Option<String>,
    method: &'static str,
    params: Value,
    reply: Option<oneshot::Sender<Result<Value>>>,
}

/// A handle on the socket; cheap to clone. The socket closes when the last handle is dropped.
#[derive(Clone)]
pub(super) struct Wire {
    tx: mpsc::UnboundedSender<Submission>,
    routes: Routes,
}

impl Wire {
    /// Connects to a `ws://` address and starts the task that reads it.
    pub async fn connect(url: &str, deadline: Duration) -> Result<Self> {
        let unreachable = |why: String| BrowserError::Connect {
            url: url.into(),
            why,
        };
        let connection = tokio::time::timeout(deadline, Connection::<Event>::connect(url))
            .await
            .map_err(|_| unreachable(format!("no answer within {:.1} s", deadline.as_secs_f64())))?
            .map_err(|e| unreachable(e.to_string()))?;
        let (tx, rx) = mpsc::unbounded_channel();
        let routes = Routes::default();
        tokio::spawn(run(connection, rx, routes.clone()));
        Ok(Self { tx, routes })
    }

    /// Is the socket still read?
    pub fn is_alive(&self) -> bool {
        !self.tx.is_closed()
    }

    /// From now on `route` hears of the events of `session` and of the browser.
    pub fn add_route(&self, session: &str, route: Arc<dyn Route>) {
        if self.is_alive() {
            lock(&self.routes).insert(session.into(), route);
        } else {
            route.gone();
        }
    }

    /// The events of `session` go nowhere from now on.
    pub fn remove_route(&self, session: &str) {
        lock(&self.routes).remove(session);
    }

    /// Sends a command, now; what is given waits for its answer for as long as it takes or the socket lives.
    pub fn ask(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<impl Future<Output = Result<Value>> + use<>> {
        let (reply, answer) = oneshot::channel();
        let asked = std::time::Instant::now();
        self.submit(session, method, params, Some(reply))?;
        Ok(async move {
            let answer = answer.await.map_err(|_| BrowserError::BrowserGone)?;
            tracing::trace!(method, us = asked.elapsed().as_micros() as u64, "answered");
            answer
        })
    }

    /// Sends a command and waits for its answer.
    pub async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
    ) -> Result<Value> {
        self.ask(session, method, params)?.await
    }

    /// The same with a deadline.
    pub async fn call_within(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        deadline: Duration,
    ) -> Result<Value> {
        tokio::time::timeout(deadline, self.call(session, method, params))
            .await
            .map_err(|_| BrowserError::Timeout {
                what: method.into(),
                deadline,
            })?
    }

    /// Sends a command and forgets it: a failure is logged.
    pub fn post(&self, session: Option<&str>, method: &'static str, params: Value) {
        if let Err(error) = self.submit(session, method, params, None) {
            tracing::debug!(method, %error, "not sent");
        }
    }

    fn submit(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        reply: Option<oneshot::Sender<Result<Value>>>,
    ) -> Result<()> {
        self.tx
            .send(Submission {
                session: session.map(Into::into),
                method,
                params,
                reply,
            })
            .map_err(|_| BrowserError::BrowserGone)
    }
}

/// A lock that outlives a panic elsewhere: what it guards is consistent between statements.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

type Pending = HashMap<CallId, (&'static str, Option<oneshot::Sender<Result<Value>>>)>;

async fn run(
    mut connection: Connection<Event>,
    mut rx: mpsc::UnboundedReceiver<Submission>,
    routes: Routes,
) {
    let mut pending = Pending::new();
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            submission = rx.recv() => {
                let Some(Submission { session, method, params, reply }) = submission else { break };
                match connection.submit_command(method.into(), session.map(Into::into), params) {
                    Ok(id) => { pending.insert(id, (method, reply)); }
                    Err(error) => tracing::warn!(method, %error, "command could not be written"),
                }
            }
            message = connection.next() => match message {
                Some(Ok(Message::Response(response))) => {
                    let Some((method, reply)) = pending.remove(&response.id) else { continue };
                    let answer = match response.error {
                        Some(error) => Err(BrowserError::Protocol { method: method.into(), why: error.message }),
                        None => Ok(response.result.unwrap_or(Value::Null)),
                    };
                    match (reply, answer) {
                        (Some(reply), answer) => { let _ = reply.send(answer); }
                        (None, Err(error)) => tracing::debug!(%error, "unanswered command failed"),
                        (None, Ok(_)) => {}
                    }
                }
                Some(Ok(Message::Event(event))) => dispatch(&routes, &event),
                Some(Err(error @ (CdpError::Ws(_) | CdpError::Io(_)))) => {
                    tracing::debug!(%error, "the browser's socket failed");
                    break;
                }
                Some(Err(error)) => tracing::warn!(%error, "a message of the browser was not understood"),
                None => break,
            },
            // Polls the connection again; and forgets what nobody waits for any more.
            _ = tick.tick() => pending.retain(|_, (_, reply)| reply.as_ref().is_none_or(|r| !r.is_closed())),
        }
    }
    rx.close();
    drop(pending);
    while let Ok(late) = rx.try_recv() {
        drop(late);
    }
    let routes: Vec<_> = lock(&routes).drain().map(|(_, route)| route).collect();
    for route in routes {
        route.gone();
    }
}

fn dispatch(routes: &Routes, event: &Event) {
    let heard: Vec<_> = {
        let routes = lock(routes);
        match &event.session {
            Some(session) => routes.get(session).cloned().into_iter().collect(),
            None => routes.values().cloned().collect(),
        }
    };
    for route in heard {
        route.event(event);
    }
}
