import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import ts from "typescript";
import { hasRemedy, type Status } from "./classify.ts";
import { cli } from "./processes.ts";
import type { CaseResult, FileResult } from "./run.ts";
import type { Workplace } from "./workplace.ts";

const folder = fileURLToPath(new URL("./projects", import.meta.url));
const require = createRequire(import.meta.url);

/** The file case.json of a project: a kind of project, with the commands of @proffer/cli run in it. */
interface Project {
  /** The module that is served. */
  readonly entry: string;
  /** What node_modules of the project has: packages of the zoo, or `./` and a folder of the project. */
  readonly links?: Record<string, string>;
  /** A folder that `tsc` must build first. Without it, the project is refused with this advice. */
  readonly build?: { readonly folder: string; readonly advice: string };
  /** The project is refused with this advice. The folder `remedy` has the files that follow it, also this one. */
  readonly refused?: { readonly advice: string; readonly entry: string };
  /** Calls of tools, and the JSON that the client receives. */
  readonly calls: readonly { tool: string; input?: Record<string, unknown>; gives: unknown }[];
}

/** The names of the kinds of projects. */
export function projectNames(): string[] {
  return readdirSync(folder).sort();
}

/** Runs all kinds of projects, with the TypeScript of each project as the oracle. */
export async function runProjects(workplace: Workplace): Promise<FileResult> {
  const cases: CaseResult[] = [];
  const broken: string[] = [];
  for (const name of projectNames()) {
    const project: Project = JSON.parse(readFileSync(join(folder, name, "case.json"), "utf8"));
    const at = workplace.openProject(name, project.links ?? {});
    // The compiler of the project must not see the files of the remedy.
    rmSync(join(at, "remedy"), { recursive: true, force: true });
    const advice = project.build?.advice ?? project.refused?.advice;
    const refusal = advice === undefined ? undefined : await checkRefusal(project, advice, at);
    if (project.build !== undefined) await tsc(["-p", project.build.folder], at);
    const config = ts.findConfigFile(join(at, project.entry, ".."), existsSync);
    const complaint = config && (await tsc(["-p", config, "--noEmit"], at));
    if (complaint && complaint.code !== 0) broken.push(`zoo/projects/${name} is wrong: ${complaint.printed}`);
    if (project.refused) cpSync(join(folder, name, "remedy"), at, { recursive: true });
    const reasons = await checkCalls({ ...project, ...project.refused }, at);
    if (!project.refused) cases.push(resultOf(name, reasons, reasons.length === 0 ? "right" : "wrong or silent"));
    if (refusal === undefined) continue;
    const faults = [...refusal, ...reasons.map((reason) => `its remedy: ${reason}`)];
    const state = project.refused ? name : `${name}, not built`;
    cases.push(resultOf(state, faults, faults.length === 0 ? "refused well" : "refused badly"));
  }
  const problem = broken.length > 0 ? { broken: broken.join("\n") } : {};
  return { name: "projects", packages: ["kinds of projects"], cases, ...problem };
}

async function checkRefusal({ entry }: Project, advice: string, cwd: string): Promise<string[]> {
  const { printed } = await run([cli, "check", entry, "--json"], cwd);
  const { diagnostics = [] } = JSON.parse(printed) as { diagnostics?: { severity: string; message: string }[] };
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  if (errors.some(({ message }) => message.includes(advice) && hasRemedy(message))) return [];
  return [`no error advises "${advice}": ${errors.map(({ message }) => message).join("; ")}`];
}

interface CallResult {
  readonly structuredContent?: unknown;
  readonly content: readonly { readonly text?: string }[];
}

async function checkCalls({ entry, calls }: Project, cwd: string): Promise<string[]> {
  const reasons: string[] = [];
  for (const { tool, input = {}, gives } of calls) {
    const args = ["call", entry, tool, "--input", JSON.stringify(input), "--json"];
    const { code, printed } = await run([cli, ...args], cwd);
    if (code !== 0) reasons.push(`${tool} fails: ${printed.trim()}`);
    else {
      const { structuredContent, content } = JSON.parse(printed) as CallResult;
      // A plain text has no schema.
      const received = structuredContent ?? content[0]?.text;
      if (isDeepStrictEqual(received, gives)) continue;
      reasons.push(`the client receives ${JSON.stringify(received)} from ${tool}`);
    }
  }
  return reasons;
}

function resultOf(name: string, reasons: readonly string[], status: Status): CaseResult {
  return { name, status, reasons, isReal: false, expected: reasons.length === 0 };
}

/** Runs the TypeScript of the project, or that of the zoo. */
function tsc(args: string[], cwd: string): Promise<Ended> {
  const paths = [join(cwd, "node_modules"), ...(require.resolve.paths("typescript") ?? [])];
  return run([join(require.resolve("typescript/package.json", { paths }), "../bin/tsc"), ...args], cwd);
}

interface Ended {
  readonly code: number | null;
  /** The output, and that of stderr if there is none. */
  readonly printed: string;
}

async function run(args: string[], cwd: string): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const [output, problem, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, printed: output || problem };
}
