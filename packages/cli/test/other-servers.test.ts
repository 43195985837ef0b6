import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { sendResult, startHostileHttp } from "./hostile-http.ts";
import { createProject, type Project } from "./project.ts";

// Servers that Proffer did not write: they leave out requests, answers and members.

/** Answers requests by the table in its first argument, and writes what it receives to the file in its second. */
const SERVER = `
  import { appendFileSync } from "node:fs";
  import { createInterface } from "node:readline";
  const [, , table, file] = process.argv;
  const answers = { initialize: { result: ${JSON.stringify({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "other", version: "1" },
  })} }, ...JSON.parse(table) };
  const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
  let asked;
  createInterface({ input: process.stdin }).on("line", (line) => {
    if (file) appendFileSync(file, line + "\\n");
    const { id, method } = JSON.parse(line);
    if (method === undefined) return send({ id: asked, result: { content: [{ type: "text", text: line }] } });
    if (id === undefined) return;
    if (method === "tools/call" && answers.ask) {
      asked = id;
      return send({ id: "asked", ...answers.ask });
    }
    send({ id, ...(answers[method] ?? { error: { code: -32601, message: "Method not found" } }) });
  });
`;

const LISTS = {
  "tools/list": {
    result: { tools: [{ name: "open", description: "Opens a page.", inputSchema: { type: "object" } }] },
  },
  "resources/list": { result: { resources: [{ uri: "log://all", name: "log" }] } },
};

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("server.mjs", SERVER);
});

afterAll(() => project.remove());

function command(answers: object, ...more: string[]): string[] {
  return ["--", process.execPath, "server.mjs", JSON.stringify({ ...LISTS, ...answers }), ...more];
}

interface Sent {
  readonly method?: string;
  readonly params: { readonly clientInfo: object; readonly capabilities: object };
}

function sent(file: string): Sent[] {
  return project
    .read(file)
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

describe("a server without one of its lists", () => {
  it("is listed and examined without it", async () => {
    const { status, stdout, stderr } = await project.proffer("list", ...command({}));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe("Tools\n  open()  Opens a page.\n\nResources\n  log://all  log\n");
    expect(await project.proffer("doctor", ...command({}))).toMatchObject({ status: 0, stderr: "" });
  });

  it("whose list fails in another way names the request", async () => {
    const broken = { "resources/templates/list": { error: { code: -32603, message: "no database" } } };
    const { status, stderr } = await project.proffer("list", ...command(broken));
    expect(status).toBe(1);
    expect(stderr).toContain("The server responded to resources/templates/list with error -32603: no database");
  });
});

describe("proffer doctor", () => {
  it("examines a command: its start, its output and its lists", async () => {
    const long = { name: "open", description: "Opens.", inputSchema: { type: "object", properties: { "a b": {} } } };
    const args = command({ "tools/list": { result: { tools: [long] } } });
    const { status, stdout } = await project.proffer("doctor", "--json", ...args);
    const messages = JSON.parse(stdout).map(({ message }: { message: string }) => message);
    expect(status).toBe(0);
    expect(messages).toContain("The server writes only protocol messages to stdout.");
    expect(messages).toContain("The parameter 'a b' of 'open' has a name that Claude rejects.");
    expect(messages.join()).toMatch(/The tools cost about \d+ tokens/);
  });

  it("examines a URL, with headers", async () => {
    const { url, close } = await startHostileHttp((message, response, { headers }) => {
      if (headers["x-team"] !== "shop") response.writeHead(401).end();
      else sendResult(message, response, { ...LISTS["tools/list"].result, prompts: [] });
    });
    onTestFinished(close);
    const { status, stdout } = await project.proffer("doctor", url, "--header", "x-team: shop");
    expect(status).toBe(0);
    expect(stdout).toContain("(open ");
    const refused = await project.proffer("doctor", url);
    expect(refused.status).toBe(1);
    expect(refused.stdout).toContain("401");
  });

  it.each([
    ["with a command that does not start", ["--", "absent-command"], 1, "absent-command has a problem"],
    ["with a choice of items", ["--only", "open", "--", "x"], 2, "--only applies to a module"],
    ["with a variable", ["--env", "A=b", "--", "x"], 2, "--env applies to a module"],
    ["with a header for a command", ["--header", "a: b", "--", "x"], 2, "--header requires the URL of a server"],
    ["without a target", [], 2, "Missing argument: target"],
  ])("%s explains the mistake", async (_, args, exitCode, message) => {
    const { status, stderr } = await project.proffer("doctor", ...args);
    expect({ status, stderr }).toEqual({ status: exitCode, stderr: expect.stringContaining(message) });
  });

  it("examines the first items of endless lists", async () => {
    const tools = Array.from({ length: 600 }, (_, i) => ({ name: `t${i}`, inputSchema: { type: "object" } }));
    const args = command({ "tools/list": { result: { tools } } });
    expect((await project.proffer("doctor", ...args)).stdout).toContain("100 items were not examined");
  });
});

describe("the commands as a client", () => {
  it("introduce themselves, and declare roots", async () => {
    await project.proffer("list", ...command({}, "listed.jsonl"));
    await project.proffer("doctor", ...command({}, "examined.jsonl"));
    for (const file of ["listed.jsonl", "examined.jsonl"]) {
      const opened = sent(file).filter(({ method }) => method === "initialize");
      expect(opened.length).toBeGreaterThan(0);
      for (const { params } of opened) {
        expect(params.clientInfo).toEqual({ name: "proffer", version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
      }
      expect(opened.at(-1)?.params.capabilities).toMatchObject({ roots: {} });
      expect(opened.at(-1)?.params.capabilities).not.toHaveProperty("elicitation");
    }
  });

  it("declare elicitation with --answer", async () => {
    await project.proffer(
      "call",
      "open",
      "--answer",
      "a=b",
      ...command({ "tools/call": { result: { content: [] } } }, "answers.jsonl"),
    );
    const [opened] = sent("answers.jsonl").filter(({ method }) => method === "initialize");
    expect(opened?.params.capabilities).toMatchObject({ elicitation: { form: {}, url: {} }, roots: {} });
  });

  it.each([
    ["none", [], []],
    ["those of --root", ["--root", "data", "--root", "."], ["data", "."]],
  ])("name %s as roots", async (_, flags, folders) => {
    const { stdout } = await project.proffer("call", "open", ...flags, ...command({ ask: { method: "roots/list" } }));
    const { roots } = JSON.parse(stdout).result;
    const paths = folders.map((folder) => project.path(folder));
    expect(roots).toEqual(paths.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) })));
  });

  it.each([
    ["nothing", {}, "protocolVersion must be a string, not missing"],
    ["no capabilities", { protocolVersion: "2025-06-18" }, "capabilities must be an object, not missing"],
    [
      "no name",
      { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: {} },
      "serverInfo.name must be a string",
    ],
  ])("refuse a server that answers initialize with %s", async (_, result, problem) => {
    const { status, stderr } = await project.proffer("list", ...command({ initialize: { result } }));
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(problem) });
  });
});
