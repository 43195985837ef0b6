import { pathEnd } from "../../uri/uri-text.ts";
import { createParam, type Param, ParamIssue, type ParamOptions } from "./param.ts";

/** Accepts a relative path of plain segments that means the same on every operating system. */
export function path(options: ParamOptions = {}): Param<string, false> {
  return createParam(options, (text) => {
    const reason = pathProblem(text);
    return reason === undefined ? text : new ParamIssue("path", reason);
  });
}

/** Accepts any text without NUL and dot segments, so that it is safe as a path. For undeclared variables. */
export const ANY_TEXT: Param<string, false> = createParam({}, (text) => {
  if (text.indexOf(".") === -1 && text.indexOf("%") === -1 && text.indexOf("\0") === -1) return text;
  if (text.includes("\0")) return new ParamIssue("path", "contains a NUL character");
  return hasDotSegment(text) || hasDotSegment(decodedAgain(text))
    ? new ParamIssue("path", `contains a segment "." or ".."`)
    : text;
});

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Names that Windows treats as devices, in any folder and with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;
const DRIVE = /^[A-Za-z]:/;

/** Returns the problem with a relative path, or undefined if it is safe. The text follows the path in messages. */
export function pathProblem(text: string): string | undefined {
  if (text === "") return "is empty";
  if (CONTROL.test(text)) return "contains a control character";
  if (text.includes("\\")) return "contains a backslash";
  if (text.startsWith("/")) return "starts with a slash";
  if (DRIVE.test(text)) return "starts with a drive letter";
  for (const segment of text.split("/")) {
    const problem = segmentProblem(segment);
    if (problem !== undefined) return problem;
  }
  const again = decodedAgain(text);
  // Code further on might decode once more than we do.
  if (again !== text && (hasDotSegment(again) || again.includes("\\") || again.includes("\0")))
    return "is percent-encoded twice";
  return undefined;
}

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "contains an empty segment";
  if (segment === "." || segment === "..") return `contains the segment "${segment}"`;
  if (segment.includes(":")) return `contains a colon in the segment "${segment}"`;
  if (segment.endsWith(".") || segment.endsWith(" ")) return "contains a segment that ends with a dot or a space";
  if (DEVICE.test(segment)) return `contains the device name "${segment}"`;
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

const ENCODED_DOT_SEGMENT = /(?:^|[/\\])((?:\.|%2e){1,2})(?=$|[/\\])/i;
const PLAIN_DOT_SEGMENT = /(?:^|\/)(\.{1,2})(?=$|\/)/;

/** Returns the first segment "." or ".." of a URI's path as written, or undefined. */
export function dotSegment(uri: string, decoded: boolean): string | undefined {
  // Fast path: most URIs contain nothing that could be a dot segment.
  if (uri.indexOf("/.") === -1 && uri.charCodeAt(0) !== DOT && uri.indexOf("%2") === -1 && uri.indexOf("\\") === -1) {
    return undefined;
  }
  return (decoded ? ENCODED_DOT_SEGMENT : PLAIN_DOT_SEGMENT).exec(uri.slice(0, pathEnd(uri)))?.[1];
}

const DOT = 46;
