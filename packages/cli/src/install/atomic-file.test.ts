import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { replaceFile, withLock } from "./atomic-file.ts";

let folder: string;
let file: string;
const times = { patience: 0, maxAge: 60_000 };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "proffer-lock-"));
  file = join(folder, "config.json");
});

afterEach(() => rmSync(folder, { recursive: true }));

const lockOf = (pid: number, host = hostname()) =>
  writeFileSync(`${file}.lock`, JSON.stringify({ pid, host, token: "x" }));

describe("the lock of a configuration file", () => {
  it("is released after the work, also if it fails", async () => {
    expect(await withLock(file, (isHeld) => isHeld() && existsSync(`${file}.lock`))).toBe(true);
    const failing = withLock(file, () => {
      throw new Error("full");
    });
    await expect(failing).rejects.toThrow("full");
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["a live process", () => lockOf(process.pid)],
    ["a process of another machine", () => lockOf(1, "elsewhere")],
    ["a process that is about to write it", () => writeFileSync(`${file}.lock`, "")],
    ["a process whose lock cannot be read", () => mkdirSync(`${file}.lock`)],
    ["a process whose lock is a link to nothing", () => symlinkSync(join(folder, "nothing"), `${file}.lock`)],
  ])("of %s is respected, and the error names it and the remedy", async (_, hold) => {
    hold();
    await expect(withLock(file, () => {}, times)).rejects.toThrow(
      `Another process is changing ${file}; its lock is ${file}.lock. Try again when it has finished. ` +
        "If there is no such process, delete the lock.",
    );
    expect(lstatSync(`${file}.lock`)).toBeDefined();
  });

  it("of a dead process is taken over", async () => {
    // No process has this id: the largest one of Linux is 2^22.
    lockOf(2 ** 30);
    expect(await withLock(file, () => "done", times)).toBe("done");
    expect(readdirSync(folder)).toEqual([]);
  });

  it("of a suspended process is taken over after a time, and that process sees it", async () => {
    lockOf(process.pid);
    utimesSync(`${file}.lock`, new Date(0), new Date(0));
    const seen = await withLock(
      file,
      (isHeld) => {
        const mine = readFileSync(`${file}.lock`, "utf8");
        lockOf(process.pid);
        const afterwards = isHeld();
        writeFileSync(`${file}.lock`, mine);
        return [afterwards, isHeld()];
      },
      times,
    );
    expect(seen).toEqual([false, true]);
  });
});

describe.skipIf(process.platform === "win32")("a configuration file", () => {
  const mode = () => statSync(file).mode & 0o777;

  it("that is new can be read by its owner only, because others in it may have API keys", () => {
    const umask = process.umask(0);
    try {
      expect(replaceFile(file, "{}", undefined, () => true)).toBe(true);
    } finally {
      process.umask(umask);
    }
    expect(mode()).toBe(0o600);
  });

  it("keeps its mode", () => {
    writeFileSync(file, "{}");
    chmodSync(file, 0o644);
    replaceFile(file, '{ "a": 1 }', statSync(file), () => true);
    expect(mode()).toBe(0o644);
  });
});
