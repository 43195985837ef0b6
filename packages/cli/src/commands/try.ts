import { confirm, isCancel } from "@clack/prompts";
import type { Target, TargetArguments } from "../client/arguments.ts";
import { type AnswerFlags, givenAnswers } from "../client/given-answers.ts";
import { type HeaderFlags, toHeaders } from "../client/headers.ts";
import { Interruption } from "../client/interruption.ts";
import { toLaunch } from "../install/launch.ts";
import { findObstacle } from "../lab/enclosure.ts";
import { contentTexts } from "../lab/model/dialect.ts";
import type { ScriptedCall } from "../lab/model/scripted-model.ts";
import { download, isCached } from "../lab/program-cache.ts";
import { findProgram, type Program, pinOf } from "../lab/programs.ts";
import { fullName, type Report, tryClient } from "../lab/report.ts";
import type { Asked, Given, TestedServer } from "../lab/run.ts";
import { openServer } from "../modules/load.ts";
import { CommandError, WrongUsage } from "../terminal/command-error.ts";
import { isObject, parseJson } from "../terminal/json.ts";
import { currentShell } from "../terminal/shell.ts";
import { print, printJson, say, stylesFor, warn } from "../terminal/terminal.ts";
import { Text, text } from "../terminal/text.ts";

export interface TryFlags extends AnswerFlags, HeaderFlags {
  readonly with: string;
  readonly call?: readonly string[];
  readonly json?: boolean;
  readonly timeout?: string;
  readonly acceptTerms?: boolean;
  readonly allowNetwork?: boolean;
}

const DEFAULT_TIMEOUT = 120;
/** The client, the server and the folder of the run must not stay behind. */
const ENDING = ["SIGTERM", "SIGHUP"] as const;

/**
 * Starts real clients with a scripted model and a server, and reports what the model saw.
 * @throws {CommandError} if a call did not reach the server, or its result not the model.
 */
export async function tryClients({ target }: TargetArguments, flags: TryFlags): Promise<void> {
  const programs = flags.with.split(",").map((id) => findProgram(id.trim()));
  const calls = (flags.call ?? []).map(parseCall);
  const timeout = parseTimeout(flags.timeout);
  const headers = toHeaders(flags, target);
  givenAnswers(flags);
  requireLoopback(flags);
  for (const program of programs) await provide(program, flags);
  const { name, server } = await toServer(target, headers);
  const interruption = new Interruption();
  interruption.start();
  for (const signal of ENDING) process.on(signal, interruption.trigger);
  const reports: Report[] = [];
  try {
    for (const program of programs) {
      const given = givenAnswers(flags);
      const options = { name, server, calls, timeout, signal: interruption.signal };
      const answer = given && ((asked: Asked) => answerAs(given, asked));
      const report = await tryClient(program, { ...options, ...(answer && { answer }) });
      if (interruption.signal.aborted) throw interruption.signal.reason;
      if (given !== undefined && program.canAnswer) given.warnOfUnused();
      else if (given !== undefined)
        warn(`${program.title} answers no question without a person, whatever --answer says.`);
      reports.push(report);
      if (!flags.json) print(showReport(report));
    }
  } finally {
    interruption.stop();
    for (const signal of ENDING) process.off(signal, interruption.trigger);
  }
  if (flags.json) printJson(reports);
  const failed = reports.filter(({ problems }) => problems.length > 0).map(({ title }) => title);
  if (failed.length > 0) throw new CommandError(`The run failed with ${failed.join(", ")}.`);
}

function parseCall(given: string): ScriptedCall {
  const [, tool = "", json = "{}"] = /^\s*(\S+)\s*(\{.*\})?\s*$/s.exec(given) ?? [];
  const input = parseJson(json);
  if (tool === "" || !isObject(input))
    throw new WrongUsage(`Invalid value of --call: ${JSON.stringify(given)}. Write --call 'tool {"name":"value"}'.`);
  return { tool, arguments: input };
}

function parseTimeout(given: string | undefined): number {
  const seconds = Number(given ?? DEFAULT_TIMEOUT);
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw new WrongUsage(`Invalid value of --timeout: ${JSON.stringify(given)}. Use a number of seconds up to 86400.`);
}

function requireLoopback({ allowNetwork }: TryFlags): void {
  const obstacle = findObstacle();
  if (obstacle === undefined || allowNetwork) return;
  throw new CommandError(
    `A client could reach the network here: ${obstacle}. Nothing was started. Add --allow-network to start it all the same.`,
  );
}

/** Downloads a client that is not there, after the user has accepted its terms. */
async function provide(program: Program, { acceptTerms }: TryFlags): Promise<void> {
  const pin = pinOf(program);
  if (isCached(pin)) return;
  const what = `${program.title} ${program.version} from npm (${program.terms})`;
  if (!acceptTerms) {
    const { stdin, stderr } = currentShell();
    if (!(stdin.isTTY && stderr.isTTY))
      throw new CommandError(`${what} must be downloaded. If you accept its terms, add --accept-terms.`);
    const isAccepted = await confirm({ message: `Download ${what} and accept its terms?`, initialValue: false });
    if (isCancel(isAccepted) || !isAccepted) throw new CommandError(`${program.title} was not downloaded.`);
  }
  say(text`Downloading ${what}`);
  download(pin);
}

async function toServer(target: Target, headers: { readonly [name: string]: string }) {
  if (target.kind === "url") return { name: "server", server: { url: target.url, headers } satisfies TestedServer };
  if (target.kind === "command") return { name: "server", server: { command: target.command } };
  // Also derives the module before a client waits for it.
  const { server } = await openServer(target.file, { warn });
  const { command, args } = toLaunch(target.file, false, {});
  const name = server.info.name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  return { name, server: { command: [command, ...args] } };
}

function answerAs(given: NonNullable<ReturnType<typeof givenAnswers>>, { message, url, schema }: Asked): Given {
  try {
    const params = { message, ...(url !== undefined && { url }), ...(schema && { requestedSchema: schema }) };
    const answer = given.answer({ method: "elicitation/create", params } as never);
    return answer === "decline" ? { action: "decline" } : (answer as unknown as Given);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    warn(error.message);
    return { action: "cancel" };
  }
}

const MAX_SHOWN = 20;

function showReport(report: Report): Text {
  const { bold, dim, green, red } = stylesFor(currentShell().stdout);
  const { title, version, revision = "not connected", transport = "", times, declared, tools, instructions } = report;
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  const shown = tools.filter((tool) => tool.shown !== undefined).length;
  const of = (label: string, value: string | Text) => text`  ${dim(label.padEnd(13))}${value}`;
  const lines = [text`${bold(`${title} ${version}`)} ${revision} ${transport} ${seconds(times.total)}`];
  if (report.network !== undefined) lines.push(of("network", `not kept from it: ${report.network}`));
  if (declared?.capabilities) lines.push(of("declared", Text.json(declared.capabilities)));
  if (instructions) lines.push(of("instructions", instructions.reached));
  lines.push(of("tools", `${shown} of ${tools.length}, beside ${report.ownTools.length} of its own`));
  for (const { tool, shown, changes } of tools.slice(0, MAX_SHOWN)) {
    lines.push(text`    ${tool}${shown ? ` → ${fullName(shown)}` : ""}`);
    for (const change of changes) lines.push(text`      ${dim(change)}`);
  }
  for (const call of report.calls) {
    lines.push(of(call.follows ? "then" : "call", text`${call.tool} ${Text.json(call.arguments)}`));
    lines.push(
      text`    ${shorten(contentTexts(call.seen).join(" "))} ${dim(call.ms === undefined ? "" : seconds(call.ms))}`,
    );
    for (const loss of call.losses) lines.push(text`      ${dim(`loses ${loss}`)}`);
  }
  for (const { asked, answer } of report.questions) {
    lines.push(of("question", Text.json(asked)));
    lines.push(of("answer", answer === undefined ? "none" : Text.json(answer)));
  }
  if (report.output !== undefined) lines.push(of("output", Text.block(report.output.slice(-MAX_OUTPUT))));
  for (const problem of report.problems) lines.push(text`  ${red("✗")} ${problem}`);
  if (report.problems.length === 0)
    lines.push(text`  ${green("✓")} every call reached the server, and its result the model`);
  return Text.join(lines, "\n");
}

const MAX_OUTPUT = 2000;
const MAX_SEEN = 500;

function shorten(value: string): string {
  return value.length > MAX_SEEN ? `${value.slice(0, MAX_SEEN)}…` : value;
}
