import { fileURLToPath } from "node:url";
import type { Change, Edit, EditProblem, ItemKind, JsonObject, Place } from "@proffer/inspector";
import type { Server } from "proffer";
import type { Diagnostic, ItemPositions } from "../derive/index.ts";
import type { AppliedEdit, EditEvent } from "../dev/report.ts";
import { differencesOf } from "../recordings/replay.ts";
import { RefusedModule } from "../terminal/diagnostic-report.ts";
import { redact } from "../terminal/redact.ts";
import { cut, findItem, openLines, toFileNames } from "./module-source.ts";

/** Describes an edit for the page. Files of places are indices of `files` of the event, which the offer has too. */
export async function describeEdit(event: EditEvent, project: string): Promise<Edit> {
  const { files } = event;
  if (event.how === "broken")
    return { how: "broken", problems: fromError(event.error, files), files: toFileNames(files, project) };
  // Without places, the difference is still worth showing.
  const positions = await event.positions().catch(() => []);
  const changes = toChanges(event, positions);
  return { how: "applied", ms: event.milliseconds, changes, problems: fromDiagnostics(event.diagnostics, files) };
}

interface Described {
  readonly kind: ItemKind;
  readonly key: string;
  readonly description: JsonObject;
}

/** Facts that follow from the parameters, which are shown themselves. */
const FOR_TYPED_CLIENTS = "/_meta/proffer~1";

/** Changes that one edit shows. */
const MAX_CHANGES = 500;

/** Compares two versions of a server, as clients see them. A place is named by the index of its file. */
function toChanges({ before, after, files }: AppliedEdit, positions: readonly ItemPositions[]): Change[] {
  const [old, now] = [itemsOf(before), itemsOf(after)];
  const ids = new Set([...now.keys(), ...old.keys()]);
  return [...ids]
    .flatMap((id): Change[] => {
      const [earlier, item] = [old.get(id), now.get(id)];
      const { kind, key } = item ?? (earlier as Described);
      if (item === undefined) return [{ kind, key, how: "removed", parts: [] }];
      const placeOf = placesOf(positions, item, files);
      const place = placeOf("");
      const at = place && { place };
      if (earlier === undefined) return [{ kind, key, how: "added", parts: [], ...at }];
      const seen = differencesOf(earlier.description, item.description).filter(
        ({ pointer }) => !pointer.startsWith(FOR_TYPED_CLIENTS),
      );
      const parts = seen.map((part) => {
        const own = placeOf(part.pointer);
        return { ...part, ...(own && { place: own }) };
      });
      return parts.length === 0 ? [] : [{ kind, key, how: "changed", parts, ...at }];
    })
    .slice(0, MAX_CHANGES);
}

function itemsOf({ tools, prompts, resources }: Server): Map<string, Described> {
  const list: Described[] = [];
  // Through JSON, as clients see them: without undefined members.
  const add = (kind: ItemKind, key: string, description: unknown) =>
    void list.push({ kind, key, description: JSON.parse(JSON.stringify(description)) });
  for (const { name, description } of tools) add("tool", name, description);
  for (const { name, description } of prompts) add("prompt", name, description);
  for (const { uri, description } of resources)
    add("uriTemplate" in description ? "template" : "resource", uri, description);
  return new Map(list.map((item) => [`${item.kind} ${item.key}`, item]));
}

/** Returns a function that finds the place of a pointer, or of the nearest part that contains it. */
function placesOf(
  positions: readonly ItemPositions[],
  { kind, key }: Described,
  files: readonly string[],
): (pointer: string) => Place | undefined {
  const found = findItem(positions, kind, key);
  const places = new Map(found?.places.map(({ pointer, range }) => [pointer, range]));
  return (pointer) => {
    for (let part = pointer; ; part = part.slice(0, part.lastIndexOf("/"))) {
      const range = places.get(part);
      const file = range === undefined ? -1 : files.indexOf(range.file);
      if (range !== undefined && file >= 0) return { file, line: range.line, column: range.column };
      if (part === "") return undefined;
    }
  };
}

/** Lines before and after the place of a problem. */
const AROUND = 3;
const MAX_PROBLEMS = 50;
/** Characters of a message. */
const MAX_MESSAGE = 4000;
const MAX_FRAMES = 100;

/** Describes the problems that derivation reported, without notes. */
function fromDiagnostics(diagnostics: readonly Diagnostic[], files: readonly string[]): EditProblem[] {
  const frame = openFrames(files);
  return diagnostics
    .flatMap(({ code, severity, file, line, column, message }): EditProblem[] => {
      if (severity === "note") return [];
      const [problem, remedy] = code.startsWith("PF") ? splitRemedy(message) : [message];
      return [{ ...frame(file, line, column), code, severity, message: problem, ...(remedy && { remedy }) }];
    })
    .slice(0, MAX_PROBLEMS);
}

/** Describes why a version could not be served: it was refused, or it threw while it was loaded or started. */
function fromError(error: unknown, files: readonly string[]): EditProblem[] {
  if (error instanceof RefusedModule) return fromDiagnostics(error.diagnostics, files);
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, stack = "" } = cause instanceof Error ? cause : { message: String(cause) };
  const shown = error instanceof Error ? error.message.split("\n    at ", 1)[0] : message;
  const place = placeIn(stack, files);
  return [{ ...(place && openFrames(files)(...place)), message: redact(shown ?? message).slice(0, MAX_MESSAGE) }];
}

/** Our messages are sentences: the first names the problem, the others the remedy. */
function splitRemedy(message: string): [string, string?] {
  const end = /[.?!] (?=\p{Lu})/u.exec(message);
  return end === null ? [message] : [message.slice(0, end.index + 1), message.slice(end.index + 2)];
}

/** Finds the first line of a stack trace that is in one of the files. */
function placeIn(stack: string, files: readonly string[]): [file: string, line: number, column?: number] | undefined {
  for (const line of stack.split("\n", MAX_FRAMES)) {
    const [, path, row, column] = /((?:file:\/\/\/?|\/|[A-Za-z]:[\\/]).*?)(?::(\d+))?(?::(\d+))?\)?$/.exec(line) ?? [];
    const file = path === undefined ? undefined : toPath(path);
    if (file === undefined || !files.includes(file)) continue;
    return column === undefined ? [file, Number(row ?? 1)] : [file, Number(row), Number(column)];
  }
  return undefined;
}

function toPath(path: string): string | undefined {
  try {
    return (path.startsWith("file:") ? fileURLToPath(path) : path).replaceAll("\\", "/");
  } catch {
    return undefined;
  }
}

/** Returns a function that shows the lines around a place. */
function openFrames(files: readonly string[]) {
  const linesOf = openLines();
  return (path: string, line: number, column?: number): Partial<EditProblem> => {
    const file = files.indexOf(path);
    if (file < 0) return {};
    const first = Math.max(1, line - AROUND);
    const lines = linesOf(path).slice(first - 1, line + AROUND);
    return {
      file,
      line,
      ...(column !== undefined && { column }),
      ...(lines.length > 0 && { frame: { first, lines: lines.map(cut) } }),
    };
  };
}
