import { connectAs, findLosses, findProfile, PROFILES } from "@proffer/cli/profiles";
import { defineServer, defineTool } from "proffer";
import { profileOf } from "proffer/derived";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";

const info = (name: string) => ({ name, version: "1" });

describe("the table of clients", () => {
  it("has a source and a day for each cell", () => {
    for (const { id: _, title: __, names: ___, ...cells } of PROFILES) {
      for (const { source, checked, text, known } of Object.values(cells)) {
        expect(source).toMatch(known === "measured" ? /^measured with \d/ : known === "read" ? /read/ : /\S/);
        expect(text).toMatch(/\S/);
        expect(checked).toMatch(/^2026-\d\d-\d\d$/);
      }
    }
  });

  it("names revisions that exist", async () => {
    const server = defineServer({ name: "s", version: "1" });
    for (const { id, revision } of PROFILES) {
      const client = await connectAs(server, id);
      if (revision) expect(client.revision).toBe(revision.value);
      await client.close();
    }
  });

  it("agrees with the part that every server loads", () => {
    for (const { id, names, resources, results } of PROFILES) {
      for (const name of names) {
        const { structuredOnly = false, blocks } = results?.value ?? {};
        expect(profileOf(info(name.replace("*", "-2")))).toEqual({
          id,
          readsResources: resources?.value,
          structuredOnly,
          showsResources: blocks?.includes("resource_link") ?? true,
        });
      }
    }
  });

  it("agrees with the names that a server with adapt lists", async () => {
    const names = ["a.b", "a_b", "a", "reports_".repeat(16), `${"x".repeat(100)}.`];
    const tools = names.map((name) => defineTool({ name, handle: () => "" }));
    const server = defineServer({ name: "shop", version: "1", adapt: true, tools });
    for (const profile of PROFILES.filter(({ names, toolNames }) => names.length > 0 && toolNames?.value.max)) {
      const [name = ""] = profile.names;
      const client = await connect(server, { info: info(name.replace("*", "")), revision: "2025-06-18" });
      expect(findLosses(profile, "shop", await client.listTools())).toEqual([]);
      await client.close();
    }
  });

  it("refuses a schema whose references grow without end, for a client that resolves them", () => {
    const schemas = Array.from({ length: 40 }, (_, n) => ({
      type: "object" as const,
      properties: { a: { $ref: `#/$defs/d${n + 1}` }, b: { $ref: `#/$defs/d${n + 1}` } },
    }));
    const $defs = Object.fromEntries([...schemas, true].map((schema, n) => [`d${n}`, schema]));
    const inputSchema = { type: "object" as const, properties: { a: { $ref: "#/$defs/d0" } }, $defs };
    expect(findLosses(findProfile("zed"), "shop", [{ name: "order", inputSchema }])).toContainEqual(
      expect.objectContaining({ effect: "refuses", what: "the references lead to more than 100000 parts" }),
    );
  });

  it("has each name once, and no profile for other names", () => {
    const names = PROFILES.flatMap((profile) => profile.names);
    expect(new Set(names).size).toBe(names.length);
    for (const name of ["", "Codex", "zed", "codex-mcp-client2", "constructor"]) {
      expect(profileOf(info(name))).toBeUndefined();
    }
    expect(profileOf(undefined)).toBeUndefined();
  });

  it("rejects an unknown id with those that exist", () => {
    expect(() => findProfile("netscape")).toThrow('Unknown client "netscape". Known clients: claude-code, ');
  });
});
