import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

const ISSUER = "https://login.example.com";
const HOST = "https://tools.example.com";
const WELL_KNOWN = "/.well-known/oauth-protected-resource";

let project: Project;

beforeAll(async () => {
  project = createProject();
  project.write("tools.ts", "/** Adds. */", "export const add = (a: number, b: number) => a + b;");
  project.write("orders.ts", "/** Finds. */", "export const find = (id: string) => id;");
  expect((await project.proffer("build", "tools.ts", "--out", "dist", "--no-start")).status).toBe(0);
});

afterAll(() => project.remove());

/** Starts a server and returns its origin and its output until then. */
async function start(words: readonly string[], env: Record<string, string>) {
  const child = project.startNodeWith({ env }, ...words);
  const output = await waitForStderr(child, /Listening at \S+/);
  return { child, output, origin: new URL(/Listening at ([^\s;]+)/.exec(output)?.[1] ?? "").origin };
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  await once(child, "close");
}

/** The metadata of a server, and the challenge that a caller without a token gets. */
async function inspect(origin: string, path: string) {
  const { status, headers } = await fetch(origin + path, { method: "POST", body: "{}" });
  const metadata = await fetch(`${origin}${WELL_KNOWN}${path}`);
  return { status, challenge: headers.get("www-authenticate"), metadata: await metadata.json() };
}

function expected(path: string, scopes: readonly string[] = []) {
  const scope = scopes.length === 0 ? "" : `scope="${scopes.join(" ")}", `;
  return {
    status: 401,
    challenge: `Bearer ${scope}resource_metadata="${HOST}${WELL_KNOWN}${path}"`,
    metadata: expect.objectContaining({
      resource: HOST + path,
      authorization_servers: [ISSUER],
      ...(scopes.length > 0 && { scopes_supported: scopes }),
    }),
  };
}

const FLAGS = ["--http", "0", "--oauth-issuer", ISSUER, "--oauth-resource"];

const WAYS: readonly [way: string, words: () => string[]][] = [
  ["proffer serve", () => [distFile("bin.js"), "serve", "tools.ts"]],
  ["proffer dev", () => [distFile("bin.js"), "dev", "tools.ts"]],
  ["a built folder", () => [project.path("dist/index.js")]],
];

describe.each(WAYS)("%s", (_, words) => {
  it("protects a module by flags", async () => {
    const scopes = ["orders:read", "orders:write"];
    const flags = [...FLAGS, `${HOST}/mcp`, "--oauth-scopes", scopes.join(" ")];
    const { child, origin } = await start([...words(), ...flags], {});
    expect(await inspect(origin, "/mcp")).toEqual(expected("/mcp", scopes));
    await stop(child);
  });

  it("protects a module by variables", async () => {
    const env = { PROFFER_OAUTH_ISSUER: ISSUER, PROFFER_OAUTH_RESOURCE: `${HOST}/sales`, PROFFER_PATH: "/sales" };
    const { child, origin } = await start([...words(), "--http", "0"], env);
    expect(await inspect(origin, "/sales")).toEqual(expected("/sales"));
    await stop(child);
  });

  it.each([
    [["--http", "0", "--oauth-issuer", ISSUER], "--oauth-issuer requires --oauth-resource"],
    [["--http", "0", "--oauth-issuer", "login", "--oauth-resource", HOST], "Invalid URL in --oauth-issuer"],
    // Only the module for OAuth knows that this is wrong.
    [["--http", "0", "--oauth-issuer", "http://login.example.com", "--oauth-resource", `${HOST}/mcp`], "issuer"],
  ])("exits with 2 and one line for %j before it loads the module", (args, message) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [...words(), ...args], {
      ...{ cwd: project.folder, encoding: "utf8", input: "", timeout: 600_000 },
    });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.split("\n").filter((line) => line.startsWith("error: "))).toHaveLength(1);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
  });
});

describe("several modules on one port", () => {
  it("have their own resource each: the base and the path", async () => {
    const words = [distFile("bin.js"), "serve", "tools.ts", "--mount", "/orders=orders.ts", ...FLAGS, HOST];
    const { child, origin } = await start(words, {});
    for (const path of ["/mcp", "/orders"]) expect(await inspect(origin, path)).toEqual(expected(path));
    expect((await fetch(origin + WELL_KNOWN)).status).toBe(404);
    await stop(child);
  });
});

describe("a missing package jose", () => {
  it("is one line and the exit code 2, before the module is loaded", () => {
    const other = createProject();
    try {
      // A copy, because the repository that the link leads to has the package.
      rmSync(other.path("node_modules/proffer"));
      for (const part of ["dist", "package.json"]) {
        const source = fileURLToPath(new URL(`../../proffer/${part}`, import.meta.url));
        cpSync(source, other.path(`node_modules/proffer/${part}`), { recursive: true });
      }
      cpSync(project.path("dist"), other.path("dist"), { recursive: true });
      const { status, stderr } = spawnSync(process.execPath, [other.path("dist/index.js"), ...FLAGS, `${HOST}/mcp`], {
        ...{ encoding: "utf8", input: "", timeout: 600_000 },
      });
      expect([status, stderr]).toEqual([2, "error: oauth() needs the package jose: npm install jose\n"]);
    } finally {
      other.remove();
    }
  });
});

describe("the code for OAuth", () => {
  /** Writes the URL of each loaded module to stderr. */
  const hook =
    'export async function load(url, context, next) { process._rawDebug("loads", url); return next(url, context); }';
  const register = `import { register } from "node:module"; register(${JSON.stringify(toUrl(hook))});`;

  it("is loaded only if a flag asks for it", async () => {
    const loads = async (...flags: string[]) => {
      const { child, output } = await start(["--import", toUrl(register), project.path("dist/index.js"), ...flags], {});
      await stop(child);
      const urls = output.split("\n").filter((line) => line.startsWith("loads "));
      expect(urls.join("\n")).toContain("/dist/process.js");
      return urls.some((url) => /oauth|jose/.test(url));
    };
    expect(await loads("--http", "0")).toBe(false);
    expect(await loads(...FLAGS, `${HOST}/mcp`)).toBe(true);
  });
});

function toUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
