import fc from "fast-check";
import { expect, it } from "vitest";
import { editJson } from "./edit-json.ts";

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
