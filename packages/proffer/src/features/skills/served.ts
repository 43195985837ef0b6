import type { Item } from "../../catalog/access.ts";
import { definePrompt } from "../../prompts/define.ts";
import { typeFromTable } from "../../providers/files/types.ts";
import {
  readSkills,
  type SkillFolder,
  type SkillSource,
  type SkillsOption,
  watchSkills,
} from "../../providers/skills/folder.ts";
import { decode, isSkill, SKILL_FILE, type Skill } from "../../providers/skills/skill.ts";
import { defineResource, type Resource } from "../../resources/define.ts";
import { path as pathParam } from "../../resources/param-kinds.ts";
import { contents, type ResourceContent } from "../../results/content.ts";
import type { ServerState } from "../../server/server.ts";
import { sha256 } from "../../support/run-time.ts";
import { UsageError } from "../../support/usage-error.ts";

/** An entry of `skills/list`. */
export interface SkillEntry {
  readonly uri: string;
  readonly frontmatter: Skill["frontmatter"];
  readonly resources: readonly { readonly uri: string; readonly digest: string; readonly size: number }[];
}

/** A skill with the two resources that serve it: its `SKILL.md`, which lists have, and a template for its other files. */
export interface ServedSkill {
  readonly skill: Skill;
  readonly main: Resource;
  readonly template: Resource;
  /** Undefined until the digests are computed. */
  entry: SkillEntry | undefined;
}

const byItem = new WeakMap<Item, ServedSkill>();

/** The skill that a resource belongs to. */
export function skillOf(item: Item): ServedSkill | undefined {
  return byItem.get(item);
}

/** The skills of a server, also of one that presents another. */
export function skillsOf({ resources }: Pick<ServerState, "resources">): readonly ServedSkill[] {
  return resources.entries().flatMap(({ item }) => {
    const served = skillOf(item);
    return served?.main === item ? [served] : [];
  });
}

/** The URI of a file of a skill, or of a folder in it. */
export function uriOf({ path }: Skill, file = ""): string {
  const parts = file === "" ? [path] : [path, ...file.split("/").map(encodeURIComponent)];
  return `skill://${parts.join("/")}`;
}

/** A file as the contents of a resource: text if its bytes can be restored from it. */
export function contentOf(skill: Skill, file: string): (ResourceContent & { readonly uri: string }) | undefined {
  const bytes = skill.files.get(file);
  if (bytes === undefined) return undefined;
  const text = decode(bytes);
  const mimeType = typeOf(file, text);
  return { uri: uriOf(skill, file), mimeType, ...(text === undefined ? { blob: bytes } : { text }) };
}

export function typeOf(file: string, text: string | undefined): string {
  return typeFromTable(file) ?? (text === undefined ? "application/octet-stream" : "text/plain");
}

/** The skills of one server. */
export class ServedSkills {
  readonly #server: ServerState;
  readonly #folders: readonly SkillFolder[];
  readonly #defined: readonly Skill[];
  #served: ReadonlyMap<string, ServedSkill> = new Map();
  #unwatch: readonly (() => void)[] = [];

  /** @throws {UsageError} for a skill that hosts would refuse. */
  constructor(server: ServerState, option: SkillsOption) {
    const sources = [option].flat() as readonly SkillSource[];
    this.#server = server;
    this.#folders = sources.flatMap((each) => toFolder(each, server.info.name));
    this.#defined = sources.filter((each): each is Skill => typeof each === "object" && isSkill(each));
    this.#serve(this.#read());
  }

  /** Serves edits from now on. */
  watch(): void {
    const failed = (error: unknown) =>
      this.#server.log({
        level: "warning",
        message: "Edits of skills are not seen: their folder cannot be watched",
        error,
      });
    this.#unwatch = this.#folders.map((folder) => watchSkills(folder, () => this.reload(), failed));
  }

  unwatch(): void {
    for (const stop of this.#unwatch) stop();
    this.#unwatch = [];
  }

  /** Reads the folders again. After a mistake, the skills of before stay. */
  reload(): void {
    try {
      this.#serve(this.#read());
    } catch (error) {
      this.#server.log({ level: "error", message: "The edited skills cannot be served; the earlier ones stay", error });
    }
  }

  /** @throws {UsageError} */
  #read(): ReadonlyMap<string, Skill> {
    const skills = new Map<string, Skill>();
    const names = new Map<string, Skill>();
    for (const skill of [...this.#defined, ...this.#folders.flatMap(readSkills)]) {
      const same = names.get(skill.name);
      if (same !== undefined)
        throw new UsageError(`The skills ${same.path} and ${skill.path} have the same name. Rename one.`, "duplicate");
      names.set(skill.name, skill);
      skills.set(skill.path, skill);
    }
    return skills;
  }

  /** Replaces what has changed, within one turn: listeners are told once. */
  #serve(skills: ReadonlyMap<string, Skill>): void {
    const before = this.#served;
    const next = new Map<string, ServedSkill>();
    for (const [path, skill] of skills) {
      const known = before.get(path);
      next.set(path, known !== undefined && isSame(known.skill, skill) ? known : toServed(skill));
    }
    const removed = [...before].filter(([path, served]) => next.get(path) !== served);
    const added = [...next].filter(([path, served]) => before.get(path) !== served);
    for (const [, served] of removed) this.#remove(served);
    this.#served = next;
    for (const [, served] of added) this.#add(served);
    // Subscribers of files that stayed where they are.
    for (const [path, { skill }] of removed) if (next.has(path)) this.#server.notify({ prefix: `${uriOf(skill)}/` });
  }

  #add({ skill, main, template }: ServedSkill): void {
    const { prompts, resources } = this.#server;
    resources.add(main);
    resources.add(template);
    for (const warning of skill.warnings) this.#server.log({ level: "warning", message: warning });
    const { name, description, scopes, toolset } = skill;
    if (prompts.get(name) !== undefined) {
      this.#server.log({
        level: "info",
        message: `The skill ${skill.path} is no prompt, because another prompt has its name`,
      });
      return;
    }
    const access = { ...(scopes !== undefined && { scopes }), ...(toolset !== undefined && { toolset }) };
    const prompt = definePrompt({ name, description, ...access, get: () => instructions(skill) });
    byPrompt.add(prompt);
    prompts.add(prompt);
  }

  #remove({ skill, main, template }: ServedSkill): void {
    const { prompts, resources } = this.#server;
    resources.remove(main.uri);
    resources.remove(template.uri);
    const prompt = prompts.get(skill.name);
    if (prompt !== undefined && byPrompt.has(prompt)) prompts.remove(skill.name);
  }
}

/** The prompts that are skills. */
const byPrompt = new WeakSet<Item>();

/** The instructions of a skill, with the URIs of its other files. */
export function instructions(skill: Skill): string {
  const others = [...skill.files.keys()].filter((file) => file !== SKILL_FILE);
  if (others.length === 0) return skill.body;
  return `${skill.body.trimEnd()}\n\nFiles of this skill:\n${others.map((file) => `- ${uriOf(skill, file)}`).join("\n")}\n`;
}

/** @throws {UsageError} for a source that is none. */
function toFolder(source: SkillSource, server: string): readonly SkillFolder[] {
  if (typeof source === "string" || source instanceof URL) return [{ from: source }];
  if (typeof source === "object" && source !== null) {
    if (isSkill(source)) return [];
    if (typeof source.from === "string" || source.from instanceof URL) return [source];
  }
  throw new UsageError(
    `Server "${server}": skills must be a folder, { from } or defineSkill(…), not ${JSON.stringify(source)}.`,
  );
}

function toServed(skill: Skill): ServedSkill {
  const { name, description, scopes, toolset } = skill;
  // Models that cannot read resources have the tool load_skill.
  const common = {
    tool: "never",
    ...(scopes !== undefined && { scopes }),
    ...(toolset !== undefined && { toolset }),
  } as const;
  const mimeType = "text/markdown";
  const content = contents([{ ...contentOf(skill, SKILL_FILE), mimeType }]);
  const main = defineResource({ ...common, uri: uriOf(skill, SKILL_FILE), name, description, mimeType, content });
  const template = defineResource({
    ...common,
    uri: `${uriOf(skill)}/{+path}`,
    name: `${name} files`,
    description: `The files of the skill ${name}.`,
    params: { path: pathParam() },
    complete: { path: [...skill.files.keys()] },
    exists: ({ path }) => skill.files.has(path),
    read: ({ path }) => {
      const found = contentOf(skill, path);
      return found && contents([found]);
    },
  });
  const served: ServedSkill = { skill, main, template, entry: undefined };
  byItem.set(main, served);
  byItem.set(template, served);
  return served;
}

/** Computes the digests of a skill, once. */
export async function addEntry(served: ServedSkill): Promise<void> {
  const { skill } = served;
  if (served.entry !== undefined) return;
  const resources = [...skill.files].map(async ([file, bytes]) => ({
    uri: uriOf(skill, file),
    digest: `sha256:${await sha256(bytes)}`,
    size: bytes.length,
  }));
  served.entry ??= {
    uri: uriOf(skill, SKILL_FILE),
    frontmatter: skill.frontmatter,
    resources: await Promise.all(resources),
  };
}

function isSame(a: Skill, b: Skill): boolean {
  const isEqual = (one: Uint8Array, other: Uint8Array | undefined) =>
    one === other || (one.length === other?.length && one.every((byte, index) => byte === other[index]));
  return (
    a === b ||
    (a.files.size === b.files.size && [...a.files].every(([file, bytes]) => isEqual(bytes, b.files.get(file))))
  );
}
