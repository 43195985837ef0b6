/** `{@inheritDoc}` of TSDoc, `{@inheritdoc}` and `@inheritdoc` of JSDoc, with or without a name. */
const INHERIT = /\{@inheritdoc\b\s*([^}]*)\}|(?<=^[\s*]*)@inheritdoc\b/im;

/** Returns the name in `{@inheritDoc name}`, empty for the comment of the base type; undefined without such a tag. */
export function inheritedName(comment: string): string | undefined {
  const match = INHERIT.exec(comment);
  return match ? (match[1] ?? "").trim() : undefined;
}

/** Replaces the inline tags of a text, such as `{@link target | label}`, with the text that a reader sees. */
export function inlineText(text: string): string {
  return text
    .replace(/\[([^\]]+)\]\{@link(?:code|plain)?\s[^}]*\}/g, (_, label) => label.trim())
    .replace(/\{@(\w+)(?:\s+([^{}]*))?\}/g, (_, name: string, content = "") => shownText(name, content.trim()));
}

function shownText(name: string, content: string): string {
  switch (name.toLowerCase()) {
    case "link":
    case "linkcode":
    case "linkplain":
    case "see":
    case "tutorial": {
      const [, target = "", label = ""] = /^([^\s|]*)(?:\s*\|\s*|\s+)?([\s\S]*)$/.exec(content) ?? [];
      return label || target.replace(/^module:/, "");
    }
    case "code":
      return `\`${content}\``;
    case "inheritdoc":
    case "label":
    case "include":
    case "includecode":
      return "";
    default:
      return content;
  }
}
