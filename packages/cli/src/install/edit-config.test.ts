import fc from "fast-check";
import { stringify as stringifyToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { stringify as stringifyYaml } from "yaml";
import { editJson, editToml, editYaml } from "./edit-config.ts";

describe("JSON", () => {
  const entry = { command: "node", args: ["a"] };
  const set = (text: string) => editJson.write(text, "mcpServers", "new", entry);
  const remove = (text: string, name: string) => editJson.write(text, "mcpServers", name, undefined);

  it("creates the content of a new file", () => {
    expect(set("")).toBe(`${JSON.stringify({ mcpServers: { new: entry } }, undefined, 2)}\n`);
  });

  it("adds an entry and leaves every other line unchanged", () => {
    const before = [
      "{",
      "\t// a comment",
      '\t"theme": "dark", /* another */',
      '\t"mcpServers": {',
      '\t\t"old": {"command":"y"} // the last one',
      "\t},",
      "}",
      "",
    ].join("\n");
    const lines = set(before).split("\n");
    for (const line of before.split("\n")) expect(lines).toContain(line);
    expect(editJson.read(set(before))).toEqual({
      theme: "dark",
      mcpServers: { new: entry, old: { command: "y" } },
    });
  });

  it("adds the section to a file without one", () => {
    expect(editJson.read(set('{ "a": 1 }'))).toEqual({ a: 1, mcpServers: { new: entry } });
    expect(set("{}\n")).toBe(
      '{\n  "mcpServers": {\n    "new": {\n      "command": "node",\n      "args": [\n        "a"\n      ]\n    }\n  }\n}\n',
    );
  });

  it("replaces an entry in place", () => {
    const before = '{"mcpServers":{"new":{"command":"old"},"x":{}}}';
    expect(editJson.read(set(before))).toEqual({ mcpServers: { new: entry, x: {} } });
  });

  it.each(["a", "b", "c"])("removes the entry %s with its comma and nothing else", (name) => {
    const line = (key: string, comma: string) => `    "${key}": {}${comma} // about ${key}`;
    const before = ["{", '  "mcpServers": {', line("a", ","), line("b", ","), line("c", ""), "  }", "}"].join("\n");
    const after = remove(before, name);
    const rest = Object.fromEntries(["a", "b", "c"].filter((key) => key !== name).map((key) => [key, {}]));
    expect(editJson.read(after)).toEqual({ mcpServers: rest });
    expect(() => JSON.parse(after.replace(/ *\/\/.*/g, ""))).not.toThrow();
  });

  it("reports the position of a syntax error", () => {
    expect(() => editJson.read('{\n  "a": [}')).toThrow("ValueExpected at line 2, column 9");
  });

  it("sets and deletes a property in a file with any other content and any formatting", () => {
    const file = fc.record(
      { mcpServers: fc.dictionary(fc.string(), fc.jsonValue()), other: fc.jsonValue() },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(file, fc.constantFrom(undefined, 1, 2, "\t"), fc.string(), (value, indent, name) => {
        const normal = JSON.parse(JSON.stringify(value));
        const text = JSON.stringify(normal, undefined, indent);
        const written = editJson.write(text, "mcpServers", name, entry);
        const servers = Object.entries(normal.mcpServers ?? {}).filter(([key]) => key !== name);
        const expected = Object.fromEntries([...servers, [name, entry]]);
        expect(JSON.parse(written)).toEqual({ ...normal, mcpServers: expected });
        const removed = JSON.parse(editJson.write(written, "mcpServers", name, undefined));
        expect(removed).toEqual({ ...normal, mcpServers: Object.fromEntries(servers) });
      }),
    );
  });
});

describe("TOML", () => {
  const entry = { command: "node", args: ["a"], env: { A: "1" } };

  it("replaces the tables of an entry and leaves every other line unchanged", () => {
    const others = [
      "# mine",
      'model = "m"',
      "",
      "[mcp_servers.other] # why",
      'command = "x"',
      "",
      "# about profiles",
      "[profiles.a]",
      "b = 1",
    ];
    const before = [
      ...others.slice(0, 6),
      '[mcp_servers."new"]',
      'command = "old"',
      "",
      "[mcp_servers.new.env]",
      'B = "2"',
      "",
      ...others.slice(6),
      "",
    ].join("\n");
    const after = editToml.write(before, "mcp_servers", "new", entry);
    for (const line of others) expect(after.split("\n")).toContain(line);
    expect(editToml.read(after)).toEqual({
      model: "m",
      mcp_servers: { other: { command: "x" }, new: entry },
      profiles: { a: { b: 1 } },
    });
    expect(editToml.read(editToml.write(after, "mcp_servers", "new", undefined))).not.toHaveProperty("mcp_servers.new");
  });

  it("sets and deletes a property in a file with any other content", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const table = fc.dictionary(name, fc.oneof(fc.string(), fc.boolean(), fc.array(fc.string())));
    fc.assert(
      fc.property(fc.dictionary(name, table), name, (servers, added) => {
        const text = stringifyToml({ top: 1, mcp_servers: servers, last: { a: "b" } });
        const written = editToml.write(text, "mcp_servers", added, entry);
        expect(editToml.read(written)).toEqual({
          top: 1,
          mcp_servers: { ...servers, [added]: entry },
          last: { a: "b" },
        });
        const { [added]: _, ...rest } = servers;
        const removed = editToml.read(editToml.write(written, "mcp_servers", added, undefined)) as object;
        expect({ mcp_servers: {}, ...removed }).toEqual({ top: 1, mcp_servers: rest, last: { a: "b" } });
      }),
    );
  });
});

describe("YAML", () => {
  const entry = { cmd: "node", args: ["a"], envs: {} };

  it("adds an entry and leaves every other line unchanged; removing it restores the text", () => {
    const before = [
      "# mine",
      "model: m # why",
      "extensions:",
      "  # the first",
      "  other: # inline",
      "    cmd: x",
      "",
      "last: 1",
      "",
    ].join("\n");
    const after = editYaml.write(before, "extensions", "new", entry);
    for (const line of before.split("\n")) expect(after.split("\n")).toContain(line);
    expect(editYaml.read(after)).toEqual({ model: "m", extensions: { new: entry, other: { cmd: "x" } }, last: 1 });
    expect(editYaml.write(after, "extensions", "new", undefined)).toBe(before);
  });

  it("adds the section to a file without one", () => {
    expect(editYaml.read(editYaml.write("a: 1\n", "extensions", "new", entry))).toEqual({
      a: 1,
      extensions: { new: entry },
    });
    expect(editYaml.read(editYaml.write("", "extensions", "new", entry))).toEqual({ extensions: { new: entry } });
    expect(editYaml.read(editYaml.write("extensions:\n", "extensions", "new", entry))).toEqual({
      extensions: { new: entry },
    });
    expect(editYaml.read(editYaml.write("{a: 1}", "extensions", "new", entry))).toEqual({
      a: 1,
      extensions: { new: entry },
    });
  });

  it("sets and deletes a property in a file with any other content", () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const value = fc.dictionary(
      name,
      // A new object each time: one that occurs twice would be written as an anchor and an alias.
      fc.oneof(
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.array(fc.string()),
        fc.constant(null).map(() => ({})),
      ),
    );
    fc.assert(
      fc.property(fc.dictionary(name, value, { minKeys: 1 }), name, (extensions, added) => {
        const text = stringifyYaml({ extensions, other: [1] });
        const written = editYaml.write(text, "extensions", added, entry);
        expect(editYaml.read(written)).toEqual({ extensions: { ...extensions, [added]: entry }, other: [1] });
        const { [added]: _, ...rest } = extensions;
        const removed = editYaml.read(editYaml.write(written, "extensions", added, undefined)) as object;
        expect({ extensions: {}, ...removed }).toEqual({ extensions: rest, other: [1] });
      }),
    );
  });
});
