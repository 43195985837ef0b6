import { existsSync, mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { getMcpConfigForManifest, unpackExtension } from "@anthropic-ai/mcpb";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { pack, readPackedFiles } from "../src/commands/pack.ts";
import { buildModule } from "./build-module.ts";
import { createProject, type Project } from "./project.ts";

const SECRET = "sk-planted-4711";
const PACKAGE = {
  name: "@acme/shop",
  version: "1.2.3",
  type: "module",
  description: "Sells things.",
  author: "Ada <ada@example.com> (https://ada.example)",
  license: "MIT",
  homepage: "https://shop.example",
  keywords: ["shop"],
  repository: { type: "git", url: "git+https://github.com/acme/shop.git" },
};
const TOOLS = [
  'import { readWords } from "./words.js";',
  'import { defineSettings } from "proffer/settings";',
  "const settings = defineSettings<{",
  "  /** The key of your shop. @secret */",
  "  SHOP_TOKEN: string;",
  "  /** Where the shop is. @title Region of the shop */",
  '  REGION?: "eu" | "us";',
  "  /** Seconds to wait. @integer @minimum 1 @maximum 60 @default 30 */",
  "  TIMEOUT: number;",
  "  DEBUG?: boolean;",
  '  /** Who may order. @default ["ada", "eve"] */',
  "  ALLOWED: string[];",
  "  /** The file of the orders. @default data/orders.db */",
  "  ORDERS: string;",
  "}>();",
  "/** Shows the settings. */",
  "export const show = (): object => ({ ...settings, length: settings.SHOP_TOKEN.length });",
  "/** Reads the words. */",
  "export const words = (): string => readWords();",
  "/** Reviews code. @prompt */",
  "export const review = (code: string) => code;",
];

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write("package.json", JSON.stringify(PACKAGE));
  project.write("words.txt", "some words");
  project.write("tools.ts", ...TOOLS);
  project.write(
    "words.js",
    'import { readFileSync } from "node:fs";',
    "/** @returns {string} */",
    'export const readWords = () => readFileSync(new URL("./words.txt", import.meta.url), "utf8");',
  );
});

afterAll(() => project.remove());
afterEach(() => {
  delete process.env.SHOP_TOKEN;
});

async function refusalOf(work: Promise<void> | (() => unknown)): Promise<string> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("Nothing was refused.");
}

describe("proffer pack", () => {
  it("writes a package that the official tool unpacks, and that runs as Claude Desktop starts it", async () => {
    process.env.SHOP_TOKEN = SECRET;
    const out = project.path("shop.mcpb");
    await pack(project.path("tools.ts"), { out, asset: [project.path("words.txt")] });
    const bytes = readFileSync(out);
    // An earlier package is replaced, by the same bytes.
    await pack(project.path("tools.ts"), { out, asset: [project.path("words.txt")], start: false });
    expect(readFileSync(out).equals(bytes)).toBe(true);
    expect(bytes.includes(SECRET)).toBe(false);

    const folder = project.path("unpacked");
    expect(await unpackExtension({ mcpbPath: out, outputDir: folder, silent: true })).toBe(true);
    const manifest = JSON.parse(project.read("unpacked/manifest.json"));
    const schema = createRequire(import.meta.url)("@anthropic-ai/mcpb/mcpb-manifest-v0.3.schema.json");
    const ajv = addFormats.default(new Ajv({ strict: false }));
    expect(ajv.validate(schema, manifest), ajv.errorsText()).toBe(true);
    expect(manifest).toMatchObject({
      name: "acme-shop",
      version: "1.2.3",
      description: "Sells things.",
      author: { name: "Ada", email: "ada@example.com", url: "https://ada.example" },
      repository: { url: "https://github.com/acme/shop" },
      license: "MIT",
      tools: [{ name: "show", description: "Shows the settings." }, { name: "words" }],
      prompts: [{ name: "review", arguments: ["code"] }],
      user_config: {
        SHOP_TOKEN: { type: "string", title: "Shop token", required: true, sensitive: true },
        REGION: { title: "Region of the shop", description: "Where the shop is. One of: eu, us.", required: false },
        TIMEOUT: { type: "number", default: 30, min: 1, max: 60, required: false },
        DEBUG: { type: "boolean" },
        ALLOWED: { type: "string", default: "ada,eve" },
        // A relative path means another file in each client.
        ORDERS: { description: expect.stringContaining("An absolute path"), required: true },
      },
    });

    const options = { manifest, extensionPath: folder, systemDirs: {}, pathSeparator: "/" };
    // The client does not start a server whose required settings are missing.
    expect(manifest.user_config.ORDERS).not.toHaveProperty("default");
    expect(await getMcpConfigForManifest({ ...options, userConfig: { SHOP_TOKEN: SECRET } })).toBeUndefined();
    const userConfig = { SHOP_TOKEN: SECRET, DEBUG: true, ORDERS: "/orders.db" };
    const { command, args = [], env = {} } = (await getMcpConfigForManifest({ ...options, userConfig })) ?? {};
    expect(command).toBe("node");
    const client = new Client({ name: "official", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: "/" }));
    const shown = await client.callTool({ name: "show", arguments: {} });
    const allowed = ["ada", "eve"];
    expect(shown.structuredContent).toEqual({
      ...{ TIMEOUT: 30, DEBUG: true, ALLOWED: allowed, ORDERS: "/orders.db", length: SECRET.length },
    });
    expect(await client.callTool({ name: "words", arguments: {} })).toMatchObject({
      content: [{ text: "some words\n" }],
    });
    await client.close();
  });

  it("packs a built folder with its packages, and one without its lists if it cannot be imported", async () => {
    project.write(
      "server.ts",
      'import { defineServer } from "proffer";',
      'if (process.env.SHOP_TOKEN === undefined) throw new Error("not here");',
      'export default defineServer({ name: "own", version: "1.0.0" });',
    );
    buildModule(project.path("server.ts"), project.path("dist"));
    const out = project.path("own.mcpb");
    const flags = { out, start: false };
    expect(await refusalOf(pack(project.path("dist"), { out }))).toContain("does not contain its packages");
    project.write("dist/node_modules/proffer/package.json", "{}");
    project.write("dist/node_modules/.bin/tool", "a link, usually");
    await pack(project.path("dist"), flags);
    await unpackExtension({ mcpbPath: out, outputDir: project.path("own"), silent: true });
    expect(JSON.parse(project.read("own/manifest.json"))).toMatchObject({
      server: { entry_point: "server/index.js" },
      tools_generated: true,
    });
    expect(project.read("own/server/node_modules/proffer/package.json")).toBe("{}\n");
    expect(() => project.read("own/server/node_modules/.bin/tool")).toThrow();
  });

  it("refuses symbolic links, native code and credentials, and names them all", () => {
    for (const name of [".env", ".env.production", "id_ed25519", "server.pem", "addon.node", "fine.js"]) {
      project.write(`bad/${name}`, "content");
    }
    project.write("bad/.env.example", "SHOP_TOKEN=");
    project.write("bad/node_modules/tls-tests/cert.pem", "a public certificate of a package's tests");
    symlinkSync(project.path("package.json"), project.path("bad/link.json"));
    mkdirSync(project.path("bad/deep"));
    symlinkSync(project.folder, project.path("bad/deep/out"), "junction");
    const message = String(expectThrown(() => readPackedFiles(project.path("bad"), [])));
    for (const name of [
      ".env ",
      ".env.production",
      "id_ed25519",
      "server.pem",
      "addon.node",
      "link.json",
      "deep/out",
    ]) {
      expect(message).toContain(`- ${name}`);
    }
    expect(message.split("\n- ")).toHaveLength(8);
    expect(message).toContain("Nothing was written");
  });

  it("refuses more than 50 MB, and files with the value of a secret setting", async () => {
    project.write("large/data.bin", "");
    truncateSync(project.path("large/data.bin"), 51 * 1024 * 1024);
    expect(String(expectThrown(() => readPackedFiles(project.path("large"), [])))).toContain("more than 52428800");
    process.env.SHOP_TOKEN = SECRET;
    project.write("leak.txt", `token: ${SECRET}`);
    const assets = [project.path("words.txt"), project.path("leak.txt")];
    const message = await refusalOf(pack(project.path("tools.ts"), { out: project.path("leak.mcpb"), asset: assets }));
    expect(message).toContain("leak.txt contains the value of a secret setting");
    expect(message).not.toContain(SECRET);
    expect(() => project.read("leak.mcpb")).toThrow();
  });

  it("refuses an output that is not a package, and a project without an author", async () => {
    project.write("plain.ts", "/** One. */", "export const one = () => 1;");
    writeFileSync(project.path("precious.mcpb"), "not an archive");
    const module = project.path("plain.ts");
    const to = (name: string) => refusalOf(pack(module, { out: project.path(name) }));
    expect(await to("precious.mcpb")).toContain("exists and is not a package. Nothing was written.");
    expect(project.read("precious.mcpb")).toBe("not an archive");
    expect(await to("plain.zip")).toContain("must end with .mcpb");
    project.write("package.json", '{ "name": "plain", "version": "1.0.0", "type": "module" }');
    expect(await to("plain.mcpb")).toContain(
      'Add to package.json: "author": "Your name", "description": "What the server does"',
    );
  });

  it.each(["1.0.0\n--registry=https://evil.example", "^1.0.0", "latest", "1"])(
    "refuses the version %j as publish does, and writes nothing",
    async (version) => {
      project.write("plain.ts", "/** One. */", "export const one = () => 1;");
      project.write("package.json", JSON.stringify({ ...PACKAGE, version }));
      const message = `The version ${JSON.stringify(version)} is not exact. Write one such as 1.0.0 in package.json.`;
      expect(await refusalOf(pack(project.path("plain.ts"), { out: project.path("bad.mcpb") }))).toBe(message);
      expect(existsSync(project.path("bad.mcpb"))).toBe(false);
    },
  );
});

function expectThrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}
