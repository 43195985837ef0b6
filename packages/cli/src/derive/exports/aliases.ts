import type { ManifestPrompt, ManifestTool } from "proffer/derived";
import type { FunctionContent } from "./describe.ts";
import type { Candidate } from "./exports.ts";
import { locate, type Session } from "./session.ts";

/** Returns the content without the functions whose earlier names another function has, now or before. Reports each. */
export function withoutTakenAliases(
  session: Session,
  content: FunctionContent,
  candidates: readonly Candidate[],
): FunctionContent {
  const { tools, prompts } = content;
  if (![...tools, ...prompts].some(({ was }) => was !== undefined)) return content;
  const check = <Item extends ManifestTool | ManifestPrompt>(items: readonly Item[]) =>
    items.filter((item, index) => !isTaken(session, item, items, index, candidates));
  return { ...content, tools: check(tools), prompts: check(prompts) };
}

function isTaken(
  session: Session,
  { name, was = [], binding }: ManifestTool | ManifestPrompt,
  items: readonly (ManifestTool | ManifestPrompt)[],
  index: number,
  candidates: readonly Candidate[],
): boolean {
  const nodeOf = (path: readonly string[]) => candidates.find((each) => each.path.join() === path.join())?.node;
  const node = nodeOf(binding.path);
  for (const alias of was) {
    const other = items.find((item, at) => item.name === alias || (at < index && item.was?.includes(alias)));
    if (other === undefined || node === undefined) continue;
    const use = other.name === alias ? "the name" : "an earlier name";
    const otherNode = nodeOf(other.binding.path);
    const { file, line } = locate(otherNode ?? node);
    const message =
      other.name === name
        ? `'${name}' has the tag @was with its present name. Remove it.`
        : `'${name}' has the tag @was ${alias}, which is ${use} of '${other.name}' (${file}:${line}). Remove the tag, or rename '${other.name}'.`;
    session.report("PF1350", node, message);
    return true;
  }
  return false;
}
