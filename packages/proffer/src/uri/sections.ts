import type { Part } from "./expression.ts";
import { toText } from "./expression.ts";
import { TemplateError } from "./template-error.ts";

/** A template cut where RFC 3986 cuts a URI. The "?" and "#" themselves stand in none of the sections. */
export interface Sections {
  readonly path: Part[];
  query?: Part[];
  fragment?: Part[];
}

/** Cuts a template into path, query and fragment. @throws {TemplateError} where a section would begin twice. */
export function toSections(text: string, parts: readonly Part[]): Sections {
  const sections: Sections = { path: [] };
  for (const part of parts) {
    if (typeof part === "string") {
      addLiteral(sections, part);
      continue;
    }
    if (part.operator === "?") {
      if (sections.query !== undefined || sections.fragment !== undefined) {
        throw new TemplateError(
          text,
          part.position,
          `${toText(part)} cannot begin a query here; use {&…} after a "?".`,
        );
      }
      sections.query = [];
    }
    if (part.operator === "#") {
      if (sections.fragment !== undefined) {
        throw new TemplateError(text, part.position, `${toText(part)} begins a second fragment; use {+…} after a "#".`);
      }
      sections.fragment = [];
    }
    last(sections).push(part);
  }
  return sections;
}

function addLiteral(sections: Sections, literal: string): void {
  let rest = literal;
  const hash = rest.indexOf("#");
  const mark = rest.indexOf("?");
  if (sections.query === undefined && sections.fragment === undefined && mark !== -1 && (hash === -1 || mark < hash)) {
    addText(sections.path, rest.slice(0, mark));
    sections.query = [];
    rest = rest.slice(mark + 1);
  }
  const end = sections.fragment === undefined ? rest.indexOf("#") : -1;
  if (end !== -1) {
    addText(last(sections), rest.slice(0, end));
    sections.fragment = [];
    rest = rest.slice(end + 1);
  }
  addText(last(sections), rest);
}

function addText(parts: Part[], text: string): void {
  if (text !== "") parts.push(text);
}

function last(sections: Sections): Part[] {
  return sections.fragment ?? sections.query ?? sections.path;
}
