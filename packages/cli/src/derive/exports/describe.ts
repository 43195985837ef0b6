import type ts from "typescript";
import { type FunctionDoc, groupTags, isValueTag } from "../comments/doc-comment.ts";
import type { DerivedPrompt, DerivedResource, DerivedTool } from "../model/description.ts";
import { type Candidate, findExports } from "./exports.ts";
import { derivePrompt } from "./prompt.ts";
import { deriveResource } from "./resource.ts";
import type { Session } from "./session.ts";
import { deriveTool } from "./tool.ts";

/** What a module offers. */
export interface Offer {
  form: "functions" | "server";
  tools: DerivedTool[];
  prompts: DerivedPrompt[];
  resources: DerivedResource[];
}

/** What the specification allows, less what every JavaScript object answers to. */
const NAME = /^(?!(?:__proto__|constructor|prototype|toString|valueOf|hasOwnProperty)$)[A-Za-z0-9_.-]{1,128}$/;

/** Describes the exports of a module. What has errors is reported and left out. */
export function describeModule(session: Session, file: ts.SourceFile): Offer {
  const { isServer, candidates } = findExports(session, file);
  const offer: Offer = { form: isServer ? "server" : "functions", tools: [], prompts: [], resources: [] };
  const taken = {
    tool: new Map<string, string>(),
    prompt: new Map<string, string>(),
    resource: new Map<string, string>(),
  };
  for (const candidate of candidates) {
    const doc = groupTags(candidate.doc ?? { text: "", tags: [] });
    const kind = kindOf(session, candidate, doc);
    if (kind === undefined || !hasUsableName(session, candidate, taken[kind])) continue;
    reportComment(session, candidate, doc);
    if (kind === "tool") keep(offer.tools, deriveTool(session, candidate, doc));
    else if (kind === "prompt") keep(offer.prompts, derivePrompt(session, candidate, doc));
    else keepResource(session, candidate, offer.resources, deriveResource(session, candidate, doc));
  }
  if (!isServer && candidates.length === 0) {
    session.report(
      "PF1002",
      file,
      "the module exports no function; export one, as in export function hello(): string.",
    );
  }
  return offer;
}

function kindOf(
  session: Session,
  { name, node }: Candidate,
  { tags }: FunctionDoc,
): "tool" | "prompt" | "resource" | undefined {
  const isPrompt = tags.some((tag) => tag.name === "prompt");
  const isResource = tags.some((tag) => tag.name === "resource");
  if (isPrompt && isResource) {
    session.report("PF1008", node, `'${name}' has both @prompt and @resource; export a function for each.`);
    return undefined;
  }
  return isPrompt ? "prompt" : isResource ? "resource" : "tool";
}

function hasUsableName(session: Session, { name, path, node }: Candidate, taken: Map<string, string>): boolean {
  if (!NAME.test(name)) {
    session.report(
      "PF1003",
      node,
      `'${name}' cannot be a name in MCP, which allows 1 to 128 of A-Z a-z 0-9 _ . - and no name of Object.prototype; rename the export.`,
    );
    return false;
  }
  const other = taken.get(name);
  if (other !== undefined) {
    session.report(
      "PF1004",
      node,
      `'${path.join(".")}' has the name '${name}', and so has '${other}'; rename one of them.`,
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
      `'${name}' has no documentation comment, so that a model must guess what it is for; write /** … */ before it.`,
    );
  }
  for (const tag of doc.tags.filter(isValueTag)) {
    session.report(
      "PF2008",
      node,
      `@${tag.name} in the comment of '${name}' is about no parameter; put it behind the @param that it is about.`,
    );
  }
}

function keepResource(
  session: Session,
  { name, node }: Candidate,
  list: DerivedResource[],
  resource: DerivedResource | undefined,
): void {
  const other = list.find(({ uri }) => uri === resource?.uri);
  if (other)
    session.report("PF1004", node, `'${name}' has the uri ${other.uri}, and so has '${other.name}'; change one.`);
  else keep(list, resource);
}

function keep<Item>(list: Item[], item: Item | undefined): void {
  if (item !== undefined) list.push(item);
}
