import { parseTemplate } from "proffer/uri";
import type { Api } from "../protocol/api.ts";
import type { JsonObject } from "../protocol/json.ts";

/** Expands the URI template of a server with what was typed into its form. */
export function expandTemplate(template: string, values: JsonObject): Api["expand"]["out"] {
  try {
    return { uri: parseTemplate(template).expand(values as never) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}
