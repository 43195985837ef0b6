import type { Scoped } from "../../catalog/scopes.ts";
import { pathProblem } from "../../resources/param-kinds.ts";
import { UsageError } from "../../support/usage-error.ts";
import { type FrontmatterValue, readFrontmatter } from "./frontmatter.ts";

/** The file that makes a folder a skill. */
export const SKILL_FILE = "SKILL.md";

/** The numbers that hosts accept by the specification; a larger skill is served with a warning. */
const MAX_FILES = 512;
const MAX_BYTES = 16 * 1024 * 1024;

/** Who may see and use a skill. */
export interface SkillAccess {
  /** The scopes that a caller needs to use it. */
  readonly scopes?: readonly string[];
  /** Its toolset: see `toolsets` of `defineServer`. */
  readonly toolset?: string;
}

/** A skill: instructions for a model, with files, as they are served. */
export interface Skill extends SkillAccess {
  /** The name behind its prefix, such as "acme/refunds". Its URIs begin with `skill://` and this path. */
  readonly path: string;
  readonly name: string;
  readonly description: string;
  readonly frontmatter: { readonly [key: string]: FrontmatterValue };
  /** The instructions without the frontmatter. */
  readonly body: string;
  /** All files by their paths, in order. They never change: a changed skill is another object. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Sentences about values and sizes that hosts may refuse. */
  readonly warnings: readonly string[];
}

/** Options for `defineSkill`. */
export interface SkillOptions extends SkillAccess {
  /** 1 to 64 lower-case letters, digits and single hyphens. */
  readonly name: string;
  /** Tells the model when to use the skill. */
  readonly description: string;
  /** The instructions, in Markdown. */
  readonly text: string;
  /** More fields of the frontmatter, such as `license` or `metadata`. */
  readonly fields?: { readonly [name: string]: FrontmatterValue };
  /** More files by their paths. */
  readonly files?: { readonly [path: string]: string | Uint8Array };
  /** Segments before the name in its URIs, such as "acme/billing". Default: none. */
  readonly prefix?: string;
}

/** Distinguishes a skill from plain options. */
const SKILLS = new WeakSet<object>();

/** Whether a value was created by `defineSkill`. */
export function isSkill(value: object): value is Skill {
  return SKILLS.has(value);
}

/**
 * Defines a skill in code. Most skills are folders with a `SKILL.md`: see the option `skills` of `defineServer`.
 * @throws {UsageError} for a name or a file that hosts would refuse.
 *
 * @example
 * defineServer({
 *   name: "shop",
 *   version: "1.0.0",
 *   skills: defineSkill({ name: "refunds", description: "Use it to refund an order.", text: "Call `find_order` first." }),
 * });
 */
export function defineSkill(options: SkillOptions): Skill {
  const { name, description, text, fields, files, prefix = "", scopes, toolset } = options;
  // JSON is YAML, and its quotes keep texts that YAML would read as another type.
  const head = Object.entries({ name, description, ...fields }).map(([key, value]) => `${key}: ${toYaml(value)}`);
  const all = { [SKILL_FILE]: `---\n${head.join("\n")}\n---\n${text}`, ...files };
  const bytes = Object.entries(all).map(
    ([path, value]) => [path, typeof value === "string" ? new TextEncoder().encode(value) : value] as const,
  );
  return toSkill(prefix === "" ? name : `${prefix}/${name}`, new Map(bytes), { scopes, toolset });
}

/** A value of the frontmatter on one line. */
function toYaml(value: FrontmatterValue): string {
  if (Array.isArray(value) && value.every((each) => typeof each !== "object"))
    return `[${value.map(toYaml).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([key, each]) => `\n  ${JSON.stringify(key)}: ${toYaml(each).replaceAll("\n", "\n  ")}`,
  );
  return fields.join("");
}

/** Creates a skill from its files. @throws {UsageError} with the file, for what hosts would refuse. */
export function toSkill(
  path: string,
  files: ReadonlyMap<string, Uint8Array>,
  access: { readonly scopes?: Scoped["scopes"]; readonly toolset?: string | undefined } = {},
): Skill {
  const where = `${path}/${SKILL_FILE}`;
  const own = files.get(SKILL_FILE);
  const text = own && decode(own);
  if (text === undefined) throw new UsageError(`${where} ${own === undefined ? "is missing" : "is not UTF-8"}.`);
  for (const segment of path.split("/")) checkSegment(segment, path);
  for (const file of files.keys()) {
    const problem = pathProblem(file);
    if (problem !== undefined) throw new UsageError(`Skill ${path}: the path of ${JSON.stringify(file)} ${problem}.`);
  }
  const { fields, body, warnings } = readFrontmatter(text, where);
  const { name, description } = fields;
  const folder = path.slice(path.lastIndexOf("/") + 1);
  if (name !== folder)
    throw new UsageError(`${where}: name must be that of its folder, "${folder}", not ${JSON.stringify(name)}.`);
  if (!/^[a-z\d]+(?:-[a-z\d]+)*$/.test(folder) || folder.length > 64)
    throw new UsageError(
      `${where}: name must be 1 to 64 lower-case letters, digits and single hyphens, not "${folder}".`,
    );
  if (typeof description !== "string" || description.trim() === "")
    throw new UsageError(`${where}: description must be a text that says when to use the skill.`);
  const skill: Skill = {
    path,
    name: folder,
    description,
    frontmatter: fields,
    body,
    files: new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1))),
    warnings: [...warnings, ...metadataWarnings(where, fields.metadata), ...sizeWarnings(path, files)],
    ...(access.scopes !== undefined && { scopes: access.scopes }),
    ...(access.toolset !== undefined && { toolset: access.toolset }),
  };
  SKILLS.add(skill);
  return skill;
}

/** The first segment is the host of a URI; the others are kept as simple. */
function checkSegment(segment: string, path: string): void {
  if (/^[\w.~-]+$/.test(segment) && !/^\.+$/.test(segment)) return;
  throw new UsageError(
    `The path of the skill ${JSON.stringify(path)} must consist of letters, digits, ".", "_", "~", "-" and "/".`,
  );
}

/** The official client refuses a skill whose metadata has another value than texts. */
function metadataWarnings(where: string, metadata: FrontmatterValue | undefined): string[] {
  if (metadata === undefined) return [];
  const isMap = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata);
  const wrong = isMap ? Object.entries(metadata).find(([, value]) => typeof value !== "string")?.[0] : "it";
  if (wrong === undefined) return [];
  return [`${where}: metadata must map names to texts, or hosts refuse the skill. Put ${wrong} in quotes.`];
}

function sizeWarnings(path: string, files: ReadonlyMap<string, Uint8Array>): string[] {
  const bytes = [...files.values()].reduce((sum, each) => sum + each.length, 0);
  const rule = "Hosts may refuse it: move files to resources.";
  return [
    ...(files.size > MAX_FILES ? [`Skill ${path} has ${files.size} files, more than ${MAX_FILES}. ${rule}`] : []),
    ...(bytes > MAX_BYTES ? [`Skill ${path} has ${bytes} bytes, more than ${MAX_BYTES}. ${rule}`] : []),
  ];
}

const UTF8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a file that is valid UTF-8, with its byte order mark: encoded again, it has the same bytes. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}
