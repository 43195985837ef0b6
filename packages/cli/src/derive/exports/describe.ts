import { dirname, relative } from "node:path";
import type { JsonSchemaObject } from "proffer";
import type { Manifest, ManifestCompanion, ManifestPrompt, ManifestResource, ManifestTool } from "proffer/derived";
import ts from "typescript";
import { isValueTag } from "../comments/function-comment.ts";
import type { ItemSource } from "../model/description.ts";
import { aliasTarget } from "../types/type-node.ts";
import { type Analysis, callsOf, locate } from "./analysis.ts";
import { readEntry, renamed } from "./entry-tags.ts";
import { type Candidate, findExports } from "./exports.ts";
import { fitsLimits, type NamedSchema, reportNotes, reportSize, withoutTakenAliases } from "./item-checks.ts";
import { derivePrompt, deriveResource, deriveTool } from "./items.ts";
import type { ModuleForm } from "./server.ts";

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
  analysis: Analysis,
  file: ts.SourceFile,
  files: readonly ts.SourceFile[],
): ModuleContent {
  const companions = findCompanions(analysis, files);
  const { form, candidates } = findExports(analysis, file);
  const content: ModuleContent = {
    form,
    ...describeFunctions(analysis, candidates, companions),
    ...(form === "combined" && { places: placesOf(file, candidates) }),
  };
  analysis.current = "ctx.ask";
  companions.reportOthers(candidates);
  const isCommonJs = analysis.diagnostics.some(({ code }) => code === "PF1009");
  if (form === "functions" && candidates.length === 0 && !isCommonJs) {
    const hidden = unexportedFunctions(file);
    const remedy = hidden
      ? `Write export before ${hidden}, if clients may call it.`
      : "Export one, for example: export function hello(): string.";
    analysis.report("PF1002", file, `The module exports no function. ${remedy}`);
  }
  reportNotes(analysis, file, candidates, content);
  return content;
}

/** Names the functions at the top level of a module, up to three; undefined if there are none. */
function unexportedFunctions({ statements }: ts.SourceFile): string | undefined {
  const names = statements.flatMap((statement) => {
    if (ts.isFunctionDeclaration(statement)) return statement.name?.text ?? [];
    if (!ts.isVariableStatement(statement)) return [];
    const { declarations } = statement.declarationList;
    const isFunction = ({ initializer: value }: ts.VariableDeclaration) =>
      value !== undefined && (ts.isArrowFunction(value) || ts.isFunctionExpression(value));
    return declarations.filter(isFunction).map(({ name }) => name.getText());
  });
  return names.length === 0
    ? undefined
    : names
        .slice(0, 3)
        .map((name) => `'${name}'`)
        .join(" or ");
}

function describeFunctions(
  analysis: Analysis,
  candidates: readonly Candidate[],
  companions: Companions,
): FunctionContent {
  const content: FunctionContent = { tools: [], prompts: [], resources: [] };
  /** The paths of the functions, by kind and name. */
  const taken = new Map<string, string>();
  for (const found of candidates) {
    const candidate = renamed(found);
    analysis.current = candidate.name;
    const kind = kindOf(analysis, candidate);
    if (kind === undefined || !hasUsableName(analysis, candidate, kind, taken)) continue;
    reportComment(analysis, candidate);
    const { entry, isBroken } = readEntry(analysis, candidate, kind);
    if (kind === "tool") {
      companions.of(candidate, { kind: "tool", names: [] });
      const tool = deriveTool(analysis, candidate, entry);
      const schemas = [["input", tool?.inputSchema] as const, ["output", tool?.outputSchema] as const];
      if (tool === undefined || !fitsLimits(analysis, candidate, schemas) || isBroken) continue;
      reportSize(analysis, candidate, tool);
      content.tools.push(tool);
    } else if (kind === "prompt") {
      const prompt = derivePrompt(analysis, candidate, entry);
      const names = prompt?.arguments.map(({ name }) => name) ?? [];
      const whole = prompt && { ...prompt, ...companions.of(candidate, { kind: "prompt", names }) };
      const fits = fitsLimits(analysis, candidate, argumentSchemas(prompt?.arguments));
      if (whole && fits && !isBroken) content.prompts.push(whole);
    } else {
      const resource = deriveResource(analysis, candidate, entry);
      const names = resource?.variables.map(({ name }) => name) ?? [];
      const listed = names.length > 0 ? "template" : "resource";
      const whole = resource && { ...resource, ...companions.of(candidate, { kind: listed, names }) };
      const fits = fitsLimits(analysis, candidate, argumentSchemas(resource?.variables));
      if (!whole || !fits || isBroken) continue;
      const other = content.resources.find(({ uri }) => uri === whole.uri);
      const message = `'${candidate.name}' and '${other?.name}' have the same URI, ${whole.uri}. Change one of them.`;
      if (other) analysis.report("PF1004", candidate.node, message);
      else content.resources.push(whole);
    }
  }
  return withoutTakenAliases(analysis, content, candidates);
}

/** Returns the file and line of each function. Files are relative to the module, so that the project can be moved. */
function placesOf(file: ts.SourceFile, candidates: readonly Candidate[]): Manifest["places"] & object {
  const places = candidates.map(({ path, node }) => {
    const place = locate(node);
    return [path.join("."), `${relative(dirname(file.fileName), place.file)}:${place.line}`] as const;
  });
  return Object.fromEntries(places);
}

function kindOf(analysis: Analysis, { name, node, doc: { tags } }: Candidate): ItemSource["kind"] | undefined {
  const isPrompt = tags.some((tag) => tag.name === "prompt");
  const isResource = tags.some((tag) => tag.name === "resource");
  if (isPrompt && isResource) {
    analysis.report("PF1008", node, `'${name}' has both @prompt and @resource. Export a separate function for each.`);
    return undefined;
  }
  return isPrompt ? "prompt" : isResource ? "resource" : "tool";
}

function hasUsableName(analysis: Analysis, candidate: Candidate, kind: string, taken: Map<string, string>): boolean {
  const { name, path, node } = candidate;
  if (!NAME.test(name)) {
    analysis.report(
      "PF1003",
      node,
      `'${name}' is not a valid MCP name. Rename the export: use 1 to 128 of A-Z a-z 0-9 _ . - and no property name of Object.prototype.`,
    );
    return false;
  }
  const other = taken.get(`${kind} ${name}`);
  if (other !== undefined) {
    analysis.report(
      "PF1004",
      node,
      `'${path.join(".")}' and '${other}' have the same name, '${name}'. Rename one of them.`,
    );
    return false;
  }
  taken.set(`${kind} ${name}`, path.join("."));
  return true;
}

function reportComment(analysis: Analysis, { name, node, doc }: Candidate): void {
  if (doc.text === "") {
    analysis.report(
      "PF2001",
      node,
      `'${name}' has no documentation comment, so the model must guess its purpose. Add /** … */ before it.`,
    );
  }
  for (const tag of doc.tags.filter(isValueTag)) {
    analysis.report(
      "PF2008",
      node,
      `@${tag.name} in the comment of '${name}' does not belong to a parameter. Move it after the @param that it describes.`,
    );
  }
}

function argumentSchemas(list: readonly { name: string; schema: JsonSchemaObject }[] = []): NamedSchema[] {
  return list.map(({ name, schema }) => [`argument '${name}'`, schema]);
}

/** The facts about a function that decide about the options of its companion: its kind, and the names of its arguments. */
interface Possible {
  readonly kind: "tool" | "prompt" | "resource" | "template";
  readonly names: readonly string[];
}

const OPTIONS = ["complete", "list", "exists", "watch"] as const;
const POSSIBLE: { readonly [Kind in Possible["kind"]]: readonly string[] } = {
  tool: [],
  prompt: ["complete"],
  resource: ["exists", "watch"],
  template: OPTIONS,
};

type Companions = ReturnType<typeof findCompanions>;

/** Finds the calls `companion(order, { … })` of the author's files. */
function findCompanions(analysis: Analysis, files: readonly ts.SourceFile[]) {
  const { checker, origins } = analysis;
  /** By the declaration of the function. */
  const calls = new Map<ts.Node, ts.CallExpression>();
  for (const call of callsOf(analysis, files, "companion")) add(call);

  function add(call: ts.CallExpression): void {
    const [target] = call.arguments;
    const symbol = target && checker.getSymbolAtLocation(target);
    const found = symbol && aliasTarget(checker, symbol);
    const node = found?.valueDeclaration ?? found?.declarations?.[0] ?? call;
    const text = target?.getText() ?? "";
    if (!ts.isExpressionStatement(call.parent) || !ts.isSourceFile(call.parent.parent)) {
      analysis.report(
        "PF1604",
        call,
        `The companion of '${text}' must be a statement at the top level of the module, because clients learn of it before any function is called.`,
      );
    } else if (calls.has(node)) {
      analysis.report("PF1603", call, `'${text}' already has a companion. Join the options of both in one call.`);
      return;
    }
    calls.set(node, call);
  }

  /** Reports an option that the function cannot have, or that may be absent: the manifest must know. */
  function isUsable(option: ts.Symbol, call: ts.CallExpression, known: readonly string[], subject: string): boolean {
    const node = option.valueDeclaration ?? call;
    const place = origins.isProject(node.getSourceFile()) ? node : call;
    if (!known.includes(option.name)) {
      const remedy = known.length > 0 ? `It can have ${known.join(", ")}.` : "Remove it.";
      analysis.report("PF1602", place, `${subject} cannot have '${option.name}'. ${remedy}`);
      return false;
    }
    if (!(option.flags & ts.SymbolFlags.Optional)) return true;
    analysis.report(
      "PF1602",
      place,
      `${subject} may have '${option.name}' or not, but clients must know before the module is imported. Write the options as an object literal.`,
    );
    return false;
  }

  return {
    /** Returns the manifest's member for the companion of a function, if it has one, and reports its mistakes. */
    of({ node, name }: Candidate, { kind, names }: Possible): { companion?: ManifestCompanion } {
      const call = calls.get(node);
      if (call === undefined) return {};
      const companion: { -readonly [Name in keyof ManifestCompanion]: ManifestCompanion[Name] } = {};
      const propertiesOf = (type: ts.Type | undefined) => (type ? checker.getPropertiesOfType(type) : []);
      for (const option of propertiesOf(call.arguments[1] && checker.getTypeAtLocation(call.arguments[1]))) {
        if (!isUsable(option, call, POSSIBLE[kind], `The companion of the ${kind} '${name}'`)) continue;
        if (option.name !== "complete") companion[option.name as "list"] = true;
        else {
          const completed = propertiesOf(checker.getTypeOfSymbol(option));
          const usable = completed.filter((property) => isUsable(property, call, names, `'complete' of '${name}'`));
          companion.complete = usable.map((property) => property.name);
        }
      }
      return { companion };
    },
    /** Reports the companions of functions that are not among the exports. */
    reportOthers(exports: readonly Candidate[]): void {
      for (const [node, call] of calls) {
        if (exports.some((candidate) => candidate.node === node)) continue;
        analysis.report(
          "PF1601",
          call,
          `The companion of '${call.arguments[0]?.getText()}' has no effect, because the module does not serve that function. Export it, or remove the companion.`,
        );
      }
    },
  };
}
