import os from "node:os";
import { table } from "../bench/report/table.mjs";

const HEAD = [
  ...["run", "seeds", "tasks", "steps", "faults", "lost", "recorded twice", "recorded, run again", "ended ≠ once"],
  ...["effects run again", "runs restarted", "no answer", "refused", "slowest answer (ms)", "recovery (s)", "time (s)"],
];

/** Returns the report as Markdown: a row for each scenario, the sums of its seeds and the longest times. */
export function describe(rows, seed) {
  const machine = `Node ${process.versions.node}, ${os.cpus().length} cores, ${os.type()}`;
  return [`seed ${seed}, ${machine}`, "", ...table(HEAD, rows.map(toRow)), "", ...rows.flatMap(toNotes), ""].join("\n");
}

function toNotes({ scenario: { id }, runs }) {
  const names = new Set(runs.flatMap(({ notes = {} }) => Object.keys(notes)));
  return [...names].map((name) => {
    const most = Math.max(...runs.map(({ notes = {} }) => notes[name] ?? 0));
    return `${id}: ${name}: at most ${most.toFixed(1)}`;
  });
}

function toRow({ scenario: { id, title }, place, runs }) {
  const sum = (name) => String(runs.reduce((total, run) => total + (run[name] ?? 0), 0));
  const most = (name, digits) => Math.max(...runs.map((run) => run[name] ?? 0)).toFixed(digits);
  return [
    `${id} ${place}: ${title}`,
    String(runs.length),
    ...["tasks", "steps", "faults", "lost", "recordedTwice", "recordedAgain", "endedOtherwise"].map(sum),
    ...["effectsAgain", "restarted", "unanswered", "refused"].map(sum),
    most("slowest", 0),
    most("recovery", 1),
    runs.reduce((total, run) => total + run.seconds, 0).toFixed(1),
  ];
}
