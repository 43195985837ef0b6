import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { REQUEST_SHAPES } from "../src/routes.ts";
import { addressOf, routeOf } from "./address.ts";
import { describeInBrowser, usePages } from "./browser.ts";

const NAMES = Object.keys(REQUEST_SHAPES);
const REVISION = "2026-07-28";

describeInBrowser("a page that names commands and addresses", () => {
  let project: Project;
  let canary: Server;
  let connections = 0;
  let address: string;
  /** A program that was started writes its arguments to this file. */
  let started: string;

  beforeAll(async () => {
    project = createProject();
    started = project.path("started");
    const write = `writeFileSync(${JSON.stringify(started)}, JSON.stringify(process.argv.slice(2)));`;
    project.write("editor.mjs", 'import { writeFileSync } from "node:fs";', write);
    project.write("tools.ts", "/** Adds. */", "export const add = (a: number, b: number): number => a + b;");
    const env = { PROFFER_EDITOR: `${process.execPath} ${project.path("editor.mjs")}` };
    const child = project.startWith({ env }, "dev", "tools.ts", "--http", "--port", "0", "--inspect=0");
    canary = createServer((socket) => {
      connections++;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(canary, "listening");
    address = await addressOf(child);
  });
  afterAll(() => {
    canary.close();
    project.remove();
  });
  const pages = usePages();

  test("no request of the page starts a command or connects to an address that it names", async () => {
    const url = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/mcp`;
    const command = [process.execPath, project.path("editor.mjs")];
    const line = command.join(" ");
    const fields = { command, args: command, cmd: line, url, target: url, file: started, path: started, editor: line };
    const draft = { revision: REVISION, method: "tools/call", params: { name: "add", ...fields } };
    const valid: { readonly [name: string]: object } = {
      offer: { revision: url },
      call: draft,
      subscribe: { revision: REVISION, uri: url },
      raw: { revision: REVISION, text: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: fields }) },
      compare: { method: "tools/call", params: { name: "add", arguments: fields }, revisions: [REVISION, url] },
      complete: { revision: REVISION, ref: { type: "ref/resource", uri: url }, name: "x", value: url },
      copy: { draft, format: "sh", client: url },
      model: { tool: url, client: url },
      client: { conn: url },
      save: { name: `../${line}`, draft },
      // A file is named by its number, never by its path.
      open: { file: started, line: 1 },
      source: { kind: "tool", key: started },
      reconnect: {},
    };
    const requests = NAMES.flatMap((name) =>
      [
        valid[name] ?? {},
        { ...valid[name], ...fields },
        { ...valid[name], target: fields },
        { ...fields, file: 99, line: 1 },
      ].map((body) => ({ name, body: JSON.stringify(body) })),
    );

    for (const status of ["400 (Bad Request)", "404 (Not Found)", "409 (Conflict)", "502 (Bad Gateway)"]) {
      const text = `the server responded with a status of ${status}`.replace(/[()]/g, "\\$&");
      pages.expectProblem(new RegExp(`^console: Failed to load resource: ${text}$`));
    }
    const page = await pages.open(address);
    await page.getByRole("link", { name: "add" }).first().waitFor();
    const statuses = await page.evaluate(
      async ([requests, secret]) => {
        const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
        const statuses: string[] = [];
        for (const { name, body } of requests) {
          const { status } = await fetch(`/api/${name}`, { method: "POST", headers, body });
          statuses.push(`${status} ${name}`);
        }
        return statuses;
      },
      [requests, new URL(address).hash.slice("#k=".length)] as const,
    );
    expect(statuses.filter((status) => status.startsWith("5") && !status.startsWith("502"))).toEqual([]);
    expect(statuses.filter((status) => status.startsWith("401"))).toEqual([]);
    // Whatever was started would be there by the time that another process has run.
    spawnSync(process.execPath, ["-e", ""]);
    expect([connections, existsSync(started)]).toEqual([0, false]);

    // The page still works, with the server of the command line.
    await page.getByRole("link", { name: "add" }).first().click();
    const form = page.getByRole("form", { name: "Arguments" });
    await form.getByRole("textbox", { name: "a", exact: true }).fill("19");
    await form.getByRole("textbox", { name: "b", exact: true }).fill("23");
    await page.getByRole("button", { name: /^Call/ }).click();
    await page.getByRole("region", { name: "Answer" }).getByText("42").first().waitFor();
  });

  test("a click on a place starts the editor with the file that the derivation names", async () => {
    const page = await pages.open(routeOf(address, "/tools/add"));
    await page.getByRole("button", { name: "tools.ts:2" }).first().click();
    await expect
      .poll(() => existsSync(started) && project.read("started"))
      .toBe(JSON.stringify([project.path("tools.ts")]));
  });
});
