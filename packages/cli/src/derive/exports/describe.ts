import { dirname, relative } from "node:path";
import type { JsonSchemaObject } from "proffer";
import type { Manifest, ManifestPrompt, ManifestResource, ManifestTool } from "proffer/derived";
import type ts from "typescript";
import { type FunctionDoc, groupTags, isValueTag } from "../comments/function-doc.ts";
import type { Companions } from "./companions.ts";
import type { DescriptionMemo } from "./description-memo.ts";
import { readEntry, renamed } from "./entry-tags.ts";
import { type Candidate, findExports } from "./exports.ts";
import { fitsLimits, type NamedSchema, reportNotes, reportSize, withoutTakenAliases } from "./item-checks.ts";
import { derivePrompt } from "./prompt.ts";
import { deriveResource } from "./resource.ts";
import type { ModuleForm } from "./server.ts";
import { locate, type Session } from "./session.ts";
import { deriveTool } from "./tool.ts";

/** The tools, prompts and resources of a module's functions. */
export interface FunctionContent {
  tools: ManifestTool[];
  prompts: ManifestPrompt[];
  resources: ManifestResource[];
}

export interface ModuleContent extends FunctionContent {
  form: ModuleForm;
  /** Only if the functions are added to a server, which may have the same names. */
  places?: NonNullable<Manifest["places"]>;
}

/** The names that the specification allows, without the properties that every JavaScript object inherits. */
const NAME = /^(?!(?:__proto__|constructor|prototype|toString|valueOf|hasOwnProperty)$)[A-Za-z0-9_.-]{1,128}$/;

/** Describes the exports of a module. Exports with errors are reported and left out. */
export function describeModule(
  session: Session,
  file: ts.SourceFile,
  companions: Companions,
  memo: DescriptionMemo,
): ModuleContent {
  const { form, candidates } = findExports(session, file);
  const described = memo.describe(session, () => describeFunctions(session, candidates, companions));
  const content: ModuleContent = {
    form,
    ...described,
    ...(form === "combined" && { places: placesOf(file, candidates) }),
  };
  session.current = "ctx.ask";
  companions.reportOthers(candidates);
  if (form === "functions" && candidates.length === 0) {
    session.report(
      "PF1002",
      file,
      "The module exports no function. Export one, for example: export function hello(): string.",
    );
  }
  reportNotes(session, file, candidates, content);
  return content;
}

function describeFunctions(
  session: Session,
  candidates: readonly Candidate[],
  companions: Companions,
): FunctionContent {
  const content: FunctionContent = { tools: [], prompts: [], resources: [] };
  const taken = {
    tool: new Map<string, string>(),
    prompt: new Map<string, string>(),
    resource: new Map<string, string>(),
  };
  for (const found of candidates) {
    const doc = groupTags(found.doc ?? { text: "", tags: [] });
    const candidate = renamed(found, doc);
    session.current = candidate.name;
    const kind = kindOf(session, candidate, doc);
    if (kind === undefined || !hasUsableName(session, candidate, taken[kind])) continue;
    reportComment(session, candidate, doc);
    const { entry, isBroken } = readEntry(session, candidate, kind, doc);
    if (kind === "tool") {
      companions.of(candidate, { what: "tool", names: [] });
      const tool = deriveTool(session, candidate, doc, entry);
      const schemas = [["input", tool?.inputSchema] as const, ["output", tool?.outputSchema] as const];
      if (tool === undefined || !fitsLimits(session, candidate, schemas) || isBroken) continue;
      reportSize(session, candidate, tool);
      keep(content.tools, tool);
    } else if (kind === "prompt") {
      const prompt = derivePrompt(session, candidate, doc, entry);
      const names = prompt?.arguments.map(({ name }) => name) ?? [];
      const whole = prompt && { ...prompt, ...companions.of(candidate, { what: "prompt", names }) };
      if (fitsLimits(session, candidate, argumentSchemas(prompt?.arguments)) && !isBroken) keep(content.prompts, whole);
    } else {
      const resource = deriveResource(session, candidate, doc, entry);
      const names = resource?.variables.map(({ name }) => name) ?? [];
      const what = names.length > 0 ? "template" : "resource";
      const whole = resource && { ...resource, ...companions.of(candidate, { what, names }) };
      if (fitsLimits(session, candidate, argumentSchemas(resource?.variables)) && !isBroken)
        keepResource(session, candidate, content.resources, whole);
    }
  }
  return withoutTakenAliases(session, content, candidates);
}

/** Returns the file and line of each function. Files are relative to the module, so that the project can be moved. */
function placesOf(file: ts.SourceFile, candidates: readonly Candidate[]): Manifest["places"] & object {
  const places = candidates.map(({ path, node }) => {
    const place = locate(node);
    return [path.join("."), `${relative(dirname(file.fileName), place.file)}:${place.line}`] as const;
  });
  return Object.fromEntries(places);
}

function kindOf(
  session: Session,
  { name, node }: Candidate,
  { tags }: FunctionDoc,
): "tool" | "prompt" | "resource" | undefined {
  const isPrompt = tags.some((tag) => tag.name === "prompt");
  const isResource = tags.some((tag) => tag.name === "resource");
  if (isPrompt && isResource) {
    session.report("PF1008", node, `'${name}' has both @prompt and @resource. Export a separate function for each.`);
    return undefined;
  }
  return isPrompt ? "prompt" : isResource ? "resource" : "tool";
}

function hasUsableName(session: Session, { name, path, node }: Candidate, taken: Map<string, string>): boolean {
  if (!NAME.test(name)) {
    session.report(
      "PF1003",
      node,
      `'${name}' is not a valid MCP name. Rename the export: use 1 to 128 of A-Z a-z 0-9 _ . - and no property name of Object.prototype.`,
    );
    return false;
  }
  const other = taken.get(name);
  if (other !== undefined) {
    session.report(
      "PF1004",
      node,
      `'${path.join(".")}' and '${other}' have the same name, '${name}'. Rename one of them.`,
    );
    return false;
  }
  taken.set(name, path.join("."));
  return true;
}

function reportComment(session: Session, { name, node }: Candidate, doc: FunctionDoc): void {
  if (doc.text === "") {
    session.report(
      "PF2001",
      node,
      `'${name}' has no documentation comment, so the model must guess its purpose. Add /** … */ before it.`,
    );
  }
  for (const tag of doc.tags.filter(isValueTag)) {
    session.report(
      "PF2008",
      node,
      `@${tag.name} in the comment of '${name}' does not belong to a parameter. Move it after the @param that it describes.`,
    );
  }
}

function argumentSchemas(list: readonly { name: string; schema: JsonSchemaObject }[] = []): NamedSchema[] {
  return list.map(({ name, schema }) => [`argument '${name}'`, schema]);
}

function keepResource(
  session: Session,
  { name, node }: Candidate,
  list: ManifestResource[],
  resource: ManifestResource | undefined,
): void {
  const other = list.find(({ uri }) => uri === resource?.uri);
  if (other)
    session.report(
      "PF1004",
      node,
      `'${name}' and '${other.name}' have the same URI, ${other.uri}. Change one of them.`,
    );
  else keep(list, resource);
}

function keep<Item>(list: Item[], item: Item | undefined): void {
  if (item !== undefined) list.push(item);
}
