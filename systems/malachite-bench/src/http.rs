//! The HTTP servers: `/blocks`, `/turn` and `/ready` for the network itself, `/metrics` for scrapers.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use eyre::{Result, WrapErr};
use futures::stream;
use malachitebft_app_channel::app::metrics;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::journal::{Entry, Journal};

/// Maximum number of blocks per write to a client.
const MAX_BATCH: usize = 256;

/// Whether a validator takes part in the consensus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Not ready, with the reason.
    Waiting(String),
    Ready,
}

/// A round in which this validator proposes.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Turn {
    pub height: u64,
    pub round: i64,
    /// The address of the validator.
    pub proposer: String,
}

/// The data to serve.
#[derive(Clone, Debug)]
pub struct ServedState {
    pub journal: Arc<Journal>,
    pub readiness: watch::Receiver<Readiness>,
    /// Changes when a turn begins.
    pub turn: watch::Receiver<Turn>,
    /// Becomes true when open streams must end.
    pub stop: watch::Receiver<bool>,
}

/// Serves blocks and readiness on one listener and metrics on the other, until `state.stop` becomes true.
///
/// The listeners are separate so that a network policy can admit scrapers to the metrics only.
pub async fn serve(blocks_listener: TcpListener, metrics_listener: TcpListener, state: ServedState) -> Result<()> {
    let stop = state.stop.clone();
    let blocks_router = Router::new()
        .route("/blocks", get(stream_blocks))
        .route("/turn", get(await_turn))
        .route("/ready", get(report_readiness))
        .with_state(state);
    let metrics_router = Router::new().route("/metrics", get(export_metrics));
    tokio::try_join!(
        serve_router(blocks_listener, blocks_router, stop.clone()),
        serve_router(metrics_listener, metrics_router, stop)
    )?;
    Ok(())
}

async fn serve_router(listener: TcpListener, router: Router, mut stop: watch::Receiver<bool>) -> Result<()> {
    axum::serve(listener, router)
        .with_graceful_shutdown(async move {
            // An error means that the sender was dropped.
            let _ = stop.wait_for(|stop| *stop).await;
        })
        .await
        .wrap_err("serve HTTP")
}

async fn export_metrics() -> impl IntoResponse {
    let mut text = String::new();
    metrics::export(&mut text);
    let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], text)
}

async fn report_readiness(State(state): State<ServedState>) -> (StatusCode, String) {
    match &*state.readiness.borrow() {
        Readiness::Ready => (StatusCode::OK, "ready\n".into()),
        Readiness::Waiting(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("{reason}\n")),
    }
}

/// Answers when the next turn of this validator begins.
async fn await_turn(State(mut state): State<ServedState>) -> Response {
    state.turn.mark_unchanged();
    tokio::select! {
        // An error means that the sender was dropped.
        Ok(()) = state.turn.changed() => {
            let text = serde_json::to_string(&*state.turn.borrow()).expect("a turn has a JSON form");
            ([(header::CONTENT_TYPE, "application/json")], text).into_response()
        }
        _ = state.stop.wait_for(|stop| *stop) => StatusCode::SERVICE_UNAVAILABLE.into_response(),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlocksQuery {
    /// The first height of the stream; defaults to the next height to be decided.
    from: Option<u64>,
}

/// Streams a line for each block as it is decided, at the speed of the client.
async fn stream_blocks(State(state): State<ServedState>, Query(query): Query<BlocksQuery>) -> Response {
    let decided = state.journal.subscribe();
    let next = query.from.unwrap_or(*decided.borrow() + 1);
    let follower = Follower { next, decided, state };
    let lines = stream::unfold(follower, Follower::next_lines);
    let kind = [(header::CONTENT_TYPE, "application/x-ndjson")];
    (kind, Body::from_stream(lines)).into_response()
}

/// A client's position in the journal.
struct Follower {
    next: u64,
    decided: watch::Receiver<u64>,
    state: ServedState,
}

impl Follower {
    /// Returns the next lines and waits for them if necessary; returns `None` when the stream must end.
    async fn next_lines(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        loop {
            self.decided.mark_unchanged();
            let entries = self.state.journal.read(self.next, MAX_BATCH);
            if let Some(last) = entries.last() {
                self.next = last.height + 1;
                return Some((Ok(encode_json_lines(&entries)), self));
            }
            tokio::select! {
                changed = self.decided.changed() => changed.ok()?,
                _ = self.state.stop.wait_for(|stop| *stop) => return None,
            }
        }
    }
}

fn encode_json_lines(entries: &[Entry]) -> Bytes {
    let mut text = Vec::with_capacity(entries.len() * 192);
    for entry in entries {
        serde_json::to_writer(&mut text, entry).expect("an entry has a JSON form");
        text.push(b'\n');
    }
    text.into()
}
