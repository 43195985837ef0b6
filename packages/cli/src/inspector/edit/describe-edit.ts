import type { EditEvent } from "../../dev/edit-observer.ts";
import type { Edit } from "../protocol/edit.ts";
import { toFileNames } from "../source/file-names.ts";
import { toChanges } from "./changes.ts";
import { fromDiagnostics, fromError } from "./edit-problem.ts";

/** Describes an edit for the page. Files of places are indices of `files` of the event, which the offer has too. */
export async function describeEdit(event: EditEvent, project: string): Promise<Edit> {
  const { files } = event;
  if (event.how === "broken")
    return { how: "broken", problems: fromError(event.error, files), files: toFileNames(files, project) };
  const { before, after, diagnostics, milliseconds } = event;
  // Without places, the difference is still worth showing.
  const positions = await event.positions().catch(() => []);
  const changes = toChanges(before, after, positions, files);
  return { how: "applied", ms: milliseconds, changes, problems: fromDiagnostics(diagnostics, files) };
}
