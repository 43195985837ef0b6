import { dirname } from "node:path";
import ts from "typescript";
import { type Configuration, findConfigFile, readConfiguration } from "./compiler-options.ts";
import { createHost, nearestPackage, stampOf } from "./host.ts";
import { implementationOf, isDependency } from "./origin.ts";
import type { System } from "./system.ts";

/** The author's files in the compiler at one point in time. */
export interface Snapshot {
  program: ts.Program;
  configuration: Configuration;
  /** The module whose exports are described: the entry, or the declaration file next to a JavaScript entry. */
  described: ts.SourceFile | undefined;
  /** Changes with the files that the author's imports lead to. */
  resolutions: number;
  system: System;
}

/** A program that is kept up to date. */
export interface Project {
  /** Checks for changes and returns the current program. */
  refresh(): Snapshot;
}

/** Opens the program of a module. Only one earlier program is kept, so the memory of a watcher stays flat. */
export function openProject(entry: string, system: System): Project {
  const host = createHost(dirname(entry), system);
  let configuration: Configuration | undefined;
  let configurationStamp = "";
  let previous: ts.Program | undefined;
  let implementations: string[] = [];

  function configure(): Configuration {
    if (configuration && stampAll(entry, configuration, system) === configurationStamp) return configuration;
    configuration = readConfiguration(entry, system);
    configurationStamp = stampAll(entry, configuration, system);
    host.clear();
    previous = undefined;
    return configuration;
  }

  function build(options: ts.CompilerOptions): ts.Program {
    const rootNames = [...new Set([entry, describedFile(entry, system), ...implementations])];
    const oldProgram = previous && { oldProgram: previous };
    previous = ts.createProgram({ rootNames, options, host: host.forOptions(options), ...oldProgram });
    return previous;
  }

  return {
    refresh() {
      const current = configure();
      implementations = implementations.filter((file) => system.fileExists(file));
      let program = build(current.options);
      for (;;) {
        const missing = missingImplementations(program, system);
        if (missing.length === 0) break;
        implementations.push(...missing);
        program = build(current.options);
      }
      host.keepOnly(program);
      return {
        program,
        configuration: current,
        described: program.getSourceFile(describedFile(entry, system)),
        resolutions: host.resolutions(),
        system,
      };
    },
  };
}

/** Returns a string that changes with any file that the compiler options depend on. */
function stampAll(entry: string, { files }: Configuration, system: System): string {
  const all = [findConfigFile(entry, system), nearestPackage(dirname(entry), system), ...files];
  return all.map((file) => (file ? `${file}:${stampOf(file)}` : "")).join();
}

/**
 * Returns the file to describe. For an import, TypeScript prefers the declaration file to the JavaScript; for an entry
 * it does not look for one.
 */
function describedFile(entry: string, system: System): string {
  const declarations = entry.replace(/\.([cm]?)js$/, ".d.$1ts");
  return declarations !== entry && system.fileExists(declarations) ? declarations : entry;
}

/** Returns the JavaScript of the author's declaration files that is not in the program yet. */
function missingImplementations(program: ts.Program, system: System): string[] {
  const missing: string[] = [];
  for (const file of program.getSourceFiles()) {
    if (!file.isDeclarationFile || isDependency(file.fileName)) continue;
    if (program.isSourceFileDefaultLibrary(file) || program.isSourceFileFromExternalLibrary(file)) continue;
    const implementation = implementationOf(file.fileName);
    if (!program.getSourceFile(implementation) && system.fileExists(implementation)) missing.push(implementation);
  }
  return missing;
}
