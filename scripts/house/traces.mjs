// Counts the files of the run-time that a request runs through: V8's precise coverage of the sources, every file with a
// function that was called, after equal requests have loaded the modules and filled the memos.
import { fork } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";
const clientInfo = { name: "house", version: "1.0.0" };
const initialize = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
const tasks = { extensions: { "io.modelcontextprotocol/tasks": {} } };

const numbers = { a: 19, b: 23 };
const add = { name: "add", arguments: numbers };

/** The files of each trace, by its name. */
export async function traceCalls() {
  return { ...(await onServer("tools", traceTools)), ...(await onServer("features", traceFeatures)) };
}

/** Starts a server of traced-server.mjs, and passes its process to a function. */
async function onServer(name, traceAll) {
  const server = fileURLToPath(new URL("traced-server.mjs", import.meta.url));
  const child = fork(server, [name], { stdio: ["pipe", "pipe", "inherit", "ipc"] });
  const exited = once(child, "exit").then(([code]) => Promise.reject(new Error(`${server} ended with code ${code}.`)));
  try {
    return await Promise.race([traceAll(child), exited]);
  } finally {
    exited.catch(() => {});
    child.kill();
  }
}

async function traceTools(child) {
  const { stdio, http } = await connect(child);
  const rounds = await questionRounds(http, (request) => trace(child, request));
  const { session } = await http("initialize", initialize);
  const inSession = { "mcp-session-id": session, "mcp-protocol-version": LEGACY };
  return {
    stdio: await trace(child, () => stdio("tools/call", add)),
    http: await trace(child, () => http("tools/call", modern(add))),
    session: await trace(child, () => http("tools/call", add, inSession)),
    question: rounds.reduce((most, files) => (files.length > most.length ? files : most)),
  };
}

async function traceFeatures(child) {
  const { stdio } = await connect(child);
  return {
    read: await trace(child, () => stdio("resources/read", { uri: "notes://7" })),
    task: await trace(child, () => runTask(stdio)),
  };
}

async function connect(child) {
  const [url] = await once(child, "message");
  const stdio = stdioClient(child);
  await stdio("initialize", initialize);
  return { stdio, http: httpClient(url) };
}

/** The least of three times: a timer of the server that fires meanwhile is no part of the request. */
async function trace(child, request) {
  await request();
  await filesOf(child);
  const runs = [];
  for (let run = 0; run < 3; run++) {
    await request();
    runs.push(await filesOf(child));
  }
  return runs.reduce((least, files) => (files.length < least.length ? files : least));
}

/** Both rounds of a question: the call that is answered with it, and the call with the answer (no form is checked). */
async function questionRounds(http, trace) {
  const ask = (more) => http("tools/call", modern({ name: "ask", arguments: {}, ...more }, { elicitation: {} }));
  const { requestState, inputRequests } = await ask();
  const decline = { action: "decline" };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, decline]));
  return [await trace(() => ask()), await trace(() => ask({ requestState, inputResponses }))];
}

/** A task from its start to its result, on the ports in memory. */
async function runTask(stdio) {
  const { taskId } = await stdio("tools/call", modern({ name: "work", arguments: numbers }, tasks));
  for (;;) {
    const { status } = await stdio("tasks/get", modern({ taskId }, tasks));
    if (status === "completed") return;
    await delay(10);
  }
}

async function filesOf(child) {
  child.send("files");
  const [files] = await once(child, "message");
  return files;
}

/** The parameters with the members that describe a request since 2026-07-28. */
function modern(params, clientCapabilities = {}) {
  const members = Object.entries({ protocolVersion: MODERN, clientInfo, clientCapabilities });
  return { ...params, _meta: Object.fromEntries(members.map(([name, is]) => [`io.modelcontextprotocol/${name}`, is])) };
}

/** Sends one request at a time over stdio, and resolves to its result. */
function stdioClient(child) {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  return async (method, params) => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return resultOf(method, (await lines.next()).value);
  };
}

/** The same over HTTP; with `session`, the session that the response opened. */
function httpClient(url) {
  return async (method, params, headers) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(headers ??
          (params._meta && { "mcp-protocol-version": MODERN, "mcp-method": method, "mcp-name": params.name })),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return { ...resultOf(method, await response.text()), session: response.headers.get("mcp-session-id") };
  };
}

function resultOf(method, text) {
  const { result, error } = JSON.parse(text);
  if (error || result.isError) throw new Error(`${method} failed: ${text}`);
  return result;
}
