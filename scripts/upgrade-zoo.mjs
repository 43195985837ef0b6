// npm run upgrade-zoo: puts `proffer upgrade` in front of servers of npm, and compares what clients get with what they got.
//   --only a,b     only these packages of upgrade-zoo/package.json
//   --write        write the table of docs/upgrade.md
import "./node-version.mjs";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { ensureInstalledIn, root } from "./npm.mjs";
import { Failure, main, progress } from "./terminal.mjs";

const ZOO = "upgrade-zoo";
const BEGIN = "<!-- npm run upgrade-zoo -- --write -->";
const PAGE = join(root, "docs/upgrade.md");
const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
/** Milliseconds for one server. */
const PATIENCE = 120_000;
/** Arguments that a server needs, and a tool that asks. */
const NEEDS = {
  "@modelcontextprotocol/server-filesystem": { args: ["{folder}"] },
  "@modelcontextprotocol/server-everything": { asks: "trigger-elicitation-request" },
  "@upstash/context7-mcp": { args: ["--transport", "stdio"] },
  "@modelcontextprotocol/server-pdf": { args: ["--stdio"] },
  "chrome-devtools-mcp": { args: ["--headless"] },
  "mcp-server-sqlite-npx": { args: ["{folder}/zoo.db"] },
};

await main(async () => {
  const { values } = parseArgs({ options: { only: { type: "string" }, write: { type: "boolean", default: false } } });
  if (values.write && values.only) throw new Failure("--write needs the results of all packages: remove --only.");
  ensureInstalledIn(ZOO);
  await ensureBuilt();
  const { dependencies } = JSON.parse(readFileSync(join(root, ZOO, "package.json"), "utf8"));
  const names = values.only?.split(",") ?? Object.keys(dependencies).sort();
  const rows = [];
  for (const name of names) {
    rows.push(await visit(name));
    progress(lineOf(rows.at(-1)));
  }
  console.log(tableOf(rows));
  if (values.write) writeTable(rows);
});

/** Starts one server alone, then behind `upgrade`. */
async function visit(name) {
  const folder = mkdtempSync(join(tmpdir(), "proffer-upgrade-"));
  const { args = [], asks } = NEEDS[name] ?? {};
  const { version, file } = entryOf(name);
  const command = [process.execPath, file, ...args.map((arg) => arg.replace("{folder}", folder))];
  const row = { name, version, stderr: [] };
  try {
    await within(PATIENCE, compare(row, command, folder, asks));
  } catch (error) {
    const [message] = String(error.message).split("\n");
    const reason = /^\w*Error\b.*$/m.exec(row.stderr.join(""))?.[0] ?? "";
    row.problem = `${message} ${reason}`
      .replaceAll(folder, "")
      .replaceAll(root, "")
      .replace(process.execPath, "It")
      .slice(0, 200);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return row;
}

async function compare(row, command, folder, asks) {
  const { connect } = await import("proffer/client");
  const alone = await connect(
    { command: command[0], args: command.slice(1), cwd: folder },
    { onStderr: (text) => row.stderr.push(text), answers: () => "decline" },
  );
  row.revision = alone.revision;
  row.instructions = alone.instructions !== undefined;
  const own = await offerOf(alone);
  await alone.close();
  row.tools = own.tools.length;
  row.resources = own.resources.length + own.templates.length;
  const upgraded = await upgrade(command, folder);
  try {
    row.served = [];
    for (const revision of REVISIONS) {
      const client = await connect(upgraded.url, { revision, answers: () => ({}) });
      const { tools } = await offerOf(client);
      const missing = own.tools.filter(({ name }) => !tools.some((each) => each.name === name));
      if (missing.length > 0) row.problem = `on ${revision}, the tool ${missing[0].name} is missing`;
      else row.served.push(revision);
      row.resourceTools = tools.length - own.tools.length;
      if (asks !== undefined && revision === REVISIONS.at(-1)) row.asked = await isAsked(upgraded.url, asks);
      await client.close();
    }
  } finally {
    await upgraded.stop();
  }
}

async function offerOf(client) {
  const others = { resources: "listResources", templates: "listTemplates" };
  const offer = { tools: await client.listTools() };
  for (const [name, method] of Object.entries(others)) offer[name] = await client[method]().catch(() => []);
  return offer;
}

/** Whether a stateless client is asked by a server that asks in the middle of its call. */
async function isAsked(url, tool) {
  const { connect } = await import("proffer/client");
  let isAsked = false;
  const answers = () => {
    isAsked = true;
    return "decline";
  };
  const client = await connect(url, { answers });
  await client.call(tool, {}).finally(() => client.close());
  return isAsked;
}

async function upgrade(command, cwd) {
  const bin = join(root, "packages/proffer/dist/bin.js");
  const words = [bin, "upgrade", "--http", "0", "--resource-tools", "always", "--", ...command];
  const child = spawn(process.execPath, words, { cwd, stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "exit");
  let text = "";
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      text = (text + chunk).slice(-100_000);
      const found = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(text);
      if (found !== null) resolve(found[0]);
    });
    void ended.then(() => reject(new Error(`upgrade ended: ${text}`)));
  });
  const stop = async () => {
    child.kill("SIGTERM");
    const kill = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(kill);
  };
  return { url, stop };
}

/** The file that a package starts. */
function entryOf(name) {
  const folder = join(root, ZOO, "node_modules", name);
  const { bin, main: entry = "index.js", version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const bins = typeof bin === "string" ? [bin] : Object.values(bin ?? { entry });
  const file = join(folder, bins.find((each) => existsSync(join(folder, each))) ?? entry);
  return { version, file };
}

async function within(milliseconds, work) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it took more than ${milliseconds / 1000} s`)), milliseconds);
  });
  await Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function lineOf({ name, problem, revision, served = [] }) {
  return `${name}: ${problem ?? `${revision} → ${served.length} revisions`}`;
}

function tableOf(rows) {
  const head = "| server | alone | with `upgrade` | tools | resources → tools |\n|---|---|---|---|---|";
  const lines = rows.map((row) => {
    const { name, version, revision = "", served = [], tools = "", resources = 0, resourceTools = 0 } = row;
    const gained =
      row.problem === undefined ? `all ${served.length}${row.asked ? ", and questions" : ""}` : row.problem;
    const read = resources === 0 ? "" : `${resources} → ${resourceTools}`;
    return `| ${name} ${version} | ${revision} | ${gained} | ${tools} | ${read} |`;
  });
  return [head, ...lines].join("\n");
}

function writeTable(rows) {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest = ""] = page.split(BEGIN);
  const after = rest.split("<!-- end -->")[1] ?? "\n";
  const good = rows.filter(({ problem }) => problem === undefined).length;
  const summary = `${good} of ${rows.length} servers are served on every revision, with all their tools.`;
  writeFileSync(PAGE, `${before}${BEGIN}\n${summary}\n\n${tableOf(rows)}\n<!-- end -->${after}`);
}
