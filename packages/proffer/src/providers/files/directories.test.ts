import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Directories, type VisibleFiles, walk } from "./directories.ts";
import { FilesRoot } from "./root.ts";

let base: string;
let visible: VisibleFiles;
let reads: number;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "proffer-directories-"));
  mkdirSync(join(base, "root/sub"), { recursive: true });
  for (const name of ["a", "b", "c", "sub/d", "sub/e"]) writeFileSync(join(base, "root", name), name);
  // Changes by the test get another time, even within one step of the clock.
  for (const name of ["root", "root/sub"]) utimesSync(join(base, name), 1, 1);
  const root = new FilesRoot(join(base, "root"));
  visible = { root, uri: "f://", showsFile: () => true, showsDirectory: () => true };
  reads = 0;
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

function open(settleTime: number, maxEntries?: number): Directories {
  const readNames = (path: string) => {
    reads++;
    return readdir(path, { withFileTypes: true });
  };
  return new Directories(visible, { settleTime, readNames, ...(maxEntries === undefined ? {} : { maxEntries }) });
}

/** Lists page by page, one entry each. */
async function listPages(directories: Directories): Promise<string[]> {
  const paths: string[] = [];
  for (let after: string | undefined; ; ) {
    const { value } = await walk(visible, directories, "", after).next();
    if (value === undefined) return paths;
    paths.push(value.path);
    after = value.uri;
  }
}

describe("a directory", () => {
  it("is read once for all pages of a list, and again after a change", async () => {
    const directories = open(0);
    expect(await listPages(directories)).toEqual(["a", "b", "c", "sub/d", "sub/e"]);
    expect(reads).toBe(2);
    rmSync(join(base, "root/b"));
    writeFileSync(join(base, "root/sub/f"), "f");
    expect(await listPages(directories)).toEqual(["a", "c", "sub/d", "sub/e", "sub/f"]);
    expect(reads).toBe(4);
  });

  it("is read each time while it changes, because its time of change is not exact", async () => {
    const directories = open(3_600_000);
    await directories.read("");
    await directories.read("");
    expect(reads).toBe(2);
  });

  it("is cached without the targets of its links", async () => {
    const directories = open(0);
    const target = join(base, "target");
    symlinkSync("a", target);
    symlinkSync("../target", join(base, "root/link"));
    expect(await listPages(directories)).not.toContain("link");
    const before = reads;
    // The directory of the link does not change.
    rmSync(target);
    symlinkSync("root/a", target);
    expect(await listPages(directories)).toContain("link");
    expect(reads).toBe(before);
  });

  it("has a limited number of entries in a list and in a read", async () => {
    const directories = open(0, 2);
    expect(await listPages(directories)).toEqual(["a", "b"]);
    expect(await directories.readVisible("")).toMatchObject({ entries: [{ path: "a" }, { path: "b" }], more: true });
    expect(await directories.readVisible("sub")).toMatchObject({ more: false });
    symlinkSync("c", join(base, "root/aa"));
    expect(await directories.readVisible("")).toMatchObject({ entries: [{ path: "a" }, { path: "aa" }], more: true });
  });
});
