import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ScriptedCall } from "../packages/cli/src/lab/model/scripted-model.ts";
import type { Program } from "../packages/cli/src/lab/programs.ts";
import { type Report, tryClient } from "../packages/cli/src/lab/report.ts";
import type { TestedServer } from "../packages/cli/src/lab/run.ts";

const root = fileURLToPath(new URL("../", import.meta.url));
const PROFFER = [process.execPath, `${root}packages/proffer/dist/bin.js`];
const SERVER = `${root}lab/server.mjs`;
/** The name of the server in the configuration of each client. */
export const NAME = "lab";
/** In seconds. The slowest client needs half a minute for its start on a busy machine. */
const TIMEOUT = 240;

const none = {};
/** The calls of the conversation about samples. */
export const SAMPLES: readonly ScriptedCall[] = [
  ...[
    "words",
    "number",
    "list",
    "structured",
    "mixed",
    "picture",
    "pictured",
    "linked",
    "embedded",
    "broken",
    "large",
  ].map((tool) => ({ tool, arguments: none })),
  { tool: "union", arguments: { method: { kind: "card", number: "4711" } } },
  { tool: "constraints", arguments: { count: 3, rows: ["A"] } },
  { tool: "tree", arguments: { root: { name: "a", children: [{ name: "b" }] } } },
  { tool: "ask", arguments: none },
];

/** What was seen of one client. */
export interface Conversations {
  readonly samples: Report;
  readonly many: Report;
  readonly pages: Report;
  readonly http: Report;
  /** Absent if it was not asked for: it takes two minutes. */
  readonly work?: Report;
  /** By the file of the example. */
  readonly examples: { readonly [file: string]: Report };
}

export interface Choice {
  readonly examples: readonly string[];
  readonly work: boolean;
}

/** Has all conversations with a client. */
export async function converse(
  program: Program,
  choice: Choice,
  progress: (text: string) => void,
): Promise<Conversations> {
  const talk = (what: string, server: TestedServer, calls: readonly ScriptedCall[] = []) => {
    progress(`${program.title} ${program.version}: ${what}`);
    const { signal } = new AbortController();
    return tryClient(program, { name: NAME, server, calls, timeout: TIMEOUT, signal });
  };
  const samples = await talk("samples", serve("samples"), SAMPLES);
  const many = await talk("200 tools", serve("many"), [{ tool: "tool_199", arguments: none }]);
  const pages = await talk("pages", serve("pages"));
  const http = await overHttp((url) => talk("HTTP", { url, headers: {} }, [{ tool: "words", arguments: none }]));
  const examples: { [file: string]: Report } = {};
  for (const file of choice.examples) {
    examples[file] = await talk(file, { command: [...PROFFER, "serve", `${root}examples/${file}`] });
  }
  if (!choice.work) return { samples, many, pages, http, examples };
  return {
    samples,
    many,
    pages,
    http,
    examples,
    work: await talk("90 seconds of work", serve("work"), [{ tool: "work", arguments: none }]),
  };
}

function serve(name: string): TestedServer {
  return { command: [process.execPath, SERVER, name] };
}

/** Serves the samples over HTTP while they are used. */
export async function overHttp<Value>(use: (url: string) => Promise<Value>): Promise<Value> {
  const server = spawn(process.execPath, [SERVER, "samples", "http"], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [url] = (await once(server.stdout.setEncoding("utf8"), "data")) as [string];
    return await use(url.trim());
  } finally {
    server.kill();
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
  }
}
