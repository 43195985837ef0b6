import type ts from "typescript";

/**
 * The diagnostics of derivation. docs/diagnostics.md has an example and the remedy of each. A code is never reused.
 */
export const DIAGNOSTICS = {
  PF1001: { severity: "error", summary: "The module does not exist" },
  PF1002: { severity: "error", summary: "The module exports nothing to serve" },
  PF1003: { severity: "error", summary: "The name is not valid in MCP" },
  PF1004: { severity: "error", summary: "Two exports have the same name or URI" },
  PF1005: { severity: "error", summary: "The default export has no name" },
  PF1006: { severity: "error", summary: "A parameter has no name" },
  PF1007: { severity: "error", summary: "A destructured parameter is a union" },
  PF1008: { severity: "error", summary: "A function is both a prompt and a resource" },
  PF1009: { severity: "error", summary: "A file is CommonJS" },

  PF1101: { severity: "error", summary: "A type cannot be resolved" },
  PF1102: { severity: "error", summary: "A function is part of the data" },
  PF1103: { severity: "error", summary: "A symbol is part of the data" },
  PF1104: { severity: "error", summary: "A promise or an iterator is part of the data" },
  PF1105: { severity: "error", summary: "A class with methods or private members is part of the data" },
  PF1106: { severity: "error", summary: "JSON cannot represent a built-in class" },
  PF1107: { severity: "error", summary: "A type expands infinitely" },
  PF1108: { severity: "error", summary: "The members of a union cannot be distinguished in JSON" },
  PF1109: { severity: "error", summary: "The context is part of the data" },
  PF1110: { severity: "error", summary: "A type is too large for one schema" },
  PF1111: {
    severity: "error",
    summary: "The validator rejects a schema, such as one with a pattern that could take very long",
  },
  PF1140: { severity: "error", summary: "A closed result has no type that names its properties" },

  PF1201: { severity: "error", summary: "A tag has an invalid value" },
  PF1202: { severity: "error", summary: "A tag does not apply to the type" },
  PF1203: { severity: "error", summary: "A tag hides properties that are declared after it" },
  PF1240: { severity: "error", summary: "A scope is not valid" },
  PF1241: { severity: "error", summary: "A scope protects nothing" },
  PF1250: { severity: "error", summary: "A task has an invalid option" },
  PF1251: { severity: "error", summary: "The options of a task contradict each other" },

  PF1301: { severity: "error", summary: "An argument of a prompt is not a string" },
  PF1302: { severity: "error", summary: "A prompt does not return messages" },
  PF1350: { severity: "error", summary: "An earlier name is taken" },

  PF1320: { severity: "error", summary: "Settings have neither a type nor a schema" },
  PF1321: { severity: "error", summary: "The type of settings is generic" },
  PF1322: { severity: "error", summary: "The type of settings is not an object" },
  PF1323: { severity: "error", summary: "A setting cannot be read from an environment variable" },
  PF1324: { severity: "error", summary: "A secret has a default" },
  PF1325: { severity: "error", summary: "Two definitions of a setting differ" },

  PF1401: { severity: "error", summary: "The URI template is malformed" },
  PF1402: { severity: "error", summary: "A template variable has no parameter" },
  PF1403: { severity: "error", summary: "A parameter does not appear in the template" },
  PF1404: { severity: "error", summary: "A parameter has a type that a URI cannot represent" },
  PF1405: { severity: "error", summary: "An optional variable has a required parameter" },

  PF1501: { severity: "error", summary: "A question has neither a type nor a schema" },
  PF1502: { severity: "error", summary: "The type of a question is generic" },
  PF1503: { severity: "error", summary: "The type of a question is not an object" },
  PF1504: { severity: "error", summary: "A form cannot ask for a property" },

  PF1601: { severity: "error", summary: "A companion belongs to a function that is not served" },
  PF1602: { severity: "error", summary: "A companion has an option that its function cannot have" },
  PF1603: { severity: "error", summary: "A function has two companions" },
  PF1604: { severity: "error", summary: "A companion is not at the top level of a module" },
  PF1701: { severity: "error", summary: "Two servers are exported" },
  PF1702: { severity: "error", summary: "A server has an export name that is not served" },
  PF1703: { severity: "error", summary: "The exported server is a promise" },

  PF1801: { severity: "error", summary: "A type has two codecs" },
  PF1802: { severity: "error", summary: "A codec is not exported" },
  PF1803: { severity: "error", summary: "A codec lacks a type" },
  PF1804: { severity: "error", summary: "The schema of a codec is not constant" },
  PF1805: { severity: "error", summary: "A codec is for a type that cannot have one" },
  PF1806: { severity: "error", summary: "A codec cannot recognize its values in a union" },

  PF2001: { severity: "warning", summary: "An export has no documentation comment" },
  PF2002: { severity: "warning", summary: "Only the first overload is served" },
  PF2003: { severity: "warning", summary: "A type is `any`" },
  PF2004: { severity: "warning", summary: "An exported class is not served" },
  PF2005: { severity: "warning", summary: "An exported object from a package is not served" },
  PF2006: { severity: "warning", summary: "A @param tag does not match a parameter" },
  PF2007: { severity: "warning", summary: "A generic type is served as its constraint" },
  PF2008: { severity: "warning", summary: "A tag does not belong to a parameter" },
  PF2030: { severity: "warning", summary: "A default does not fit the type" },
  PF2031: { severity: "warning", summary: "A tag cannot rename the value" },
  PF2020: { severity: "warning", summary: "A schema accepts more than the type" },
  PF2021: { severity: "warning", summary: "The return value of a generator is not sent" },
  PF2022: { severity: "warning", summary: "The type of a validation schema has lost its constraints" },

  PF2101: { severity: "warning", summary: "A tag is misspelled" },
  PF2102: { severity: "warning", summary: "A tag has an unusable value and is ignored" },
  PF2103: { severity: "warning", summary: "A tag does not apply to the function, value or module" },
  PF2104: { severity: "warning", summary: "A tag appears more than once" },
  PF2105: { severity: "warning", summary: "A tag has the name that another library uses" },
  PF2201: { severity: "warning", summary: "Functions beside a default server are not served" },

  PF2301: { severity: "warning", summary: "A schema is larger than 16 kB" },

  PF2320: { severity: "warning", summary: "A setting looks like a secret and is not marked" },

  PF3001: { severity: "note", summary: "Functions throw errors that no model will see" },
  PF3002: { severity: "note", summary: "Functions return whole results" },
  PF3003: { severity: "note", summary: "Functions yield pieces of one text" },
  PF3007: { severity: "note", summary: "Functions can send properties that their return types do not have" },
  PF3004: { severity: "note", summary: "A value that may be undefined can be left out" },
  PF3005: { severity: "note", summary: "A decorator of class-validator has no keyword" },
  PF3006: { severity: "note", summary: "An argument whose type is a class is a plain object" },
} as const;

export type DiagnosticCode = keyof typeof DIAGNOSTICS;

/** A note needs no change: `check` and `dev` show it, other commands do not. */
export type Severity = "error" | "warning" | "note";

/** A problem in the author's code. Line and column start at 1. */
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

/** A position in the text of a file, for problems of a comment. */
export interface TextPlace {
  readonly file: ts.SourceFile;
  readonly pos: number;
}
