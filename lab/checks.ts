import type { Report } from "../packages/cli/src/lab/report.ts";
import type { Conversations } from "./conversations.ts";

/** A column of the table: its name, and what was seen of a client in words. */
type Check = readonly [name: string, see: (conversations: Conversations) => string];

const WORKS = "+";

/** The result of one call of the samples. */
function result(tool: string): (conversations: Conversations) => string {
  return ({ samples }) => {
    const call = samples.calls.find((each) => each.tool === tool);
    if (call === undefined || !call.reachedServer) return "not called";
    return call.losses.length === 0 ? WORKS : `loses ${call.losses.join(", ")}`;
  };
}

function schema(tool: string): (conversations: Conversations) => string {
  return ({ samples }) => {
    const found = samples.tools.find((each) => each.tool === tool);
    if (found?.shown === undefined) return "not shown";
    const lost = found.changes.filter((change) => !change.startsWith("adds"));
    const names = lost.map((change) => change.replace(/^(\w+) .*\/([^/]+)$/, "$1 $2"));
    return names.length === 0 ? WORKS : [...new Set(names)].join(", ");
  };
}

function failure({ problems }: Report): string {
  return problems.length === 0 ? WORKS : problems.join(" ");
}

/** With more calls for 90 seconds of work, `task_status` waits too short. */
export const MAX_POLLS = 4;

export const CHECKS: readonly Check[] = [
  ["revision", ({ samples }) => samples.revision ?? "none"],
  ["stdio", ({ samples }) => (samples.calls[0]?.reachedServer ? WORKS : "no call")],
  ["HTTP", ({ http }) => failure(http)],
  [
    "instructions",
    ({ samples }) => (samples.instructions?.reached === "whole" ? WORKS : (samples.instructions?.reached ?? "missing")),
  ],
  ["text", result("words")],
  ["text that is a number", result("number")],
  ["text that is a list", result("list")],
  ["structured content", result("structured")],
  ["text beside structured content", result("mixed")],
  ["image", result("picture")],
  ["image beside structured content", result("pictured")],
  ["link", result("linked")],
  ["embedded resource", result("embedded")],
  ["error", result("broken")],
  ["300,000 characters", result("large")],
  ["nested union", schema("union")],
  ["constraints", schema("constraints")],
  ["`$defs`", schema("tree")],
  ["long names", longNames],
  ["200 tools", ({ many }) => `${many.tools.filter(({ shown }) => shown).length} shown; ${failure(many)}`],
  ["pages", ({ pages }) => (pages.tools.length === 12 ? WORKS : `${pages.tools.length} of 12 tools`)],
  ["question", ({ samples }) => samples.questions.map(({ answer }) => actionOf(answer)).join(", ") || "not asked"],
  [
    "resources",
    ({ samples }) => (samples.ownTools.some((name) => /read.*resource/i.test(name)) ? "tools that read them" : "no"),
  ],
  ["examples", examples],
  ["90 seconds of work", work],
];

function longNames({ samples }: Conversations): string {
  const long = samples.tools.filter(({ tool }) => tool.startsWith("long_"));
  return long
    .map(({ tool, shown }) => {
      if (shown === undefined) return `${tool.length} left out`;
      const end = shown.name.slice(-tool.length);
      return end === tool ? `${tool.length} whole` : `${tool.length} cut to ${shown.name.length}`;
    })
    .join(", ");
}

function actionOf(answer: unknown): string {
  return typeof answer === "object" && answer !== null && "action" in answer ? String(answer.action) : "no answer";
}

function examples({ examples }: Conversations): string {
  if (Object.keys(examples).length === 0) return "not tried";
  const problems = Object.entries(examples).flatMap(([file, { tools, problems }]) => {
    const hidden = tools.filter(({ shown }) => shown === undefined).map(({ tool }) => tool);
    return problems.length > 0 || hidden.length > 0 ? [`${file}: ${[...problems, ...hidden].join(" ")}`] : [];
  });
  return problems.length === 0 ? WORKS : problems.join("; ");
}

function work({ work }: Conversations): string {
  if (work === undefined) return "not tried";
  const polls = work.calls.filter(({ follows }) => follows).length;
  const isDone = work.problems.length === 0 && JSON.stringify(work.calls.at(-1)?.seen).includes("The room is packed.");
  return isDone ? `result after ${polls} calls of task_status` : `no result after ${polls} calls of task_status`;
}

/** What must be true of every client: the promises of Proffer about long work. */
export function promises(title: string, { work }: Conversations): string[] {
  if (work === undefined) return [];
  const polls = work.calls.filter(({ follows }) => follows).length;
  const isDone = JSON.stringify(work.calls.at(-1)?.seen ?? "").includes("The room is packed.");
  const runs = work.calls.filter(({ tool }) => tool === "work").length;
  if (isDone && polls <= MAX_POLLS && runs === 1) return [];
  return [
    `${title}: 90 seconds of work needed ${polls} calls of task_status, at most ${MAX_POLLS} are right; done: ${isDone}`,
  ];
}
