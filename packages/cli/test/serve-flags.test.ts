import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { linkUrl } from "proffer/client";
import { connectOver } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

// `proffer serve` and a built folder have the same flags and variables: each test runs both.

let project: Project;

beforeAll(async () => {
  project = createProject();
  project.write(
    "tools.ts",
    'import { defineServer, defineTool } from "proffer";',
    "const atStart = process.argv.slice(2);",
    "// A module that is named in argv[1] would think that it was started directly.",
    "const isMain = process.argv[1]?.endsWith('tools.ts') || process.argv[1]?.endsWith('tools.js');",
    'const args = defineTool({ name: "args", handle: () => JSON.stringify({ atStart, isMain }) });',
    'const fails = defineTool({ name: "fails", handle() { throw new Error("no disk"); } });',
    'export default defineServer({ name: "own", version: "1.0.0", tools: [args, fails] });',
    "declare const process: { argv: string[] };",
  );
  const remotes = [{ type: "streamable-http", url: "https://mcp.example.com/sales" }];
  project.write("server.json", JSON.stringify({ name: "com.example/own", description: "Says its own.", remotes }));
  expect((await project.proffer("build", "tools.ts", "--out", "dist", "--no-start")).status).toBe(0);
});

afterAll(() => project.remove());

it("hides the arguments of other commands from the module", async () => {
  const { stdout } = project.profferProcess({}, "call", "tools.ts", "args");
  expect(JSON.parse(stdout)).toEqual({ atStart: [], isMain: false });
});

const WAYS: readonly [way: string, words: () => string[]][] = [
  ["proffer serve", () => [distFile("bin.js"), "serve", "tools.ts"]],
  ["a built folder", () => [project.path("dist/index.js")]],
];

/** Runs a command that ends by itself. */
function run(words: string[]) {
  return spawnSync(process.execPath, words, { cwd: project.folder, encoding: "utf8", input: "", timeout: 600_000 });
}

/** The status of a GET request with a Host header. */
function statusOf(url: string | URL, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
}

async function exit(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "close");
}

/** Starts a server, uses it through HTTP and returns everything that its flags affect. */
async function use(words: string[], env: Record<string, string>) {
  const child = project.startNodeWith({ env }, ...words);
  let stderr = "";
  child.stderr?.on("data", (chunk) => {
    stderr += chunk;
  });
  const url = /Listening at ([^\s"]+)/.exec(await waitForStderr(child, /Listening at \S+\n/))?.[1] ?? "";
  const client = await connectOver(linkUrl(url));
  const text = async (tool: string) => JSON.stringify((await client.call(tool)).content);
  const used = {
    args: JSON.parse(JSON.parse(await text("args"))[0].text),
    showsErrors: (await text("fails")).includes("no disk"),
    path: new URL(url).pathname,
    health: await statusOf(new URL("/healthz", url), "localhost"),
    card: await statusOf(`${url}/server-card`, "localhost"),
    // 400 without a session; 403 for a refused host.
    hosts: await Promise.all(["mcp.example.com", "evil.com", "localhost"].map((host) => statusOf(url, host))),
  };
  await client.close();
  await expect.poll(() => stderr).toMatch(/403/);
  await exit(child);
  return { ...used, stderr };
}

describe.each(WAYS)("%s", (_, words) => {
  const flags = [
    ...["--http", "0", "--host", "0.0.0.0", "--path", "/sales", "--allowed-host", "mcp.example.com", "--health"],
    ...["--errors", "message", "--log", "json", "--card", "server.json"],
  ];
  const variables = {
    ...{ PORT: "0", PROFFER_HOST: "0.0.0.0", PROFFER_PATH: "/sales", PROFFER_ALLOWED_HOSTS: "mcp.example.com" },
    ...{ PROFFER_HEALTH: "1", PROFFER_ERRORS: "message", PROFFER_LOG: "json", PROFFER_CARD: "server.json" },
  };
  it.each([
    ["flags", flags, {}],
    ["variables", ["--http"], variables],
  ])("is configured by %s, and passes on the arguments after --", async (_, options, env) => {
    const { stderr, ...used } = await use([...words(), ...options, "--", "--root", "/x"], env);
    expect(used).toEqual({
      args: { atStart: ["--root", "/x"], isMain: false },
      showsErrors: true,
      path: "/sales",
      health: 200,
      card: 200,
      hosts: [400, 403, 400],
    });
    expect(stderr).not.toContain("only requests to");
    const entries = stderr.split("\n").flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
    expect(entries).toContainEqual(
      expect.objectContaining({ message: "request", path: "/sales", status: 200, rpc: "tools/call", name: "args" }),
    );
  });

  it("says at once which requests it refuses, in lines for people if asked to", async () => {
    const { stderr, args, showsErrors } = await use(
      [...words(), "--http", "0", "--host", "0.0.0.0", "--log", "pretty"],
      {},
    );
    expect({ args, showsErrors }).toEqual({ args: { atStart: [], isMain: false }, showsErrors: false });
    expect(stderr).toMatch(/^\d\d:\d\d:\d\d warning Listening on 0\.0\.0\.0, but only requests to localhost/);
    expect(stderr).toMatch(/ info {4}POST \/mcp 200 in [\d.]+ ms {2}rpc=tools\/call {2}name=args\n/);
    expect(stderr).toMatch(/ error .*name=fails\n {4}Error: no disk\n {8}at /);
  });

  it.each([
    [["--prot", "80"], 'Unknown option "--prot". Did you mean --port?'],
    [["--stdio", "--port", "80"], "--stdio and --port contradict each other."],
    [["--host", "::1"], "--host requires --http."],
    [["--http", "1", "--port", "2"], "--http 1 and --port 2 are two ports."],
    [["--http", "many"], 'Unexpected argument "many". The arguments of the server follow after --.'],
  ])("exits with 2 for %j before it loads the module", (args, message) => {
    const { status, stdout, stderr } = run([...words(), ...args]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`error: ${message}`);
  });

  it("exits with 1 and a message for a name that is not a host", () => {
    const { status, stderr } = run([...words(), "--http", "0", "--allowed-host", "https://x"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: serveHttp\(\).*--allowed-host.*not "https:\/\/x"\.\n$/);
  });

  it("exits with 1 for a card without an address", () => {
    const { status, stderr } = run([...words(), "--http", "0", "--card", "package.json"]);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: serverCard\(\): name must be a domain in reverse/);
  });

  it("shows its flags and their variables with --help", () => {
    const { status, stdout } = run([...words(), "--help"]);
    expect(status).toBe(0);
    for (const shown of ["--allowed-origin <origin>", "--log <json|pretty>", "$PROFFER_HOST", "[-- arguments"]) {
      expect(stdout).toContain(shown);
    }
  });
});
