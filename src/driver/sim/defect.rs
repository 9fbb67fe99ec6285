/// What can be wrong with a simulated game, each a fault seen in real pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Defect {
    /// An empty page.
    Blank,
    /// A picture of a game in which nothing moves.
    Picture,
    /// The piece never falls by itself.
    NoGravity,
    /// Pieces of one kind are drawn in the colour of the ground.
    UnseenKind,
    /// What falls by itself is drawn only when a key acts or a piece locks.
    FallUndrawn,
    /// Gravity takes the piece down two rows at a time.
    GravityOfTwoRows,
    /// Only the first piece falls by itself.
    GravityDies,
    /// Turning does nothing.
    RotationMissing,
    /// Each turn also mirrors the piece.
    RotationMirrored,
    /// Pieces go to and fro between two states.
    RotationTwoOfFour,
    /// Turning does nothing to a bar.
    BarDoesNotTurn,
    /// Turning does not ask whether there is a wall.
    RotationThroughWall,
    /// Turning does not ask whether there are blocks.
    RotationIntoStack,
    /// The second turning key turns the same way as the first.
    CounterClockwiseTurnsClockwise,
    /// The left key does nothing.
    LeftDead,
    /// The right key does nothing.
    RightDead,
    /// A press moves two columns.
    DoubleStep,
    /// A piece moved beyond a wall loses the cells outside.
    WallLosesCells,
    /// A piece moved beyond a wall comes in at the other side.
    WallWraps,
    /// Moving sideways into blocks locks the piece where it is.
    SidewaysMerges,
    /// The hard drop stops two rows early and locks there.
    HardDropShort,
    /// One press of the hard drop locks two pieces.
    HardDropTwice,
    /// The soft drop key is a hard drop.
    DownIsHardDrop,
    /// Pieces lie at rest for ever.
    NeverLocks,
    /// A piece loses a cell when it locks.
    LockLosesCell,
    /// Full rows stay.
    NoClear,
    /// Of several full rows one goes.
    ClearOne,
    /// Of three or more full rows the middle ones stay.
    ClearSkipsMiddle,
    /// Several full rows are taken out from below by numbers that are stale once what is above has come down.
    ClearSlips,
    /// What is above a cleared row stays where it is.
    RowsDoNotFall,
    /// The score stays at nothing.
    ScoreNever,
    /// Only drops score.
    ScoreDropsOnly,
    /// Clears score the same however many rows they are of.
    ScoreFlat,
    /// The level stays.
    LevelNever,
    /// The speed stays.
    SpeedNever,
    /// After four lines everything falls at once.
    SpeedCollapses,
    /// After a restart pieces fall twice as fast.
    SpeedDoublesAfterRestart,
    /// A new game begins with the old level, and as fast.
    DirtyLevel,
    /// A new game is as fast as the old one was, although its level is the first.
    DirtySpeed,
    /// Keys are heard once more in each new game.
    KeysDoubleAfterRestart,
    /// A new game begins with the old blocks.
    DirtyBoard,
    /// A new game begins with the old score.
    DirtyScore,
    /// Nothing begins a new game.
    NoRestart,
    /// After a key of the game at the end nothing begins a new one.
    KeysSpoilRestart,
    /// The falling piece leaves a trail until it locks.
    Trails,
    /// After a clear the piece is still drawn where it locked, until the next one locks.
    DrawnAfterClear,
    /// New pieces are put over the stack four times before the game ends.
    SpawnOverStack,
    /// The game never ends.
    NoGameOver,
    /// The end is an exception.
    OverIsError,
    /// The game ends at half height.
    GameOverEarly,
    /// Keys act after the end.
    KeysAfterOver,
    /// Keys act while paused.
    KeysWhilePaused,
    /// The preview shows something else.
    PreviewLies,
    /// The preview shows the piece that is falling already.
    PreviewStale,
    /// What is put aside does not come back; another piece comes.
    HoldForgets,
    /// A piece can be put aside once a game, and is never taken back.
    HoldOnce,
    /// What is paused begins anew when it should go on.
    ResumeBeginsAnew,
    /// What is paused never goes on; nothing is said.
    NeverResumes,
    /// What is paused never goes on; words tell that it is paused.
    NeverResumesAndSaysSo,
    /// I and O never come.
    FiveKinds,
    /// The arrows and the space bar scroll the page.
    PageScroll,
    /// An exception at each clear.
    ThrowOnClear,
    /// An exception at each lock; the game goes on.
    ThrowOnLock,
    /// After twelve pieces nothing moves any more.
    Freeze,
}
