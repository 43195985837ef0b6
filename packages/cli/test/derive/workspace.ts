import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);

/** Stub packages that are installed for the modules under test. @types/node is the real package. */
const INSTALLED = ["proffer", "acme-types", "untyped", "wordy-types", "zod", "class-validator"];
const TYPES_OF_NODE = ["@types/node", "undici-types"];

/** A project outside the repository, so lookups in parent folders do not find files of the repository. */
export interface Workspace {
  directory: string;
  /** Writes files, by their path in the project. */
  write(files: Record<string, string>): void;
  /** Replaces the project's files with those of a directory. */
  replace(source: string): void;
  path(file: string): string;
  remove(): void;
}

export interface WorkspaceOptions {
  /** Default: true. */
  nodeTypes?: boolean;
}

/** Creates a project with the packages that the modules under test use. */
export function createWorkspace({ nodeTypes = true }: WorkspaceOptions = {}): Workspace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "proffer-derive-")));
  const directory = join(root, "app");
  for (const name of INSTALLED) {
    cpSync(join(here, "installed", name), join(root, "node_modules", name), { recursive: true });
  }
  mkdirSync(join(root, "node_modules", "@types"));
  for (const name of nodeTypes ? TYPES_OF_NODE : []) {
    symlinkSync(dirname(require.resolve(`${name}/package.json`)), join(root, "node_modules", name));
  }
  const workspace: Workspace = {
    directory,
    path: (file) => join(directory, file),
    write(files) {
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(directory, file)), { recursive: true });
        writeFileSync(join(directory, file), text);
      }
    },
    replace(source) {
      rmSync(directory, { recursive: true, force: true });
      workspace.write({ "package.json": '{ "name": "app", "version": "1.0.0" }' });
      cpSync(source, directory, { recursive: true });
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
  workspace.write({ "package.json": '{ "name": "app", "version": "1.0.0" }' });
  return workspace;
}
