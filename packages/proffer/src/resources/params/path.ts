import { pathEnd } from "../../uri/segments.ts";
import { createParam, type Param, ParamIssue, type ParamOptions } from "./param.ts";

/** A path below something: relative, of plain segments, the same on every operating system. */
export function path(options: ParamOptions = {}): Param<string, false> {
  return createParam(options, (text) => {
    const reason = pathProblem(text);
    return reason === undefined ? text : new ParamIssue("path", reason);
  });
}

/** Anything that could not lead out of where it is used as a segment or a path: for variables without a declaration. */
export const ANY_TEXT: Param<string, false> = createParam({}, (text) => {
  if (text.indexOf(".") === -1 && text.indexOf("%") === -1 && text.indexOf("\0") === -1) return text;
  if (text.includes("\0")) return new ParamIssue("path", "has a NUL character");
  return hasDotSegment(text) || hasDotSegment(decodedAgain(text))
    ? new ParamIssue("path", `has a segment "." or ".."`)
    : text;
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Names that Windows takes for devices, in any folder and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;
const DRIVE = /^[A-Za-z]:/;

/** What is wrong with a relative path, if something is. */
export function pathProblem(text: string): string | undefined {
  if (text === "") return "is empty";
  if (CONTROL.test(text)) return "has a control character";
  if (text.includes("\\")) return "has a back-slash";
  if (text.startsWith("/")) return "begins with a slash";
  if (DRIVE.test(text)) return "begins with a drive letter";
  for (const segment of text.split("/")) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return problem;
  }
  const again = decodedAgain(text);
  // Someone further on might decode once more than we do.
  if (again !== text && (hasDotSegment(again) || again.includes("\\") || again.includes("\0")))
    return "is encoded twice";
  return undefined;
}

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "has an empty segment";
  if (segment === "." || segment === "..") return `has the segment "${segment}"`;
  if (segment.includes(":")) return `has a colon in the segment "${segment}"`;
  if (segment.endsWith(".") || segment.endsWith(" ")) return `has a segment that ends with a dot or a space`;
  if (DEVICE.test(segment)) return `has the name of a device, "${segment}"`;
  return undefined;
}

const DOT_SEGMENT = /(?:^|[/\\])\.{1,2}(?:$|[/\\])/;

function hasDotSegment(text: string): boolean {
  return DOT_SEGMENT.test(text);
}

function decodedAgain(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const DOOR = /(?:^|[/\\])((?:\.|%2e){1,2})(?=$|[/\\])/i;
const RAW_DOOR = /(?:^|\/)(\.{1,2})(?=$|\/)/;

/** The first segment "." or ".." of a URI's path, as it stands there; undefined if it has none. */
export function dotSegment(uri: string, decoded: boolean): string | undefined {
  // Most URIs have nothing that could be one, and need not be looked at twice.
  if (uri.indexOf("/.") === -1 && uri.charCodeAt(0) !== DOT && uri.indexOf("%2") === -1 && uri.indexOf("\\") === -1) {
    return undefined;
  }
  return (decoded ? DOOR : RAW_DOOR).exec(uri.slice(0, pathEnd(uri)))?.[1];
}

const DOT = 46;
