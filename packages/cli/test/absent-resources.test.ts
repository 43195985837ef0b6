import { linkCommand } from "proffer/client";
import { connect, connectOver, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project } from "./project.ts";

// The handler of a template says "not found" by undefined, in every way to write its type.

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "shop.ts",
    'const orders = new Map([["7", "shipped"]]);',
    "interface Order { id: string; at?: Date }",
    "const find = (id: string): Order | undefined => (orders.has(id) ? { id } : undefined);",
    "/** Text. @resource text://{id} */",
    "export function text(id: string): string | undefined { return orders.get(id); }",
    "/** An object. @resource object://{id} @tool */",
    "export function object(id: string): Order | undefined { return find(id); }",
    "/** A promise. @resource promise://{id} */",
    "export async function promise(id: string): Promise<Order | undefined> { return find(id); }",
    "/** No declared type. @resource inferred://{id} */",
    "export const inferred = (id: string) => orders.get(id);",
    "/** A list. @resource list://{id} */",
    "export function list(id: string): string[] | undefined { return orders.has(id) ? [id] : undefined; }",
    "/** A closed type. @resource closed://{id} @closed */",
    "export function closed(id: string): Order | undefined { return find(id); }",
    "/** Null is a value. @resource null://{id} */",
    "export function none(id: string): Order | null { return find(id) ?? null; }",
    "/** A tool. */",
    "export function status(id: string): Order | undefined { return find(id); }",
  );
  buildModule(project.path("shop.ts"), project.path("dist"));
});

afterAll(() => project.remove());

const KINDS = ["text", "object", "promise", "inferred", "list", "closed"];

async function examine(client: TestClient): Promise<void> {
  for (const kind of KINDS) {
    expect((await client.read(`${kind}://7`)).contents).toHaveLength(1);
    await expect(client.read(`${kind}://8`), kind).rejects.toMatchObject({
      code: client.revision === "2026-07-28" ? -32602 : -32002,
    });
  }
  expect((await client.read("null://8")).contents).toMatchObject([{ text: "null" }]);
  expect(await client.call("object", { id: "8" })).toMatchObject({ isError: true });
  expect((await client.call("status", { id: "8" })).content).toMatchObject([{ text: "null" }]);
  await client.close();
}

it.each(["2026-07-28", "2025-11-25"])(
  "are not found on %s, from the sources, the cache and a build",
  async (revision) => {
    for (const _ of ["sources", "cache"])
      await examine(await connect(await load(project.path("shop.ts")), { revision }));
    const command = linkCommand([process.execPath, project.path("dist/index.js")]);
    await examine(await connectOver(command, { revision }));
  },
);

it("are not found by proffer read", async () => {
  const { status, stdout, stderr } = await project.proffer("read", "shop.ts", "object://8");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(stderr).toContain("object://8");
});
