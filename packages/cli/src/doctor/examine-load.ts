import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Finding } from "./finding.ts";

const PATIENCE = 30_000;

/** Imports a module in a process of its own, where nothing guards stdout, and looks at what it prints there. */
export async function examineLoad(url: string): Promise<Finding[]> {
  const script = `await import(${JSON.stringify(url)}); process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "ignore"],
    timeout: PATIENCE,
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed = `${printed}${text}`.slice(0, 80);
  });
  await once(child, "close");
  if (printed === "") return [{ level: "good", message: "It prints nothing on stdout while it is loaded." }];
  return [
    {
      level: "warning",
      message: `It prints on stdout while it is loaded: ${JSON.stringify(printed)}`,
      remedy:
        "Proffer sends that to stderr; without Proffer it would break the protocol. Use console.error or ctx.log.",
    },
  ];
}
