import { createHash } from "node:crypto";
import { apiKeys, serveHttp } from "proffer/http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { modern, postModern } from "../../proffer/test/http/http-client.ts";
import { load } from "../src/modules/load.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

const MODULE = [
  "/**",
  " * Cancels an order.",
  " * @scope orders:read orders:write",
  " * @param id - which one",
  " * @param force - skips the check. @scope orders:admin",
  " */",
  "export const cancel = (id: string, force?: boolean) => [id, force];",
  "/** @prompt Reviews. @param tone - how. @scope review */",
  "export const review = (tone: string) => tone;",
  "/** An order. @resource orders://{id} @scope orders:read */",
  "export const order = (id: string) => id;",
  "/** The terms. @resource docs://terms @scope docs */",
  'export const terms = () => "";',
  "/** Is open. */",
  "export const open = () => 1;",
];

const CANCEL = { scopes: ["orders:read", "orders:write"], paramScopes: { force: ["orders:admin"] } };

beforeAll(() => {
  project = createProject();
  project.write("tools.ts", ...MODULE);
  project.write(
    "combined.ts",
    'import { defineServer, defineTool } from "proffer";',
    'const own = defineTool({ name: "own", scopes: ["own"], handle: () => "x" });',
    'export const server = defineServer({ name: "s", version: "1", tools: [own] });',
    ...MODULE,
  );
  buildModule(project.path("tools.ts"), project.path("dist"));
});

afterAll(() => project.remove());

describe("@scope", () => {
  it("reaches the server from the sources, the cache, a build and a module with its own server", async () => {
    for (const file of ["tools.ts", "tools.ts", "dist", "combined.ts"]) {
      const { tools, prompts, resources } = await load(project.path(file));
      const { scopes, paramScopes } = tools.get("cancel") ?? {};
      expect({ scopes, paramScopes: Object.fromEntries(paramScopes ?? []) }).toEqual(CANCEL);
      expect(prompts.get("review")?.paramScopes?.get("tone")).toEqual(["review"]);
      expect(resources.get("orders://{id}")?.scopes).toEqual(["orders:read"]);
      expect(tools.get("open")?.scopes).toBeUndefined();
    }
    expect((await load(project.path("combined.ts"))).tools.get("own")?.scopes).toEqual(["own"]);
  });

  it("refuses callers without the scopes of a function or an argument, from the sources and a build", async () => {
    const keyFor = (scopes: readonly string[]) => {
      const key = `pfr_${scopes.join("_").replaceAll(":", "-").padEnd(43, "x")}`;
      return { key, entry: [`sha256:${createHash("sha256").update(key).digest("hex")}`, { id: key, scopes }] as const };
    };
    const reader = keyFor(["orders:read"]);
    const writer = keyFor(["orders:read", "orders:write"]);
    const authenticate = apiKeys({ keys: Object.fromEntries([reader.entry, writer.entry]) });
    for (const file of ["tools.ts", "dist"]) {
      const service = await serveHttp(await load(project.path(file)), { port: 0, authenticate });
      const call = async (key: string, args: object) => {
        const message = modern("tools/call", { name: "cancel", arguments: args });
        const { status, headers } = await postModern(service.url, message, { authorization: `Bearer ${key}` });
        return [status, headers["www-authenticate"]];
      };
      const refusal = (scope: string) => [403, expect.stringContaining(`error="insufficient_scope", scope="${scope}"`)];
      expect(await call(reader.key, { id: "1" })).toEqual(refusal("orders:read orders:write"));
      expect(await call(writer.key, { id: "1" })).toEqual([200, undefined]);
      expect(await call(writer.key, { id: "1", force: false })).toEqual(
        refusal("orders:read orders:write orders:admin"),
      );
      await service.close();
    }
  });

  it("is shown by list and check", async () => {
    for (const args of [
      ["list", "tools.ts"],
      ["list", "dist"],
      ["check", "tools.ts"],
    ]) {
      const { stdout } = await project.proffer(...args);
      expect(stdout.split("\n\n").slice(0, 4).join("\n").split("\n")).toEqual([
        "Tools",
        "  cancel(id, force?)  Cancels an order. [scopes: orders:read orders:write; with force: orders:admin]",
        "  open()  Is open.",
        "Prompts",
        "  review(tone)  Reviews. [scopes: with tone: review]",
        "Resources",
        "  docs://terms  The terms. [scopes: docs]",
        "Resource templates",
        expect.stringMatching(/^ {2}orders:\/\/\{id\} {2}An order\. \[scopes: orders:read\]$/),
        ...(args[0] === "list" ? [""] : []),
      ]);
    }
  });

  it("is printed by list --json and check --json", async () => {
    for (const args of [
      ["list", "tools.ts"],
      ["list", "dist"],
      ["check", "tools.ts"],
    ]) {
      const { tools, prompts, resources, resourceTemplates } = JSON.parse(
        (await project.proffer(...args, "--json")).stdout,
      );
      expect(tools[0]).toMatchObject({ name: "cancel", ...CANCEL });
      expect(tools[1]).not.toHaveProperty("scopes");
      expect(prompts[0]).toMatchObject({ paramScopes: { tone: ["review"] } });
      expect(resources[0]).toMatchObject({ scopes: ["docs"] });
      expect(resourceTemplates[0]).toMatchObject({ scopes: ["orders:read"] });
    }
  });

  it("refuses a module with an invalid scope, and check does not list the function", async () => {
    project.write(
      "bad.ts",
      "/** Cancels. @scope a,b, c */",
      "export const cancel = (id: string) => id;",
      "/** Is open. */",
      "export const open = () => 1;",
    );
    for (const args of [
      ["list", "bad.ts"],
      ["build", "bad.ts", "--out", "bad"],
      ["serve", "bad.ts"],
    ]) {
      const { status, stderr } =
        args[0] === "serve" ? project.profferProcess({}, ...args) : await project.proffer(...args);
      expect([args[0], status]).toEqual([args[0], 1]);
      expect(stderr).toContain("bad.ts:1:14 error PF1240");
    }
    const { status, stdout } = await project.proffer("check", "bad.ts", "--json");
    expect([status, JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)]).toEqual([1, ["open"]]);
  });
});
