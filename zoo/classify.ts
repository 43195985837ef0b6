import type { ZooCase } from "./case-file.ts";

/** The columns of the report, best first. */
export const STATUSES = ["right", "refused well", "refused badly", "wrong or silent", "hang or crash"] as const;
export type Status = (typeof STATUSES)[number];

/** A diagnostic more than this many times for one function is a list that nobody reads. */
const MAX_LINES = 20;

/** The outcome of a case. */
export interface Observation {
  /** The diagnostics of the function, by their place. */
  readonly diagnostics: readonly { code: string; severity: string; message: string; inModule: boolean }[];
  /** The description and the schemas, as JSON; undefined if there is no tool. */
  readonly tool?: string;
  /** Why the tool cannot be served, although derivation found no error. */
  readonly unserved?: string;
  /** Values that are not treated as expected. */
  readonly faults: readonly string[];
  /** Whether a client received a value that code of a package made. */
  readonly isReal: boolean;
}

/** The status of a case, and why it is not the expected one. */
export interface Verdict {
  readonly status: Status;
  readonly reasons: readonly string[];
  /** Whether a client received a value that code of a package made. */
  readonly isReal: boolean;
}

/** Compares a case with its expectations. */
export function classify(expected: ZooCase, observed: Observation): Verdict {
  const errors = observed.diagnostics.filter(({ severity }) => severity === "error");
  if (observed.unserved !== undefined) return judged("refused badly", [`no code: ${observed.unserved}`]);
  if (errors.length > 0 || observed.tool === undefined) return classifyRefusal(expected, errors);
  if (expected.refused.length > 0) {
    return judged("wrong or silent", [`served, but expected ${expected.refused.join(" or ")}`]);
  }
  const reasons = [...observed.faults, ...textFaults(expected, observed.tool), ...warningFaults(expected, observed)];
  return judged(reasons.length === 0 ? "right" : "wrong or silent", reasons, observed.isReal);
}

function judged(status: Status, reasons: readonly string[], isReal = false): Verdict {
  return { status, reasons, isReal };
}

/** A refusal is good only if its advice works: the same function in the file of remedies is right. */
export function withRemedy(verdict: Verdict, remedy: Verdict | undefined): Verdict {
  if (verdict.status !== "refused well" || remedy?.status === "right") return verdict;
  const reasons = remedy?.reasons ?? ["zoo/remedies has no such function"];
  return judged(
    "refused badly",
    reasons.map((reason) => `its remedy: ${reason}`),
  );
}

/** Whether a case has the status that its file asks for. */
export function isExpected(expected: ZooCase, { status }: Verdict): boolean {
  return status === (expected.refused.length > 0 ? "refused well" : "right");
}

function classifyRefusal(expected: ZooCase, errors: Observation["diagnostics"]): Verdict {
  const reasons: string[] = [];
  if (errors.length === 0) reasons.push("not served, and no diagnostic has its line");
  if (errors.length > MAX_LINES) reasons.push(`${errors.length} errors for one function`);
  for (const { code, message, inModule } of errors.slice(0, MAX_LINES)) {
    if (!expected.refused.includes(code)) reasons.push(`unexpected ${code}: ${message}`);
    else if (!inModule) reasons.push(`${code} has a place outside the module`);
    else if (!hasRemedy(message)) reasons.push(`${code} has no remedy: ${message}`);
  }
  return judged(reasons.length === 0 ? "refused well" : "refused badly", [...new Set(reasons)]);
}

/** A message states the problem, then the remedy in a sentence of its own. */
export function hasRemedy(message: string): boolean {
  return /[.;] [A-Za-z"'`].*\w/.test(message);
}

function textFaults({ says, hides }: ZooCase, tool: string): string[] {
  // The text of a description, or a part of a schema.
  const isIn = (text: string) => [text, JSON.stringify(text).slice(1, -1)].some((each) => tool.includes(each));
  return [
    ...says.filter((text) => !isIn(text)).map((text) => `does not say "${text}"`),
    ...hides.filter(isIn).map((text) => `says "${text}"`),
  ];
}

/** Warnings about the package's types that are true of a right schema: `any`, constraints that zod keeps, the size. */
const ALLOWED = new Set(["PF2003", "PF2022", "PF2301"]);

function warningFaults({ warns }: ZooCase, { diagnostics }: Observation): string[] {
  const warnings = diagnostics.filter(({ severity, code }) => severity === "warning" && !ALLOWED.has(code));
  const unexpected = warnings.filter(({ code }) => !warns.includes(code));
  return unexpected.map(({ code, message }) => `unexpected warning ${code}: ${message}`);
}
