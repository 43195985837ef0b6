import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The path of a built file, for tests of the published package. */
export function distFile(name: string, folder: "proffer" | "inspector" | "cli" = "proffer"): string {
  const path = fileURLToPath(new URL(`../../${folder}/dist/${name}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`packages/${folder}/dist/${name} is missing: run \`npm run build\` first.`);
  return path;
}
