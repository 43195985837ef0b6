import { afterEach, beforeEach } from "vitest";
import { createProject, type Project } from "../../cli/test/project.ts";
import { type Pages, usePages } from "./browser.ts";

/** Creates a project with these lines in `tools.ts` for each test, and opens pages in a browser. */
export function useProjectPages(...module: string[]): { readonly project: () => Project; readonly pages: Pages } {
  let project: Project;
  beforeEach(() => {
    project = createProject();
    project.write("tools.ts", ...module);
  });
  afterEach(() => project.remove());
  return { project: () => project, pages: usePages() };
}
