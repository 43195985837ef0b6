import type { ChildProcess } from "node:child_process";
import { waitForStderr } from "../project.ts";

/** The address of the page that a command prints, with its secret. */
export async function addressOf(child: ChildProcess): Promise<string> {
  const printed = /Inspector at (http:\S+#k=\S+)\s/;
  return printed.exec(await waitForStderr(child, printed))?.[1] ?? "";
}

/** The address of a route of the page. */
export function routeOf(address: string, path: string): string {
  return address.replace("/#", `${path}#`);
}
