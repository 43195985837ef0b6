import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { InvalidParams, NotFound } from "../../protocol/errors.ts";
import { defineServer } from "../../server/server.ts";
import { connect } from "../../testing/connect.ts";
import { jsonl } from "../jsonl/jsonl.ts";
import { confine } from "./root.ts";

let base: string;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "proffer-confined-"));
  mkdirSync(join(base, "in/dir"), { recursive: true });
  writeFileSync(join(base, "secret.jsonl"), "1\n");
  writeFileSync(join(base, "in/a.lua"), "-- ü");
  writeFileSync(join(base, "in/a.jsonl"), "2\n");
  symlinkSync("../secret.jsonl", join(base, "in/out.jsonl"));
});

afterAll(() => {
  rmSync(base, { recursive: true, force: true });
});

describe("a confined directory", () => {
  it("reads its files as bytes or text", async () => {
    const directory = confine(join(base, "in"));
    expect(await directory.text("a.lua")).toBe("-- ü");
    expect(await directory.bytes("a.jsonl")).toEqual(Buffer.from("2\n"));
    expect(await directory.text("none.lua")).toBeUndefined();
    expect(await directory.text("dir")).toBeUndefined();
    await expect(confine(join(base, "in"), { maxBytes: 1 }).bytes("a.lua")).rejects.toThrow(
      /has 5 bytes; the limit is 1/,
    );
  });

  it("does not read files outside", async () => {
    const directory = confine(join(base, "in"));
    expect(await directory.text("out.jsonl")).toBeUndefined();
    for (const path of ["../secret.jsonl", "/etc/passwd", "dir/../../secret.jsonl", "a\0b", ""]) {
      await expect(directory.text(path)).rejects.toMatchObject({ kind: "invalid_params" });
    }
  });

  it("lists its entries without links that lead outside", async () => {
    const directory = confine(join(base, "in"), { outside: (path) => new NotFound(path) });
    expect(await directory.entries()).toEqual([
      { name: "a.jsonl", isDirectory: false },
      { name: "a.lua", isDirectory: false },
      { name: "dir", isDirectory: true },
    ]);
    expect(await directory.entries("dir")).toEqual([]);
    expect(await directory.entries("none")).toEqual([]);
    expect(await confine(join(base, "none")).entries()).toEqual([]);
    await expect(directory.entries("..")).rejects.toMatchObject({ kind: "invalid_params" });
    const has = await Promise.all(["a.lua", "dir", "none"].map((path) => directory.has(path)));
    expect(has).toEqual([true, false, false]);
  });

  it("throws the error of `outside` for a link that leads outside", async () => {
    const outside = (path: string) => new InvalidParams(`Path '${path}' escapes`);
    const directory = confine(join(base, "in"), { outside });
    for (const read of ["has", "text", "bytes"] as const) {
      await expect(directory[read]("out.jsonl")).rejects.toThrow("Path 'out.jsonl' escapes");
    }
  });

  it("confines JSON lines with `within`", async () => {
    const rows = jsonl(({ name }) => `${name}.jsonl`, { uri: "rows://{name}", name: "rows", within: join(base, "in") });
    const client = await connect(defineServer({ name: "rows", version: "1", resources: [rows] }));
    expect((await client.read("rows://a")).contents[0]?.text).toBe("[2]");
    for (const name of ["out", "..%2Fsecret", "%2Fetc"]) {
      await expect(client.read(`rows://${name}`)).rejects.toMatchObject({ code: -32602 });
    }
  });
});
