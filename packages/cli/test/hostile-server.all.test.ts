import { spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";
import { hasTerminal, Person } from "./pseudo-terminal.ts";

/** Clears the screen, writes to the clipboard, hides a link, forges lines, reorders text. */
const HOSTILE =
  "x\u001b[2J\u001b]52;c;aGk=\u0007\u001b]8;;http://evil.example\u001b\\y\rFORGED\nFORGED\u202e\u2066\u200f\u009b31m\u0085\u2028FORGED";

/** Responds to every request with hostile text in every string. */
const SERVER = `
import { createInterface } from "node:readline";
const x = ${JSON.stringify(HOSTILE)};
const send = (message) => console.log(JSON.stringify({ jsonrpc: "2.0", ...message }));
const schema = { type: "object", properties: { [x]: { type: "string", title: x, description: x } }, required: [x] };
const option = { enum: ["a", "b"], enumNames: [x, x] };
const questions = {
  form: { requestedSchema: { properties: { [x]: { type: "string", title: x, description: x, ...option }, b: { type: "string", default: x } } } },
  url: { url: "https://bank.example@evil.example/?" + x },
  javascript: { url: "javascript:alert(1)" },
  file: { url: "file:///etc/passwd" },
  malformedForm: { requestedSchema: { properties: { a: null } } },
};
const results = {
  "server/discover": () => ({ capabilities: { tools: {}, prompts: {}, resources: {} }, serverInfo: { name: x }, instructions: x }),
  "tools/list": () => ({ tools: [{ name: x, title: x, description: x, inputSchema: schema, icons: [{ src: x }] }, { name: "ok", inputSchema: {} }] }),
  "prompts/list": () => ({ prompts: [{ name: x, title: x, description: x, arguments: [{ name: x, description: x }] }] }),
  "resources/list": () => ({ resources: [{ uri: x, name: x, description: x }, { uri: x, name: x }] }),
  "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: x, name: x }] }),
  "prompts/get": () => ({ description: x, messages: [{ role: x, content: { type: "text", text: x } }, { role: x, content: { type: "resource_link", uri: x, name: x } }] }),
  "resources/read": () => ({ contents: [{ uri: x, mimeType: x, text: x }, { uri: x, mimeType: x, blob: "aGk=" }] }),
  "tools/call": ({ name, _meta, inputResponses }) => {
    send({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: 1, total: 2, message: x } });
    send({ method: "notifications/progress", params: { progressToken: _meta.progressToken, progress: x, total: x } });
    send({ method: "notifications/message", params: { level: x, logger: x, data: x } });
    if (inputResponses) return { content: [{ type: "text", text: JSON.stringify(inputResponses.q) }] };
    if (questions[name]) {
      const params = { message: x, ...questions[name] };
      return { resultType: "input_required", inputRequests: { q: { method: "elicitation/create", params } } };
    }
    if (name === "structured") return { content: [], structuredContent: { [x]: x } };
    if (name === "malformed") return { content: [{ type: x }, { type: "text" }], [x]: x };
    const content = [{ type: "text", text: x }, { type: "resource_link", uri: x, name: x }, { type: x, [x]: x }];
    return { content, isError: name === "fail" };
  },
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  process.stderr.write("log " + x + "\\n");
  if (params?.name === "error") send({ id, error: { code: -1, message: x, data: { [x]: x } } });
  else if (id !== undefined) send({ id, result: results[method](params) });
});
`;

/** The commands that show text of a server. */
const COMMANDS = [
  ["list"],
  ["list", "--json"],
  ["call", "ok", "--json"],
  ["call", "structured"],
  ["call", "malformed"],
  ["call", "fail"],
  ["call", "error"],
  ["call", "absent", "--arg", "a=b"],
  ["read", "a://b", "--json"],
  ["prompt", "p", "--json"],
];
/** The commands that print the text of contents, which is data in a pipe. */
const CONTENTS = [
  ["call", "ok"],
  ["read", "a://b"],
  ["prompt", "p"],
];

/** Runs several commands in one process, to save time. */
const DRIVER = `
import { run } from "@proffer/cli";
for (const command of JSON.parse(process.argv[2])) {
  await run([...command, "--", process.execPath, "server.mjs"]);
}
process.exit();
`;

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("server.mjs", SERVER);
  project.write("driver.mjs", DRIVER);
});

afterAll(() => project.remove());

function runAll(...commands: string[][]): { stdout: string; stderr: string } {
  const args = ["driver.mjs", JSON.stringify(commands)];
  return spawnSync(process.execPath, args, { cwd: project.folder, encoding: "utf8", timeout: 600_000 });
}

describe("hostile text in every string of a server", () => {
  it("reaches a pipe escaped, in results, errors and logs", () => {
    const { stdout, stderr } = runAll(...COMMANDS);
    for (const output of [stdout, stderr]) {
      expect(output).toContain("x\\u001b[2J");
      expect(output).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\u2028]/u);
    }
    // Only the log of the server may have several lines: it is output of another process.
    expect(stdout).not.toMatch(/^FORGED/m);
    expect(stderr.replaceAll(/^log .*\nFORGED.*\n/gm, "")).not.toMatch(/^FORGED/m);
    expect(stderr).toContain("error: The server responded to tools/call with error -1: x");
    expect(stderr).not.toContain("    at ");
  });

  it("stays the same bytes in a pipe if it is the text of contents", () => {
    const { stdout, stderr } = runAll(...CONTENTS);
    expect(stdout.split(HOSTILE)).toHaveLength(4);
    for (const output of [stdout.replaceAll(HOSTILE, ""), stderr]) {
      expect(output).not.toMatch(/[^\P{Cc}\n]|[\p{Bidi_Control}\u2028]/u);
    }
  });

  it.skipIf(!hasTerminal)("reaches a terminal escaped, also in contents and progress", async () => {
    const commands = JSON.stringify([...COMMANDS, ...CONTENTS]);
    const { raw, text } = await new Person(project.folder, `'${process.execPath}' driver.mjs '${commands}'`).sees();
    expect(raw).toContain("x\\u001b[2J");
    // Proffer itself sets colors and moves the cursor, but none of these.
    for (const each of ["\u001b[2J", "\u001b]", "\u0007", "\u202e", "\u2066", "\u200f", "\u009b", "\u0085", "\u2028"]) {
      expect(raw).not.toContain(each);
    }
    // Contents and logs may have several lines, but no line may be overwritten.
    expect(raw).not.toMatch(/\r(?!\n)FORGED/);
    expect(text).toContain("  FORGED\\u202e");
  });
});

describe.skipIf(!hasTerminal)("a hostile question in a terminal", () => {
  const ask = (name: string) => {
    const command = `'${process.execPath}' driver.mjs '${JSON.stringify([["call", name]])}'`;
    return new Person(project.folder, command);
  };

  it("is escaped in its message, fields, options and default", async () => {
    const person = ask("form");
    await person.types("\r", "Your answer");
    await person.types("\r", "(optional)");
    // The first field shows its label again with the answer: keys that are typed then reach no prompt.
    await person.types("typed\r", "b (optional)");
    const { raw, text } = await person.sees();
    expect(text).toContain('"typed"');
    for (const each of ["\u001b[2J", "\u001b]", "\u0007", "\u202e", "\u009b"]) expect(raw).not.toContain(each);
  });

  it("names the host of a URL", async () => {
    const person = ask("url");
    await person.types("n", "Host: evil.example");
    expect((await person.sees()).text).toContain('"action": "decline"');
  });

  it.each(["javascript", "file"])("with a %s: URL is declined", async (scheme) => {
    const { text } = await ask(scheme).sees();
    expect(text).toContain("not http: or https:. The question was declined.");
    expect(text).toContain('"action": "decline"');
  });

  it("with a malformed form is an error in one line", async () => {
    const { text } = await ask("malformedForm").sees();
    expect(text).toContain(
      "error: The server asks with a malformed form: requestedSchema.properties.a must be an object",
    );
    expect(text).not.toContain("    at ");
  });
});
