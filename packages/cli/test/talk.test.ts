import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project, waitForStderr } from "./project.ts";

let project: Project;
let url: string;

beforeAll(async () => {
  project = createProject();
  project.write(
    "tools.ts",
    'import { image, type Context, ToolError } from "proffer";',
    "/** Repeats. */",
    "export function repeat(text: string, times = 2, upper = false): string {",
    "  console.log('this must not reach stdout');",
    "  return (upper ? text.toUpperCase() : text).repeat(times);",
    "}",
    "/** Fails. */",
    'export function refuse(): string { throw new ToolError("not today"); }',
    "/** Draws. */",
    'export const draw = () => image(new Uint8Array([1, 2, 3]), "image/png");',
    "/** Asks. */",
    'export const ask = async (ctx: Context) => (await ctx.ask<{ name: string }>("Who?")).action;',
    "/** Asks twice. */",
    "export async function book(ctx: Context): Promise<string> {",
    '  const first = await ctx.ask<{ nights: number; bed?: string }>("How long?");',
    '  const second = await ctx.ask<{ nights: number }>("And then?");',
    '  const told = (answer: typeof first) => (answer.action === "accept" ? JSON.stringify(answer.content) : answer.action);',
    '  return [told(first), told(second)].join(" ");',
    "}",
    "/** A note. @resource notes://{id} @mimeType text/plain */",
    'export const note = (id: string) => "note " + id;',
    "/** Greets. @prompt */",
    'export const greet = (name: string, tone?: "kind" | "curt") => "Greet " + name + ", " + (tone ?? "somehow") + ".";',
  );
  const server = project.start("serve", "tools.ts", "--http", "0");
  const said = await waitForStderr(server, /http:\S+/);
  url = /http:\S+/.exec(said)?.[0] ?? "";
});

afterAll(() => project.remove());

/** Runs a command against the module, the URL with a new and an old revision, and a command that starts a server. */
async function everywhere(command: string, words: string[], options: string[] = []) {
  const launch = ["--", process.execPath, "node_modules/proffer/dist/bin.js", "serve", "tools.ts"];
  return [
    await project.proffer(command, "tools.ts", ...words, ...options),
    await project.proffer(command, url, ...words, ...options),
    await project.proffer(command, url, ...words, ...options, "--revision", "2025-06-18"),
    await project.proffer(command, ...words, ...options, ...launch),
  ];
}

describe("for a module, a URL and a command, proffer", () => {
  it("lists tools, prompts and resources", async () => {
    const [first, ...others] = (await everywhere("list", [])).map(({ stdout }) => stdout);
    expect(first).toContain("repeat(text, times?, upper?)  Repeats.");
    expect(first).toContain("notes://{id}");
    for (const other of others) expect(other).toBe(first);
  });

  it("converts arguments to the types of the tool", async () => {
    const options = ["--arg", "text=12", "--arg", "times=3", "--input", '{"upper":true,"times":9}'];
    for (const { status, stdout } of await everywhere("call", ["repeat"], options)) {
      expect({ status, stdout }).toEqual({ status: 0, stdout: "121212\n" });
    }
  });

  it("reports the exit code of a command that ends", async () => {
    const { status, stderr } = await project.proffer("call", "repeat", "--", process.execPath, "absent.mjs");
    expect(status).toBe(1);
    expect(stderr).toContain("ended (exit code 1)");
  });
});

describe("proffer call", () => {
  it("prints the raw result for scripts", async () => {
    const { stdout } = await project.proffer("call", "tools.ts", "repeat", "--arg", "text=a", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ content: [{ type: "text", text: "aa" }] });
  });

  it("reads the arguments from stdin", async () => {
    const { stdout } = await project.profferWith(
      { input: '{"text":"x"}' },
      "call",
      "tools.ts",
      "repeat",
      "--input",
      "-",
    );
    expect(stdout).toBe("xx\n");
  });

  it("saves an image and prints its path", async () => {
    const { stdout } = await project.proffer("call", "tools.ts", "draw");
    expect(stdout).toMatch(/\.png\n$/);
    expect(existsSync(stdout.trim())).toBe(true);
  });

  it.each([
    ["a tool that fails", ["refuse"], "not today"],
    ["an unknown tool", ["absent", "--arg", "a=b"], "Available tools: repeat, refuse, draw, ask, book"],
    ["invalid arguments", ["repeat", "--arg", "times=x"], "/times: must be number"],
    ["a question without a terminal", ["ask"], "elicitation"],
    ["a question without its answer", ["ask", "--accept"], "The server asks: Who?\nAdd --answer name=…, or --decline."],
  ])("exits with 1 for %s", async (_, words, message) => {
    const { status, stdout, stderr } = await project.proffer("call", "tools.ts", ...words);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain(message);
  });

  it("names a URL that cannot be reached", async () => {
    const { status, stderr } = await project.proffer("call", "http://127.0.0.1:9/mcp", "x");
    expect(status).toBe(1);
    expect(stderr).toContain("http://127.0.0.1:9/mcp cannot be reached");
  });
});

describe("proffer call and doctor", () => {
  const secret = "s3cr3t-value-4711";

  it("do not print the query or the password of a URL", async () => {
    const { stderr } = await project.proffer("call", `http://127.0.0.1:9/mcp?api_key=${secret}`, "x");
    expect(stderr).toContain("http://127.0.0.1:9/mcp cannot be reached");
    const named = await project.proffer("call", `http://me:${secret}@127.0.0.1:9/mcp`, "x");
    expect(named.status).toBe(2);
    expect(stderr + named.stderr).not.toContain(secret);
  });

  it("do not print the values of secret variables", async () => {
    // A module that exports its own server is loaded before anything else, so its failure is certain.
    project.write(
      "leaks.mjs",
      'import { defineServer } from "proffer";',
      'export default defineServer({ name: "a", version: "1" });',
      'throw new Error("cannot use " + process.env.MY_TOKEN);',
    );
    for (const words of [
      ["doctor", "leaks.mjs"],
      ["call", "leaks.mjs", "say"],
    ]) {
      const { status, stdout, stderr } = project.profferProcess({ env: { MY_TOKEN: secret } }, ...words);
      expect(status).toBe(1);
      expect(stdout + stderr).toContain("cannot use ***");
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});

it("proffer read prints a resource, or the error for an unknown URI", async () => {
  expect((await project.proffer("read", url, "notes://7")).stdout).toBe("note 7\n");
  expect((await project.proffer("read", "tools.ts", "notes://a/b")).stderr).toContain(
    "The server responded to resources/read with error",
  );
});

it("proffer prompt prints the messages", async () => {
  const { stdout } = await project.proffer("prompt", "tools.ts", "greet", "--arg", "name=Ada", "--arg", "tone=kind");
  expect(stdout).toBe("user: Greet Ada, kind.\n");
});

describe("the questions of a tool in a script", () => {
  it("are answered by --answer, in the order of the questions, and converted to the types of the form", async () => {
    const options = ["--answer", "nights=3", "--answer", "bed=12", "--answer", "nights=1"];
    for (const { status, stdout, stderr } of await everywhere("call", ["book"], options)) {
      expect({ status, stdout, stderr }).toMatchObject({
        status: 0,
        stdout: '{"nights":3,"bed":"12"} {"nights":1}\n',
        stderr: expect.not.stringContaining("warning: No question"),
      });
    }
  });

  it("are declined by --decline", async () => {
    for (const { status, stdout } of await everywhere("call", ["book"], ["--decline"])) {
      expect({ status, stdout }).toEqual({ status: 0, stdout: "decline decline\n" });
    }
  });

  it("name the flags that would answer them", async () => {
    const { status, stderr } = await project.proffer("call", "tools.ts", "ask");
    expect(status).toBe(1);
    expect(stderr).toContain("Run the command in a terminal, or add --answer name=value, --accept or --decline.");
  });

  it("are not answered by a misspelled name, and flags that contradict each other are refused", async () => {
    const misspelled = await project.proffer("call", "tools.ts", "ask", "--answer", "name=Ada", "--answer", "nam=x");
    expect(misspelled).toMatchObject({ status: 0, stdout: "accept\n" });
    expect(misspelled.stderr).toContain("No question asked for --answer nam.");
    const both = await project.proffer("call", "tools.ts", "ask", "--accept", "--decline");
    expect(both).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("--decline cannot be used with --accept"),
    });
  });
});
