import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { distFile } from "../../proffer/test/dist.ts";
import { createCompiler } from "../src/dev/compiler-worker.ts";
import { openVersions } from "../src/dev/versions.ts";
import { locateCache, readCache } from "../src/modules/cache.ts";
import { digestOf } from "../src/modules/inputs.ts";
import { currentTrust, isReplaceable, type Trust, userKey } from "../src/modules/trust.ts";
import { createProject, type Project } from "./project.ts";

const hasOwners = process.geteuid !== undefined;

const MOCKED = "../src/modules/import-module.ts";
let prepareModule: typeof import("../src/modules/prepare-module.ts").prepareModule;
let template: Project;
let project: Project;

function createSample(): Project {
  const sample = createProject();
  sample.write("tools.ts", 'import { word } from "./deep/word.ts";', "/** Says. */", "export const say = () => word;");
  sample.write("deep/word.ts", 'export const word: string = "honest";');
  return sample;
}

beforeAll(async () => {
  template = createSample();
  // Vitest replaces import() in the files that it runs, and so bypasses the hooks of Node. Other tests in this process
  // may have loaded the module before, and need it without the mock afterwards.
  vi.resetModules();
  vi.doMock(MOCKED, async (original) => ({
    ...(await original<typeof import("../src/modules/import-module.ts")>()),
    importModule: (_: string, url: string) => createRequire(import.meta.url)(template.path("import.cjs"))(url),
  }));
  ({ prepareModule } = await import("../src/modules/prepare-module.ts"));
  template.write("import.cjs", "module.exports = (url) => import(url);");
  await prepareModule(template.path("tools.ts"));
});

afterAll(() => {
  vi.doUnmock(MOCKED);
  vi.resetModules();
  template.remove();
});

beforeEach(() => {
  project = createSample();
});

afterEach(() => project.remove());

/** Gives the project a valid cache without deriving again. */
function copyCache(): void {
  cpSync(template.path(".proffer"), project.path(".proffer"), { recursive: true });
}

/** A user who is neither the one who runs the tests nor root. */
const stranger: Trust = { owners: [4242], key: () => undefined };

/** The rules of a platform without user ids. */
const keyed = (): Trust => ({ owners: undefined, key: () => userKey(project.path("home/config")) });

async function prepare(trust?: Trust, file = "tools.ts") {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  return { warnings, prepared: await prepareModule(project.path(file), { warn, ...(trust && { trust }) }) };
}

async function say({ prepared }: Awaited<ReturnType<typeof prepare>>): Promise<unknown> {
  const { say } = (await prepared.load()) as { say(): string };
  return say();
}

function locate(): { folder: string; manifest: string; word: string; stored: { folder: string } } {
  const { folder } = locateCache(project.path("tools.ts"));
  const manifest = join(folder, "manifest.json");
  const { stored } = JSON.parse(readFileSync(manifest, "utf8"));
  return { folder, manifest, stored, word: join(folder, stored.folder, "deep/word.js") };
}

/** Replaces the cached code by other code, with digests that match: as somebody could who may write the cache. */
function plantForeignCode(): void {
  const { manifest, word } = locate();
  const { stored } = JSON.parse(readFileSync(manifest, "utf8"));
  const text = readFileSync(word, "utf8").replace("honest", "foreign");
  writeFileSync(word, text);
  stored.emitted["deep/word.js"] = digestOf(text);
  const content = JSON.stringify(stored);
  writeFileSync(manifest, `{"digest":"${digestOf(content)}","stored":${content}}`);
}

describe("a cache that somebody else could have written", () => {
  it("is neither used nor written if it belongs to another user, with one warning for the project", async () => {
    copyCache();
    plantForeignCode();
    const before = readdirSync(project.path(".proffer"), { recursive: true });
    const first = await prepare(stranger);
    expect(first.warnings).toEqual([
      expect.stringMatching(/^The cache in .*\.proffer is not used, because .*\.proffer belongs to another user/),
    ]);
    expect(first.warnings[0]).toContain("Delete the folder");
    expect(await say(first)).toBe("honest");
    expect((await prepare(stranger)).warnings).toEqual([]);
    expect(readdirSync(project.path(".proffer"), { recursive: true })).toEqual(before);
  });

  it.runIf(hasOwners)("is derived again, and made unwritable, if others may write any part of it", async () => {
    copyCache();
    plantForeignCode();
    const location = locateCache(project.path("tools.ts"));
    const { folder, manifest, word } = locate();
    const root = project.path(".proffer");
    expect(readCache(location, currentTrust())).toBeDefined();
    for (const path of [word, dirname(word), dirname(dirname(word)), manifest, folder, root]) {
      const { mode } = statSync(path);
      for (const bit of [0o020, 0o002]) {
        chmodSync(path, mode | bit);
        expect(() => readCache(location, currentTrust())).toThrow(`${path} is writable by other users`);
      }
      // The last one stays writable.
      if (path !== root) chmodSync(path, mode);
    }
    const derived = await prepare();
    expect(derived.warnings).toEqual([expect.stringContaining("is writable by other users")]);
    expect(await say(derived)).toBe("honest");
    for (const path of [root, folder, manifest]) expect(statSync(path).mode & 0o022).toBe(0);
    const { stored } = locate();
    expect((await prepare()).warnings).toEqual([]);
    expect(locate().stored.folder).toBe(stored.folder);
  });

  it("is neither used nor written through a symbolic link", async () => {
    copyCache();
    plantForeignCode();
    renameSync(project.path(".proffer"), project.path("elsewhere"));
    symlinkSync(project.path("elsewhere"), project.path(".proffer"), "junction");
    const before = readdirSync(project.path("elsewhere"), { recursive: true });
    const linked = await prepare();
    expect(linked.warnings).toEqual([expect.stringContaining(".proffer is a symbolic link")]);
    expect(await say(linked)).toBe("honest");
    expect(readdirSync(project.path("elsewhere"), { recursive: true })).toEqual(before);
  });

  it("cannot make the next start overwrite a file through a symbolic link in it", async () => {
    project.write("precious.txt", "precious");
    copyCache();
    rmSync(project.path(".proffer/.gitignore"));
    symlinkSync(project.path("precious.txt"), project.path(".proffer/.gitignore"));
    symlinkSync(project.path("precious.txt"), `${locate().manifest}.${process.pid}`);
    project.write("deep/word.ts", 'export const word: string = "changed";');
    expect(await say(await prepare())).toBe("changed");
    expect(project.read("precious.txt")).toBe("precious\n");
  });

  it.runIf(hasOwners)("cannot change the code between the check and the import", async () => {
    chmodSync(project.folder, 0o777);
    copyCache();
    const cached = await prepare();
    expect(cached).toMatchObject({ warnings: [] });
    expect(cached.prepared.url).toBeUndefined();
    writeFileSync(locate().word, 'export const word = "foreign";');
    expect(await say(cached)).toBe("honest");
    project.write("deep/word.ts", 'export const word: string = "derived";');
    const derived = await prepare();
    writeFileSync(locate().word, 'export const word = "foreign";');
    expect(await say(derived)).toBe("derived");
  });

  it.runIf(hasOwners)("can be swapped if others may write a parent, unless it is sticky or of the user's group", () => {
    const [user = 0, ...others] = currentTrust().owners ?? [];
    const trust: Trust = { owners: [user, ...others], key: () => undefined };
    const gid = statSync(project.folder).gid;
    const expectations: [mode: number, own: boolean, expected: boolean][] = [
      [0o755, false, false],
      [0o777, false, true],
      [0o775, false, gid !== user],
      [0o1777, false, false],
      [0o755, true, true],
    ];
    mkdirSync(project.path("inner"));
    for (const [mode, isForeign, expected] of expectations) {
      chmodSync(project.folder, mode);
      expect(isReplaceable(project.path("inner"), isForeign ? stranger : trust)).toBe(expected);
    }
  });

  it.runIf(hasOwners)("is never created by Proffer, even with the umask 0", () => {
    const script = 'umask 0; exec "$0" "$@"';
    const args = ["-c", script, process.execPath, distFile("bin.js"), "call", "tools.ts", "say"];
    const { stdout } = spawnSync("sh", args, { cwd: project.folder, encoding: "utf8" });
    expect(stdout).toBe("honest\n");
    const paths = readdirSync(project.path(".proffer"), { recursive: true }).map(String);
    const writable = ["", ...paths].filter((path) => statSync(project.path(join(".proffer", path))).mode & 0o022);
    expect(paths).toContain(".gitignore");
    expect(writable).toEqual([]);
  });

  it("is not where proffer dev runs code from", async () => {
    copyCache();
    const before = readdirSync(project.path(".proffer"), { recursive: true });
    const versions = openVersions(
      project.path("tools.ts"),
      createCompiler(project.path("tools.ts"), stranger),
      stranger,
    );
    expect((await versions.next()).server.info.name).toBe("sample");
    expect(readdirSync(project.path(".proffer"), { recursive: true })).toEqual(before);
    versions.clear();
    expect(readdirSync(project.folder).filter((name) => name.startsWith(".proffer-"))).toEqual([]);
  });
});

describe("without user ids, a cache", () => {
  it("is used if it has the signature of the user, and derived again if somebody else wrote it", async () => {
    await prepare(keyed());
    const { stored } = locate();
    const again = await prepare(keyed());
    expect(again.warnings).toEqual([]);
    expect(locate().stored.folder).toBe(stored.folder);
    // The code that was checked runs, not the code that is there when Node imports it.
    const honest = readFileSync(locate().word);
    writeFileSync(locate().word, 'export const word = "foreign";');
    expect(await say(again)).toBe("honest");
    expect(() => readCache(locateCache(project.path("tools.ts")), keyed())).toThrow("was modified");
    writeFileSync(locate().word, honest);
    plantForeignCode();
    const { warnings, prepared } = await prepare(keyed());
    expect(warnings).toEqual([expect.stringContaining("it was not signed by this user")]);
    expect(await say({ warnings, prepared })).toBe("honest");
  });

  it("is derived again if it was signed for another project", async () => {
    await prepare(keyed());
    const { folder } = locate();
    project.write("other/package.json", '{ "name": "other", "version": "1.0.0", "type": "module" }');
    project.write("other/tools.ts", "/** Says. */", 'export const say = () => "other";');
    const target = locateCache(project.path("other/tools.ts")).folder;
    mkdirSync(dirname(target));
    renameSync(folder, target);
    const { warnings, prepared } = await prepare(keyed(), "other/tools.ts");
    expect(warnings).toEqual([expect.stringContaining("it was not signed by this user")]);
    expect(await say({ warnings, prepared })).toBe("other");
  });

  it("is not used without a home folder", async () => {
    const homeless: Trust = { owners: undefined, key: () => undefined };
    const first = await prepare(homeless);
    expect(first.warnings).toEqual([expect.stringContaining("Give the user a home folder")]);
    expect(await say(first)).toBe("honest");
    expect(existsSync(project.path(".proffer"))).toBe(false);
  });

  it("is signed with a key that only the user can read and that is created once", () => {
    const folder = project.path("keys");
    const key = userKey(folder);
    expect(key).toHaveLength(32);
    expect(userKey(folder)).toEqual(key);
    expect(readdirSync(folder)).toEqual(["cache-key"]);
    if (hasOwners) expect(statSync(join(folder, "cache-key")).mode & 0o777).toBe(0o600);
    writeFileSync(join(folder, "cache-key"), "short");
    expect(userKey(folder)).toBeUndefined();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "A file is in the way of the folder.");
    expect(userKey(folder)).toBeUndefined();
  });
});

it("CommonJS files are loaded from memory, with the files that they require", async () => {
  project.write("outer.cts", 'import { inner } from "./inner.cjs";', "export const word: string = inner;");
  project.write("inner.cts", 'export const inner: string = "common";');
  project.write("tools.ts", 'import { word } from "./outer.cjs";', "/** Says. */", "export const say = () => word;");
  expect(await say(await prepare(stranger))).toBe("common");
});
