// Measures Proffer, its peers and the raw limits: npm run bench, npm run bench:all; see bench/README.md for options.
import "../scripts/node-version.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Failure, main, progress } from "../scripts/terminal.mjs";
import { buildDerived } from "./lib/derived.mjs";
import { environment } from "./lib/environment.mjs";
import { ensureReady } from "./lib/install.mjs";
import { contendersOf, isJudged, PLANS } from "./plan.mjs";
import { BUDGET_CASES } from "./report/budgets.mjs";
import { drawChart } from "./report/chart.mjs";
import { writeReport } from "./report/report.mjs";
import { measureChanges } from "./scenarios/changes.mjs";
import { measureColdStart } from "./scenarios/cold-start.mjs";
import { measureDialogues } from "./scenarios/dialogues.mjs";
import { measureMemory } from "./scenarios/memory.mjs";
import { measureRequests } from "./scenarios/requests.mjs";
import { measureSessions } from "./scenarios/sessions.mjs";
import { CASES } from "./workload/cases.mjs";
import { makeFiles } from "./workload/files.mjs";

const SCENARIOS = {
  http: (plan, contenders) => measureRequests({ ...plan, transport: "http", contenders, progress }),
  stdio: (plan, contenders) => measureRequests({ ...plan, transport: "stdio", contenders, progress }),
  async budgets({ budgets, ...plan }, contenders) {
    const rows = [];
    for (const transport of ["http", "stdio"]) {
      const some = contenders.filter((one) => one.transport === transport);
      const cases = BUDGET_CASES.filter((name) => plan.cases.includes(name));
      rows.push(...(await measureRequests({ ...plan, ...budgets, cases, transport, contenders: some, progress })));
    }
    return rows;
  },
  coldStart({ coldStarts }, contenders) {
    buildDerived(progress);
    const runsOf = (contender) => (isJudged(contender) ? coldStarts.judged : coldStarts.all);
    return measureColdStart({ contenders, runsOf, progress });
  },
  memory: ({ calls }, contenders) => measureMemory({ contenders, counts: calls, progress }),
  sessions: ({ sessions }, contenders) => measureSessions({ contenders, count: sessions, progress }),
  dialogues: (plan, contenders) => measureDialogues({ ...plan, contenders, progress }),
  changes: ({ listeners, changes }, contenders) => measureChanges({ contenders, listeners, changes, progress }),
};

const OPTIONS = {
  all: { type: "boolean" },
  only: { type: "string" },
  cases: { type: "string" },
  servers: { type: "string" },
  processes: { type: "string" },
  rounds: { type: "string" },
  seconds: { type: "string" },
  warm: { type: "string" },
  "in-flight": { type: "string" },
  json: { type: "string" },
  rest: { type: "string" },
};

await main(async () => {
  const { values } = parseArgs({ options: OPTIONS });
  const plan = planOf(values);
  // Without --all the other scenarios decide about the budgets, because there is no time for a longer measurement.
  const scenarios =
    values.only?.split(",") ?? Object.keys(SCENARIOS).filter((name) => values.all || name !== "budgets");
  const unknown = scenarios.find((name) => SCENARIOS[name] === undefined);
  if (unknown !== undefined) {
    throw new Failure(`Unknown scenario "${unknown}". Use one of ${Object.keys(SCENARIOS).join(", ")}.`);
  }
  await ensureReady();
  makeFiles();
  const begin = Date.now();
  const rest = values.rest === undefined ? { runs: [] } : JSON.parse(readFileSync(values.rest, "utf8"));
  const results = { ...rest, environment: environment() };
  for (const name of scenarios) {
    results[name] = await SCENARIOS[name](plan, contendersOf(name, plan.isChosen));
  }
  const minutes = (Date.now() - begin) / 60_000;
  results.runs = [...rest.runs, { command: commandOf(values), date: results.environment.date, minutes }];
  publish(results, values);
});

/** Returns the command that repeats this run. */
function commandOf({ all, json: _, rest: __, ...others }) {
  const quote = (value) => (/^[\w.,]+$/.test(value) ? value : `"${value}"`);
  const options = Object.entries(others).map(([name, value]) => ` --${name} ${quote(value)}`);
  return `npm run bench${all ? ":all" : ""}${options.length > 0 ? ` --${options.join("")}` : ""}`;
}

function planOf(values) {
  const plan = { ...PLANS[values.all ? "all" : "short"] };
  for (const key of ["processes", "rounds", "seconds", "warm"]) {
    if (values[key] === undefined) continue;
    plan[key] = Number(values[key]);
    plan.budgets = { ...plan.budgets, [key]: plan[key] };
  }
  if (values["in-flight"] !== undefined) plan.inFlight = values["in-flight"].split(",").map(Number);
  if (values.cases !== undefined) plan.cases = values.cases.split(",");
  const unknown = plan.cases.find((name) => CASES[name] === undefined);
  if (unknown !== undefined) {
    throw new Failure(`Unknown case "${unknown}". Use one of ${Object.keys(CASES).join(", ")}.`);
  }
  if (values.servers !== undefined) {
    const prefixes = ["raw", ...values.servers.split(",")];
    plan.isChosen = ({ name }) => prefixes.some((prefix) => name.startsWith(prefix));
  }
  return plan;
}

/**
 * Prints the report. Replaces the result files only after a complete run, or after a partial run that takes the rest
 * from an earlier one.
 */
function publish(results, { only, cases, servers, json, rest }) {
  const report = writeReport(results);
  process.stdout.write(report);
  if (json !== undefined) writeFileSync(json, JSON.stringify(results, null, 2));
  if (cases !== undefined || servers !== undefined || (only !== undefined && rest === undefined)) return;
  writeFileSync(fileURLToPath(new URL("results.md", import.meta.url)), report);
  writeFileSync(fileURLToPath(new URL("results.svg", import.meta.url)), drawChart(results));
  progress("wrote bench/results.md and bench/results.svg");
}
