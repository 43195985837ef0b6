import process from "node:process";
import type { Finding } from "./finding.ts";

/** Imports a module and looks at what it prints meanwhile. */
export async function examineLoad(load: () => Promise<unknown>): Promise<Finding[]> {
  const printed: string[] = [];
  const { stdout } = process;
  const { write } = stdout;
  stdout.write = ((chunk: unknown) => {
    printed.push(String(chunk));
    return true;
  }) as typeof write;
  try {
    await load();
  } finally {
    stdout.write = write;
  }
  const [first] = printed;
  if (first === undefined) return [{ level: "good", message: "It prints nothing on stdout while it is loaded." }];
  return [
    {
      level: "warning",
      message: `It prints on stdout while it is loaded: ${JSON.stringify(first.slice(0, 80))}`,
      remedy:
        "Proffer sends that to stderr; without Proffer it would break the protocol. Use console.error or ctx.log.",
    },
  ];
}
