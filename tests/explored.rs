//! Explorations of a made-up page: held, stepped, stopped, advised, recorded, shown again and judged again.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

#[allow(dead_code)]
#[path = "progress/painter.rs"]
mod painter;

use painter::{BLACK, Canvas, GOLD, RED, WHITE};
use std::sync::Arc;
use std::time::Duration;
use tetrascope::explore::{
    Act, Doing, Ending, Ground, GroundError, Journey, Limits, Look, Scene, Sight, Unasked,
};
use tetrascope::model::Key;
use tetrascope::progress::Answer;
use tetrascope::progress::ask::{Advice, AskError, Choice, Opinion, Question, VisionJudge};
use tetrascope::session::explored::{Explored, Keeper, page, replay, run};
use tetrascope::session::{Command, Seek, StepUnit};
use tokio::sync::{mpsc, watch};

/// A title that Enter leaves, a room in which the right arrow leads out, an end.
#[derive(Default)]
struct Rooms {
    at: usize,
    keys: Vec<(String, bool)>,
}

impl Ground for Rooms {
    async fn open(&mut self) -> Result<(), GroundError> {
        self.at = 0;
        Ok(())
    }
    async fn sight(&mut self) -> Result<Sight, GroundError> {
        Ok(Sight {
            listens_to_keys: true,
            ..Sight::default()
        })
    }
    async fn look(&mut self) -> Result<Look, GroundError> {
        let (canvas, text) = match self.at {
            0 => (
                Canvas::new(480, 360, BLACK).word(180, 160, 12, GOLD),
                "Titel",
            ),
            1 => (
                Canvas::page().hero(60, 200).rect(400, 180, 30, 60, RED),
                "Raum",
            ),
            _ => (
                Canvas::new(480, 360, WHITE).rect(100, 100, 200, 90, GOLD),
                "Ende",
            ),
        };
        Ok(Look {
            picture: canvas.raster(),
            text: text.into(),
        })
    }
    async fn pass(&mut self, _: u32) -> Result<(), GroundError> {
        tokio::task::yield_now().await;
        Ok(())
    }
    async fn act(&mut self, act: &Act) -> Result<(), GroundError> {
        match (self.at, act) {
            (0, Act::Key { key, .. }) if key == "Enter" => self.at = 1,
            (1, Act::Key { key, .. }) if key == "ArrowRight" => self.at = 2,
            _ => {}
        }
        Ok(())
    }
    async fn key(&mut self, key: &Key, down: bool) -> Result<(), GroundError> {
        self.keys.push((key.as_str().into(), down));
        if down {
            self.act(&Act::tap(key.as_str())).await?;
        }
        Ok(())
    }
    fn unasked(&mut self) -> Unasked {
        Unasked::default()
    }
}

fn limits(actions: usize, until: Option<&str>) -> Limits {
    Limits {
        actions,
        until: until.map(Into::into),
        ..Limits::default()
    }
}

struct Session {
    commands: mpsc::Sender<Command>,
    scenes: watch::Receiver<Arc<Scene>>,
    task: tokio::task::JoinHandle<(Journey, Option<Keeper>)>,
}

fn session(limits: Limits, keeper: Option<Keeper>, first: &[Command]) -> Session {
    let (commands, down) = mpsc::channel(16);
    for command in first {
        commands.try_send(command.clone()).unwrap();
    }
    let (up, scenes) = watch::channel(Arc::new(Scene::default()));
    let task = tokio::spawn(async move {
        let mut rooms = Rooms::default();
        run(&mut rooms, "rooms", &limits, None, keeper, false, down, up).await
    });
    Session {
        commands,
        scenes,
        task,
    }
}

impl Session {
    async fn until(&mut self, so: impl Fn(&Scene) -> bool) -> Arc<Scene> {
        let wait = self.scenes.wait_for(|s| so(s));
        let scene = tokio::time::timeout(Duration::from_mins(1), wait).await;
        scene.expect("it never came to be").unwrap().clone()
    }
}

#[tokio::test]
async fn held_it_does_nothing_and_a_step_is_one_action() {
    let mut session = session(limits(40, None), None, &[Command::Hold(true)]);
    let scene = session.until(|s| s.doing == Doing::Held).await;
    assert!(scene.steps.is_empty() && scene.holding);
    for n in 1..=2 {
        session
            .commands
            .send(Command::Step(StepUnit::Action))
            .await
            .unwrap();
        let scene = session
            .until(|s| s.doing == Doing::Held && s.steps.len() == n)
            .await;
        assert_eq!(scene.steps.len(), n);
    }
    session.commands.send(Command::Quit).await.unwrap();
    let (journey, _) = session.task.await.unwrap();
    assert_eq!(journey.ending, Ending::Stopped);
    assert_eq!(journey.steps.len(), 2);
}

#[tokio::test]
async fn an_operator_drives_past_what_it_would_have_tried() {
    let mut session = session(limits(40, Some("Ende")), None, &[Command::Hold(true)]);
    session.until(|s| s.doing == Doing::Held).await;
    session.commands.send(Command::Drive(true)).await.unwrap();
    session.until(|s| s.doing == Doing::Driven).await;
    for key in ["Enter", "ArrowRight"] {
        for down in [true, false] {
            let key = Key::new(key);
            session
                .commands
                .send(Command::DriveKey { key, down })
                .await
                .unwrap();
        }
    }
    session.commands.send(Command::Drive(false)).await.unwrap();
    session.commands.send(Command::Hold(false)).await.unwrap();
    let (journey, _) = session.task.await.unwrap();
    assert_eq!(journey.ending, Ending::Goal);
    assert_eq!((journey.steps.len(), journey.by_hand), (0, 1));
}

#[tokio::test]
async fn what_is_recorded_is_shown_again_and_judged_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("rec");
    let keeper = Keeper::new(&place, "rooms").unwrap();
    let session = session(limits(40, Some("Ende")), Some(keeper), &[]);
    let (journey, keeper) = session.task.await.unwrap();
    assert_eq!(keeper.unwrap().fault(), None);
    assert_eq!(journey.ending, Ending::Goal);
    assert!(journey.screens >= 2 && journey.shots.len() == journey.graph.states.len());

    assert!(Explored::is_one(&place));
    let mut explored = Explored::open(&place).unwrap();
    assert_eq!((explored.target(), explored.damaged), ("rooms", 0));
    let (again, other) = explored.judge().unwrap();
    assert!(other.is_empty(), "{other:?}");
    let json = |j: &Journey| serde_json::to_string(j).unwrap();
    assert_eq!(json(&again), json(&journey));
    assert_eq!(page(&again), page(&journey));

    let (commands, down) = mpsc::channel(4);
    let (up, mut scenes) = watch::channel(Arc::new(Scene::default()));
    let shown = tokio::spawn(replay(explored, down, up));
    commands.send(Command::Seek(Seek::End)).await.unwrap();
    let last = scenes
        .wait_for(|s| s.showing.is_some_and(|v| v.at + 1 == v.of))
        .await
        .unwrap()
        .clone();
    assert_eq!(last.ended(), Some(&Ending::Goal));
    assert_eq!(last.steps.len(), journey.steps.len());
    assert!(last.picture.as_ref().is_some_and(|p| p.width() == 480));
    commands.send(Command::Seek(Seek::Start)).await.unwrap();
    scenes
        .wait_for(|s| s.showing.is_some_and(|v| v.at == 0))
        .await
        .unwrap();
    commands.send(Command::Quit).await.unwrap();
    shown.await.unwrap();
}

#[tokio::test]
async fn a_torn_recording_is_read_as_far_as_it_goes() {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join("rec");
    let keeper = Keeper::new(&place, "rooms").unwrap();
    session(limits(3, None), Some(keeper), &[])
        .task
        .await
        .unwrap();
    let log = place.join("log.jsonl");
    let bytes = std::fs::read(&log).unwrap();
    std::fs::write(&log, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let mut explored = Explored::open(&place).unwrap();
    assert!(explored.damaged <= 1);
    assert!(explored.journey().is_none());
    assert!(
        explored
            .judge()
            .unwrap_err()
            .contains("not recorded to its end")
    );
    // One of a later version is not guessed at.
    std::fs::write(&log, "{\"tetrascope_exploration\":99}\n").unwrap();
    let error = Explored::open(&place).unwrap_err().to_string();
    assert!(error.contains("later version"), "{error}");
}

/// Always wants the same thing.
struct Adviser(&'static str, u32);

impl VisionJudge for Adviser {
    fn ask(&mut self, _: &Question) -> Result<Opinion, AskError> {
        Err(AskError::DryRun)
    }
    fn advise(&mut self, choice: &Choice) -> Result<Advice, AskError> {
        self.1 += 1;
        let wanted = format!("\"target\":\"{}\"", self.0);
        let lines = choice.words.lines().filter(|l| l.starts_with('{'));
        let offer = lines.enumerate().find(|(_, l)| l.contains(&wanted));
        offer
            .map(|(offer, _)| Advice {
                offer,
                reasoning: "because".into(),
            })
            .ok_or(AskError::Malformed("not possible here".into()))
    }
    fn spent(&self) -> f64 {
        f64::from(self.1) * 0.01
    }
    fn budget(&self) -> f64 {
        0.5
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn advice_is_followed_where_it_is_possible_and_said_where_it_is_not() {
    let mut adviser = Adviser("Escape", 0);
    let limits = Limits {
        advised: true,
        ..limits(3, None)
    };
    let (_commands, down) = mpsc::channel(4);
    let (up, _scenes) = watch::channel(Arc::new(Scene::default()));
    let model: &mut (dyn VisionJudge + Send) = &mut adviser;
    let mut rooms = Rooms::default();
    let (journey, _) = run(
        &mut rooms,
        "rooms",
        &limits,
        Some(model),
        None,
        false,
        down,
        up,
    )
    .await;
    let told = |n: usize| journey.steps[n].advice.as_deref().unwrap();
    assert_eq!(journey.steps[0].action, "press Escape");
    assert_eq!(told(0), "advised: because");
    // It was done here and changed nothing: it is no longer offered, and another action was chosen without advice.
    assert_ne!(journey.steps[1].action, "press Escape");
    assert!(told(1).contains("not possible here"));
    assert_eq!(journey.steps[0].verdict, Answer::Unchanged);
    assert!((journey.dollars - 0.03).abs() < 1e-9);
}
