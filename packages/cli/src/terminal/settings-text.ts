import type { ManifestSettings } from "proffer/derived";
import { isRequired, isSecret } from "proffer/settings";
import type { Styles } from "./terminal.ts";
import { Text, text } from "./text.ts";

/** Formats the settings of a module, a line for each. Empty without settings. */
export function formatSettings(settings: ManifestSettings | undefined, { bold, dim, cyan }: Styles): Text {
  if (settings === undefined) return text``;
  const lines = Object.entries(settings.properties).map(([name, setting]) => {
    const facts = [
      isRequired(settings, name) ? "required" : "optional",
      ...(isSecret(setting) ? ["secret"] : []),
      ...(setting.default === undefined ? [] : [`default ${JSON.stringify(setting.default)}`]),
    ];
    const [description = ""] = setting.description?.split("\n") ?? [];
    return text`  ${cyan(name)}  ${dim(facts.join(", "))}${description === "" ? "" : `  ${description}`}`;
  });
  return Text.join([bold("Settings"), ...lines], "\n");
}
