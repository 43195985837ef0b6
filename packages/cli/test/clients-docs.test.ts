import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Cell, findLosses, type Loss, PROFILES, type Profile } from "@proffer/cli/profiles";
import type { Server } from "proffer";
import { createDerivedServer } from "proffer/built";
import type { Manifest } from "proffer/derived";
import { connect } from "proffer/testing";
import { beforeAll, expect, it } from "vitest";
import { openServer } from "../src/modules/load.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const page = join(root, "docs/clients.md");
const fixtures = join(root, "packages/cli/test/derive/fixtures");
const EXAMPLES = [
  "algocline/server.ts",
  "birds/server.ts",
  "conformance/server.ts",
  "logtalk-tour/server.ts",
  "logtalk-tour/tools.ts",
  "ports/filesystem/server.ts",
  "ports/memory/server.ts",
  "quickstart/server.ts",
  "sales-orders/demo.ts",
];
const EFFECTS = ["refuses", "omits", "cuts", "drops", "risks"] as const;

interface Sample {
  readonly module: string;
  readonly tools: number;
  readonly losses: readonly Loss[];
}

const samples: Sample[] = [];

beforeAll(async () => {
  for (const name of readdirSync(fixtures).sort()) {
    const derivation = JSON.parse(readFileSync(join(fixtures, name, "expected.json"), "utf8"));
    const manifest: Manifest = { ...derivation, server: { name: "sample", version: "1.0.0" } };
    if (manifest.tools.length > 0)
      await add(
        `${name} (test)`,
        createDerivedServer(manifest, async () => ({})),
      );
  }
  for (const file of EXAMPLES) await add(file, (await openServer(join(root, "examples", file))).server);
});

async function add(module: string, server: Server): Promise<void> {
  if (server.tools.size === 0) return;
  const client = await connect(server, { start: false });
  const tools = await client.listTools();
  await client.close();
  const losses = PROFILES.flatMap((profile) => findLosses(profile, server.info.name, tools));
  samples.push({ module, tools: tools.length, losses });
}

/** The official conformance test wants a schema with these keywords; a schema that an author wrote is listed as written. */
const WRITTEN = "json_schema_2020_12_tool";

it("no client refuses a tool of the samples and examples", () => {
  const refusals = samples.flatMap(({ module, losses }) =>
    losses.filter(({ effect, tool }) => effect === "refuses" && tool !== WRITTEN).map((loss) => ({ module, ...loss })),
  );
  expect(samples.length).toBeGreaterThan(40);
  expect(refusals).toEqual([]);
});

it("docs/clients.md contains the tables; UPDATE=1 rewrites them", () => {
  const before = readFileSync(page, "utf8");
  const tables = { overview: overview(), facts: PROFILES.map(facts).join("\n"), samples: totals(), tools: details() };
  let text = before;
  for (const [name, table] of Object.entries(tables)) {
    const [start, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->\n`];
    expect(text).toContain(start);
    text = text.slice(0, text.indexOf(start) + start.length) + table + text.slice(text.indexOf(end));
  }
  if (process.env.UPDATE === "1") writeFileSync(page, text);
  expect(readFileSync(page, "utf8")).toBe(text);
});

function overview(): string {
  return table(
    ["Client", "`clientInfo.name`", "Revision", "The model reads resources", "Questions"],
    PROFILES.map(({ id, title, names, revision, resources, questions }) => [
      `${title} (\`${id}\`)`,
      names.map((name) => `\`${name}\``).join(", "),
      revision?.text ?? "",
      resources === undefined ? "" : resources.value ? "yes" : "no",
      questions?.text ?? "",
    ]),
  );
}

const FACTS = [
  ["revision", "Revision"],
  ["tools", "Tools"],
  ["toolNames", "Names"],
  ["schemas", "Schemas"],
  ["results", "Results"],
  ["resources", "Resources"],
  ["questions", "Questions"],
  ["times", "Time limits"],
  ["folder", "Working directory"],
] as const satisfies readonly (readonly [keyof Profile, string])[];

function facts(profile: Profile): string {
  const known = FACTS.flatMap(([key, name]): string[][] => {
    const cell: Cell<unknown> | undefined = profile[key];
    return cell === undefined ? [] : [[name, cell.text, cell.known, cell.source, cell.checked]];
  });
  return `### ${profile.title}\n\n${table(["", "", "Known", "Source", "Checked"], known)}`;
}

/** The number of tools per client and effect. */
function totals(): string {
  const all = samples.flatMap(({ module, losses }) =>
    losses.map((loss) => ({ ...loss, tool: `${module} ${loss.tool}` })),
  );
  const rows = PROFILES.map(({ id, title }) => [
    title,
    ...EFFECTS.map((effect) => {
      const own = all.filter((loss) => loss.client === id && loss.effect === effect);
      return String(new Set(own.map(({ tool }) => tool)).size);
    }),
  ]);
  const tools = samples.reduce((sum, sample) => sum + sample.tools, 0);
  return `${tools} tools of ${samples.length} modules:\n\n${table(["Client", ...EFFECTS], rows)}`;
}

function details(): string {
  const rows = samples.flatMap(({ module, losses }) => {
    const byTool = groupBy(losses, ({ tool }) => tool);
    return [...byTool].map(([tool, own]) => {
      const byWhat = groupBy(own, ({ effect, what }) => `${effect} ${what}`);
      const texts = [...byWhat].map(([what, some]) => `${some.map(({ client }) => client).join(", ")}: ${what}`);
      return [module, `\`${tool}\``, texts.join("; ")];
    });
  });
  return table(["Module", "Tool", "What its clients do"], rows);
}

function groupBy(losses: readonly Loss[], key: (loss: Loss) => string): Map<string, Loss[]> {
  const groups = new Map<string, Loss[]>();
  for (const loss of losses) groups.set(key(loss), [...(groups.get(key(loss)) ?? []), loss]);
  return groups;
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return line(heads) + line(heads.map(() => "---")) + rows.map(line).join("");
}
