import { findProfile } from "../profiles/find.ts";
import type { ProfileId } from "../profiles/known.ts";
import type { Profile } from "../profiles/profile.ts";
import { resultSeenBy, toolsSeenBy } from "../profiles/view.ts";
import type { CallResult, ResourceDescription, TemplateDescription, ToolDescription } from "../protocol/model.ts";
import type { Tool } from "../tools/define.ts";
import { TestClient } from "./client.ts";
import type { CallArguments, ClientOptions, ToolCallResult } from "./options.ts";

/** Returns the class of clients that show what the model of a client sees, and how that client describes itself. */
export function createClientAs(id: ProfileId, server: string): { type: typeof TestClient; identity: ClientOptions } {
  const profile = findProfile(id);
  class ClientAs extends TestClient {
    /** The names of the tools, by the names that the model sees. */
    readonly #originals = new Map<string, string>();

    override async listTools(): Promise<ToolDescription[]> {
      const tools = toolsSeenBy(profile, server, await super.listTools());
      return tools.map(({ original, ...tool }) => {
        this.#originals.set(tool.name, original);
        return tool;
      });
    }

    /** Accepts the name that the model sees, after `listTools`. The content is the one that the model sees. */
    override async call<Called extends string | Tool>(tool: Called, ...input: CallArguments<Called>) {
      const name = typeof tool === "string" ? (this.#originals.get(tool) ?? tool) : tool.name;
      const result: CallResult = await super.call(name, ...(input as CallArguments<string>));
      const { structuredContent: _, ...shown } = result;
      return { ...shown, content: resultSeenBy(profile, result, name) } as ToolCallResult<Called>;
    }

    override listResources(): Promise<ResourceDescription[]> {
      return profile.resources?.value === false ? Promise.resolve([]) : super.listResources();
    }

    override listTemplates(): Promise<TemplateDescription[]> {
      return profile.resources?.value === false ? Promise.resolve([]) : super.listTemplates();
    }
  }
  return { type: ClientAs, identity: identityOf(profile) };
}

function identityOf({ id, names: [name = id], revision, questions }: Profile): ClientOptions {
  const asked = new Set(questions?.value);
  const elicitation = { ...(asked.has("form") && { form: {} }), ...(asked.has("url") && { url: {} }) };
  return {
    info: { name: name.replace("*", ""), version: "1" },
    ...(revision !== undefined && { revision: revision.value }),
    ...(questions !== undefined && {
      capabilities: {
        ...(Object.keys(elicitation).length > 0 && { elicitation }),
        ...(asked.has("sampling") && { sampling: {} }),
        ...(asked.has("roots") && { roots: {} }),
      },
    }),
  };
}
