import { spawnSync } from "node:child_process";
import {
  cpSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { distFile } from "./dist.ts";

let scratch: string;
/** A global installation of the launcher. */
let global: string;
let project: string;

beforeEach(() => {
  scratch = realpathSync(mkdtempSync(join(tmpdir(), "proffer-bin-")));
  global = join(scratch, "global");
  project = join(scratch, "project");
  installLauncher(global);
  writeManifest(project);
});

afterEach(() => rmSync(scratch, { recursive: true, force: true }));

function installLauncher(folder: string): void {
  const installed = join(folder, "node_modules/proffer");
  const dist = dirname(distFile("bin.js"));
  mkdirSync(join(installed, "dist"), { recursive: true });
  cpSync(join(dist, "bin.js"), join(installed, "dist/bin.js"));
  cpSync(join(dist, "../package.json"), join(installed, "package.json"));
}

function writeManifest(folder: string, manifest: object = {}): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
}

interface LaunchOptions {
  readonly cwd?: string;
  readonly launcher?: string;
  /** Arguments of Node. */
  readonly preload?: readonly string[];
}

function launch(args: readonly string[], { cwd = project, launcher = global, preload = [] }: LaunchOptions = {}) {
  const script = join(launcher, "node_modules/proffer/dist/bin.js");
  const options = { cwd, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...preload, script, ...args], options);
  return { status, stdout, stderr };
}

/** Which command line runs, and the lines on stderr. */
function used(options?: LaunchOptions): { readonly cli: string; readonly notes: readonly string[] } {
  const { stdout, stderr } = launch(["list"], options);
  return { cli: stdout.replace(" list\n", ""), notes: stderr.split("\n").filter(Boolean) };
}

function installCommandLine(folder: string, answer: string): void {
  const target = join(folder, "node_modules/@proffer/cli");
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "package.json"), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(
    join(target, "index.js"),
    `export async function run(argv) { console.log("${answer}", ...argv); setInterval(() => {}, 1000); return 7; }`,
  );
}

/** Gives everything in a folder to another user, or makes this process another user. */
function giveAway(...folders: readonly string[]): readonly string[] {
  if (process.geteuid?.() !== 0) return ["--import", "data:text/javascript,process.geteuid = () => 4242"];
  for (const folder of folders) {
    for (const name of ["", ...(readdirSync(folder, { recursive: true }) as string[])]) {
      lchownSync(join(folder, name), 4242, 4242);
    }
  }
  return [];
}

const link = (target: string, path: string) => {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path, "junction");
};

it.each(["18.20.8", "20.18.3"])("says in one sentence that Node %s is too old", (version) => {
  installCommandLine(project, "own");
  const versions = `{ ...process.versions, node: "${version}" }`;
  const change = `Object.defineProperty(process, "versions", { value: ${versions} }); process.versions.node;`;
  const { status, stderr } = launch(["list"], {
    preload: ["--import", `data:text/javascript,${encodeURIComponent(change)}`],
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Proffer needs Node 20\.19 or later, and this is [^\n]*Install a newer one[^\n]*\n$/);
});

describe("the launcher", () => {
  it("explains how to install @proffer/cli if it is missing", () => {
    const { status, stdout, stderr } = launch(["serve", "server.ts"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("npm install --save-dev @proffer/cli");
  });

  it("prints its version without @proffer/cli", () => {
    const { version } = JSON.parse(readFileSync(join(global, "node_modules/proffer/package.json"), "utf8"));
    expect(launch(["--version"])).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
  });

  it("runs the @proffer/cli beside it with the arguments, and exits with its code despite open timers", () => {
    installCommandLine(global, "beside");
    expect(launch(["serve", "a b"])).toEqual({ status: 7, stdout: "beside serve a b\n", stderr: "" });
  });

  it("prefers the @proffer/cli of the current project, also in its folders", () => {
    installCommandLine(global, "beside");
    installCommandLine(project, "project");
    mkdirSync(join(project, "src/deep"), { recursive: true });
    expect(used()).toEqual({ cli: "project", notes: [] });
    expect(used({ cwd: join(project, "src/deep") })).toEqual({ cli: "project", notes: [] });
  });
});

describe("in a workspace, the launcher uses the @proffer/cli of the root", () => {
  const member = () => join(project, "packages/a");

  beforeEach(() => {
    installCommandLine(global, "beside");
    writeManifest(member());
  });

  it.each([
    ["npm and yarn", ["packages/*"]],
    ["yarn", { packages: ["packages/*"] }],
  ])("of %s", (_, workspaces) => {
    writeManifest(project, { workspaces });
    installCommandLine(project, "root");
    expect(used({ cwd: member() })).toEqual({ cli: "root", notes: [] });
  });

  it("of pnpm, through its links", () => {
    writeFileSync(join(project, "pnpm-workspace.yaml"), "packages: [packages/*]\n");
    const store = join(project, "node_modules/.pnpm/@proffer+cli@0.1.0");
    installCommandLine(store, "store");
    link(join(store, "node_modules/@proffer/cli"), join(member(), "node_modules/@proffer/cli"));
    expect(used({ cwd: member() })).toEqual({ cli: "store", notes: [] });
  });

  it("and finds the one that pnpm put beside a launcher in its store", () => {
    const store = join(project, "node_modules/.pnpm/proffer@0.1.0");
    installLauncher(store);
    installCommandLine(join(project, "node_modules/.pnpm"), "hoisted");
    expect(used({ cwd: scratch, launcher: store })).toEqual({ cli: "hoisted", notes: [] });
  });
});

describe("the launcher runs no code", () => {
  const planted = () => join(scratch, "node_modules/@proffer/cli");

  beforeEach(() => installCommandLine(global, "beside"));

  it("of a folder above the project, and says so", () => {
    installCommandLine(scratch, "planted");
    expect(used()).toEqual({
      cli: "beside",
      notes: [
        `${planted()} is not used: it is outside of the project ${project}. ` +
          `Using ${join(global, "node_modules/@proffer/cli")} instead.`,
      ],
    });
  });

  it("of a folder above, and does not even read its package.json", () => {
    installCommandLine(scratch, "planted");
    writeFileSync(join(planted(), "package.json"), "{");
    expect(used().cli).toBe("beside");
  });

  it("of any folder without a project", () => {
    installCommandLine(scratch, "planted");
    rmSync(join(project, "package.json"));
    expect(used()).toEqual({ cli: "beside", notes: [expect.stringContaining("one above has a package.json.")] });
  });

  it("of a folder above its own installation", () => {
    rmSync(join(global, "node_modules/@proffer"), { recursive: true });
    installCommandLine(scratch, "planted");
    const { status, stdout, stderr } = launch(["list"], { cwd: global });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("requires the package @proffer/cli");
    expect(stderr.startsWith(`${planted()} is not used: `)).toBe(true);
  });

  describe.runIf(process.geteuid !== undefined)("of another user", () => {
    const foreign = expect.stringMatching(/ belongs to another user \(id \d+\)\. Using .*global.* instead\.$/);

    it.each([
      ["the whole project", () => giveAway(project)],
      ["the module", () => giveAway(join(project, "node_modules/@proffer/cli"))],
      [
        "a project around",
        () => {
          writeManifest(scratch, { workspaces: ["project"] });
          renameSync(join(project, "node_modules"), join(scratch, "node_modules"));
          return giveAway(join(scratch, "node_modules"));
        },
      ],
    ])("who owns %s", (_, give) => {
      installCommandLine(project, "foreign");
      expect(used({ preload: give() })).toEqual({ cli: "beside", notes: [foreign] });
    });

    it.runIf(process.geteuid?.() === 0)("who owns only a link to code of this user", () => {
      installCommandLine(join(scratch, "old"), "old");
      const path = join(project, "node_modules/@proffer/cli");
      link(join(scratch, "old/node_modules/@proffer/cli"), path);
      lchownSync(path, 4242, 4242);
      expect(used()).toEqual({ cli: "beside", notes: [foreign] });
    });
  });

  it("but that of the user who owns the launcher, as in a container with the checkout of another user", () => {
    installLauncher(project);
    installCommandLine(project, "project");
    expect(used({ launcher: project, preload: giveAway(project) })).toEqual({ cli: "project", notes: [] });
  });
});
