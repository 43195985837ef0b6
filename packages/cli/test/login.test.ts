import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { defineServer, defineTool } from "proffer";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { AuthorizationServer, signIn } from "../../proffer/test/oauth/authorization-server.ts";
import { openSite, type Site } from "../../proffer/test/oauth/site.ts";
import { createProject, type Project } from "./project.ts";

const server = defineServer({
  name: "orders",
  version: "1.0.0",
  tools: [defineTool({ name: "find", handle: (_, ctx) => String(ctx.principal?.subject) })],
  log() {},
});

let issuer: AuthorizationServer;
let site: Site;
let project: Project;
let home: string;
let file: string;

beforeAll(async () => {
  issuer = await AuthorizationServer.open({ rotates: true });
  site = await openSite(server, issuer.issuer, ["orders:read"]);
  project = createProject();
});

afterAll(async () => {
  project.remove();
  await site.close();
  await issuer.close();
});

let count = 0;

beforeEach(() => {
  home = join(project.folder, `home-${count++}`);
  mkdirSync(join(home, ".config"), { recursive: true });
  file = join(home, ".config/proffer/credentials.json");
});

const run = (...args: string[]) => project.profferWith({ env: { HOME: home } }, ...args);
const start = (...args: string[]) => project.startWith({ env: { HOME: home } }, ...args);
const stored = () => JSON.parse(readFileSync(file, "utf8")).servers[site.url];

async function ended(child: ChildProcess): Promise<string> {
  const [output] = await Promise.all([readText(child.stdout as NodeJS.ReadableStream), once(child, "close")]);
  return output;
}

/** Signs in on the page that the command prints, as a browser does. */
async function logIn(...flags: string[]): Promise<string> {
  const child = start("login", site.url, "--no-open", ...flags);
  let printed = "";
  for await (const chunk of (child.stderr as NodeJS.ReadableStream).setEncoding("utf8") as AsyncIterable<string>) {
    const before = printed;
    printed += chunk;
    const [, page] = /on this page: (\S+)\n/.exec(printed) ?? [];
    if (page === undefined || /on this page: \S+\n/.test(before)) continue;
    const uri = String(new URL(page).searchParams.get("redirect_uri"));
    await fetch(`${uri}?${await signIn(new URL(page), "ada", uri)}`);
  }
  return printed;
}

describe("proffer login", () => {
  it("keeps credentials that only the user can read, until proffer logout", async () => {
    const refused = await run("call", site.url, "find");
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`Log in first: proffer login ${site.url}`),
    });
    const printed = await logIn("--scope", "orders:read");
    expect(printed).toContain(`Logged in to ${site.url} for orders:read`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { accessToken, refreshToken } = stored();
    const called = await run("call", site.url, "find");
    expect(called).toEqual({ status: 0, stdout: "ada\n", stderr: "" });
    const recorded = await run("call", `${site.url}?key=1`, "nothing", "--json");
    const out = await run("logout", site.url);
    expect(out).toMatchObject({ status: 0, stderr: `Logged out of ${site.url}. The tokens were revoked.\n` });
    expect(stored()).toBeUndefined();
    const shown = printed + [called, recorded, out].map(({ stdout, stderr }) => stdout + stderr).join();
    expect([accessToken, refreshToken].map((token) => shown.includes(token))).toEqual([false, false]);
    expect((await run("call", site.url, "find")).status).toBe(1);
    expect((await run("logout", site.url)).stderr).toBe(`There are no credentials for ${site.url}.\n`);
  });

  it("lets two processes use one refresh token", async () => {
    await logIn();
    const text = readFileSync(file, "utf8").replace(stored().accessToken, "expired");
    writeFileSync(file, text);
    issuer.requests.length = 0;
    const outputs = await Promise.all([1, 2, 3].map(() => ended(start("call", site.url, "find"))));
    expect(outputs).toEqual(["ada\n", "ada\n", "ada\n"]);
    expect(issuer.requests.filter((request) => request === "POST /token")).toHaveLength(1);
    expect((await run("call", site.url, "find")).stdout).toBe("ada\n");
  });

  const entry = { issuer: "https://a.example", resource: "https://a.example", reach: "public", client: { id: "a" } };
  const content = (changes: object = {}) => JSON.stringify({ servers: { [site.url]: { ...entry, ...changes } } });

  it.each<[string, () => void, string]>([
    ["can be read by others", () => chmodSync(file, 0o644), "can be read by others"],
    [
      "is a link",
      () => {
        renameSync(file, `${file}.other`);
        symlinkSync(`${file}.other`, file);
      },
      "is a link",
    ],
    ["is no JSON", () => writeFileSync(file, "{"), "is damaged"],
    ["is endless", () => writeFileSync(file, content({ accessToken: "x".repeat(5_000_000) })), "is too large"],
    [
      "has a token with a line break",
      () => writeFileSync(file, content({ accessToken: "a\r\nx: b" })),
      "credentials are damaged",
    ],
    ["has another type", () => writeFileSync(file, content({ client: 7 })), "credentials are damaged"],
  ])("uses no file that %s", async (_, change, reason) => {
    mkdirSync(join(home, ".config/proffer"));
    writeFileSync(file, content({ accessToken: "stolen" }), { mode: 0o600 });
    change();
    const { status, stderr } = await run("call", site.url, "find");
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(reason) });
    expect(stderr).not.toContain("stolen");
  });

  it("says what is wrong with its arguments", async () => {
    const wrong = async (...args: string[]) => (await run("login", ...args)).stderr;
    expect(await wrong("tools.ts")).toContain("login and logout need the URL of a server.");
    expect(await wrong(site.url, "--client-secret-env", "NONE")).toContain(
      "--client-secret-env needs --client-id, and --issuer",
    );
    expect(await wrong(site.url, "--client-id", "a", "--issuer", site.url, "--client-secret-env", "NONE")).toContain(
      "NONE is not set or empty",
    );
    expect(await wrong("https://user:secret@a.example")).not.toContain("secret@");
  });
});
