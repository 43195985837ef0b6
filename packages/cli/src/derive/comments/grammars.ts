import type { MaxResult, RequiredCapability } from "proffer";
import { findSimilar, isScope, type ManifestTask } from "proffer/derived";
import type { DiagnosticCode } from "../model/diagnostics.ts";
import type { DerivedSchema, Json } from "../model/json-schema.ts";

/**
 * The value of a tag, or the reason why the text is not one. `invalid`: it is not as `expected` says. `foreign`: it is
 * another tool's use of the same tag. A `warning` is a mistake that does not prevent the use of the value.
 */
type Parsed<Value> =
  | { readonly value: Value; readonly warning?: string }
  | { readonly problem: string; readonly code?: DiagnosticCode }
  | "invalid"
  | "foreign";

/** The values that a tag accepts. */
export interface Grammar<Value> {
  /** Completes the sentence "@tag must be …". Empty if the text has no meaning. */
  readonly expected: string;
  /** A text that fits is never another tool's. */
  readonly isOwn?: true;
  parse(text: string, schema: DerivedSchema): Parsed<Value>;
}

/** No value: text after the tag is ignored. */
export const NOTHING: Grammar<true> = { expected: "", parse: () => ({ value: true }) };

/** Any text, also none. */
export const PROSE: Grammar<string> = { expected: "a text, which is optional", parse: (text) => ({ value: text }) };

export const TEXT = textGrammar("a text", /./);

export const FLAG: Grammar<boolean> = {
  expected: "true, false or nothing, which means true",
  parse: (text) => (/^(?:true|false|)$/.test(text) ? { value: text !== "false" } : "invalid"),
};

export const NUMBER = numberGrammar("a number", () => true);
export const POSITIVE = numberGrammar("a number greater than 0", (value) => value > 0);
export const COUNT = numberGrammar("a non-negative integer", (value) => Number.isInteger(value) && value >= 0);

function numberGrammar(expected: string, accepts: (value: number) => boolean): Grammar<number> {
  return {
    expected,
    parse(text) {
      const value = Number(text.replaceAll("_", ""));
      return text !== "" && Number.isFinite(value) && accepts(value) ? { value } : "invalid";
    },
  };
}

/** How a result relates to its output schema. */
export const OUTPUT: Grammar<"none" | "schema" | "strict"> = {
  expected: "none, schema or strict",
  parse: (text) => (text === "none" || text === "schema" || text === "strict" ? { value: text } : "invalid"),
};

const MILLISECONDS = { ms: 1, s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

/** A time in milliseconds. A number without a unit is invalid: authors mean seconds, and the run-time milliseconds. */
export const DURATION: Grammar<number> = {
  expected: "a time with a unit, such as 500ms, 30s, 5m or 1h",
  parse(text) {
    const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)$/.exec(text) ?? [];
    const value = Number(digits) * MILLISECONDS[unit as keyof typeof MILLISECONDS];
    return value > 0 ? { value } : "invalid";
  },
};

const CAPABILITIES: readonly RequiredCapability[] = [
  "elicitation",
  "elicitation.url",
  "sampling",
  "sampling.tools",
  "roots",
];

/** Names of client capabilities. JSDoc's `@requires module:x` has other values; only a near miss is a mistake. */
export const CLIENT_CAPABILITIES: Grammar<readonly RequiredCapability[]> = {
  expected: `one or more of ${CAPABILITIES.join(", ")}`,
  isOwn: true,
  parse(text) {
    const names = text.split(/[\s,]+/).filter(Boolean);
    const isKnown = (name: string): name is RequiredCapability => CAPABILITIES.some((each) => each === name);
    if (names.length > 0 && names.every(isKnown)) return { value: [...new Set(names)] };
    const isMeant = names.some((name) => isKnown(name) || findSimilar(name.toLowerCase(), CAPABILITIES) !== undefined);
    return isMeant || names.length === 0 ? "invalid" : "foreign";
  },
};

/**
 * Scopes on one line, separated by spaces. A scope may contain nearly any character, but one that ends like a sentence or
 * an item of a list is a mistake: nobody would ever be granted it.
 */
export const SCOPES: Grammar<readonly string[]> = {
  expected: "one or more scopes, separated by spaces, such as orders:read orders:write",
  parse(text) {
    const scopes = text.split(/[ \t]+/);
    const isUsable = (scope: string) => isScope(scope) && !/^[-–—]$|[,;.]$/.test(scope);
    return scopes.every(isUsable) ? { value: [...new Set(scopes)] } : "invalid";
  },
};

function textGrammar(expected: string, pattern: RegExp): Grammar<string> {
  return { expected, parse: (text) => (pattern.test(text) ? { value: text } : "invalid") };
}

/** A name that every client accepts. JSDoc's `@name` has name paths such as `Foo.bar`, so dots do not fit. */
export const NAME: Grammar<string> = {
  expected: "1 to 128 of A-Z a-z 0-9 _ -, without spaces",
  parse(text) {
    if (/^[A-Za-z0-9_-]{1,128}$/.test(text)) return { value: text };
    return /^\S*[.#~:/]\S*(?:\n|$)/.test(text) ? "foreign" : "invalid";
  },
};

/** The name of a toolset. Two names stand for several toolsets. */
export const TOOLSET = textGrammar(
  "1 to 64 of A-Z a-z 0-9 _ -, and neither all nor default",
  /^(?!(?:all|default)$)[A-Za-z0-9_-]{1,64}$/,
);

/** Names on one line, separated by spaces. */
export const NAMES: Grammar<readonly string[]> = {
  expected: "one or more names of 1 to 128 of A-Z a-z 0-9 _ . -, separated by spaces",
  parse(text) {
    const names = text.split(/[ \t]+/);
    const isUsable = (name: string) => /^[A-Za-z0-9_.-]{1,128}$/.test(name) && /[A-Za-z0-9]$/.test(name);
    return names.every(isUsable) ? { value: [...new Set(names)] } : "invalid";
  },
};

/** The name of a property that every client and model accepts. */
export const ARGUMENT_NAME = textGrammar("1 to 64 of A-Z a-z 0-9 _ . -", /^(?!__proto__$)[A-Za-z0-9_.-]{1,64}$/);

const LABEL = "[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
const META = new RegExp(
  `^((?:${LABEL}(?:\\.${LABEL})*/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\\s+(\\S[\\s\\S]*)$`,
);

/** A key of `_meta`, in the specification's format, and its value. */
export const META_ENTRY: Grammar<readonly [key: string, value: Json]> = {
  expected: 'a key and a JSON value, such as example.com/tier "gold"',
  parse(text) {
    const [, key, json = ""] = META.exec(text) ?? [];
    const value = parseJson(json);
    return key === undefined || value === undefined ? "invalid" : { value: [key, value] };
  },
};

export const MEDIA_TYPE = textGrammar("a media type, such as text/markdown", /^[\w.+-]+\/[\w.+-]+(?:\s*;.+)?$/);

/** A URI, or a template of URIs; `parseVariables` checks it. */
export const URI_TEMPLATE: Grammar<string> = {
  expected: "a URI or a URI template, such as orders://{id}",
  parse: (text) => ({ value: text.split(/\s/)[0] ?? "" }),
};

export const PATTERN: Grammar<string> = {
  expected: "a regular expression, in backticks or without",
  parse(text) {
    const pattern = /^`.*`$/s.test(text) ? text.slice(1, -1) : text;
    try {
      new RegExp(pattern, "u");
      return { value: pattern };
    } catch (error) {
      return { problem: `must be a regular expression: ${(error as Error).message}` };
    }
  },
};

/** JavaScript declares types with `@type {T}`; only this word is a constraint. */
export const INTEGER_WORD: Grammar<true> = {
  expected: "the word integer",
  parse: (text) => (text === "integer" ? { value: true } : "foreign"),
};

/** Parses a text; undefined if it is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const FACTORS: { readonly [unit: string]: number } = { "": 1, k: 1000, M: 1_000_000 };

/** The least that `maxResult` allows. */
const LEAST = 1000;

/** A number of tokens or bytes, such as `10k tokens` or `40kB`. */
export const MAX_RESULT: Grammar<MaxResult> = {
  expected: `a number of tokens or bytes from ${LEAST}, such as 10k tokens or 40kB`,
  isOwn: true,
  parse(text) {
    const found = /^(\d+(?:\.\d+)?)\s*([kM]?)\s*(tokens|bytes|B)$/.exec(text.replaceAll(",", ""));
    const [, digits = "", factor = "", unit] = found ?? [];
    const value = Math.round(Number(digits) * (FACTORS[factor] ?? 1));
    if (!(value >= LEAST && Number.isSafeInteger(value))) return "invalid";
    return { value: unit === "tokens" ? { tokens: value } : { bytes: value } };
  },
};

/** The options with a time, by their words. */
const TIMES = { after: "after", ttl: "ttl", poll: "pollInterval" } as const;
const WORDS = ["required", "background", "polling", ...Object.keys(TIMES)];

/**
 * Options in any order, such as `required after 2s ttl 8h`. Every mistake is an error: without the tag, work that must
 * outlive its request would be lost with it.
 */
export const TASK: Grammar<ManifestTask> = {
  expected:
    "any of: required, polling or polling always, after and a time, or background, ttl and a time, poll and a time; or nothing",
  isOwn: true,
  parse(text) {
    const words = text.split(/\s+/).filter(Boolean);
    let task: ManifestTask = {};
    while (words.length > 0) {
      const option = readOption(words);
      if ("problem" in option) return option;
      const again = Object.keys(option).find((name) => Object.hasOwn(task, name));
      if (again === "after") return contradiction("has two of after and background. Keep one of them");
      if (again !== undefined)
        return contradiction(`sets ${again === "pollInterval" ? "poll" : again} twice. Remove one of them`);
      task = { ...task, ...option };
    }
    const { ttl, pollInterval } = task;
    if (ttl !== undefined && pollInterval !== undefined && pollInterval >= ttl) {
      return contradiction("has a time to poll that is not shorter than ttl: clients would ask when the task is gone");
    }
    return { value: task };
  },
};

type Problem = Extract<Parsed<never>, { problem: string }>;

/** Removes the first option from the words, and reads it. */
function readOption(words: string[]): ManifestTask | Problem {
  const word = words.shift() ?? "";
  if (word === "required") return { required: true };
  if (word === "background") return { after: "background" };
  if (word === "polling") return { polling: words[0] === "always" && words.shift() ? "always" : "auto" };
  if (!Object.hasOwn(TIMES, word)) {
    const meant = findSimilar(word.toLowerCase(), WORDS);
    const remedy = meant === undefined ? `It must be ${TASK.expected}` : `Did you mean ${meant}?`;
    return invalid(`has the unknown option ${JSON.stringify(word.slice(0, 60))}. ${remedy}`);
  }
  const time = words.shift() ?? "";
  // A number and its unit may be separate words.
  const written = /^\d[\d.]*$/.test(time) && /^[a-z]+$/.test(words[0] ?? "") && !WORDS.includes(words[0] ?? "");
  const whole = written ? `${time} ${words.shift()}` : time;
  const parsed = DURATION.parse(whole, {});
  if (typeof parsed === "string" || !("value" in parsed)) {
    return invalid(`needs ${DURATION.expected} after the word ${word}, not ${JSON.stringify(whole)}`);
  }
  const value = Math.round(parsed.value);
  if (!Number.isSafeInteger(value)) return invalid(`has a time that is too long: ${word} ${JSON.stringify(whole)}`);
  return { [TIMES[word as keyof typeof TIMES]]: Math.max(1, value) };
}

function invalid(problem: string): Problem {
  return { problem, code: "PF1250" };
}

function contradiction(problem: string): Problem {
  return { problem, code: "PF1251" };
}
