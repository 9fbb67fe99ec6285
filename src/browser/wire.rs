//! The socket to a browser: commands out, answers and events in.
//!
//! Comes in: a `DevTools` websocket address. Goes out: answers to commands, and events handed to the route of
//! their session. Must never know: what a page or a game is.
//!
//! The library's own `Handler` is not used: it caps commands at 30 s, lets pending ones hang when the socket
//! dies, and loses an event whose enum it does not know. Here events stay JSON, so that none is lost; they are
//! handled where they are read, so that nothing queues up; and the end of the socket ends every pending call.
//! Nor is its `Connection`: a command that is sent while another is under way waits there for that one's answer, since
//! the kernel holds small packets back (Nagle) for as long as one is unacknowledged.

use super::error::{BrowserError, Result};
use async_tungstenite::WebSocketStream;
use async_tungstenite::tokio::{TokioAdapter, client_async_with_config};
use async_tungstenite::tungstenite::{self, Message, protocol::WebSocketConfig};
use chromiumoxide::types::{CallId, MethodCall};
use futures::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use url::Url;

/// How often what nobody waits for any more is forgotten.
const TICK: Duration = Duration::from_millis(200);

type Socket = WebSocketStream<TokioAdapter<TcpStream>>;

/// An event as it came.
#[derive(Debug)]
pub(super) struct Event {
    /// "Page.loadEventFired" and the like.
    pub method: String,
    /// The session it belongs to; none for the browser's own.
    pub session: Option<String>,
    /// Its parameters.
    pub params: Value,
}

/// What the browser sends: an answer, which has the number of its command, or an event.
#[derive(Deserialize)]
struct Incoming {
    id: Option<CallId>,
    #[serde(default)]
    result: Value,
    error: Option<Refusal>,
    #[serde(default)]
    method: String,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    #[serde(default)]
    params: Value,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
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
        let socket = tokio::time::timeout(deadline, connected(url))
            .await
            .map_err(|_| unreachable(format!("no answer within {:.1} s", deadline.as_secs_f64())))?
            .map_err(|e| unreachable(e.to_string()))?;
        let (tx, rx) = mpsc::unbounded_channel();
        let routes = Routes::default();
        tokio::spawn(run(socket, rx, routes.clone()));
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

async fn connected(url: &str) -> tungstenite::Result<Socket> {
    let nowhere = || tungstenite::Error::Url(tungstenite::error::UrlError::NoHostName);
    let address = Url::parse(url).map_err(|_| nowhere())?;
    let host = address.host_str().ok_or_else(nowhere)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let port = address.port_or_known_default().unwrap_or(80);
    let stream = TcpStream::connect((host, port)).await?;
    stream.set_nodelay(true)?;
    // Pictures of a page take as much as they take.
    let config = WebSocketConfig::default()
        .max_message_size(None)
        .max_frame_size(None);
    Ok(client_async_with_config(url, stream, Some(config)).await?.0)
}

async fn run(mut socket: Socket, mut rx: mpsc::UnboundedReceiver<Submission>, routes: Routes) {
    let mut pending = Pending::new();
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut sent = 0;
    loop {
        tokio::select! {
            submission = rx.recv() => {
                let Some(submission) = submission else { break };
                let mut next = Some(submission);
                let mut written = Ok(());
                // What was sent meanwhile goes along.
                while let (Some(submission), Ok(())) = (next, &written) {
                    sent += 1;
                    written = write(&mut socket, submission, CallId::new(sent), &mut pending).await;
                    next = rx.try_recv().ok();
                }
                if let Err(error) = written.and(socket.flush().await) {
                    tracing::debug!(%error, "the browser's socket failed");
                    break;
                }
            }
            message = socket.next() => match message {
                Some(Ok(Message::Text(text))) => match serde_json::from_str(&text) {
                    Ok(message) => take(message, &mut pending, &routes),
                    Err(error) => tracing::warn!(%error, "a message of the browser was not understood"),
                },
                Some(Ok(Message::Close(_))) | None => break,
                // The socket itself answers to what keeps it alive.
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    tracing::debug!(%error, "the browser's socket failed");
                    break;
                }
            },
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

async fn write(
    socket: &mut Socket,
    Submission {
        session,
        method,
        params,
        reply,
    }: Submission,
    id: CallId,
    pending: &mut Pending,
) -> tungstenite::Result<()> {
    let call = MethodCall {
        id,
        method: method.into(),
        session_id: session,
        params,
    };
    let text = match serde_json::to_string(&call) {
        Ok(text) => text,
        Err(error) => {
            tracing::warn!(method, %error, "command could not be written");
            return Ok(());
        }
    };
    pending.insert(id, (method, reply));
    socket.feed(Message::text(text)).await
}

fn take(message: Incoming, pending: &mut Pending, routes: &Routes) {
    let Some(id) = message.id else {
        let event = Event {
            method: message.method,
            session: message.session,
            params: message.params,
        };
        return dispatch(routes, &event);
    };
    let Some((method, reply)) = pending.remove(&id) else {
        return;
    };
    let answer = match message.error {
        Some(Refusal { message: why }) => Err(BrowserError::Protocol {
            method: method.into(),
            why,
        }),
        None => Ok(message.result),
    };
    match (reply, answer) {
        (Some(reply), answer) => {
            let _ = reply.send(answer);
        }
        (None, Err(error)) => tracing::debug!(%error, "unanswered command failed"),
        (None, Ok(_)) => {}
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
