import { ownVersion } from "../modules/own-version.ts";

/** The files of a new project, by path. */
export function projectFiles(name: string): { readonly [path: string]: string } {
  return {
    "package.json": packageJson(name),
    "tools.ts": TOOLS,
    "tools.test.js": TEST,
    "tsconfig.json": TSCONFIG,
    ".gitignore": "node_modules/\n.proffer/\ndist/\n",
  };
}

function packageJson(name: string): string {
  const version = `^${ownVersion()}`;
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
    dependencies: { proffer: version },
    devDependencies: { "@proffer/cli": version },
    engines: { node: ">=20.19" },
  };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const TOOLS = `/**
 * Throws dice and knows about luck.
 * @module
 */
import { ToolError } from "proffer";

/** What came of a throw. */
interface Throw {
  /** Each die. */
  dice: number[];
  total: number;
}

/**
 * Throws some dice.
 * @param count - how many. @integer @minimum 1 @maximum 100
 * @param sides - how many sides each has. @integer @minimum 2
 */
export function roll(count = 1, sides = 6): Throw {
  if (sides > 1000) throw new ToolError("There are no dice with so many sides.");
  const dice = Array.from({ length: count }, () => 1 + Math.floor(Math.random() * sides));
  return { dice, total: dice.reduce((sum, die) => sum + die, 0) };
}

/**
 * How likely each total of two dice is.
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
  return \`Explain the rules of \${game} to somebody who has never played it. Be \${style}.\`;
}
`;

const TEST = `import assert from "node:assert/strict";
import { after, test } from "node:test";
import { load } from "@proffer/cli";
import { connect } from "proffer/testing";

const client = await connect(await load(new URL("./tools.ts", import.meta.url)));

after(() => client.close());

test("a roll adds up", async () => {
  const { structuredContent } = await client.call("roll", { count: 3 });
  assert.equal(structuredContent.dice.length, 3);
  assert.equal(structuredContent.total, structuredContent.dice.reduce((sum, die) => sum + die));
});

test("a die has at least two sides", async () => {
  const { isError } = await client.call("roll", { sides: 1 });
  assert.equal(isError, true);
});

test("seven is the likeliest total", async () => {
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
