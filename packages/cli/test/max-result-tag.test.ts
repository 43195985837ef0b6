import { connect } from "proffer/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collect, textsOf } from "../../proffer/test/max-result/collect.ts";
import { MAX_RESULT } from "../src/derive/comments/grammars.ts";
import { load } from "../src/modules/load.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project } from "./project.ts";

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    "/** Reads the log. @maxResult 2kB */",
    "export const log = () => 'a line\\n'.repeat(1000);",
    "/** Lists the birds. @maxResult 1,000 tokens */",
    "export const birds = (): { id: number }[] => Array.from({ length: 900 }, (_, id) => ({ id }));",
  );
  buildModule(project.path("tools.ts"), project.path("dist"));
});

afterAll(() => project.remove());

describe("@maxResult", () => {
  it("reaches the tools from the sources, the cache and a build", async () => {
    for (const file of ["tools.ts", "tools.ts", "dist"]) {
      const server = await load(project.path(file));
      expect(server.tools.get("log")?.maxResult).toEqual({ bytes: 2000 });
      expect(server.tools.get("birds")?.maxResult).toEqual({ tokens: 1000 });
      const client = await connect(server);
      const log = await collect(client, "log");
      expect(log.parts.length).toBeGreaterThan(4);
      expect(textsOf(log).join("")).toBe("a line\n".repeat(1000));
      const birds = await collect(client, "birds");
      expect(birds.sentences[0]).toMatch(/^\d+ of 900 items are shown\./);
      expect(birds.first.structuredContent).toEqual(JSON.parse(textsOf(birds)[0] as string));
      await client.close();
    }
  });

  it("works from the command line", async () => {
    expect((await project.proffer("list", "tools.ts")).stdout).toContain(
      "  more(cursor)  Returns the next part of a result",
    );
    const { status, stdout } = await project.proffer("call", "tools.ts", "log");
    expect(status).toBe(0);
    expect(stdout).toContain("of 1,000 lines are shown. Call more with cursor");
  });

  it.each([
    ["10k tokens", { tokens: 10_000 }],
    ["1.5M bytes", { bytes: 1_500_000 }],
    ["40kB", { bytes: 40_000 }],
    ["2000 B", { bytes: 2000 }],
  ])("reads %s", (text, value) => {
    expect(MAX_RESULT.parse(text, {})).toEqual({ value });
  });

  it.each(["", "10k", "tokens", "999 bytes", "10 K tokens", "-5000 tokens", "1e9 bytes", "9".repeat(30), "10k words"])(
    "refuses %j",
    (text) => {
      expect(MAX_RESULT.parse(text, {})).toBe("invalid");
    },
  );

  it("stops serve, with a place, if a function has the name of the tool", async () => {
    project.write("taken.ts", "/** Reads. @maxResult 2kB */", "export const more = () => 'x';");
    const { status, stderr } = await project.proffer("call", "taken.ts", "more");
    expect(status).not.toBe(0);
    expect(stderr).toContain('Duplicate tool "more"');
  });
});
