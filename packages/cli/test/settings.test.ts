import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { connect } from "proffer/testing";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { load } from "../src/modules/load.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project, waitForStderr } from "./project.ts";

const SECRET = "sk-planted-4711";
const MISSING = "- SHOP_TOKEN is not set: The key of your shop.";

const SETTINGS = [
  'import { defineSettings } from "proffer/settings";',
  "interface Settings {",
  "  /** The key of your shop. @secret */",
  "  SHOP_TOKEN: string;",
  "  /** Where the shop is. */",
  '  REGION?: "eu" | "us";',
  "  /** Seconds to wait. @integer @minimum 1 @default 30 */",
  "  TIMEOUT: number;",
  "}",
  "export const settings = defineSettings<Settings>();",
];
const FUNCTIONS = [
  "/** The settings. */",
  "export const show = (): object => ({ ...settings, length: settings.SHOP_TOKEN.length });",
  "/** Fails. */",
  "export const broken = (): string => { throw new Error('401 for ' + settings.SHOP_TOKEN); };",
];

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("functions.ts", 'console.error("imported");', ...SETTINGS, ...FUNCTIONS);
  project.write(
    "combined.ts",
    'import { defineServer } from "proffer";',
    'console.error("imported");',
    ...SETTINGS,
    ...FUNCTIONS,
    'export const server = defineServer({ name: "shop", version: "1.0.0" });',
  );
  for (const name of ["functions", "combined"]) buildModule(project.path(`${name}.ts`), project.path(`${name}-built`));
});

afterAll(() => project.remove());
afterEach(() => {
  delete process.env.SHOP_TOKEN;
});

/** All files of a folder, as one text. */
function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((file) => !file.includes("node_modules") && statSync(file).isFile())
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
}

describe("settings", () => {
  it.each(["functions.ts", "combined.ts", "functions-built", "combined-built"])(
    "of %s are checked before the module is imported, all at once",
    async (file) => {
      const { status, stderr } = project.profferProcess({ env: { TIMEOUT: "soon", REGION: "eu" } }, "serve", file);
      expect(status).toBe(1);
      expect(stderr).toContain(`2 settings are missing or invalid. Settings are environment variables.\n${MISSING}\n`);
      expect(stderr).toContain('- TIMEOUT must be integer, not "soon".');
      expect(stderr).not.toContain("imported");
      expect(stderr).not.toMatch(/^ +at /m);
    },
  );

  it.each(["functions-built", "combined-built"])(
    "of %s are checked when the folder is started with Node",
    async (name) => {
      const child = project.startNode(project.path(`${name}/index.js`));
      let stderr = "";
      child.stderr?.setEncoding("utf8").on("data", (text: string) => {
        stderr += text;
      });
      const [status] = await once(child, "close");
      expect(status).toBe(1);
      expect(stderr).toContain(MISSING);
      expect(stderr).not.toContain("imported");
    },
  );

  it.each(["functions.ts", "combined.ts", "functions-built", "combined-built"])(
    "of %s are typed values in the module, without the secret when they are spread",
    async (file) => {
      process.env.SHOP_TOKEN = SECRET;
      const client = await connect(await load(project.path(file)));
      const { structuredContent } = await client.call("show");
      expect(structuredContent).toEqual({ TIMEOUT: 30, length: SECRET.length });
      await client.close();
    },
  );

  it("are explained without a stack trace if a test loads the module", async () => {
    await expect(load(project.path("functions.ts"))).rejects.toThrow(MISSING);
  });

  it("are checked by dev, and an edit that adds one keeps the last good version", async () => {
    project.write("edited.ts", "/** One. */", "export const one = () => 1;");
    const child = project.start("dev", "edited.ts", "--http", "0");
    const output = waitForStderr(child, MISSING);
    await Promise.race([output, waitForStderr(child, "Listening")]);
    project.write("edited.ts", ...SETTINGS, "/** One. */", "export const one = () => 1;");
    expect(await output).toContain(MISSING);
    const { status, stderr } = project.profferProcess({}, "dev", "functions.ts");
    expect(status).toBe(1);
    expect(stderr).toContain(MISSING);
  });

  it("work as docs/settings.md shows", async () => {
    const page = readFileSync(new URL("../../../docs/settings.md", import.meta.url), "utf8");
    project.write("documented.ts", /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
    process.env.SHOP_TOKEN = SECRET;
    const client = await connect(await load(project.path("documented.ts")));
    expect(await client.call("connection")).toMatchObject({ content: [{ text: "any region, 30 seconds" }] });
    await client.close();
    delete process.env.SHOP_TOKEN;
    process.env.TIMEOUT = "soon";
    const [, message = ""] = /```\nerror: ([\s\S]*?)\n```/.exec(page) ?? [];
    await expect(load(project.path("documented.ts"))).rejects.toThrow(message);
    delete process.env.TIMEOUT;
  });

  it("are compared with --env of install", async () => {
    const install = async (...env: string[]) => {
      const words = ["install", "functions.ts", "--client", "vscode", "--project", "--dry-run"];
      return await project.profferWith(
        { env: { SHOP_TOKEN: SECRET } },
        ...words,
        ...env.flatMap((pair) => ["--env", pair]),
      );
    };
    const mistaken = await install("REGOIN=eu");
    expect(mistaken.status).toBe(0);
    expect(mistaken.stderr).toContain("warning: REGOIN is not a setting of this server. Did you mean REGION?");
    expect(mistaken.stderr).toContain("warning: The server does not start without SHOP_TOKEN.");
    expect(mistaken.stderr).not.toContain("without TIMEOUT");
    const invalid = await install("SHOP_TOKEN=x", "REGION=mars");
    expect(invalid.status).toBe(1);
    expect(invalid.stderr).toContain('- REGION must be one of "eu", "us", not "mars".');
    const copied = await install("SHOP_TOKEN");
    expect(copied.stdout).toContain('"SHOP_TOKEN": "***"');
    expect(copied.stderr).toContain("is shared with others, and now contains SHOP_TOKEN.");
    expect(await install("UNKNOWN_NAME")).toMatchObject({ status: 2 });
  });

  it("never show a secret: in output, logs, results, caches or builds", async () => {
    const env = { SHOP_TOKEN: SECRET };
    const runs = [
      await project.profferWith({}, "check", "functions.ts"),
      project.profferProcess({ env }, "call", "functions.ts", "show", "--json"),
      project.profferProcess({ env }, "call", "functions.ts", "broken"),
      await project.profferWith(
        { env },
        "call",
        "broken",
        "--",
        "node",
        "functions-built/index.js",
        "--errors",
        "message",
      ),
      project.profferProcess({ env: { ...env, REGION: SECRET } }, "serve", "functions.ts"),
      await project.profferWith({ env }, "build", "functions.ts", "--out", "dist", "--no-start"),
      await project.profferWith(
        { env },
        "install",
        "functions.ts",
        "--client",
        "cursor",
        "--env",
        "SHOP_TOKEN",
        "--dry-run",
      ),
    ];
    expect(runs.map(({ status }) => status)).toEqual([0, 0, 1, 1, 1, 0, 0]);
    expect(runs[0]?.stdout).toContain(
      [
        "Settings",
        "  SHOP_TOKEN  required, secret  The key of your shop.",
        "  REGION  optional  Where the shop is.",
        "  TIMEOUT  optional, default 30  Seconds to wait.",
      ].join("\n"),
    );
    const output = JSON.stringify(runs);
    expect(output).toContain("401 for [redacted]");
    expect(output).toContain("401 for ");
    expect(output).not.toContain(SECRET);
    expect(contentOf(project.folder)).not.toContain(SECRET);
  });
});
