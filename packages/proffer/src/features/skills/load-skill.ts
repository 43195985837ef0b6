import type { Call } from "../../calls/call.ts";
import type { Client } from "../../calls/client.ts";
import { SKILL_FILE } from "../../providers/skills/skill.ts";
import { embed, ToolError, text } from "../../results/content.ts";
import type { AddedEntries } from "../../server/feature.ts";
import { defineTool, type Tool } from "../../tools/define.ts";
import { contentOf, instructions, type ServedSkill, skillsOf } from "./served.ts";

const NAME = "load_skill";

/** After the tools of the author, and those that read resources. */
const POSITION = 2 ** 41;

/** Whether a client has the tool: its model cannot read resources. */
export function hasLoadSkill(client: Client | undefined): boolean {
  return client?.profile?.readsResources === false;
}

/** The tool as an entry of the list, for the skills that the caller sees. */
export function listLoadSkill(call: Call): AddedEntries | undefined {
  const { access } = call.server;
  if (!hasLoadSkill(call.client) || call.server.tools.get(NAME) !== undefined) return undefined;
  const seen = skillsOf(call.server).filter(({ main }) => !access?.filters || access.lists(call, main));
  if (seen.length === 0) return undefined;
  const key = `${NAME} ${seen.map(({ skill }) => skill.path).join(" ")}`;
  return { key, entries: [{ item: toTool(seen, call), position: POSITION }] };
}

/** The tool that a request calls. It needs the scopes of the skill that it loads. */
export function findLoadSkill(call: Call, name: string): Tool | undefined {
  if (name !== NAME || !hasLoadSkill(call.client)) return undefined;
  const { access } = call.server;
  const seen = skillsOf(call.server).filter(({ main }) => access?.sees(call, main) ?? true);
  if (seen.length === 0) return undefined;
  const wanted = (call.params.arguments as { readonly name?: unknown } | undefined)?.name;
  return { ...toTool(seen, call), scopes: seen.find(({ skill }) => skill.name === wanted)?.main.scopes };
}

function toTool(seen: readonly ServedSkill[], { server }: Call): Tool {
  const lines = seen.map(({ skill }) => `- ${skill.name}: ${skill.description.replaceAll(/\s+/g, " ")}`);
  return defineTool({
    name: NAME,
    description: `Loads a skill of ${server.info.name}: instructions for a task. Load it before you begin with the task.\n${lines.join("\n")}`,
    annotations: { readOnlyHint: true, openWorldHint: false },
    input: {
      type: "object",
      properties: {
        name: { type: "string", enum: seen.map(({ skill }) => skill.name), description: "the name of the skill" },
        file: { type: "string", description: "the path of one of its files, which its instructions name" },
      },
      required: ["name"],
      additionalProperties: false,
    },
    handle: (input) => {
      const { name, file = SKILL_FILE } = input as { readonly name: string; readonly file?: string };
      const found = seen.find(({ skill }) => skill.name === name) as ServedSkill;
      const { skill } = found;
      if (file === SKILL_FILE) return text(`Skill ${name} of ${server.info.name}:\n\n${instructions(skill)}`);
      const content = contentOf(skill, file.replace(new RegExp(`^skill://${skill.path}/`), ""));
      if (content !== undefined) return content.text === undefined ? embed(content) : text(content.text);
      const files = [...skill.files.keys()].join(", ");
      throw new ToolError(`The skill ${name} has no file ${JSON.stringify(file)}. Its files are ${files}.`);
    },
  }) as Tool;
}
