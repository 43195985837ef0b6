/** Characters that end or hide code: controls, line separators, and those that change the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are the point
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** The names that a written file uses. */
export const USED = ["Promise", "Record", "ContentBlock", "PromptResult", "ReadResult"];

/** The most characters of a list or an object as a literal. */
const MAX_LITERAL = 1000;

/** Writes a value as a literal type. */
export function literal(value: unknown): string {
  // A reference may repeat it.
  if (typeof value === "object" && value !== null && JSON.stringify(value).length > MAX_LITERAL) return "unknown";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, own]) => `${propertyName(key)}: ${literal(own)};`)
      .join(" ")} }`;
  }
  return JSON.stringify(value).replace(UNSAFE, escaped);
}

/** Writes the name of a property. */
export function propertyName(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name).replace(UNSAFE, escaped);
}

/** Words that cannot begin a type, and so no label either. */
const RESERVED =
  /^(?:break|case|catch|class|const|continue|debugger|default|delete|do|else|enum|export|extends|finally|for|function|if|import|in|instanceof|new|return|super|switch|throw|try|var|while|with)$/;

/** Returns the label of an element of a tuple. */
export function labelOf(name: string): string {
  const label = name.replace(/[^\w$]/g, "_").replace(/^(?=\d|$)/, "_");
  return RESERVED.test(label) ? `${label}_` : label;
}

/** Returns the name of a type: `my-server` becomes `MyServer`. */
export function typeName(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter(Boolean);
  const name = words
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
    .slice(0, 80);
  return /^[A-Z]/.test(name) ? name : `Server${name}`;
}

/** No editor shows more. */
const MAX_COMMENT = 2000;

/** Writes members between braces. */
export function block(members: readonly string[]): string {
  return members.length === 0 ? "{}" : `{\n${members.join("\n").replace(/^(?=.)/gm, "  ")}\n}`;
}

/** Writes a description as a comment before a member, on lines of their own; empty for none. */
export function comment(description: unknown): string {
  if (typeof description !== "string") return "";
  const lines = description
    .slice(0, MAX_COMMENT)
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.replace(UNSAFE, " ").replaceAll("*/", "*\\/").trim());
  const text = lines.join("\n").trim();
  if (text === "") return "";
  if (!text.includes("\n")) return `/** ${text} */\n`;
  return `/**\n${text
    .split("\n")
    .map((line) => (line ? ` * ${line}` : " *"))
    .join("\n")}\n */\n`;
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
