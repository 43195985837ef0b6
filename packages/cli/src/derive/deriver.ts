import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type EmitSource, emitFiles } from "./emit/emit.ts";
import { toPosix } from "./emit/layout.ts";
import type { Derivation, Emission } from "./model/description.ts";
import { openProject } from "./program/project.ts";
import { describeMissing, describeSnapshot } from "./snapshot.ts";

export interface DeriveOptions {
  /** Report TypeScript's own errors in the author's files, too. They take about half of the time. Default: true. */
  check?: boolean;
}

/** Derives a module again and again, at the cost of what changed. */
export interface Deriver {
  /** Looks at the files and describes what the module offers now. */
  derive(): Derivation;
  /** The JavaScript of what was last derived. `outDir` is the directory that it is meant for. */
  emit(outDir: string): Emission;
}

/** Describes what a module offers. Whoever watches files should keep a deriver instead. */
export function derive(entry: string, options: DeriveOptions = {}): Derivation {
  return createDeriver(entry, options).derive();
}

/** Opens a module for deriving it repeatedly. */
export function createDeriver(entry: string, { check = true }: DeriveOptions = {}): Deriver {
  const absolute = resolve(entry);
  const path = toPosix(existsSync(absolute) ? realpathSync(absolute) : absolute);
  const project = openProject(path);
  let emittable: EmitSource | undefined;

  function derive(): Derivation {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return describeMissing(path);
    const { derivation, source } = describeSnapshot(path, project.refresh(), check);
    emittable = source;
    return derivation;
  }

  return {
    derive,
    emit(outDir) {
      if (emittable === undefined) derive();
      if (emittable === undefined) throw new Error(`${path} does not exist, so that there is nothing to emit.`);
      return emitFiles(emittable, resolve(outDir));
    },
  };
}
