import { linkCommand } from "proffer/client";
import { connect, connectOver, type TestClient } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";
import { prepareModule } from "../src/modules/prepare-module.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project } from "./project.ts";

const MODULE = [
  'import { companion, type Context } from "proffer";',
  'const orders = new Map([["1", "pen"], ["2", "ink"], ["20", "paper"]]);',
  "/** An order. @resource orders://{id} */",
  "export function order(ctx: Context, id: string) { return { id, item: orders.get(id), client: typeof ctx }; }",
  "companion(order, {",
  '  list: () => [...orders.keys()].map((id) => ({ uri: "orders://" + id })),',
  "  complete: { id: (typed) => [...orders.keys()].filter((id) => id.startsWith(typed)) },",
  '  exists: (ctx, id) => typeof ctx === "object" && orders.has(id),',
  "});",
  "/** A greeting. @prompt */",
  'export const greet = ({ name, tone = "plain" }: { name: string; tone?: "plain" | "loud" }) => name + tone;',
  'companion(greet, { complete: { name: ["Ada", "Grace"] } });',
];

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("shop.ts", ...MODULE);
  project.write("server.ts", 'export * as shop from "./shop.ts";');
  buildModule(project.path("shop.ts"), project.path("dist"));
});

afterAll(() => project.remove());

async function examine(client: TestClient): Promise<object> {
  const template = { type: "ref/resource", uri: "orders://{id}" } as const;
  const prompt = { type: "ref/prompt", name: "greet" } as const;
  const stop = await client.listen({ uris: ["orders://2"] });
  await stop.close();
  return {
    listed: (await client.listResources()).map(({ uri }) => uri),
    completed: await client.complete(template, "id", "2"),
    names: await client.complete(prompt, "name", "gr"),
    tones: await client.complete(prompt, "tone", ""),
    unknown: await client.listen({ uris: ["orders://3"] }).then(
      () => "subscribed",
      () => "refused",
    ),
  };
}

const EXAMINED = {
  listed: ["orders://1", "orders://2", "orders://20"],
  completed: ["2", "20"],
  names: ["Grace"],
  tones: ["plain", "loud"],
  unknown: "refused",
};

describe("the companion of a function", () => {
  it("lists, completes and checks resources, from the sources and the cache", async () => {
    for (const _ of ["sources", "cache"]) {
      const client = await connect(await load(project.path("shop.ts")));
      expect(await examine(client)).toEqual(EXAMINED);
      await client.close();
    }
  });

  it("does the same in a build", async () => {
    const client = await connectOver(linkCommand([process.execPath, project.path("dist/index.js")]));
    expect(await examine(client)).toEqual(EXAMINED);
    await client.close();
  });

  it("works in a module that is exported as a namespace", async () => {
    const client = await connect(await load(project.path("server.ts")));
    expect((await client.listResources()).length).toBe(3);
    await client.close();
  });

  it("is known before the module is imported", async () => {
    project.write("broken.ts", ...MODULE, 'throw new Error("not now");');
    const { manifest } = await prepareModule(project.path("broken.ts"));
    expect(manifest.resources).toMatchObject([{ companion: { complete: ["id"], list: true, exists: true } }]);
    expect(manifest.prompts).toMatchObject([{ companion: { complete: ["name"] } }]);
    const { status, stdout } = await project.proffer("check", "broken.ts");
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("orders://{id}") });
  });
});
