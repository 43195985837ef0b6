import { existsSync } from "node:fs";
import { defineServer } from "proffer";
import { serverCard } from "proffer/card";
import { createFetchHandler } from "proffer/fetch";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { describeEntry } from "../src/commands/publish.ts";
import type { Members } from "../src/terminal/json.ts";
import { createProject, type Outcome, type Project } from "./project.ts";

const SECRET = "sk-planted-4711";
const PACKAGE = {
  name: "@acme/shop",
  version: "1.2.3",
  type: "module",
  description: "Sells things.",
  homepage: "https://shop.example",
  repository: "github:Acme/shop",
  bin: "dist/index.js",
};

let project: Project;

beforeAll(() => {
  project = createProject();
  project.write(
    "tools.ts",
    'import { defineSettings } from "proffer/settings";',
    "const settings = defineSettings<{",
    "  /** The key (of your shop). @secret */",
    "  SHOP_TOKEN: string;",
    '  REGION?: "eu" | "us";',
    "  /** Seconds to wait. @integer @default 30 */",
    "  TIMEOUT: number;",
    "  DEBUG?: boolean;",
    "}>();",
    "/** Shows the region. */",
    'export const region = (): string => settings.REGION ?? "none";',
  );
});

afterAll(() => project.remove());
beforeEach(() => project.write("package.json", JSON.stringify(PACKAGE, undefined, 4)));

const run = (...words: string[]): Promise<Outcome> => project.profferWith({ env: { SHOP_TOKEN: SECRET } }, ...words);
const prepare = (...flags: string[]) => run("publish", "tools.ts", "--prepare", ...flags);
const entry = () => JSON.parse(project.read("server.json"));

describe("proffer publish --prepare", () => {
  it("writes server.json and mcpName, shows the differences, and prints the commands", async () => {
    const dry = await prepare("--dry-run");
    expect(dry.status).toBe(0);
    expect(existsSync(project.path("server.json"))).toBe(false);
    expect(dry.stderr).toContain('+     "mcpName": "io.github.Acme/shop"');
    const { status, stdout, stderr } = await prepare();
    expect(status).toBe(0);
    expect(stderr).toContain('+   "name": "io.github.Acme/shop",');
    expect(stdout).toBe(
      [
        "npx proffer build tools.ts --out dist",
        "npm publish",
        "mcp-publisher login github",
        "mcp-publisher publish",
        "",
      ].join("\n"),
    );
    expect(project.read("package.json")).toBe(
      `${JSON.stringify({ ...PACKAGE, mcpName: "io.github.Acme/shop" }, undefined, 4)}\n`,
    );
    // The facts of the schema of 2025-12-11.
    expect(entry()).toEqual({
      $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
      name: "io.github.Acme/shop",
      description: "Sells things.",
      version: "1.2.3",
      repository: { url: "https://github.com/Acme/shop", source: "github" },
      websiteUrl: "https://shop.example",
      packages: [
        {
          registryType: "npm",
          identifier: "@acme/shop",
          version: "1.2.3",
          runtimeHint: "npx",
          transport: { type: "stdio" },
          environmentVariables: [
            {
              name: "SHOP_TOKEN",
              description: "The key (of your shop).",
              format: "string",
              isRequired: true,
              isSecret: true,
            },
            { name: "REGION", format: "string", isRequired: false, isSecret: false, choices: ["eu", "us"] },
            {
              name: "TIMEOUT",
              description: "Seconds to wait.",
              format: "number",
              isRequired: false,
              isSecret: false,
              default: "30",
            },
            { name: "DEBUG", format: "boolean", isRequired: false, isSecret: false },
          ],
        },
      ],
    });
    expect([stdout, stderr, project.read("server.json")].join()).not.toContain(SECRET);
  });

  it("keeps the other members of an earlier server.json, and updates the version", async () => {
    const remotes = [{ type: "streamable-http", url: "https://shop.example/mcp" }];
    const mcpb = { registryType: "mcpb", identifier: "https://shop.example/shop.mcpb", transport: { type: "stdio" } };
    const earlier = { name: "com.acme/shop", description: "Shorter.", version: "0.1.0", remotes, packages: [mcpb] };
    project.write("server.json", JSON.stringify(earlier));
    const { stdout } = await prepare();
    expect(entry()).toMatchObject({ name: "com.acme/shop", description: "Shorter.", version: "1.2.3", remotes });
    expect(entry().packages).toMatchObject([{ registryType: "npm" }, mcpb]);
    expect(JSON.parse(project.read("package.json")).mcpName).toBe("com.acme/shop");
    expect(stdout).toContain("mcp-publisher login dns --domain acme.com --private-key <key>");
    expect((await prepare()).stderr).toBe("package.json is up to date.\nserver.json is up to date.\n");
  });

  it("writes the address of the server for its card, once, and the card has the same texts (S20)", async () => {
    project.write("server.json", "{}");
    const url = "https://shop.example/mcp";
    expect((await prepare("--url", url)).status).toBe(0);
    const remotes = [{ type: "streamable-http", url }];
    expect(entry()).toMatchObject({ name: "io.github.Acme/shop", remotes });
    expect((await prepare("--url", url)).stderr).toBe("package.json is up to date.\nserver.json is up to date.\n");
    const server = defineServer({ name: "shop", version: "1.2.3" });
    const handle = createFetchHandler(server, { card: serverCard(project.path("server.json")) });
    const card = await (await handle(new Request(`${url}/server-card`))).json();
    const { name, description, version, repository, websiteUrl } = entry();
    expect(card).toMatchObject({ name, description, version, repository, websiteUrl, remotes });
    expect(await prepare("--url", "shop")).toMatchObject({ status: 2 });
  });

  it("reports everything that the registry or npm would refuse, and writes nothing", async () => {
    project.write("package.json", JSON.stringify({ ...PACKAGE, version: "^1.2", private: true }));
    project.write("server.json", "{}");
    const { status, stderr } = await prepare();
    expect(status).toBe(1);
    expect(stderr).toContain("The registry would refuse this server. Nothing was written.\n- ");
    expect(stderr).toContain('- The version "^1.2" is not exact. Write one such as 1.0.0 in package.json.');
    expect(stderr).toContain('- npm does not publish the package. Remove "private": true.');
    expect(project.read("server.json")).toBe("{}\n");
    project.write("server.json", "[]");
    expect((await prepare()).stderr).toContain("server.json is not a JSON object.");
    expect(await run("publish", "tools.ts")).toMatchObject({ status: 2 });
  });

  it.each([
    [{ mcpName: "shop/a/b" }, {}, 'The name "shop/a/b" is not valid'],
    [{ mcpName: "shop/server" }, {}, 'The name "shop/server" is not valid'],
    [{ mcpName: `com.acme/${"x".repeat(200)}` }, {}, "of at most 200 characters"],
    [{ mcpName: "com.acme/shop" }, { name: "com.other/shop" }, "They must be equal."],
    [{ repository: undefined }, {}, 'Add to package.json: "mcpName"'],
    [{ description: "x".repeat(101) }, {}, "The description has 101 characters, more than 100."],
    [{ description: "" }, {}, "The server has no description."],
    [
      { name: "Shop Server", mcpName: "com.acme/shop" },
      {},
      'The name of the package, "Shop Server", is not valid on npm.',
    ],
    [{ version: "latest" }, {}, 'The version "latest" is not exact.'],
    [{ version: undefined }, {}, 'The version "" is not exact.'],
    [{ bin: undefined }, {}, 'add "bin": "dist/index.js".'],
    [
      { dependencies: { proffer: "file:vendor/proffer-0.1.0.tgz" } },
      {},
      'has no proffer at "file:vendor/proffer-0.1.0.tgz"',
    ],
    [{ dependencies: { proffer: "workspace:*" } }, {}, 'has no proffer at "workspace:*"'],
    [{ optionalDependencies: { more: "link:../more" } }, {}, 'has no more at "link:../more"'],
  ])("refuses %j with server.json %j", (wrong, earlier, problem) => {
    const content: Members = { ...PACKAGE, ...wrong };
    const description = content.description === "" ? undefined : String(content.description);
    const found = { file: "package.json", text: "", content };
    const { problems } = describeEntry({ name: "shop", description, settings: undefined, project: found }, earlier);
    expect(problems).toEqual([expect.stringContaining(problem)]);
  });
});

describe("proffer links", () => {
  const parse = (link: string) => new URL(link).searchParams;

  it("prints badges whose links contain the configuration, and no secret", async () => {
    const { stdout, stderr, status } = await run("links", "tools.ts");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    const [cursor = "", vscode = "", goose = ""] = [...stdout.matchAll(/\]\((https:[^)]*)\)$/gm)].map(
      ([, link]) => link,
    );
    expect(cursor.startsWith("https://cursor.com/en/install-mcp?")).toBe(true);
    const start = { command: "npx", args: ["-y", "@acme/shop"] };
    const plain = { ...start, env: { SHOP_TOKEN: "" } };
    expect(parse(cursor).get("name")).toBe("acme-shop");
    expect(JSON.parse(Buffer.from(parse(cursor).get("config") ?? "", "base64").toString())).toEqual(plain);
    const input = "$" + "{input:SHOP_TOKEN}";
    expect(JSON.parse(parse(vscode).get("config") ?? "")).toEqual({
      type: "stdio",
      ...start,
      env: { SHOP_TOKEN: input },
    });
    expect(JSON.parse(parse(vscode).get("inputs") ?? "")).toEqual([
      { id: "SHOP_TOKEN", type: "promptString", description: "The key (of your shop).", password: true },
    ]);
    expect([...parse(goose)]).toEqual([
      ["cmd", "npx"],
      ["arg", "-y"],
      ["arg", "@acme/shop"],
      ["id", "acme-shop"],
      ["name", "acme-shop"],
      ["description", "Sells things."],
      ["env", "SHOP_TOKEN=The key (of your shop)."],
    ]);
    const config = JSON.parse(/```json\n([\s\S]*?)```/.exec(stdout)?.[1] ?? "");
    expect(config).toEqual({ mcpServers: { "acme-shop": plain } });
    expect(stdout).not.toContain(SECRET);
  });

  it("prints links to a URL, as JSON", async () => {
    const url = "https://shop.example/mcp?tenant=a&b=(c)";
    const { stdout } = await run("links", "tools.ts", "--url", url, "--name", "shop", "--json");
    const { direct, goose, config } = JSON.parse(stdout);
    expect(JSON.parse(decodeURIComponent(direct.vscode.slice("vscode:mcp/install?".length)))).toEqual({
      name: "shop",
      type: "http",
      url,
    });
    const cursor = parse(direct.cursor);
    expect(direct.cursor.startsWith("cursor://anysphere.cursor-deeplink/mcp/install?")).toBe(true);
    expect(JSON.parse(Buffer.from(cursor.get("config") ?? "", "base64").toString())).toEqual({ url });
    expect(parse(goose).get("url")).toBe(url);
    expect(parse(direct.goose).get("type")).toBe("streamable_http");
    expect(config).toEqual({ mcpServers: { shop: { url } } });
  });

  it("refuses a private package and a wrong URL", async () => {
    project.write("package.json", JSON.stringify({ ...PACKAGE, private: true }));
    expect((await run("links", "tools.ts")).stderr).toContain('Remove "private": true, or pass --url');
    expect(await run("links", "tools.ts", "--url", "shop")).toMatchObject({ status: 2 });
  });
});
