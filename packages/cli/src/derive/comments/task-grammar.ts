import { findSimilar, type ManifestTask } from "proffer/derived";
import { DURATION, type Grammar, type Parsed } from "./grammars.ts";

/** The options with a time, by their words. */
const TIMES = { after: "after", ttl: "ttl", poll: "pollInterval" } as const;
const WORDS = ["required", "background", ...Object.keys(TIMES)];

/**
 * Options in any order, such as `required after 2s ttl 8h`. Every mistake is an error: without the tag, work that must
 * outlive its request would be lost with it.
 */
export const TASK: Grammar<ManifestTask> = {
  expected: "any of: required, after and a time, or background, ttl and a time, poll and a time; or nothing",
  isOwn: true,
  parse(text) {
    const words = text.split(/\s+/).filter(Boolean);
    let task: ManifestTask = {};
    while (words.length > 0) {
      const option = readOption(words);
      if ("problem" in option) return option;
      const again = Object.keys(option).find((name) => Object.hasOwn(task, name));
      if (again === "after") return contradiction("has two of after and background. Keep one of them");
      if (again !== undefined) return contradiction(`sets ${wordOf(again)} twice. Remove one of them`);
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
  if (!Object.hasOwn(TIMES, word)) return unknown(word);
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

function unknown(word: string): Problem {
  const meant = findSimilar(word.toLowerCase(), WORDS);
  const remedy = meant === undefined ? `It must be ${TASK.expected}` : `Did you mean ${meant}?`;
  return invalid(`has the unknown option ${JSON.stringify(word.slice(0, 60))}. ${remedy}`);
}

function wordOf(name: string): string {
  return name === "pollInterval" ? "poll" : name;
}

function invalid(problem: string): Problem {
  return { problem, code: "PF1250" };
}

function contradiction(problem: string): Problem {
  return { problem, code: "PF1251" };
}
