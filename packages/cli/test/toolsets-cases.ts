import { spawnSync } from "node:child_process";
import { linkCommand, linkUrl } from "proffer/client";
import { connectOver, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project, waitForStderr } from "./project.ts";

export const FUNCTIONS = [
  "/** Finds an order. @readOnly @toolset orders */",
  "export const order_find = (id: string) => id;",
  "/** Changes an order. @toolset orders */",
  "export const order_change = (id: string) => id;",
  "/** Deletes all orders. @toolset admin */",
  'export const purge = () => "purged";',
  "/** Says hello. */",
  'export const hello = () => "hello";',
  "/** @prompt Writes a letter. @toolset orders */",
  'export const letter = () => "letter";',
  "/** The log. @resource shop://log @toolset admin */",
  'export const log = () => "log";',
];

export const SERVER = [
  'import { defineServer } from "proffer";',
  'export const server = defineServer({ name: "shop", version: "1.0.0", toolsets: { orders: [], admin: { default: false } } });',
];

/** A project with the module `tools.ts` of functions, `shop.ts` with toolsets of its server, and builds of both. */
export function useShop(): { readonly project: Project } {
  const shop = { project: {} as Project };
  beforeAll(async () => {
    shop.project = createProject();
    shop.project.write("tools.ts", ...FUNCTIONS);
    shop.project.write("shop.ts", ...SERVER, ...FUNCTIONS);
    for (const name of ["tools", "shop"]) {
      expect((await shop.project.proffer("build", `${name}.ts`, "--out", `dist/${name}`, "--no-start")).status).toBe(0);
    }
  });
  afterAll(() => shop.project.remove());
  return shop;
}

/** Returns the names of everything that a server lists. */
export async function listed(client: TestClient): Promise<string> {
  const lists = [await client.listTools(), await client.listPrompts(), await client.listResources()];
  return lists.flatMap((list) => list.map(({ name }) => name)).join(" ");
}

/** Returns the names of everything that a server over stdio lists. */
async function show(words: readonly string[]): Promise<string> {
  const client = await connectOver(linkCommand([process.execPath, ...words]));
  try {
    return await listed(client);
  } finally {
    await client.close();
  }
}

/**
 * Describes the flags of a way to serve a module.
 * @param words - the arguments of Node that serve a module of the shop.
 */
export function describeFlags(
  way: string,
  shop: { readonly project: Project },
  words: (module: string) => string[],
): void {
  describe(way, () => {
    it.each([
      ["tools", [], "order_find order_change purge hello letter log"],
      ["shop", [], "order_find order_change hello letter"],
      ["tools", ["--toolsets", "orders"], "order_find order_change letter"],
      ["shop", ["--toolsets", "default,admin"], "order_find order_change purge hello letter log"],
      ["tools", ["--read-only"], "order_find letter log"],
      ["shop", ["--only", "order_*,hello", "--except", "*_change"], "order_find hello"],
    ])("over stdio, of %s with %j", async (module, flags, expected) => {
      expect(await show([...words(module), ...flags])).toBe(expected);
    });

    it("over HTTP, with variables, which a query narrows and a flag overrides", async () => {
      const env = { PROFFER_TOOLSETS: "orders,admin", PROFFER_READ_ONLY: "1", PROFFER_EXCEPT: "letter" };
      const child = shop.project.startNodeWith({ env }, ...words("shop"), "--http", "0", "--toolsets", "orders");
      const url = /Listening at (\S+)/.exec(await waitForStderr(child, /Listening at \S+\n/))?.[1] ?? "";
      const client = await connectOver(linkUrl(url));
      expect(await listed(client)).toBe("order_find");
      await expect(client.call("order_change", { id: "7" })).rejects.toThrow('Unknown tool "order_change"');
      await client.close();
      const narrowed = connectOver(linkUrl(`${url}?toolsets=admin`));
      await expect(narrowed).rejects.toThrow('Unknown toolset "admin" in ?toolsets=. The toolsets are orders.');
      child.kill("SIGTERM");
    });

    it.each([
      [["--toolsets", "order"], '--toolsets has the unknown toolset "order". Did you mean "orders"?'],
      [["--toolsets", "x"], '--toolsets has the unknown toolset "x". The toolsets are orders, admin, default, all.'],
      [["--only", "order_fnd"], '--only has "order_fnd", which no item matches. Did you mean "order_find"?'],
    ])("does not start with %j", (flags, message) => {
      const options = { cwd: shop.project.folder, encoding: "utf8", input: "", timeout: 600_000 } as const;
      for (const module of ["tools", "shop"]) {
        const { status, stdout, stderr } = spawnSync(process.execPath, [...words(module), ...flags], options);
        expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
        expect(stderr).toContain(`error: ${message}`);
        expect(stderr).not.toContain("    at ");
      }
    });
  });
}
