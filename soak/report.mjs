import os from "node:os";
import { quantile } from "../bench/lib/statistics.mjs";
import { table } from "../bench/report/table.mjs";
import { grows, leaks, MIN_SAMPLES, slopeOf } from "./measure.mjs";
import { PHASES } from "./run.mjs";

/** Returns the report of a run as Markdown. */
export function describe(soak, seed) {
  const { tally } = soak;
  const machine = `Node ${process.versions.node}, ${os.cpus().length} cores, ${os.type()}`;
  return [
    `${soak.minutes.toFixed(1)} minutes, seed ${seed}, ${machine}`,
    "",
    ...table(["honest clients", "figure"], countRows(tally)),
    "",
    ...table(["honest clients", "calls", "p50 (ms)", "p99 (ms)"], latencyRows(tally)),
    "",
    ...table(["server", "before", "after"], memoryRows(soak)),
    "",
    describeHeap(soak),
    "",
    ...table(["attacks begun", "number"], Object.entries(tally.attacks).map(toRow).sort()),
    "",
  ].join("\n");
}

/** Returns the reasons why a run fails. */
export function findProblems({ tally, before, after, samples, exit }) {
  const problems = [];
  if (exit !== undefined) problems.push(`the server ended: ${exit}`);
  if (tally.foreign > 0) problems.push(`${tally.foreign} foreign bytes`);
  if (tally.wrongAnswers > 0) problems.push(`${tally.wrongAnswers} wrong answers`);
  if (tally.orphans > 0) problems.push(`${tally.orphans} orphan processes`);
  if (before && after) problems.push(...leaks(before, after).map((leak) => `leaked: ${leak}`));
  if (grows(samples)) problems.push(`the heap grows: ${perTenMinutes(samples)}`);
  if (tally.calls === 0) problems.push("no call was answered");
  return problems;
}

function countRows(tally) {
  return [
    ["answers checked", tally.calls],
    ["wrong answers", tally.wrongAnswers],
    ["foreign bytes", tally.foreign],
    ["orphan processes", tally.orphans],
    ...Object.entries(tally.refusals).map(([status, count]) => [`refused with ${status} and repeated`, count]),
  ].map(toRow);
}

function latencyRows({ latencies }) {
  return PHASES.filter((phase) => latencies[phase]?.length > 0).map((phase) => {
    const values = latencies[phase];
    return [phase, String(values.length), quantile(values, 0.5), quantile(values, 0.99)];
  });
}

function memoryRows({ before, after }) {
  if (before === undefined || after === undefined) return [];
  const total = ({ handles }) => Object.values(handles).reduce((sum, count) => sum + count, 0);
  return [
    ["heap (MB)", before.heap / 1e6, after.heap / 1e6],
    ["rss (MB)", before.rss / 1e6, after.rss / 1e6],
    ["handles", String(total(before)), String(total(after))],
    ["file descriptors", String(before.descriptors ?? "–"), String(after.descriptors ?? "–")],
  ];
}

function describeHeap({ samples }) {
  const sizes = samples.map(({ heap }) => (heap / 1e6).toFixed(1)).join(" ");
  const judged = samples.length >= MIN_SAMPLES ? perTenMinutes(samples) : "too few samples to tell growth from noise";
  return `Heap after each round of attacks (MB): ${sizes}; ${judged}.`;
}

function perTenMinutes(samples) {
  return `${((slopeOf(samples) * 600_000) / 1e6).toFixed(2)} MB in 10 minutes`;
}

function toRow([name, count]) {
  return [name, count.toLocaleString("en")];
}
