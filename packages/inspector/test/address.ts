import type { ChildProcess } from "node:child_process";
import { waitForStderr } from "../../cli/test/project.ts";

/** The address of the page that a command prints, with its secret. */
export async function addressOf(child: ChildProcess): Promise<string> {
  const printed = /Inspector at (http:\S+#k=\S+)\s/;
  return printed.exec(await waitForStderr(child, printed))?.[1] ?? "";
}

/** The addresses that `proffer dev --http --inspect` prints, in any order: that of the page, and that of the server. */
export async function addressesOf(child: ChildProcess): Promise<{ readonly address: string; readonly url: string }> {
  const said = await waitForStderr(child, /^(?=.*Inspector at \S+#k=\S+\s)(?=.*Listening at http:\S+\/mcp;)/s);
  const [, address = ""] = /Inspector at (\S+)/.exec(said) ?? [];
  const [, url = ""] = /Listening at (\S+\/mcp);/.exec(said) ?? [];
  return { address, url };
}

/** The address of a route of the page. */
export function routeOf(address: string, path: string): string {
  return address.replace("/#", `${path}#`);
}
