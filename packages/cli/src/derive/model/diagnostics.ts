/**
 * Every complaint that derivation makes by itself; docs/diagnostics.md has an example and the remedy of each. A code is
 * never used again for something else.
 */
export const DIAGNOSTICS = {
  PF1001: { severity: "error", summary: "The module does not exist" },
  PF1002: { severity: "error", summary: "The module exports nothing that could be served" },
  PF1003: { severity: "error", summary: "The name cannot be used in MCP" },
  PF1004: { severity: "error", summary: "Two exports have the same name or uri" },
  PF1005: { severity: "error", summary: "The default export has no name" },
  PF1006: { severity: "error", summary: "A parameter has no name" },
  PF1007: { severity: "error", summary: "A destructured parameter is a union" },
  PF1008: { severity: "error", summary: "A function is both a prompt and a resource" },

  PF1101: { severity: "error", summary: "A type cannot be resolved" },
  PF1102: { severity: "error", summary: "A function is part of the data" },
  PF1103: { severity: "error", summary: "A symbol is part of the data" },
  PF1104: { severity: "error", summary: "A promise or an iterator is part of the data" },
  PF1105: { severity: "error", summary: "A class with methods or private members is part of the data" },
  PF1106: { severity: "error", summary: "A built-in class has no form in JSON" },
  PF1107: { severity: "error", summary: "A type expands without end" },
  PF1108: { severity: "error", summary: "JSON cannot tell the members of a union apart" },
  PF1109: { severity: "error", summary: "The context is part of the data" },

  PF1201: { severity: "error", summary: "A tag has a value that it cannot have" },
  PF1202: { severity: "error", summary: "A tag does not apply to the type" },
  PF1203: { severity: "error", summary: "A tag hides properties that are declared after it" },

  PF1301: { severity: "error", summary: "An argument of a prompt is not a string" },
  PF1302: { severity: "error", summary: "A prompt does not return messages" },

  PF1401: { severity: "error", summary: "The URI template is malformed" },
  PF1402: { severity: "error", summary: "A template variable has no parameter" },
  PF1403: { severity: "error", summary: "A parameter is not in the template" },
  PF1404: { severity: "error", summary: "A parameter has a type that a URI cannot carry" },
  PF1405: { severity: "error", summary: "A variable that may be absent has a required parameter" },

  PF1501: { severity: "error", summary: "A question has neither a type nor a schema" },
  PF1502: { severity: "error", summary: "The type of a question is generic" },
  PF1503: { severity: "error", summary: "The type of a question is not an object" },
  PF1504: { severity: "error", summary: "A form cannot ask for this" },

  PF2001: { severity: "warning", summary: "An export has no documentation comment" },
  PF2002: { severity: "warning", summary: "Only the first overload is served" },
  PF2003: { severity: "warning", summary: "A type is any" },
  PF2004: { severity: "warning", summary: "An exported class is not served" },
  PF2005: { severity: "warning", summary: "An exported object of a package is not served" },
  PF2006: { severity: "warning", summary: "A @param tag names no parameter" },
  PF2007: { severity: "warning", summary: "A generic type is served by its constraint" },
  PF2008: { severity: "warning", summary: "A tag is about nothing" },
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

export type Severity = "error" | "warning";

/** One complaint about the author's code. Line and column count from 1. */
export interface Diagnostic {
  /** One of `DIAGNOSTICS`, or TypeScript's own number as `TS2304`. */
  code: string;
  severity: Severity;
  /** Absolute path. */
  file: string;
  line: number;
  column: number;
  message: string;
}
