//! Explorations as sessions: commands down, scenes up; recorded, replayed and judged again.
//!
//! Comes in: a ground, limits, [`Command`]s; or a recording. Goes out: [`Scene`]s by a watch channel, the [`Journey`] at the
//! end. Must never know: a browser, a terminal.
//!
//! ```text
//! log.jsonl     {"tetrascope_exploration":1,"tool":"0.1.0","target":"games/maze"}
//!               {"scene":{…}}                  how it stood, its picture by name
//!               {"done":{"step":{…},"seen":{…}}}   an action, with everything it was judged by
//!               {"end":{"journey":{…},"shots":[…]}}
//! frames/       1280x800-0f….png               the pictures, each once
//! ```

mod page;
mod read;
mod write;

pub use page::page;
pub use read::{Explored, replay};
pub use write::Keeper;

use super::Command;
use crate::explore::{Ground, Helm, Journey, Limits, Scene, Step, explore};
use crate::model::Raster;
use crate::progress::Observation;
use crate::progress::ask::VisionJudge;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tokio::sync::{mpsc, watch};

/// The format that is written.
const FORMAT: u32 = 1;

/// The first line.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Header {
    #[serde(rename = "tetrascope_exploration")]
    format: u32,
    #[serde(default)]
    tool: String,
    #[serde(default)]
    target: String,
}

/// Any other line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Scene(Box<Scene>),
    Done {
        step: Box<Step>,
        seen: Box<Observation>,
    },
    End {
        journey: Box<Journey>,
        shots: Vec<Raster>,
    },
}

/// Runs an exploration under an operator's commands and shows it. With `stay` it goes on being shown after its end, until
/// the operator quits. A channel of commands that is closed ends it.
#[allow(clippy::too_many_arguments)]
pub async fn run<G: Ground>(
    ground: &mut G,
    target: &str,
    limits: &Limits,
    model: Option<&mut (dyn VisionJudge + Send)>,
    mut keeper: Option<Keeper>,
    stay: bool,
    mut commands: mpsc::Receiver<Command>,
    scenes: watch::Sender<Arc<Scene>>,
) -> (Journey, Option<Keeper>) {
    let helm = Helm::default();
    let mut look_on = |scene: &Scene, done: Option<(&Step, &Observation)>| {
        let mut scene = scene.clone();
        if let Some(keeper) = &mut keeper {
            // What is written is written before it is shown.
            if let Some((step, seen)) = done {
                keeper.done(step, seen);
            }
            keeper.scene(&scene);
            scene.recorded = Some(keeper.dir().display().to_string());
            scene.note = keeper
                .fault()
                .map(|f| format!("the recording stopped: {f}"));
        }
        scenes.send_replace(Arc::new(scene));
    };
    let mut quit = false;
    let journey = {
        let walk = explore(ground, target, limits, model, &helm, &mut look_on);
        tokio::pin!(walk);
        loop {
            tokio::select! {
                journey = &mut walk => break journey,
                command = commands.recv(), if !quit => match command {
                    None | Some(Command::Quit) => {
                        quit = true;
                        helm.stop();
                    }
                    Some(command) => obey(&helm, &command),
                }
            }
        }
    };
    if let Some(keeper) = &mut keeper {
        keeper.end(&journey);
    }
    while stay && !quit {
        quit = matches!(commands.recv().await, None | Some(Command::Quit));
    }
    (journey, keeper)
}

fn obey(helm: &Helm, command: &Command) {
    match command {
        Command::Hold(on) => helm.hold(*on),
        Command::Step(_) => helm.step(),
        Command::Drive(on) => helm.drive(*on),
        Command::DriveKey { key, down } => drop(helm.key(key.clone(), *down)),
        // What else an operator may ask of a session has no meaning here.
        _ => {}
    }
}
