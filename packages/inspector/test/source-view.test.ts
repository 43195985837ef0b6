import { afterAll, beforeAll, expect, test } from "vitest";
import { createDeriver } from "../../cli/src/derive/index.ts";
import { toFileNames, toSourceView } from "../../cli/src/inspect/module-source.ts";
import { createProject, type Project } from "../../cli/test/project.ts";

let project: Project;
beforeAll(() => {
  project = createProject();
});
afterAll(() => project.remove());

function viewOf(...lines: string[]) {
  project.write("tools.ts", ...lines);
  const deriver = createDeriver(project.path("tools.ts"), { check: false });
  const { files } = deriver.derive();
  const [positions] = deriver.positions();
  if (positions === undefined) throw new Error("no item");
  return { view: toSourceView(positions, files), files, positions };
}

test("a source view has the function, its types, and the places of the schema", () => {
  const { view, files } = viewOf(
    "interface Address { zip: string }",
    "",
    "/** Sends. */",
    "export function send(to: Address): void {",
    "  void to;",
    "}",
  );
  const file = files.indexOf(project.path("tools.ts"));
  expect(toFileNames(files, project.folder)[file]).toBe("tools.ts");
  expect(view.pieces).toEqual([
    { file, first: 3, lines: ["/** Sends. */", "export function send(to: Address): void {", "  void to;", "}"] },
    { file, first: 1, lines: ["interface Address { zip: string }"] },
  ]);
  expect(view.places).toContainEqual({
    pointer: "/inputSchema/properties/to/properties/zip",
    place: { file, line: 1, column: 21 },
    endLine: 1,
  });
});

test("a source view is bounded, and shows no file outside of the derivation", () => {
  const { view, positions } = viewOf(
    "/** Sends. */",
    "export function send(): void {",
    `  void "${"x".repeat(5000)}";`,
    ...Array(1000).fill("  void 0;"),
    "}",
  );
  expect(view.pieces[0]?.lines).toHaveLength(600);
  expect(view.pieces[0]?.lines[2]).toHaveLength(501);
  expect(toSourceView(positions, [])).toEqual({ pieces: [], places: [] });
});
