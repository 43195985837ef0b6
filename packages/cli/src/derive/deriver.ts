import { existsSync, realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type EmitSource, emitFiles } from "./emit/emit.ts";
import { toPosix } from "./emit/layout.ts";
import { DescriptionMemo } from "./exports/description-memo.ts";
import type { Derivation, Emission } from "./model/description.ts";
import type { ItemSource } from "./model/item-source.ts";
import type { ItemPositions } from "./model/positions.ts";
import { openProject, type Snapshot } from "./program/project.ts";
import { createSystem, type FileObserver } from "./program/system.ts";
import { describeMissing, describeSnapshot, findItemPositions, findItemSources } from "./snapshot.ts";

export interface DeriveOptions {
  /** Also report TypeScript's own errors in the author's files, which takes additional time. Default: true. */
  check?: boolean;
  /** Is notified of everything that the derivation reads or looks for. */
  observer?: FileObserver;
}

/** Derives a module repeatedly. Each derivation reuses the unchanged parts of the previous one. */
export interface Deriver {
  /** Reads the changed files and describes the module. */
  derive(): Derivation;
  /**
   * Returns the JavaScript of the last derivation. `outDir` is its intended directory; nothing is written. The paths
   * leave room for the files in `beside`, so that each keeps its place relative to the sources.
   */
  emit(outDir: string, beside?: readonly string[]): Emission;
  /** Returns the places of the items in the code of the last derivation. */
  sources(): ItemSource[];
  /** Returns where the parts of the items of the last derivation come from. Derivation does not depend on it. */
  positions(): ItemPositions[];
}

/** Derives a module once. To derive it repeatedly, use `createDeriver`. */
export function derive(entry: string, options: DeriveOptions = {}): Derivation {
  return createDeriver(entry, options).derive();
}

/** Creates a deriver for a module. */
export function createDeriver(entry: string, { check = true, observer }: DeriveOptions = {}): Deriver {
  const absolute = resolve(entry);
  const path = toPosix(existsSync(absolute) ? realpathSync(absolute) : absolute);
  const system = createSystem(observer);
  const project = openProject(path, system);
  const memo = new DescriptionMemo();
  let emittable: EmitSource | undefined;
  let snapshot: Snapshot | undefined;
  let last: Derivation | undefined;

  function derive(): Derivation {
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return describeMissing(path, system);
    snapshot = project.refresh();
    const { derivation, source } = describeSnapshot(path, snapshot, check, memo);
    emittable = source;
    last = derivation;
    return derivation;
  }

  return {
    derive,
    emit(outDir, beside) {
      if (emittable === undefined) derive();
      if (emittable === undefined) throw new Error(`${path} does not exist.`);
      return emitFiles(emittable, resolve(outDir), beside);
    },
    sources() {
      if (snapshot === undefined) derive();
      return snapshot === undefined ? [] : findItemSources(path, snapshot);
    },
    positions() {
      if (snapshot === undefined) derive();
      return snapshot === undefined || last === undefined ? [] : findItemPositions(snapshot, last);
    },
  };
}
