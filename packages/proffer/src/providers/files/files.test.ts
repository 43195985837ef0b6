import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  appendFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { rename, symlink, unlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { defineServer } from "../../server/server.ts";
import { requirePeer } from "../../support/peer.ts";
import type { TestClient } from "../../testing/client.ts";
import { connect } from "../../testing/connect.ts";
import { type FilesOptions, files } from "./files.ts";
import { readBytes } from "./read.ts";
import { FilesRoot } from "./root.ts";

const SECRET = "outside";
let base: string;
let root: string;
let client: TestClient;

function open(directory: string, options: Partial<FilesOptions> = {}, pageSize = 1000): Promise<TestClient> {
  const resources = files(directory, { uri: "docs://", ...options });
  return connect(defineServer({ name: "files", version: "1", pageSize, log: () => undefined, resources }));
}

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "proffer-files-")));
  root = join(base, "root");
  mkdirSync(join(root, "sub/deep"), { recursive: true });
  mkdirSync(join(base, "root-evil"));
  writeFileSync(join(base, "secret.txt"), SECRET);
  writeFileSync(join(base, "root-evil/x.txt"), SECRET);
  writeFileSync(join(root, "a.md"), "# A\n");
  writeFileSync(join(root, "sub/b.json"), "{}");
  writeFileSync(join(root, "sub/deep/lines.txt"), "one\ntwo\r\nthree\n");
  writeFileSync(join(root, "sub.txt"), "beside sub");
  writeFileSync(join(root, "100% of ü.txt"), "odd name");
  writeFileSync(join(root, "a%2Fb.txt"), "escape in the name");
  writeFileSync(join(root, "picture.png"), Uint8Array.of(0x89, 0x50, 0xff, 0));
  writeFileSync(join(root, "lying.txt"), Uint8Array.of(0xff, 0xfe, 0));
  writeFileSync(join(root, "README"), "no extension");
  writeFileSync(join(root, "empty.txt"), "");
  writeFileSync(join(root, ".env"), "KEY=1");
  writeFileSync(join(root, "sub/.hidden"), "x");
  symlinkSync("sub/b.json", join(root, "inside.json"));
  symlinkSync("../secret.txt", join(root, "out.txt"));
  symlinkSync(base, join(root, "outdir"));
  symlinkSync("out.txt", join(root, "chain.txt"));
  symlinkSync("nowhere", join(root, "dangling.txt"));
  symlinkSync("loop-b", join(root, "loop-a"));
  symlinkSync("loop-a", join(root, "loop-b"));
  symlinkSync(".env", join(root, "env.txt"));
  client = await open(root);
});

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

async function read(uri: string, from = client) {
  return (await from.read(uri)).contents[0];
}

describe("files", () => {
  it("are listed in ascending order of their URIs, with type, size and modification time", async () => {
    const listed = await client.listResources();
    const uris = listed.map(({ uri }) => uri);
    expect(uris).toEqual([
      "docs://",
      "docs://100%25%20of%20%C3%BC.txt",
      "docs://README",
      "docs://a%252Fb.txt",
      "docs://a.md",
      "docs://empty.txt",
      "docs://inside.json",
      "docs://lying.txt",
      "docs://picture.png",
      "docs://sub.txt",
      "docs://sub/b.json",
      "docs://sub/deep/lines.txt",
    ]);
    expect(uris.slice(1)).toEqual(uris.slice(1).sort());
    expect(listed.find(({ uri }) => uri === "docs://a.md")).toEqual({
      uri: "docs://a.md",
      name: "a.md",
      mimeType: "text/markdown",
      size: 4,
      annotations: { lastModified: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
  });

  it("are listed in the same order page by page", async () => {
    const paged = await open(root, {}, 2);
    expect(await paged.listResources()).toEqual(await client.listResources());
  });

  it("are listed up to maxEntries of each directory", async () => {
    for (const pageSize of [2, 1000]) {
      const few = await open(root, { maxEntries: 1, include: ["*.json", "*.txt"] }, pageSize);
      expect((await few.listResources()).map(({ uri }) => uri)).toEqual(["docs://", "docs://100%25%20of%20%C3%BC.txt"]);
      const some = await open(
        root,
        { maxEntries: 1, include: ["*.json", "*.lines"], exclude: ["inside.json"] },
        pageSize,
      );
      expect((await some.listResources()).map(({ uri }) => uri)).toEqual(["docs://", "docs://sub/b.json"]);
    }
  });

  it("can all be read by their listed URIs", async () => {
    for (const { uri } of await client.listResources()) expect((await client.read(uri)).contents).toHaveLength(1);
    expect(await read("docs://100%25%20of%20%C3%BC.txt")).toMatchObject({ text: "odd name" });
    expect(await read("docs://a%252Fb.txt")).toMatchObject({ text: "escape in the name" });
  });

  it("are not found after they are removed", async () => {
    const file = join(root, "leaving.txt");
    writeFileSync(file, "bye");
    expect((await client.listResources()).map(({ uri }) => uri)).toContain("docs://leaving.txt");
    rmSync(file);
    await expect(read("docs://leaving.txt")).rejects.toMatchObject({
      code: -32602,
      message: 'Resource not found: "docs://leaving.txt".',
    });
    await expect(client.listen({ uris: ["docs://leaving.txt"] })).rejects.toMatchObject({ code: -32602 });
  });

  it("are text or blob by content, not by name", async () => {
    const sha256 = createHash("sha256").update("# A\n").digest("hex");
    expect(await read("docs://a.md")).toEqual({
      uri: "docs://a.md",
      mimeType: "text/markdown",
      text: "# A\n",
      _meta: { "proffer/sha256": sha256 },
    });
    expect(await read("docs://README")).toMatchObject({ mimeType: "text/plain", text: "no extension" });
    expect(await read("docs://picture.png")).toMatchObject({ mimeType: "image/png", blob: "iVD/AA==" });
    expect(await read("docs://lying.txt")).toMatchObject({ mimeType: "application/octet-stream", blob: "//4A" });
    expect(await read("docs://empty.txt")).toMatchObject({ mimeType: "text/plain", text: "" });
    expect(await read("docs://inside.json")).toMatchObject({ uri: "docs://inside.json", text: "{}" });
  });

  it("have a digest that changes with their content", async () => {
    const file = join(root, "empty.txt");
    const before = await read("docs://empty.txt");
    appendFileSync(file, "x");
    const after = await read("docs://empty.txt");
    truncateSync(file, 0);
    expect(after?._meta).toEqual({ "proffer/sha256": createHash("sha256").update("x").digest("hex") });
    expect(before?._meta).not.toEqual(after?._meta);
  });

  it("are listed in directory resources", async () => {
    expect(await read("docs://sub")).toEqual({
      uri: "docs://sub",
      mimeType: "inode/directory",
      text: JSON.stringify([
        { name: "b.json", uri: "docs://sub/b.json" },
        { name: "deep", uri: "docs://sub/deep", mimeType: "inode/directory" },
      ]),
      _meta: { "proffer/more": false },
    });
    const few = await open(root, { maxEntries: 1 });
    expect(await read("docs://", few)).toMatchObject({
      uri: "docs://",
      mimeType: "inode/directory",
      text: JSON.stringify([{ name: "100% of ü.txt", uri: "docs://100%25%20of%20%C3%BC.txt" }]),
      _meta: { "proffer/more": true },
    });
  });

  it("can be included and excluded by globs", async () => {
    const chosen = await open(root, { include: ["**/*.json", "*.md"], exclude: ["deep", "inside.*"], hidden: true });
    expect((await chosen.listResources()).map(({ uri }) => uri)).toEqual([
      "docs://",
      "docs://a.md",
      "docs://sub/b.json",
    ]);
    for (const uri of ["docs://sub.txt", "docs://inside.json", "docs://sub/deep", "docs://sub/deep/lines.txt"]) {
      await expect(read(uri, chosen)).rejects.toMatchObject({
        message: `Resource not found: ${JSON.stringify(uri)}.`,
      });
    }
    const hidden = await open(root, { hidden: true });
    expect(await read("docs://.env", hidden)).toMatchObject({ text: "KEY=1" });
  });

  it("need a uri that ends with a slash, and chokidar for watching", () => {
    expect(() => files(root, { uri: "docs:" })).toThrow(expect.objectContaining({ code: "bad_option" }));
    expect(() => requirePeer("no-such-package-at-all", "x")).toThrow(
      expect.objectContaining({
        code: "missing_peer",
        message: expect.stringContaining("npm install no-such-package"),
      }),
    );
    expect(() => requirePeer("chokidar", "x")).not.toThrow();
  });
});

describe("parts of a file", () => {
  it("can be bytes", async () => {
    expect(await read("docs://sub/deep/lines.txt?offset=4&length=3")).toMatchObject({
      uri: "docs://sub/deep/lines.txt?offset=4&length=3",
      text: "two",
      _meta: { "proffer/offset": 4, "proffer/size": 15, "proffer/more": true },
    });
    expect(await read("docs://sub/deep/lines.txt?offset=99")).toMatchObject({
      text: "",
      _meta: { "proffer/more": false },
    });
  });

  it("can be lines", async () => {
    expect(await read("docs://sub/deep/lines.txt?line=2&lines=1")).toMatchObject({
      mimeType: "text/plain",
      text: "two\n",
      _meta: { "proffer/line": 2, "proffer/lines": 1, "proffer/more": true },
    });
    expect(await read("docs://sub/deep/lines.txt?line=3")).toMatchObject({
      text: "three\n",
      _meta: { "proffer/more": false },
    });
  });

  it.each(["?offset=1&line=1", "?line=0", "?lines=10001", "?length=8388609", "?offset=-1", "?page=1"])(
    "cannot be %s",
    async (query) => {
      await expect(read(`docs://sub/deep/lines.txt${query}`)).rejects.toMatchObject({ code: -32602 });
    },
  );

  it("are the only way to read a file over the limit, here 5 GB", async () => {
    const large = join(root, "large.bin");
    writeFileSync(large, "start");
    truncateSync(large, 5_000_000_000);
    try {
      await expect(read("docs://large.bin")).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('"large.bin" has 5000000000 bytes; the limit per read is 8388608.'),
      });
      expect(await read("docs://large.bin?offset=0&length=5")).toMatchObject({ blob: "c3RhcnQ=" });
      expect(await read("docs://large.bin?offset=4999999998&length=10")).toMatchObject({ blob: "AAA=" });
      await expect(read("docs://large.bin?line=1&lines=1")).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining("cannot be read line by line"),
      });
    } finally {
      rmSync(large);
    }
  });
});

describe("confinement to the directory", () => {
  it.each([
    "../secret.txt",
    "../root-evil/x.txt",
    "sub/../../secret.txt",
    "sub//a.md",
    "a.md/",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "%252e%252e/secret.txt",
    "..%5c..%5csecret.txt",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "C:%5cx",
    "C:x",
    "%5c%5csrv%5cshare",
    "file:///etc/passwd",
    "a.md%00",
    "%c0%ae%c0%ae/secret.txt",
    "a.md%",
    "%E0%A4%A",
    "a.md:stream",
    "a.md.",
    "a.md%20",
    "CON",
  ])("rejects %s", async (path) => {
    const error = await read(`docs://${path}`).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: -32602 });
    expect(error.message).not.toContain(base);
  });

  it.each(["out.txt", "chain.txt", "outdir", "outdir/secret.txt", "dangling.txt", "loop-a", "env.txt", ".env", "nope"])(
    "reports %s as not found",
    async (name) => {
      await expect(read(`docs://${name}`)).rejects.toMatchObject({
        code: -32602,
        message: `Resource not found: "docs://${name}".`,
        data: { uri: `docs://${name}` },
      });
    },
  );

  it("rejects a directory whose name starts with the name of the root", async () => {
    const link = join(root, "evil");
    symlinkSync(join(base, "root-evil"), link);
    try {
      await expect(read("docs://evil/x.txt")).rejects.toMatchObject({ code: -32602 });
    } finally {
      rmSync(link);
    }
  });

  it("reads a hard link, which cannot be distinguished from its file", async () => {
    const link = join(root, "hard.txt");
    linkSync(join(base, "secret.txt"), link);
    try {
      expect(await read("docs://hard.txt")).toMatchObject({ text: SECRET });
    } finally {
      rmSync(link);
    }
  });

  it("does not wait for pipes and sockets: they are not resources", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    const socket = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => socket.once("listening", resolve));
    await expect(read("docs://pipe")).rejects.toMatchObject({ code: -32602 });
    await expect(read("docs://socket")).rejects.toMatchObject({ code: -32602 });
    await new Promise((resolve) => socket.close(resolve));
    rmSync(join(root, "pipe"));
  });

  it("holds while directories and files are being replaced by links", async () => {
    const arena = join(base, "arena");
    mkdirSync(join(arena, "dir"), { recursive: true });
    mkdirSync(join(base, "elsewhere"));
    writeFileSync(join(arena, "dir/file.txt"), "inside");
    writeFileSync(join(base, "elsewhere/file.txt"), SECRET);
    const target = new FilesRoot(arena);
    let swapping = true;
    const swap = (async () => {
      while (swapping) {
        await rename(join(arena, "dir"), join(arena, "real"));
        await symlink(join(base, "elsewhere"), join(arena, "dir"));
        await unlink(join(arena, "dir"));
        await rename(join(arena, "real"), join(arena, "dir"));
        await rename(join(arena, "dir/file.txt"), join(arena, "dir/kept.txt"));
        await symlink(join(base, "elsewhere/file.txt"), join(arena, "dir/file.txt"));
        await unlink(join(arena, "dir/file.txt"));
        await rename(join(arena, "dir/kept.txt"), join(arena, "dir/file.txt"));
      }
    })();
    const seen = new Set<string>();
    for (let times = 0; times < 10_000; times++) {
      const opened = await target.open("dir/file.txt");
      if (opened === undefined) continue;
      seen.add(String(await readBytes(opened.file, 0, 1000)));
      await opened.file.close();
    }
    swapping = false;
    await swap;
    expect(seen).toEqual(new Set(["inside"]));
  });
});

describe("a directory that does not exist", () => {
  it("has an empty list, and can be read once it exists", async () => {
    const late = join(base, "late");
    const waiting = await open(late);
    expect((await waiting.listResources()).map(({ uri }) => uri)).toEqual(["docs://"]);
    await expect(read("docs://a.txt", waiting)).rejects.toMatchObject({ code: -32602 });
    mkdirSync(late);
    writeFileSync(join(late, "a.txt"), "here");
    expect(await read("docs://a.txt", waiting)).toMatchObject({ text: "here" });
  });
});

describe("watched files", () => {
  it("notify listening clients of changed, added and removed files", async () => {
    const watched = join(base, "watched");
    mkdirSync(watched);
    writeFileSync(join(watched, "a.txt"), "1");
    const listener = await open(watched, { watch: true });
    const done = listener.requestOnce("subscriptions/listen", {
      notifications: { resourcesListChanged: true, resourceSubscriptions: ["docs://a.txt", "docs://"] },
    });
    done.catch(() => undefined);
    await listener.waitFor("notifications/subscriptions/acknowledged");
    // The watcher may still be starting and would miss a single change.
    const updated = listener.waitFor("notifications/resources/updated", ({ params }) => params.uri === "docs://a.txt");
    const writing = setInterval(() => appendFileSync(join(watched, "a.txt"), "2"), 50);
    await updated;
    clearInterval(writing);
    writeFileSync(join(watched, "b.txt"), "new");
    await listener.waitFor("notifications/resources/list_changed");
    await listener.waitFor("notifications/resources/updated", ({ params }) => params.uri === "docs://");
    await listener.close();
  });

  it("cannot be subscribed to if they do not exist", async () => {
    const refused = client.request("subscriptions/listen", {
      notifications: { resourceSubscriptions: ["docs://nope"] },
    });
    await expect(refused).rejects.toMatchObject({ message: 'Resource not found: "docs://nope".' });
  });
});
