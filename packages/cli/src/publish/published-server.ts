import type { ManifestSettings } from "proffer/derived";
import { describeModule } from "../modules/load.ts";
import { findBuiltFolder, findModule } from "../modules/module-file.ts";
import { type FoundPackage, readProjectPackage, textOf, toServerName } from "../modules/packages.ts";

/** A server that others install from npm, or reach at a URL. */
export interface PublishedServer {
  /** A name that clients accept as an identifier. */
  readonly name: string;
  readonly description: string | undefined;
  readonly settings: ManifestSettings | undefined;
  readonly project: FoundPackage;
}

/** Describes a module or a built folder with the package.json of its project. @throws {CommandError} without one. */
export async function describePublished(file: string): Promise<PublishedServer> {
  const project = readProjectPackage(findBuiltFolder(file) ?? findModule(file));
  const { server, settings } = await describeModule(file);
  const [summary] = server.instructions?.split(/\n\s*\n/) ?? [];
  return {
    name: toServerName(server.name),
    description: textOf(project.content.description) ?? textOf(summary?.replaceAll("\n", " ")),
    settings,
    project,
  };
}
