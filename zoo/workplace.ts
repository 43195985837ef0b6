import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const zoo = fileURLToPath(new URL(".", import.meta.url));
const runtime = fileURLToPath(new URL("../packages/proffer", import.meta.url));

/** The options that derivation sets, so that tsc does the same work. */
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: "es2022",
    lib: ["es2023"],
    module: "esnext",
    moduleResolution: "bundler",
    moduleDetection: "force",
    experimentalDecorators: true,
    types: ["node"],
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    resolveJsonModule: true,
    noEmit: true,
  },
  files: ["module.ts"],
};

/** A folder outside the repository where modules are derived; it sees only the packages of the zoo. */
export interface Workplace {
  /** Creates the folder of a case file. @returns its path, or why the cases cannot run. */
  open(name: string): { folder: string } | { missing: string };
  /** Copies a project with packages of its own. @returns the path of its folder */
  openProject(name: string, links: Record<string, string>): string;
  remove(): void;
}

export function createWorkplace(): Workplace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "proffer-zoo-")));
  const modules = join(root, "node_modules");
  for (const name of installedPackages()) {
    mkdirSync(join(modules, name, ".."), { recursive: true });
    symlinkSync(join(zoo, "node_modules", name), join(modules, name));
  }
  symlinkSync(runtime, join(modules, "proffer"));
  return {
    open(name) {
      const folder = join(root, name);
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      writeFileSync(join(folder, "package.json"), '{ "name": "app", "version": "1.0.0", "type": "module" }\n');
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
      const missing = name === "prisma" ? generatePrisma(folder) : undefined;
      return missing === undefined ? { folder } : { missing };
    },
    openProject(name, links) {
      const folder = join(root, "projects", name);
      cpSync(join(zoo, "projects", name), folder, { recursive: true });
      for (const [link, target] of Object.entries(links)) {
        const path = join(folder, "node_modules", link);
        mkdirSync(join(path, ".."), { recursive: true });
        symlinkSync(resolve(target.startsWith("./") ? folder : join(zoo, "node_modules"), target), path);
      }
      return folder;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function installedPackages(): string[] {
  const names = readdirSync(join(zoo, "node_modules")).filter((name) => !name.startsWith("."));
  return names.flatMap((name) =>
    name.startsWith("@") ? readdirSync(join(zoo, "node_modules", name)).map((own) => `${name}/${own}`) : [name],
  );
}

/** Generates the client of prisma/schema.prisma. @returns the reason if that fails. */
function generatePrisma(folder: string): string | undefined {
  cpSync(join(zoo, "prisma"), folder, { recursive: true });
  const cli = join(zoo, "node_modules/prisma/build/index.js");
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, "generate", "--schema", "schema.prisma"], {
    cwd: folder,
    encoding: "utf8",
    // Generation needs no engine, but downloads one unless a path to it is set.
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" },
  });
  return status === 0 ? undefined : `prisma generate failed with exit code ${status}: ${stderr || stdout}`;
}
