import { defineServer, defineTool } from "proffer";
import { findProfile, PROFILES, profileOf } from "proffer/profiles";
import { connect } from "proffer/testing";
import { describe, expect, it } from "vitest";
import { REVISIONS } from "../../src/protocol/revisions/table.ts";

const info = (name: string) => ({ name, version: "1" });

describe("the table of clients", () => {
  it("has a source and a day for each cell", () => {
    for (const { id: _, title: __, names: ___, adapts: ____, ...cells } of PROFILES) {
      for (const { source, checked, text } of Object.values(cells)) {
        expect(source).toMatch(/\S/);
        expect(text).toMatch(/\S/);
        expect(checked).toMatch(/^2026-\d\d-\d\d$/);
      }
    }
  });

  it("names revisions that exist", () => {
    for (const { revision } of PROFILES) if (revision) expect(REVISIONS.get(revision.value)).toBeDefined();
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

describe("ctx.client.profile", () => {
  const tool = defineTool({ name: "who", handle: (_, ctx) => ctx.client.profile?.id ?? "unknown" });
  const server = defineServer({ name: "s", version: "1", tools: [tool] });

  it.each(["2025-06-18", "2026-07-28"])("is found by the name of the client on %s", async (revision) => {
    const who = async (name: string) => (await connect(server, { revision, info: info(name) })).call(tool);
    expect(await who("codex-mcp-client")).toMatchObject({ content: [{ text: "codex" }] });
    expect(await who("other")).toMatchObject({ content: [{ text: "unknown" }] });
  });
});
