import fc from "fast-check";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { editYaml } from "./edit-yaml.ts";

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
      const text = stringify({ extensions, other: [1] });
      const written = editYaml.write(text, "extensions", added, entry);
      expect(editYaml.read(written)).toEqual({ extensions: { ...extensions, [added]: entry }, other: [1] });
      const { [added]: _, ...rest } = extensions;
      const removed = editYaml.read(editYaml.write(written, "extensions", added, undefined)) as object;
      expect({ extensions: {}, ...removed }).toEqual({ extensions: rest, other: [1] });
    }),
  );
});
