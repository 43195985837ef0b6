import Module, { register } from "node:module";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Module as Namespace } from "proffer/derived";
import type { EmissionData } from "./emission-hooks.ts";
import { importModule } from "./import-module.ts";

/**
 * Imports emitted files from memory, whatever is on disk at their URLs.
 * @param file - the module's name in messages.
 * @throws {CommandError} with the stack trace if the module throws.
 */
export function importEmission(file: string, url: string, data: EmissionData): Promise<Namespace> {
  register("#emission-hooks", import.meta.url, { data });
  if (Object.keys(data).some((each) => each.endsWith(".cjs"))) resolveRequires(data);
  return importModule(file, url);
}

type ResolveFilename = (request: string, parent?: { readonly filename?: string }, ...rest: unknown[]) => string;

/** The hooks provide the text of a file that CommonJS requires, but Node first looks for the file on disk. */
function resolveRequires(data: EmissionData): void {
  const loader = Module as unknown as { _resolveFilename: ResolveFilename };
  const onDisk = loader._resolveFilename;
  loader._resolveFilename = (request, parent, ...rest) => {
    if (parent?.filename && /^\.\.?\//.test(request)) {
      const path = resolve(dirname(parent.filename), request);
      if (Object.hasOwn(data, pathToFileURL(path).href)) return path;
    }
    return onDisk(request, parent, ...rest);
  };
}
