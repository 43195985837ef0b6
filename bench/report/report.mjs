import { rawFor } from "../contenders.mjs";
import { judge } from "./budgets.mjs";
import { figure, table } from "./table.mjs";

/** Returns the complete report in Markdown. */
export function writeReport(results) {
  const { environment, runs } = results;
  const versions = Object.entries(environment.versions).map(([name, version]) => `${name} ${version}`);
  return [
    "# Results",
    "",
    "What was measured, a later run in place of an earlier one; [README.md](README.md) says how, and how to read it.",
    "",
    ...runs.map(({ command, date, minutes }) => `- \`${command}\` on ${date}, in ${minutes.toFixed(1)} minutes`),
    `- ${environment.cores} × ${environment.cpu}, ${environment.system}; load average at the beginning ${environment.load.toFixed(1)}`,
    `- ${versions.join(", ")}`,
    `- ${noise(results)}`,
    "",
    ...budgets(results),
    ...["http", "stdio"].flatMap((transport) => requests(transport, results[transport] ?? [])),
    ...coldStart(results.coldStart),
    ...memory(results.memory),
    ...sessions(results.sessions),
    ...dialogues(results.dialogues),
    ...changes(results.changes),
  ].join("\n");
}

/** Returns the noise of the machine: the ratio of the raw server to itself. */
function noise({ http = [], stdio = [], budgets = [] }) {
  const again = [...http, ...stdio, ...budgets].filter(({ name }) => name === "raw again").map(({ ratio }) => ratio);
  if (again.length === 0) return "noise: not measured";
  const [low, high] = [Math.min(...again), Math.max(...again)];
  return `noise: the raw server against itself in the same rounds ${low.toFixed(2)} to ${high.toFixed(2)}`;
}

function budgets(results) {
  const rows = judge(results);
  if (rows.length === 0) return [];
  const cells = rows.map(({ what, budget, found, where, met }) => [
    what,
    `≤ ${budget}`,
    found.toFixed(2),
    where,
    met ? "met" : "**not met**",
  ]);
  return [
    "## Budgets",
    "",
    ...table(["", "budget", "worst found", "where", ""], cells),
    "",
    ...["http", "stdio"].flatMap((transport) => judged(transport, results.budgets ?? [])),
  ];
}

function judged(transport, rows) {
  const some = rows.filter((row) => row.transport === transport);
  if (some.length === 0) return [];
  return grid(`${nameOf(transport)}, what there are budgets for, measured longer: ratio to raw`, some, ({ ratio }) =>
    figure(ratio),
  );
}

function nameOf(transport) {
  return transport === "http" ? "HTTP" : "stdio";
}

function requests(transport, rows) {
  const lines = [];
  for (const inFlight of new Set(rows.map((row) => row.inFlight))) {
    const some = rows.filter((row) => row.inFlight === inFlight);
    const title = `${nameOf(transport)}, ${inFlight} in flight`;
    lines.push(
      ...grid(`${title}: server CPU of a request, ratio to raw`, some, ({ ratio }) => figure(ratio)),
      ...grid(`${title}: server CPU of a request, µs`, some, ({ cpu }) => figure(cpu)),
      ...grid(`${title}: requests a second`, some, ({ perSecond }) => figure(perSecond)),
      ...grid(`${title}: latency p50 / p99, ms`, some, ({ p50, p99 }) => `${figure(p50)} / ${figure(p99)}`),
      ...grid(`${title}: bytes of an answer, ratio to raw`, some, (row) => figure(row.bytes / rawOf(row, some).bytes)),
    );
  }
  return lines;
}

function rawOf({ name, case: which }, rows) {
  const raw = rawFor({ era: name.endsWith("modern") ? "modern" : "legacy" });
  return rows.find((row) => row.name === raw && row.case === which) ?? { bytes: Number.NaN };
}

function grid(title, rows, show) {
  const cases = [...new Set(rows.map((row) => row.case))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const cells = names.map((name) => [
    name,
    ...cases.map((which) => {
      const row = rows.find((row) => row.name === name && row.case === which);
      return row === undefined ? "–" : show(row);
    }),
  ]);
  return [`## ${title}`, "", ...table(["", ...cases], cells), ""];
}

function coldStart(rows = []) {
  if (rows.length === 0) return [];
  const cells = rows.map(({ name, milliseconds, overRaw, cpu, rss }) => [name, milliseconds, overRaw, cpu, rss]);
  const heads = ["", "ms", "ms over raw", "CPU ms", "MiB"];
  return ["## Cold start over stdio, from spawn to the answer to initialize", "", ...table(heads, cells), ""];
}

function memory(rows = []) {
  if (rows.length === 0) return [];
  const [raw] = rows;
  const cells = rows.map(({ name, idle, after, heap }) => [
    name,
    idle,
    ...after.flatMap((mib, i) => [mib, mib - raw.after[i]]),
    heap,
  ]);
  const counts = ["10,000", "100,000"].slice(0, raw.after.length);
  const heads = ["", "idle", ...counts.flatMap((count) => [`after ${count} calls`, "over raw"]), "live heap"];
  return ["## Memory over HTTP, MiB", "", ...table(heads, cells), ""];
}

function sessions(rows = []) {
  if (rows.length === 0) return [];
  const cells = rows.map(({ name, kib }) => [name, kib]);
  return ["## An idle session over HTTP", "", ...table(["", "KiB of live heap"], cells), ""];
}

function dialogues(rows = []) {
  if (rows.length === 0) return [];
  const cells = rows.map(({ name, cpu, ratio }) => [name, cpu, ratio]);
  return ["## A dialogue of 20 questions over stdio", "", ...table(["", "CPU µs", "ratio to raw"], cells), ""];
}

function changes(rows = []) {
  if (rows.length === 0) return [];
  const cells = rows.map(({ name, cpu, ratio, milliseconds, kib }) => [name, cpu, ratio, milliseconds, kib]);
  const heads = ["", "CPU µs of a notification", "ratio to raw", "ms until all have heard", "KiB for a listener"];
  return ["## A change told to 1,000 listeners over HTTP", "", ...table(heads, cells), ""];
}
