import type { Server } from "proffer";
import { findSimilar } from "proffer/derived";
import type { Skill } from "proffer/skills";
import { parseTemplate } from "proffer/uri";
import { entryOf } from "../modules/copies.ts";
import type { Listing } from "../terminal/listing.ts";
import { type CheckCode, type Finding, findingAt, type Offer } from "./finding.ts";

const SKILL_FILE = "SKILL.md";
/** Names in code: of tools, parameters, prompts. */
const CODE = /(?<!`)`([^`\n]{1,200})`(?!`)/g;
const LINK = /\]\(\s*<?([^)\s>]+)/g;
const URI = /^[a-z][a-z\d+.-]*:\/\/\S+$/i;
/** A name with "_" or with an inner capital: an ordinary word would be a false alarm. */
const LIKE_A_NAME = /^[A-Za-z][A-Za-z\d]*(?:_[A-Za-z\d]+)+$|^[a-z]+(?:[A-Z][a-z\d]*)+$/;
const SECRET =
  /(?:^|\/)(?:id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|keystore)|credentials(?:\.[a-z]+)?)$/i;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Compares skills with the server that serves them: a skill that names a missing tool misleads every model that loads it. */
export function examineSkills(offer: Offer): Finding[] {
  const { skills = [], server } = offer.skilled ?? {};
  if (server === undefined || skills.length === 0) return [];
  const known = new Known(server, offer.listing);
  return skills.flatMap((skill) => examineSkill(offer, skill, known));
}

/** The skills of a server, for `examineSkills`. */
export async function skillsOf(server: Server): Promise<NonNullable<Offer["skilled"]>> {
  return { server, skills: await (await entryOf(server, "proffer/process")).findSkills(server) };
}

function examineSkill(offer: Offer, skill: Skill, known: Known): Finding[] {
  const found: Finding[] = [];
  const at = ["resource", `skill://${skill.path}/${SKILL_FILE}`] as const;
  const report: Report = (code, message, remedy) => void found.push(findingAt(offer, at, code, message, remedy));
  for (const warning of skill.warnings) report("PF4105", warning);
  const texts = [...skill.files].flatMap(([file, bytes]): [string, string][] =>
    file.endsWith(".md") ? [[file, new TextDecoder().decode(bytes)]] : [],
  );
  for (const name of allowedTools(skill)) known.examine(name, `${skill.path}/${SKILL_FILE}`, true, report);
  const linked = new Set([SKILL_FILE]);
  for (const [file, text] of texts) {
    const where = `${skill.path}/${file}`;
    for (const name of new Set([...text.matchAll(CODE)].map(([, name]) => name as string)))
      if (!skill.files.has(name)) known.examine(name, where, false, report);
    for (const target of new Set([...text.matchAll(LINK)].map(([, target]) => target as string))) {
      if (URI.test(target) || /^(?:#|mailto:|\/)/.test(target)) continue;
      const path = resolvePath(file, target);
      if (!skill.files.has(path)) report("PF4103", `${where} links to ${target}, which is not one of its files.`);
      linked.add(path);
    }
  }
  for (const [file, bytes] of skill.files) {
    if (!linked.has(file) && !texts.some(([, text]) => text.includes(file)))
      report("PF4104", `No text of the skill ${skill.path} names its file ${file}.`);
    if (SECRET.test(file) || PRIVATE_KEY.test(new TextDecoder("latin1").decode(bytes.subarray(0, 65_536))))
      report("PF4106", `The file ${file} of the skill ${skill.path} looks like a secret.`);
  }
  return found;
}

type Report = (code: CheckCode, message: string, remedy?: string) => void;

/** The tools of the field `allowed-tools`: a list, or names with commas or spaces. Those of the host are not known here. */
function allowedTools({ frontmatter }: Skill): readonly string[] {
  const given = frontmatter["allowed-tools"];
  const names = typeof given === "string" ? given.split(/[\s,]+/) : Array.isArray(given) ? given.map(String) : [];
  return names.filter((name) => LIKE_A_NAME.test(name));
}

/** The path of a relative link, from the root of the skill. */
function resolvePath(file: string, target: string): string {
  const [path = ""] = target.split(/[?#]/);
  // A host that no link has: the path cannot leave it.
  return decodeURIComponent(new URL(path.replaceAll("%", "%25"), `skill://s/${file}`).pathname.slice(1)).replaceAll(
    "%25",
    "%",
  );
}

/** The names of a server, as clients see them and as they are. */
class Known {
  readonly #server: Server;
  readonly #listing: Listing;
  readonly #visible: ReadonlySet<string>;
  /** Names of parameters and properties, which skills explain, too. */
  readonly #words: ReadonlySet<string>;

  constructor(server: Server, listing: Listing) {
    const { tools, prompts } = listing;
    this.#server = server;
    this.#listing = listing;
    this.#visible = new Set([...tools, ...prompts].map(({ name }) => name));
    const schemas = JSON.stringify(tools.map(({ inputSchema, outputSchema }) => [inputSchema, outputSchema]));
    this.#words = new Set([...schemas.matchAll(/"([A-Za-z][A-Za-z\d_]*)":/g)].map(([, word]) => word as string));
  }

  /** Reports a name that a skill mentions, unless a client finds it. */
  examine(text: string, where: string, isTool: boolean, report: Report): void {
    const name = text.replace(/\(.*\)$/, "");
    if (URI.test(name)) {
      if (this.#isMissing(name)) report("PF4100", `${where} names the resource ${name}, which does not exist.`);
      return;
    }
    if (this.#visible.has(name)) return;
    const item = this.#server.tools.get(name) ?? this.#server.prompts.get(name);
    if (item !== undefined && item.name !== name)
      report("PF4101", `${where} names ${name}, which was renamed to ${item.name}.`);
    else if (item !== undefined)
      report("PF4102", `${where} names the ${item.kind} ${name}, which is hidden: no client sees it by default.`);
    else if (LIKE_A_NAME.test(name) && !this.#words.has(name)) {
      const similar = findSimilar(name, this.#visible, 4);
      if (similar === undefined && !isTool && !text.endsWith(")") && !name.includes("_")) return;
      const hint = similar === undefined ? undefined : `Did you mean ${similar}?`;
      report("PF4100", `${where} names the tool ${name}, which does not exist.`, hint);
    }
  }

  /** Whether a URI has a scheme of the server, and is no resource of it. */
  #isMissing(uri: string): boolean {
    const { resources, resourceTemplates } = this.#listing;
    const scheme = uri.slice(0, uri.indexOf(":") + 1);
    const own = [...resources.map((each) => each.uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
    if (!own.some((each) => each.startsWith(scheme)) || resources.some((each) => each.uri === uri)) return false;
    // The text of a template, or with other names for its variables, stands for all of its resources.
    const example = uri.replaceAll(/\{[^}]*\}|<[^>]*>/g, "1");
    return !resourceTemplates.some(({ uriTemplate }) => parseTemplate(uriTemplate).match(example) !== undefined);
  }
}
