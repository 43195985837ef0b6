import type { Measured } from "./cells.ts";
import { CHECKS } from "./checks.ts";
import type { Conversations } from "./conversations.ts";
import type { FrameworkRow } from "./frameworks.ts";

/** A client that was tried, or the reason why it was not. */
export interface Row {
  readonly id: string;
  readonly title: string;
  readonly version: string;
  readonly day: string;
  readonly seen?: Conversations;
  readonly measured?: Measured;
  readonly skipped?: string;
}

/** The table of checks: a line for each check, a column for each client. */
export function describeChecks(rows: readonly Row[]): string {
  const heads = ["", ...rows.map(({ title, version }) => `${title} ${version}`)];
  const lines = CHECKS.map(([name, see]) => [
    name,
    ...rows.map(({ seen }) => (seen === undefined ? "skipped" : see(seen))),
  ]);
  return table([heads, heads.map(() => "---"), ...lines]);
}

/** The table of frameworks: a line for each call and schema, a column for each framework. */
export function describeFrameworks(rows: readonly FrameworkRow[]): string {
  const heads = ["", ...rows.map(({ framework, version }) => `${framework} ${version}`)];
  const line = (name: string, see: (row: FrameworkRow) => string) => [
    name,
    ...rows.map((row) => (row.skipped === undefined ? see(row) : "skipped")),
  ];
  const first = rows.find(({ skipped }) => skipped === undefined);
  const calls = Object.keys(first?.calls ?? {}).map((tool) => line(`call of ${tool}`, (row) => row.calls[tool] ?? ""));
  const schemas = Object.keys(first?.schemas ?? {}).map((tool) =>
    line(`schema of ${tool}`, (row) => row.schemas[tool]?.join(", ") || "+"),
  );
  return table([heads, heads.map(() => "---"), ...calls, ...schemas]);
}

function table(rows: readonly (readonly string[])[]): string {
  return rows
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |\n`)
    .join("");
}

/** The module of measured cells, for the profiles. */
export function describeMeasured(rows: readonly Row[]): string {
  const cells = rows.flatMap(({ id, version, day, measured }) =>
    measured === undefined ? [] : [[id, { version, day, cells: measured }] as const],
  );
  return `import type { MeasuredClient } from "./profile.ts";

// Written by \`npm run clients -- --write\`: the cells that were measured with the clients themselves.

export const MEASURED: { readonly [id: string]: MeasuredClient } = ${JSON.stringify(Object.fromEntries(cells))};
`;
}
