import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import { distFile } from "../dist.ts";

/** The built package without the code that makes tools of resources. */
const folder = mkdtempSync(join(tmpdir(), "resource-tools-"));
cpSync(dirname(distFile("index.js")), join(folder, "dist"), { recursive: true });
rmSync(join(folder, "dist/shared/resource-tools.js"));
writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const urlOf = (file: string) => JSON.stringify(pathToFileURL(join(folder, "dist", file)).href);

const SCRIPT = `
  import { defineResource, defineServer, defineTool } from ${urlOf("index.js")};
  import { connect } from ${urlOf("testing.js")};
  const own = defineTool({ name: "own", handle: () => "own" });
  const one = defineResource({ uri: "a://{id}", name: "a", read: ({ id }) => id });
  const open = (name, options) => {
    const server = defineServer({ name: "s", version: "1", tools: [own], log() {}, ...options });
    return connect(server, { info: { name, version: "1" } });
  };
  const use = async (client) => {
    const tools = await client.listTools().then((list) => list.length, ({ code }) => code);
    const unknown = await client.call("a", { id: "1" }).then(({ content }) => content, ({ code }) => code);
    const [{ text }] = (await client.call("own")).content;
    console.log(tools, unknown, text);
  };
  await use(await open("Zed", {}));
  await use(await open("somebody", { resources: [one] }));
  await use(await open("Zed", { resources: [one], resourceTools: "never" }));
  await open("Zed", { resources: [one] }).then(use, ({ code }) => console.log("refused", code));
`;

it("loads the tools of resources for those who need them only, and refuses requests if it cannot", () => {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", SCRIPT], {
    encoding: "utf8",
  });
  expect({ lines: stdout.trim().split("\n"), stderr }).toEqual({
    lines: ["1 -32602 own", "1 -32602 own", "1 -32602 own", "refused -32603"],
    stderr: "",
  });
});
