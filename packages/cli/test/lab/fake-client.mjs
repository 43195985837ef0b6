// A client that speaks the protocol over stdio and asks a model of Anthropic Messages, and misbehaves as told.
// Arguments: the file of its configuration, then the misbehavior.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const [config, misbehavior = "", detail = ""] = process.argv.slice(2);
const { model, command } = JSON.parse(readFileSync(config, "utf8"));

const REFUSED = { content: [{ type: "text", text: "Not allowed." }] };

const MISBEHAVIORS = {
  /** Never ends, and leaves a process in a session of its own behind. */
  hangs() {
    spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)", detail], { detached: true, stdio: "ignore" }).unref();
    return new Promise(() => setInterval(() => {}, 1000));
  },
  dies: () => process.kill(process.pid, "SIGKILL"),
  "ignores its configuration": () => process.exit(0),
  "asks for a login"() {
    console.log("Please log in.");
    process.exit(1);
  },
  writes() {
    for (const file of detail.split(",")) {
      try {
        writeFileSync(file, "x");
        console.log(`wrote ${file}`);
      } catch (error) {
        console.log(error.code);
      }
    }
    process.exit(1);
  },
  async connects() {
    const socket = connect(Number(detail), "127.0.0.1");
    console.log(
      await new Promise((resolve) =>
        socket.on("connect", () => resolve("reached")).on("error", ({ code }) => resolve(code)),
      ),
    );
    process.exit(1);
  },
  prints() {
    console.log(JSON.stringify({ env: process.env, cwd: process.cwd() }));
    process.exit(1);
  },
};

await MISBEHAVIORS[misbehavior]?.();

const server = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "inherit"] });
const pending = new Map();
let last = 0;
createInterface({ input: server.stdout }).on("line", (line) => {
  const { id, result, error } = JSON.parse(line);
  pending.get(id)?.(result ?? { content: [{ type: "text", text: error.message }] });
});

function request(method, params = {}) {
  const id = ++last;
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return new Promise((resolve) => pending.set(id, resolve));
}

const clientInfo = { name: "fake", version: "1.0.0" };
const { instructions } = await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
const { tools } = await request("tools/list");
// This client drops every `minimum`, and cuts names.
const shown = tools.map(({ name, description, inputSchema }) => ({
  name: `fake__${name}`.slice(0, 30),
  description,
  input_schema: JSON.parse(JSON.stringify(inputSchema, (key, value) => (key === "minimum" ? undefined : value))),
}));
const messages = [{ role: "user", content: "Use the tools." }];
for (;;) {
  const body = JSON.stringify({ model: "m", system: instructions, tools: shown, messages });
  const response = await fetch(`${model}/v1/messages`, { method: "POST", body });
  const { content } = await response.json();
  messages.push({ role: "assistant", content });
  const use = content.find(({ type }) => type === "tool_use");
  if (use === undefined) break;
  const name = tools.find((_, at) => shown[at].name === use.name)?.name;
  const isRefused = misbehavior === "refuses calls";
  const { content: given } = isRefused ? REFUSED : await request("tools/call", { name, arguments: use.input });
  const blocks = misbehavior === "keeps results" ? [{ type: "text", text: "done" }] : given;
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: blocks }] });
}
server.stdin.end();
