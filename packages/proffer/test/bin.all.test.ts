import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { distFile } from "./dist.ts";

const { fetchRuntime } = await import(new URL("../../../runtimes/fetch.mjs", import.meta.url).href);

/** A package manager, and a file that makes its members a workspace. */
interface Manager {
  readonly name: string;
  readonly package: string;
  readonly file: readonly [name: string, text: string];
  readonly install: readonly string[];
  readonly run: readonly string[];
  /** The folder that the command line must run in; undefined if the manager keeps packages elsewhere. */
  readonly holder?: string;
}

const MANAGERS: readonly Manager[] = [
  {
    name: "pnpm",
    package: "pnpm@10",
    file: ["pnpm-workspace.yaml", 'packages: ["packages/*"]\n'],
    install: ["install"],
    run: ["exec", "proffer"],
    holder: "node_modules/.pnpm",
  },
  {
    name: "yarn",
    package: "yarn@1",
    file: [".yarnrc", ""],
    install: ["install"],
    run: ["--silent", "proffer"],
    holder: "node_modules/@proffer/cli",
  },
  {
    name: "yarn",
    package: "@yarnpkg/cli-dist@4",
    file: [".yarnrc.yml", "nodeLinker: node-modules\n"],
    install: ["install"],
    run: ["run", "--top-level", "proffer"],
    holder: "node_modules/@proffer/cli",
  },
  {
    name: "yarn",
    package: "@yarnpkg/cli-dist@4",
    file: [".yarnrc.yml", "nodeLinker: pnp\n"],
    install: ["install"],
    run: ["run", "--top-level", "proffer"],
  },
];

const scratch = realpathSync(mkdtempSync(join(tmpdir(), "proffer-managers-")));
const packages = { proffer: join(scratch, "proffer.tgz"), "@proffer/cli": join(scratch, "cli.tgz") };

beforeAll(() => {
  write("cli/package/package.json", { name: "@proffer/cli", version: "0.1.0", type: "module", exports: "./index.js" });
  write("cli/package/index.js", "export const run = async () => (console.log(import.meta.url), 0);\n");
  const own = join(dirname(distFile("bin.js")), "..");
  for (const part of ["package.json", "dist"])
    cpSync(join(own, part), join(scratch, "proffer/package", part), { recursive: true });
  for (const [name, path] of Object.entries(packages)) {
    execFileSync("tar", ["-czf", path, "-C", join(scratch, name.replace("@proffer/", "")), "package"]);
  }
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function write(name: string, content: string | object): void {
  const path = join(scratch, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

describe.each(MANAGERS)("$package with $file", ({ name, package: source, file, install, run, holder }) => {
  const { program, missing } = fetchRuntime({ name: source.replace(/\W/g, "-"), package: source, binary: name }, false);
  const root = `${source}${file[1]}`.replace(/\W/g, "-");

  /** Runs the manager with a home folder of its own, so that nothing is left in the user's caches. */
  function manage(folder: string, args: readonly string[]) {
    const own = { HOME: join(scratch, "home"), YARN_ENABLE_TELEMETRY: "0", YARN_ENABLE_IMMUTABLE_INSTALLS: "false" };
    const env = { ...process.env, ...own, CI: "" };
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: join(scratch, folder), encoding: "utf8", env });
    return { status, stdout, stderr };
  }

  it.skipIf(missing !== undefined)("the launcher uses the @proffer/cli of a member's workspace", () => {
    const devDependencies = Object.fromEntries(Object.entries(packages).map(([key, path]) => [key, `file:${path}`]));
    write(`${root}/package.json`, { name: "root", private: true, workspaces: ["packages/*"], devDependencies });
    write(`${root}/packages/member/package.json`, { name: "member", version: "1.0.0" });
    write(`${root}/yarn.lock`, "");
    write(`${root}/${file[0]}`, file[1]);
    expect(manage(root, install)).toMatchObject({ status: 0 });
    const { status, stdout, stderr } = manage(`${root}/packages/member`, run);
    expect({ status, notes: stderr.match(/.*is not used.*/g) }).toEqual({ status: 0, notes: null });
    expect(stdout).toContain(holder === undefined ? "/node_modules/@proffer/cli/index.js" : `${root}/${holder}`);
  });
});
