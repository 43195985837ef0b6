import { setTimeout as sleep } from "node:timers/promises";
import { definePrompt, defineResource, defineServer, defineTool, field } from "proffer";
import { files } from "proffer/files";

const text = { type: "string" };
const count = { type: "integer", minimum: 0, maximum: 1000 };
/** The entries of the list that each caller has alone. */
export const NOTES = 25;
/** A fixed content, which the server serializes once per revision. */
export const LARGE_TEXT = "x".repeat(1024 * 1024);
const CUT = { maxResult: { bytes: 10_000 } };
/** Tools and prompts that only fill pages. */
const FILLERS = 30;

/**
 * The server under test. Every answer repeats the caller's secret, or is derived from its principal, so that an answer
 * that reaches another client is recognized.
 * @param folder - has the files to read
 */
export function createServer(folder) {
  const server = defineServer({
    name: "soak",
    version: "1.0.0",
    keys: [new Uint8Array(32).fill(7)],
    pageSize: 10,
    // As long as an honest client waits.
    limits: { questionTimeout: 120_000 },
    log: () => {},
    tools: [
      tool("echo", {}, ({ secret }) => secret),
      tool("work", { turns: count }, work),
      tool("ask", {}, ask),
      tool("dialogue", {}, dialogue),
      tool("sample", {}, sample),
      tool("roots", {}, roots),
      tool("wait", {}, wait),
      // For clients that do not cancel: an older revision does not end a call when its connection is lost.
      tool("linger", {}, wait, { timeout: 2_000 }),
      // A handler that does not look at its signal.
      tool("deaf", {}, ({ secret }) => sleep(3_000, secret)),
      tool("touch", {}, ({ secret }) => {
        server.notify(`note://${secret}/0`);
        return secret;
      }),
      // Backtracking engines take quadratic time and more for such patterns.
      tool(
        "slug",
        { slug: { type: "string", pattern: "^[a-z0-9]+[a-z0-9_-]{0,62}[a-z0-9]+$" } },
        ({ secret }) => secret,
      ),
      tool("line", { length: { type: "integer", maximum: 1_000_000 } }, ({ length }) => "x".repeat(length), CUT),
      tool("brief", {}, ({ secret }) => secret, { task: true }),
      tool("hold", {}, wait, { task: { ttl: 10_000 }, timeout: 2_000 }),
      defineTool({ name: "pid", handle: () => String(process.pid) }),
      ...fillers((name) => defineTool({ name, handle: () => name })),
    ],
    prompts: [
      definePrompt({
        name: "recall",
        arguments: { secret: { required: true, complete: (value) => [`${value}-a`, `${value}-b`] } },
        get: ({ secret }) => `Recall ${secret}.`,
      }),
      ...fillers((name) => definePrompt({ name, get: () => name })),
    ],
    resources: [
      defineResource({
        uri: "note://{owner}/{number}",
        name: "Note",
        list: (_request, ctx) => notesOf(ctx.principal?.id ?? "nobody"),
        complete: { owner: (value) => [`${value}-a`] },
        read: ({ owner, number }) => `${owner} wrote note ${number}.`,
      }),
      defineResource({ uri: "text://large", name: "Large", content: LARGE_TEXT }),
      ...files(folder, { uri: "docs://", watch: false }),
    ],
  });
  return server;
}

/** The names of all tools; maxResult adds `more`. */
export const TOOLS = [
  "echo",
  "work",
  "ask",
  "dialogue",
  "sample",
  "roots",
  "wait",
  "linger",
  "deaf",
  "touch",
  "slug",
  "line",
  "brief",
  "hold",
  "more",
  "pid",
  ...fillers(String),
];

function tool(name, properties, handle, options = {}) {
  const input = { type: "object", properties: { secret: text, ...properties }, required: ["secret"] };
  return defineTool({ name, input, handle, ...options });
}

function fillers(create) {
  return Array.from({ length: FILLERS }, (_, at) => create(`filler_${String(at).padStart(2, "0")}`));
}

function* notesOf(owner) {
  for (let number = 0; number < NOTES; number++) yield { uri: `note://${owner}/${number}`, key: number };
}

/** Sends progress and log messages, with other calls in between. */
async function work({ secret, turns }, ctx) {
  for (let done = 1; done <= turns; done++) {
    ctx.progress(done, turns, secret);
    ctx.log("info", secret);
    await new Promise(setImmediate);
  }
  return secret;
}

async function ask({ secret }, ctx) {
  const answer = await ctx.ask(`What next, ${secret}?`, { word: field.text() });
  return answer.action === "accept" ? `${secret} ${answer.content.word}` : `${secret} ${answer.action}`;
}

/** Two rounds with a step between them. */
async function dialogue({ secret }, ctx) {
  const first = await ctx.ask(`First, ${secret}?`, { word: field.text() });
  const step = await ctx.step("remember", () => `${secret} stepped`);
  const second = await ctx.ask(`Second, ${secret}?`, { word: field.text() });
  return [step, first.content?.word, second.content?.word].join(" ");
}

async function sample({ secret }, ctx) {
  const { content } = await ctx.sample({ messages: [{ role: "user", content: { type: "text", text: secret } }] });
  const [first] = [content].flat();
  return `${secret} ${first.text}`;
}

async function roots({ secret }, ctx) {
  const [root] = await ctx.roots();
  return `${secret} ${root?.uri}`;
}

/** Ends only when its caller cancels or disconnects. */
function wait({ secret }, ctx) {
  ctx.progress(1, 2, secret);
  return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve(secret), { once: true }));
}
