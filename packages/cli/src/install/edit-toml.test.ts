import fc from "fast-check";
import { stringify } from "smol-toml";
import { expect, it } from "vitest";
import { editToml } from "./edit-toml.ts";

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
      const text = stringify({ top: 1, mcp_servers: servers, last: { a: "b" } });
      const written = editToml.write(text, "mcp_servers", added, entry);
      expect(editToml.read(written)).toEqual({ top: 1, mcp_servers: { ...servers, [added]: entry }, last: { a: "b" } });
      const { [added]: _, ...rest } = servers;
      const removed = editToml.read(editToml.write(written, "mcp_servers", added, undefined)) as object;
      expect({ mcp_servers: {}, ...removed }).toEqual({ top: 1, mcp_servers: rest, last: { a: "b" } });
    }),
  );
});
