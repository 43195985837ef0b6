import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
});

afterAll(() => project.remove());

describe("proffer serve exits with 1, keeps stdout empty and", () => {
  it("reports a port in use, whether it comes from an option or from $PORT", async () => {
    project.write("quick.mjs", "/** Says. */", 'export const say = () => "said";');
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as AddressInfo;
    const outcomes = [
      project.profferProcess({}, "serve", "quick.mjs", "--http", String(port)),
      project.profferProcess({}, "serve", "quick.mjs", "--port", String(port)),
      project.profferProcess({ env: { PORT: String(port) } }, "serve", "quick.mjs", "--http"),
    ];
    for (const { status, stdout, stderr } of outcomes) {
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`);
    }
    taken.close();
  });

  it.each([
    ["locates a syntax error", "broken.mjs", ["const a = 1;", "export { ;"], /broken\.mjs:2:\d+ error TS1/],
    [
      "shows the error that the module throws",
      "throws.mjs",
      ['import { defineServer } from "proffer";', 'throw new Error("no key");', "export default defineServer({});"],
      /throws\.mjs failed to load[\s\S]*no key/,
    ],
    [
      "names the type of a default export that is not a server",
      "other.ts",
      ['import type { Server } from "proffer";', "const none: unknown = 1;", "export default none as Server;"],
      /The default export of other\.ts is a number, not a server/,
    ],
  ])("%s", (_, file, lines, message) => {
    project.write(file, ...lines);
    const { status, stdout, stderr } = project.profferProcess({}, "serve", file);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(message);
  });

  it("explains a circular import", async () => {
    project.write("a.ts", 'import { b } from "./b.ts";', "/** A. */", "export const a = () => b;");
    project.write("b.ts", 'import { a } from "./a.ts";', "export const b: string = a.name;");
    // Over HTTP the module is imported at startup, so the process exits with the error.
    const { status, stderr } = project.profferProcess({}, "serve", "a.ts", "--http", "0");
    expect(status).toBe(1);
    expect(stderr).toContain("circular import");
  });
});
