import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { distFile } from "../packages/proffer/test/dist.ts";
import { freePort } from "../packages/proffer/test/free-port.ts";
import { modern, modernHeaders, request } from "../packages/proffer/test/http/http-client.ts";

// Each recipe of docs/frameworks.md becomes a project, which its framework builds and serves.

const here = fileURLToPath(new URL(".", import.meta.url));
const page = readFileSync(join(here, "../docs/frameworks.md"), "utf8");
const work = join(here, "work");
/** The files of the page by their paths. */
const recipes = new Map(
  [...page.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path, code]) => [path, code]),
);

const NODE = {
  compilerOptions: {
    ...{ module: "nodenext", target: "es2023", strict: true, skipLibCheck: true, outDir: "out", rootDir: "." },
    ...{ experimentalDecorators: true, emitDecoratorMetadata: true, types: ["node"] },
  },
};
const NEXT = {
  compilerOptions: {
    ...{ module: "esnext", moduleResolution: "bundler", target: "es2023", lib: ["dom", "es2023"], jsx: "react-jsx" },
    ...{ strict: true, skipLibCheck: true, noEmit: true, esModuleInterop: true, isolatedModules: true },
  },
};

interface Recipe {
  /** The path of the recipe on the page, and that of its server. */
  readonly path: string;
  readonly server: string;
  /** The files that a project has anyway. */
  readonly files: Readonly<Record<string, string>>;
  readonly builds: readonly string[];
  readonly serves: string;
}

function onNode(name: string): Recipe {
  const files = { "tsconfig.json": JSON.stringify({ ...NODE, files: [`src/${name}.ts`] }) };
  return { path: `src/${name}.ts`, server: "mcp.ts", files, builds: ["tsc"], serves: `node out/src/${name}.js` };
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  Express: onNode("express"),
  Fastify: onNode("fastify"),
  NestJS: onNode("main"),
  Hono: onNode("hono"),
  "Next.js": {
    path: "app/mcp/route.ts",
    server: "mcp.ts",
    files: {
      "tsconfig.json": JSON.stringify(NEXT),
      "app/layout.tsx":
        "export default ({ children }: LayoutProps<'/'>) => <html lang='en'><body>{children}</body></html>;",
      "app/page.tsx": "export default () => <p>Hello</p>;",
    },
    builds: ["next build"],
    serves: "next start --hostname 127.0.0.1",
  },
  Nuxt: {
    path: "server/routes/mcp.ts",
    server: "mcp.ts",
    files: { "nuxt.config.ts": "export default defineNuxtConfig({});", "app.vue": "<template><p>Hello</p></template>" },
    builds: ["nuxt build"],
    serves: "node .output/server/index.mjs",
  },
  SvelteKit: {
    path: "src/routes/mcp/+server.ts",
    server: "src/mcp.ts",
    files: {
      // Bundled, so that packages of SvelteKit are not those of another framework beside it.
      "vite.config.ts":
        'import { sveltekit } from "@sveltejs/kit/vite"; export default { plugins: [sveltekit()], ssr: { noExternal: true } };',
      "tsconfig.json": '{ "extends": "./.svelte-kit/tsconfig.json", "compilerOptions": { "skipLibCheck": true } }',
      "src/app.html": "<html lang='en'><head>%sveltekit.head%</head><body>%sveltekit.body%</body></html>",
      "src/routes/+page.svelte": "<p>Hello</p>",
    },
    builds: ["vite build", "tsc"],
    serves: "vite preview --host 127.0.0.1",
  },
};

beforeAll(() => {
  const install = 'import { ensureInstalledIn } from "./scripts/npm.mjs"; ensureInstalledIn("frameworks");';
  const options = { cwd: join(here, ".."), encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", install], options);
  expect(status, stderr).toBe(0);
  // A copy, as npm installs it: Next.js follows no link out of the project.
  const copy = join(here, "node_modules/proffer");
  rmSync(copy, { recursive: true, force: true });
  for (const name of ["package.json", "dist"]) {
    cpSync(join(dirname(distFile("index.js")), "..", name), join(copy, name), { recursive: true });
  }
}, 600_000);
afterAll(() => rmSync(work, { recursive: true, force: true }));

it("has a recipe for each framework of the page", () => {
  const paths = Object.values(RECIPES).map(({ path }) => path);
  expect([...recipes.keys()].sort()).toEqual(["mcp.ts", ...paths].sort());
});

it.each(Object.entries(RECIPES))(
  "%s serves a call, a session of the official client, and refuses a foreign host",
  async (name, recipe) => {
    const folder = join(work, name.toLowerCase().replace(/\W/g, ""));
    writeProject(folder, recipe);
    for (const command of recipe.builds) {
      const { status, stdout, stderr } = spawnSync(...toCommand(command), { cwd: folder, env: ENV, encoding: "utf8" });
      expect({ command, status, output: status === 0 ? "" : stdout + stderr }).toEqual({
        command,
        status: 0,
        output: "",
      });
    }
    const port = await freePort();
    const server = start(recipe.serves, folder, port);
    onTestFinished(() => void server.kill("SIGKILL"));

    const url = `http://127.0.0.1:${port}/mcp`;
    const call = modern("tools/call", { name: "hello", arguments: { name: "Ada" } });
    const send = (headers = {}) =>
      request(url, { method: "POST", headers: { ...modernHeaders(call), ...headers }, body: JSON.stringify(call) });
    await expect.poll(() => send().then(textOf, () => ""), { interval: 200 }).toContain("Hello, Ada!");
    expect((await send({ host: "evil.example" })).statusCode).toBe(403);

    const client = new Client({ name: "example", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect(await client.callTool({ name: "hello", arguments: { name: "Bob" } })).toMatchObject({
      content: [{ type: "text", text: "Hello, Bob!" }],
    });
    await client.close();
  },
  600_000,
);

const ENV: NodeJS.ProcessEnv = {
  ...process.env,
  NODE_ENV: "production",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
};

async function textOf(response: Readable): Promise<string> {
  return Buffer.concat(await response.toArray()).toString();
}

function writeProject(folder: string, { path, server, files }: Recipe): void {
  rmSync(folder, { recursive: true, force: true });
  const own = { "package.json": '{ "private": true, "type": "module" }', [server]: recipes.get("mcp.ts") ?? "" };
  for (const [name, text] of Object.entries({ ...own, ...files, [path]: recipes.get(path) ?? "" })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The programs of the frameworks are files of JavaScript, which this Node runs: then their process is the one to kill. */
function toCommand(line: string): [string, string[]] {
  const [program = "", ...args] = line.split(" ");
  return [process.execPath, program === "node" ? args : [join(here, "node_modules/.bin", program), ...args]];
}

function start(line: string, folder: string, port: number): ChildProcess {
  const [program, args] = toCommand(line);
  const ports = line.startsWith("vite") || line.startsWith("next") ? ["--port", String(port)] : [];
  const env = { ...ENV, PORT: String(port), HOST: "127.0.0.1" };
  return spawn(program, [...args, ...ports], { cwd: folder, env, stdio: "ignore" });
}
