/** The versions of the packages, as package.json names them. */
export interface PackageVersions {
  readonly proffer: string;
  readonly cli: string;
  /** Only in a clone: npm installs the published one with the command line. */
  readonly inspector?: string;
}

/** Returns the files of a new project, by path. */
export function projectFiles(name: string, versions: PackageVersions): { readonly [path: string]: string } {
  return {
    "package.json": packageJson(name, versions),
    "tools.ts": TOOLS,
    "tools.test.js": TEST,
    "tsconfig.json": TSCONFIG,
    ".gitignore": "node_modules/\n.proffer/\ndist/\n",
  };
}

function packageJson(name: string, { proffer, cli, inspector }: PackageVersions): string {
  const content = {
    name,
    version: "0.1.0",
    private: true,
    type: "module",
    scripts: {
      start: "proffer serve tools.ts",
      dev: "proffer dev tools.ts --http",
      build: "proffer build tools.ts --out dist",
      check: "proffer check tools.ts",
      test: "node --test",
    },
    dependencies: { proffer },
    devDependencies: { "@proffer/cli": cli, ...(inspector === undefined ? {} : { "@proffer/inspector": inspector }) },
    engines: { node: ">=20.19" },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const TOOLS = `/**
 * Rolls dice and computes odds.
 * @module
 */
import { ToolError } from "proffer";
import { defineSettings } from "proffer/settings";

/** Environment variables. Add @secret to the comment of a key or a password. */
const settings = defineSettings<{
  /** The maximum number of sides of a die. @integer @minimum 2 @default 1000 */
  MAX_SIDES: number;
}>();

/** The result of a roll. */
interface Roll {
  /** The value of each die. */
  dice: number[];
  total: number;
}

/**
 * Rolls dice.
 * @param count - the number of dice. @integer @minimum 1 @maximum 100
 * @param sides - the number of sides of each die. @integer @minimum 2
 */
export function roll(count = 1, sides = 6): Roll {
  const { MAX_SIDES } = settings;
  if (sides > MAX_SIDES) throw new ToolError(\`A die has at most \${MAX_SIDES} sides.\`);
  const dice = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
  return { dice, total: dice.reduce((sum, die) => sum + die, 0) };
}

/**
 * Returns the odds of a total of two dice.
 * @resource dice://odds/{total}
 * @mimeType text/plain
 * @param total - the total. @integer @minimum 2 @maximum 12
 */
export function odds(total: number): string {
  return \`\${6 - Math.abs(7 - total)} of 36\`;
}

/**
 * Explains a game of dice.
 * @prompt
 * @param game - the game to explain
 */
export function explain(game: string, style: "short" | "thorough" = "short"): string {
  return \`Explain the rules of \${game} to a new player. Be \${style}.\`;
}
`;

const TEST = `import assert from "node:assert/strict";
import { after, test } from "node:test";
import { load } from "@proffer/cli";
import { connect } from "proffer/testing";

const client = await connect(await load(new URL("./tools.ts", import.meta.url)));

after(() => client.close());

test("a roll has the right total", async () => {
  const { structuredContent } = await client.call("roll", { count: 3 });
  assert.equal(structuredContent.dice.length, 3);
  assert.equal(structuredContent.total, structuredContent.dice.reduce((sum, die) => sum + die));
});

test("a die has at least two sides", async () => {
  const { isError } = await client.call("roll", { sides: 1 });
  assert.equal(isError, true);
});

test("seven is the most likely total", async () => {
  const { contents } = await client.read("dice://odds/7");
  assert.equal(contents[0].text, "6 of 36");
});

test("the prompt names the game", async () => {
  const { messages } = await client.get("explain", { game: "craps" });
  assert.match(messages[0].content.text, /craps/);
});
`;

const TSCONFIG = `${JSON.stringify(
  {
    compilerOptions: {
      target: "ES2023",
      module: "nodenext",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      skipLibCheck: true,
    },
    include: ["*.ts"],
  },
  undefined,
  2,
)}\n`;
