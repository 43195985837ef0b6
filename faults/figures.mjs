/** Compares the promises to the client with the outcome. */
export function figuresOf({ client, ledger, faults, recovery, seconds, found = 0 }) {
  const tasks = [...client.tasks];
  const ends = tasks
    .filter(([, { end }]) => end !== undefined)
    .map(([id, { end, args }]) => [id, JSON.parse(end), args]);
  const wrong = ends.filter(([id, end, args]) => {
    return end.status !== "completed" || !ledger.matches(id, end.result.content[0]?.text ?? "", args.steps);
  });
  return {
    tasks: tasks.length + client.forgotten.length + client.gone.length,
    steps: tasks.reduce((sum, [, { args }]) => sum + args.steps, 0),
    faults,
    lost: tasks.length - ends.length + client.gone.length,
    stuck: tasks.length - ends.length,
    unknown: client.unknown,
    found,
    leftBehind: Math.max(0, ledger.leftBehind - 1),
    recordedTwice: ledger.recordedTwice,
    recordedAgain: ledger.recordedAgain,
    endedOtherwise: client.changedEnds + wrong.length,
    otherKeys: ledger.otherKeys,
    effectsAgain: ledger.effectsAgain,
    restarted: ledger.restarted,
    unanswered: client.unanswered,
    refused: client.refused,
    slowest: Math.round(client.slowest),
    recovery,
    seconds,
  };
}

/** The figures that must be 0. */
const MUST_BE_ZERO = {
  lost: "tasks lost",
  stuck: "tasks that exist and do not end",
  unknown: "answers that an acknowledged task does not exist",
  found: "answers about tasks of others, or that the store had lost",
  leftBehind: "steps too many of runs that were left behind",
  recordedTwice: "steps recorded twice",
  recordedAgain: "recorded steps run again",
  endedOtherwise: "tasks ended other than once",
  otherKeys: "steps with another key",
};

/** @param scenario - `allowed` are the figures that its fault may affect; `words` explain the figures in it */
export function problemsOf(figures, { allowed = [], words = {} }) {
  return Object.entries({ ...MUST_BE_ZERO, ...words })
    .filter(([name]) => figures[name] > 0 && !allowed.includes(name))
    .map(([name, what]) => `${figures[name]} ${what}`);
}
