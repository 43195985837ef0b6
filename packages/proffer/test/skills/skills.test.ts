import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client as OfficialClient, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { definePrompt, defineServer, defineTool, type ServerOptions } from "proffer";
import { serveHttp } from "proffer/http";
import { defineSkill } from "proffer/skills";
import { connect } from "proffer/testing";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const NEWEST = "2026-07-28";
const REFUNDS = `---\nname: refunds\ndescription: "Use it to refund an order."\nlicense: MIT\n---\n# Refunds\n\nCall \`find_order\`.\n`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "proffer-skills-"));
  write("refunds/SKILL.md", REFUNDS);
  write("refunds/examples/mail.md", "Dear customer");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

const log = vi.fn();
beforeEach(() => void log.mockReset());

function serve(options: Partial<ServerOptions> = {}, client: object = {}) {
  const server = defineServer({ name: "shop", version: "1", skills: folder, log, ...options });
  return connect(server, { revision: NEWEST, ...client });
}

interface Entry {
  readonly uri: string;
  readonly frontmatter: object;
  readonly resources: readonly { uri: string; digest: string; size: number }[];
}

async function listed(client: Awaited<ReturnType<typeof serve>>): Promise<Entry[]> {
  const all: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = (await client.request("skills/list", cursor ? { cursor } : {})) as {
      skills: Entry[];
      nextCursor?: string;
    };
    all.push(...page.skills);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return all;
}

const digestOf = (bytes: string | Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

describe("the extension for skills", () => {
  it("is announced with resources, and lists each file with its digest", async () => {
    const client = await serve();
    expect(client.opened.capabilities).toMatchObject({
      resources: {},
      extensions: { "io.modelcontextprotocol/skills": { directoryRead: true } },
    });
    const page = await client.request("skills/list");
    const entry = {
      uri: "skill://refunds/SKILL.md",
      frontmatter: { name: "refunds", description: "Use it to refund an order.", license: "MIT" },
      resources: [
        { uri: "skill://refunds/SKILL.md", digest: digestOf(REFUNDS), size: Buffer.byteLength(REFUNDS) },
        { uri: "skill://refunds/examples/mail.md", digest: digestOf("Dear customer"), size: 13 },
      ],
    };
    expect(page).toMatchObject({ resultType: "complete", skills: [entry], ttlMs: 0, cacheScope: "private" });
    expect(await client.request("skills/get", { uri: entry.uri })).toMatchObject({
      skill: entry,
      cacheScope: "private",
    });
    await client.close();
  });

  it("is absent and not loaded without the option", async () => {
    const client = await connect(defineServer({ name: "shop", version: "1" }), { revision: NEWEST });
    await expect(client.request("skills/list")).rejects.toMatchObject({ code: -32601 });
    expect(client.opened.capabilities).not.toHaveProperty("extensions");
    await client.close();
  });

  it("refuses what is no skill", async () => {
    const client = await serve();
    for (const uri of ["skill://none/SKILL.md", "skill://refunds/examples/mail.md", "skill://refunds", "x", undefined])
      await expect(client.request("skills/get", { uri })).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it("lists SKILL.md among the resources, and reads every file", async () => {
    const client = await serve();
    expect((await client.listResources()).map(({ uri, name, mimeType }) => ({ uri, name, mimeType }))).toEqual([
      { uri: "skill://refunds/SKILL.md", name: "refunds", mimeType: "text/markdown" },
    ]);
    expect((await client.read("skill://refunds/SKILL.md")).contents).toMatchObject([{ text: REFUNDS }]);
    expect((await client.read("skill://refunds/examples/mail.md")).contents).toMatchObject([
      { uri: "skill://refunds/examples/mail.md", mimeType: "text/markdown", text: "Dear customer" },
    ]);
    await client.close();
  });

  it("reads directories, and nothing else as one", async () => {
    const client = await serve();
    const read = (uri: string) => client.request("resources/directory/read", { uri });
    expect(await read("skill://refunds")).toMatchObject({
      resources: [
        { uri: "skill://refunds/SKILL.md", name: "SKILL.md", mimeType: "text/markdown", size: REFUNDS.length },
        { uri: "skill://refunds/examples", name: "examples", mimeType: "inode/directory" },
      ],
    });
    expect(await read("skill://refunds/examples")).toMatchObject({ resources: [{ name: "mail.md", size: 13 }] });
    for (const uri of [
      "skill://refunds/SKILL.md",
      "skill://none",
      "skill://refunds/",
      "skill://refunds/examples/mail.md",
    ])
      await expect(read(uri)).rejects.toMatchObject({ code: -32602, message: `"${uri}" is not a directory resource.` });
    await client.close();
  });

  it("S5 returns the bytes of the digest for odd files, and their URIs can be read", async () => {
    const odd: Record<string, string | Uint8Array> = {
      "bom.md": "\uFEFFtext",
      "crlf.txt": "a\r\nb\r\n",
      "latin1.txt": Uint8Array.of(0xe9, 0x20, 0xe8),
      "empty.txt": "",
      "image.png": Uint8Array.of(0x89, 0x50, 0, 0xff),
      "zero.txt": "a\0b",
      "with space & ü#?%41.md": "odd name",
    };
    for (const [name, content] of Object.entries(odd)) write(`refunds/odd/${name}`, content);
    const client = await serve();
    const [entry] = await listed(client);
    expect(entry?.resources).toHaveLength(2 + Object.keys(odd).length);
    for (const { uri, digest, size } of entry?.resources ?? []) {
      const [content] = (await client.read(uri)).contents as { uri: string; text?: string; blob?: string }[];
      const bytes =
        content?.text === undefined ? Buffer.from(content?.blob ?? "", "base64") : Buffer.from(content.text);
      expect([content?.uri, digestOf(bytes), bytes.length]).toEqual([uri, digest, size]);
    }
    await client.close();
  });

  it("S4 passes the checks of the official client on both eras", async () => {
    write("refunds/odd/bom & ü.md", "\uFEFFa\r\n");
    write("refunds/odd/image.png", Uint8Array.of(0x89, 0x50, 0, 0xff));
    write(
      "typed/SKILL.md",
      "---\nname: typed\ndescription: >-\n  Folded\n  text.\nmetadata:\n  n: \"12\"\nlist: [a, 'b']\nfoo:\n  bar: 12\n---\nBody\n",
    );
    const service = await serveHttp(defineServer({ name: "shop", version: "1", skills: folder, log }), { port: 0 });
    for (const mode of ["auto", "legacy"] as const) {
      const client = new OfficialClient({ name: "host", version: "1" }, { versionNegotiation: { mode } });
      await client.connect(new StreamableHTTPClientTransport(new URL(service.url)));
      const skills = new SkillsClient(client);
      expect([skills.supported, skills.directoryRead]).toEqual([true, true]);
      const { skills: entries } = await skills.list();
      expect(entries).toHaveLength(2);
      for (const entry of entries) {
        const files = Array.isArray(entry.resources) ? entry.resources : [];
        for (const { uri } of files) expect(await skills.read(entry, uri)).toMatchObject({ verified: true });
        expect((await skills.get(entry.uri)).skill).toEqual(entry);
      }
      expect((await skills.readDirectory("skill://refunds/odd")).resources).toHaveLength(2);
      await client.close();
    }
    await service.close();
  });

  it("warns of metadata that hosts refuse", async () => {
    write("refunds/SKILL.md", REFUNDS.replace("license: MIT", "metadata:\n  version: 12"));
    await (await serve()).close();
    const message =
      "refunds/SKILL.md: metadata must map names to texts, or hosts refuse the skill. Put version in quotes.";
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ level: "warning", message }));
  });

  it("S6 warns of 513 files, and serves them", async () => {
    for (let n = 0; n < 511; n++) write(`refunds/many/${n}.txt`, "");
    write("small/SKILL.md", "---\nname: small\ndescription: small\n---\n");
    const client = await serve();
    expect(log).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining("513 files") }));
    expect((await listed(client)).map(({ resources }) => resources.length)).toEqual([513, 1]);
    await client.close();
  });

  it("S7 refuses links that lead outside, and paths that are none", async () => {
    symlinkSync("/etc/hosts", join(folder, "refunds/hosts"));
    await expect(serve()).rejects.toThrow("a link that leads outside");
    rmSync(join(folder, "refunds/hosts"));
    symlinkSync("nowhere", join(folder, "refunds/dangling"));
    await expect(serve()).rejects.toThrow(/cannot be read: .*refunds\/dangling/);
    rmSync(join(folder, "refunds/dangling"));
    symlinkSync(join(folder, "refunds/examples/mail.md"), join(folder, "refunds/same.md"));
    const client = await serve();
    expect((await client.read("skill://refunds/same.md")).contents).toMatchObject([{ text: "Dear customer" }]);
    for (const path of ["../shop.ts", "%2e%2e/a", "examples/../SKILL.md", "a%00b", "/etc/hosts", ""])
      await expect(client.read(`skill://refunds/${path}`)).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it.each([
    ["---\nname: other\ndescription: x\n---\n", 'must be that of its folder, "bad"'],
    ["---\nname: bad\n---\n", "description must be a text"],
    ["---\nname: bad\ndescription: ''\n---\n", "description must be a text"],
    ["---\nname: bad\ndescription: [a\n---\n", "bad/SKILL.md:3"],
    ["no frontmatter", "bad/SKILL.md must begin with YAML"],
    [Uint8Array.of(0xff), "is not UTF-8"],
  ])("S8 does not start with the SKILL.md %j", async (content, message) => {
    write("bad/SKILL.md", content);
    await expect(serve()).rejects.toThrow(message);
  });

  it.each(["Bad", "a--b", "-a", "a b", "ä"])("S8 does not start with a skill named %j", async (name) => {
    write(`${name}/SKILL.md`, `---\nname: ${JSON.stringify(name)}\ndescription: x\n---\n`);
    await expect(serve()).rejects.toThrow(/must be 1 to 64|must consist of/);
  });

  it("does not start with a folder that is missing or has no skill", async () => {
    await expect(serve({ skills: join(folder, "none") })).rejects.toThrow("cannot be read");
    await expect(serve({ skills: join(folder, "refunds/examples") })).rejects.toThrow("contains no SKILL.md");
    await expect(serve({ skills: 7 as never })).rejects.toThrow('Server "shop": skills must be a folder');
  });

  it("S11 serves an edit whole, and tells listeners once", async () => {
    const client = await serve();
    await client.request("skills/list");
    const edited = REFUNDS.replace("# Refunds", "# Edited");
    const stream = await client.listen({ lists: ["resources"], uris: ["skill://refunds/SKILL.md"] });
    write("refunds/SKILL.md", edited);
    await client.waitFor("notifications/resources/list_changed");
    await client.waitFor("notifications/resources/updated");
    const [entry] = await listed(client);
    expect(entry?.resources[0]).toMatchObject({ digest: digestOf(edited) });
    expect((await client.read("skill://refunds/SKILL.md")).contents).toMatchObject([{ text: edited }]);
    const heard = client.notifications.filter(({ method }) => method === "notifications/resources/list_changed");
    expect(heard).toHaveLength(1);
    await stream.close();
    await client.close();
  });

  it("S12 keeps the last good skills after a broken edit", async () => {
    const client = await serve();
    const before = await listed(client);
    write("refunds/SKILL.md", "broken");
    await vi.waitFor(() => expect(log).toHaveBeenCalledWith(expect.objectContaining({ level: "error" })), 20_000);
    expect(await listed(client)).toEqual(before);
    expect((await client.read("skill://refunds/SKILL.md")).contents).toMatchObject([{ text: REFUNDS }]);
    await client.close();
  });

  it("S13 lists a skill inside another one twice, and its files in both", async () => {
    write("refunds/partial/examples/mail.md", "Dear customer");
    write("refunds/partial/SKILL.md", REFUNDS.replace("name: refunds", "name: partial"));
    const client = await serve();
    const entries = await listed(client);
    expect(entries.map(({ uri }) => uri)).toEqual(["skill://refunds/SKILL.md", "skill://refunds/partial/SKILL.md"]);
    expect(entries[0]?.resources.map(({ uri }) => uri)).toContain("skill://refunds/partial/SKILL.md");
    expect(entries[1]?.resources.map(({ uri }) => uri)).toContain("skill://refunds/partial/examples/mail.md");
    await client.close();
  });

  it("S14 pages with one entry each, also directories", async () => {
    for (const name of ["b", "c"]) write(`${name}/SKILL.md`, `---\nname: ${name}\ndescription: x\n---\n`);
    const client = await serve({ pageSize: 1 });
    expect((await listed(client)).map(({ frontmatter }) => frontmatter)).toMatchObject([
      { name: "b" },
      { name: "c" },
      { name: "refunds" },
    ]);
    const first = (await client.request("resources/directory/read", { uri: "skill://refunds" })) as {
      nextCursor: string;
    };
    const rest = await client.request("resources/directory/read", { uri: "skill://refunds", cursor: first.nextCursor });
    expect(rest).toMatchObject({ resources: [{ name: "examples" }] });
    expect(rest).not.toHaveProperty("nextCursor");
    const forged = client.request("resources/directory/read", {
      uri: "skill://refunds/examples",
      cursor: first.nextCursor,
    });
    await expect(forged).rejects.toMatchObject({ code: -32602 });
    await client.close();
  });

  it("S15 lets scopes decide alike about entry, file, directory, prompt and tool", async () => {
    const skills = { from: folder, scopes: ["refunds"] };
    const info = { name: "claude-ai", version: "1" };
    const none = await serve({ skills, lists: "granted" }, { info, principal: { id: "a", scopes: [] } });
    const uri = "skill://refunds/SKILL.md";
    expect(await listed(none)).toEqual([]);
    expect(await none.listPrompts()).toEqual([]);
    expect(await none.listTools()).toEqual([]);
    for (const work of [
      none.request("skills/get", { uri }),
      none.request("resources/directory/read", { uri: "skill://refunds" }),
      none.read(uri),
      none.read("skill://refunds/examples/mail.md"),
      none.request("prompts/get", { name: "refunds" }),
      none.call("load_skill", { name: "refunds" }),
    ])
      await expect(work).rejects.toMatchObject({ message: expect.stringContaining("refunds") });
    await none.close();
    const granted = await serve({ skills, lists: "granted" }, { info, principal: { id: "a", scopes: ["refunds"] } });
    expect(await listed(granted)).toHaveLength(1);
    expect((await granted.listTools()).map(({ name }) => name)).toEqual(["load_skill"]);
    expect((await granted.call("load_skill", { name: "refunds" })).isError).not.toBe(true);
    await granted.close();
    const hidden = await serve({ shows: ({ name }) => !name.startsWith("refunds") }, { info });
    expect(await listed(hidden)).toEqual([]);
    await expect(hidden.request("skills/get", { uri })).rejects.toMatchObject({
      message: expect.stringContaining("No skill"),
    });
    await expect(hidden.read("skill://refunds/examples/mail.md")).rejects.toMatchObject({
      message: expect.stringContaining("not found"),
    });
    await hidden.close();
  });

  it("S16 is the tool load_skill for clients whose model cannot read resources, and only for them", async () => {
    const client = await serve({}, { info: { name: "claude-ai", version: "1" } });
    const tools = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["load_skill"]);
    expect(tools[0]?.description).toContain("- refunds: Use it to refund an order.");
    const loaded = await client.call("load_skill", { name: "refunds" });
    expect(loaded.content).toMatchObject([{ text: expect.stringContaining("Call `find_order`") }]);
    expect(loaded.content).toMatchObject([{ text: expect.stringContaining("- skill://refunds/examples/mail.md") }]);
    for (const file of ["examples/mail.md", "skill://refunds/examples/mail.md"])
      expect((await client.call("load_skill", { name: "refunds", file })).content).toMatchObject([
        { text: "Dear customer" },
      ]);
    expect(await client.call("load_skill", { name: "refunds", file: "none" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("Its files are SKILL.md, examples/mail.md.") }],
    });
    expect(await client.call("load_skill", { name: "none" })).toMatchObject({ isError: true });
    await client.close();
    const other = await serve({}, { info: { name: "claude-code", version: "1" } });
    await expect(other.listTools()).rejects.toMatchObject({ code: -32601 });
    await other.close();
  });

  it("is a prompt for people, unless another prompt has its name", async () => {
    const client = await serve();
    expect(await client.listPrompts()).toMatchObject([{ name: "refunds", description: "Use it to refund an order." }]);
    expect((await client.get("refunds")).messages).toMatchObject([
      { content: { text: expect.stringContaining("# Refunds") } },
    ]);
    await client.close();
    const own = await serve({ prompts: [definePrompt({ name: "refunds", get: () => "mine" })] });
    expect((await own.get("refunds")).messages).toMatchObject([{ content: { text: "mine" } }]);
    await own.close();
  });

  it.each(["2024-11-05", "2025-11-25"])("is answered on %s too", async (revision) => {
    const client = await serve({}, { revision });
    expect(client.opened.capabilities).toHaveProperty("extensions");
    expect((await client.request("skills/list")) as object).toMatchObject({
      skills: [{ uri: "skill://refunds/SKILL.md" }],
    });
    await client.close();
  });

  it("has toolsets, prefixes, and skills that are defined in code", async () => {
    const skill = defineSkill({
      name: "billing",
      description: "yes",
      text: "# Billing\n",
      prefix: "acme/eu",
      fields: { license: "1.0", metadata: { version: "2" }, tags: ["a", "b"] },
      files: { "a.bin": Uint8Array.of(255), "b.md": "b" },
      toolset: "money",
    });
    const tool = defineTool({ name: "pay", toolset: "money", handle: () => "" });
    const skills = [skill, { from: folder, prefix: "acme" }];
    const client = await serve({
      skills,
      tools: [tool, defineTool({ name: "other", handle: () => "" })],
      toolsets: { money: { tools: [], default: false } },
    });
    expect((await listed(client)).map(({ uri }) => uri)).toEqual(["skill://acme/refunds/SKILL.md"]);
    await client.close();
    const all = await serve({ skills });
    expect((await listed(all))[0]).toMatchObject({
      uri: "skill://acme/eu/billing/SKILL.md",
      frontmatter: {
        name: "billing",
        description: "yes",
        license: "1.0",
        metadata: { version: "2" },
        tags: ["a", "b"],
      },
    });
    expect(log).not.toHaveBeenCalled();
    await all.close();
    await expect(serve({ skills: [folder, { from: folder, prefix: "x" }] })).rejects.toThrow("have the same name");
  });
});
